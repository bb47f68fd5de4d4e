"""Bringing a database to the newest form by Alembic's migrations."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

_FOLDER = Path(__file__).parent / "migrations"


def settings() -> Config:
    """Alembic's settings for the packaged migrations."""
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    return config


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Run what is missing up to a revision, in the connection's own transaction."""
    config = settings()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
