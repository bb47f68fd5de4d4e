"""Serving the pages with uvicorn, on a loopback address, until it is stopped."""

import atexit
import os
import socket
from contextlib import ExitStack

import click
import uvicorn
from starlette.types import ASGIApp

from broadsheet.api.home import Home, open_home
from broadsheet.errors import UsageError
from broadsheet.web.app import make_app

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(home: Home, host: str = "127.0.0.1", port: int = 8765, workers: int = 1) -> None:
    """Print the address and serve; ``port`` 0 takes a free one.

    Raises UsageError for an address that others can reach, and for a port that is taken.
    """
    if host not in _LOOPBACK:
        raise UsageError(
            f"{host} can be reached from elsewhere, and these pages know no sign-in.",
            "Serve on 127.0.0.1 and reach it through an SSH tunnel.",
        )
    with listening(host, port) as listener:
        shown = f"[{host}]" if ":" in host else host
        click.echo(f"Broadsheet is printed at http://{shown}:{listener.getsockname()[1]}/")
        if workers > 1:
            _serve_with_workers(home, listener, workers)
        else:
            config = uvicorn.Config(make_app(home), log_level="warning", server_header=False)
            uvicorn.Server(config).run([listener])


def listening(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=128
        )
    except OSError as error:
        raise UsageError(
            f"{host}:{port} cannot be used: {error.strerror}.",
            "Is Broadsheet running already? Otherwise choose another --port.",
        ) from error


def _serve_with_workers(home: Home, listener: socket.socket, workers: int) -> None:
    # each worker is a process of its own, which opens the home that the environment names
    os.environ["BROADSHEET_HOME"] = str(home.path)
    uvicorn.run(
        "broadsheet.web.serving:app_of_worker",
        factory=True,
        workers=workers,
        fd=listener.fileno(),
        log_level="warning",
        server_header=False,
    )


def app_of_worker() -> ASGIApp:
    """The pages of the home named by the environment, kept open until the process ends."""
    opened = ExitStack()
    atexit.register(opened.close)
    return make_app(opened.enter_context(open_home()))
