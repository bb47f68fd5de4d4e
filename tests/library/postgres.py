"""A throwaway PostgreSQL server for tests, reached through a socket in its own folder."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg


def binaries() -> Path | None:
    """The folder of initdb and pg_ctl, or None where PostgreSQL's server is not installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which("initdb")
    folders += [Path(found).parent] if found else []
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


@contextmanager
def running(programs: Path) -> Iterator[Path]:
    """A server with the super-reader ``postgres``; its folder. Root lends it to the postgres account."""
    folder = Path(tempfile.mkdtemp(prefix="broadsheet-postgres-"))
    account = "postgres" if os.geteuid() == 0 else None
    if account:
        shutil.chown(folder, account)

    def run(program: str, *options: str) -> None:
        command = [str(programs / program), "-D", str(folder / "data"), *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, user=account, cwd="/")

    try:
        run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        settings = f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=60"
        run("pg_ctl", "-w", "-l", str(folder / "log"), "-o", settings, "start")
        try:
            yield folder
        finally:
            run("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def address(folder: Path, database: str) -> str:
    """The address of one of the server's databases."""
    return f"postgresql://postgres@/{database}?host={folder}"


def make_database(folder: Path, database: str, template: str | None = None) -> str:
    """Make a database, as a copy of another one if named; its address."""
    copied = f" TEMPLATE {template}" if template else ""
    with psycopg.connect(address(folder, "postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {database}{copied}".encode())
    return address(folder, database)
