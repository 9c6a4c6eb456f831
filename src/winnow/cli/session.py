"""Set-up of a command: settings, logs, the database at the newest schema, and the actor for the audit trail."""

from __future__ import annotations

import asyncio
import getpass
import os
import sys
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from winnow.db import baseline
from winnow.errors import ConfigError, Defect, InvalidInput, WinnowError

if TYPE_CHECKING:
    from winnow.actions.parts import Parts
    from winnow.db.engine import Database
    from winnow.settings import Settings

T = TypeVar("T")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="Maximum number of rows.")]


def actor() -> str:
    """Who the audit trail names."""
    try:
        return f"cli:{getpass.getuser()}"
    except (KeyError, OSError):  # a number without a name, in a container
        return "cli"


def password(wanted: bool) -> str | None:
    """Asked for on a terminal, read from what is piped in otherwise: never an argument, which every user of the machine
    can see, and never in the way of what --json prints."""
    if not wanted:
        return None
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, err=True))
    given = sys.stdin.read().strip("\r\n")
    if not given:
        raise InvalidInput("--password was given, but the password is empty", field="password")
    return given


def settings() -> Settings:
    """Loaded for a command that does one thing: only warnings are logged, as text."""
    from winnow import settings as all_settings
    from winnow.observe import logs

    loaded = all_settings.load()
    logs.configure(loaded.observe.model_copy(update={"log_level": "WARNING", "log_format": "text"}))
    return loaded


def process_settings() -> Settings:
    """Loaded for a process that stays: logged as configured, as text on a terminal by default."""
    from winnow import settings as all_settings
    from winnow.observe import logs

    loaded = all_settings.load()
    observe = loaded.observe
    if sys.stderr.isatty() and "log_format" not in observe.model_fields_set:
        observe = observe.model_copy(update={"log_format": "text"})
    logs.configure(observe)
    return loaded


def schema_ready(loaded: Settings) -> None:
    """For long-running processes: the first one creates the private database and its schema."""

    async def look() -> None:
        async with opened(loaded):
            pass

    run(look())


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs a command. Any error becomes one line; WINNOW_LOG_LEVEL=DEBUG shows the stack. Long-running processes do
    not use this: they log the stack."""
    try:
        return asyncio.run(work)
    except (WinnowError, typer.Exit, typer.Abort, typer.BadParameter, BrokenPipeError):
        raise
    except Exception as error:
        if os.environ.get("WINNOW_LOG_LEVEL") == "DEBUG":
            raise
        raise _describe_error(error) from error


def _describe_error(error: Exception) -> WinnowError:
    import psycopg

    from winnow.db.connect import is_away, went_away

    cause = getattr(error, "orig", None) or error  # SQLAlchemy wraps the error of the driver
    if isinstance(cause, psycopg.DataError):
        return InvalidInput("a number or text is too large for the database")
    if isinstance(cause, psycopg.Error) and is_away(cause):
        return went_away(cause)
    if isinstance(cause, OSError) and cause.strerror:
        return ConfigError(f"{cause.strerror}: {cause.filename}" if cause.filename else cause.strerror)
    summary = str(cause).partition("\n")[0]
    return Defect(f"internal error, {type(cause).__name__}: {summary} (WINNOW_LOG_LEVEL=DEBUG shows where)")


def one_of(words: str, given: str | None, field: str) -> str | None:
    """A word of a short list, in whatever case; `words` are written as they are stored."""
    known = {word.lower(): word for word in words.split()}
    if given is None or given.lower() in known:
        return None if given is None else known[given.lower()]
    raise InvalidInput(f"{field} is {', '.join(list(known.values())[:-1])} or {list(known.values())[-1]}", field=field)


def moment(text: str | None, field: str) -> datetime | None:
    """A moment given as an option; without a zone it is UTC."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(f"--{field} is a moment such as 2026-03-01 or 2026-03-01T12:00:00Z", field=field) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


@asynccontextmanager
async def opened(loaded: Settings) -> AsyncIterator[Database]:
    """Open the database and require the newest schema. The private one is migrated; an external server is not
    changed."""
    from winnow.db.engine import Database

    async with await Database.open(loaded.db) as database:
        if not await _is_newest(database):
            await _migrate(database, private=loaded.db.database_url is None)
        yield database


@asynccontextmanager
async def assembled() -> AsyncIterator[Parts]:
    """The same parts the API works with, so that both do the same; only those the command asks for are made."""
    from winnow.actions.parts import Parts

    loaded = settings()
    async with opened(loaded) as database:
        parts = Parts(database, loaded)
        try:
            yield parts
        finally:
            await parts.close()


async def _is_newest(database: Database) -> bool:
    async with database.connection() as conn:
        known = await (await conn.execute(f"SELECT to_regclass('alembic_version'), ({baseline.READ_MARK})")).fetchone()
        if known is None or known[0] is None or not baseline.matches(known[1]):
            return False
        row = await (await conn.execute("SELECT max(version_num) FROM alembic_version")).fetchone()
    return row is not None and row[0] == _newest()


def _newest() -> str:
    """From the file names (0001_baseline.py): asking Alembic takes half a second."""
    folder = files("winnow").joinpath("db/migrations/versions")
    return max((f.name.split("_")[0] for f in folder.iterdir() if f.name.endswith(".py")), default="")


async def _migrate(database: Database, *, private: bool) -> None:
    from winnow.db import migrate

    if private:
        await migrate.upgrade(database.url)
    elif (await migrate.status(database.url)).pending:
        raise ConfigError("the schema of the database is not up to date: run `winnow db upgrade`")
