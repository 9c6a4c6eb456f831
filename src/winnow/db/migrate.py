"""Brings the schema to a revision. One process at a time, whoever else tries waits.

Alembic is driven from here; it is not async, so it runs in a thread. `alembic` on the command line (C-060) finds the
same connection through `connected`, by way of migrations/env.py.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

import psycopg
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.script.revision import RevisionError
from alembic.util import CommandError
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from winnow.db import baseline
from winnow.db.connect import explain, is_away, parse, went_away
from winnow.errors import ConfigError

T = TypeVar("T")
# Advisory locks share one number space per database: ours start with "WINN" (DESIGN §11.21).
LOCK_SPACE, LOCK_MIGRATIONS = 0x57494E4E, 1
LOCK_PAUSE = 0.2
FOLDER = Path(__file__).with_name("migrations")
OTHER_BASELINE = (
    "this database has the schema of an unreleased Winnow, which cannot be migrated: give Winnow an empty data folder"
    " (move yours away, or set WINNOW_DATA_DIR) or, with WINNOW_DATABASE_URL, an empty database"
)


class MigrationStatus(NamedTuple):
    current: str | None
    head: str | None
    pending: list[str]


async def upgrade(db_url: str, revision: str = "head") -> None:
    await asyncio.to_thread(_run, db_url, lambda config, _: command.upgrade(config, revision))


async def downgrade(db_url: str, revision: str = "-1") -> None:
    await asyncio.to_thread(_run, db_url, lambda config, _: command.downgrade(config, revision))


async def status(db_url: str) -> MigrationStatus:
    return await asyncio.to_thread(_run, db_url, _status)


def _status(config: Config, connection: Connection) -> MigrationStatus:
    script = ScriptDirectory.from_config(config)
    current = MigrationContext.configure(connection).get_current_revision()
    head = script.get_current_head()
    steps = script.iterate_revisions(head, current or "base") if head else ()
    return MigrationStatus(current, head, [step.revision for step in steps if step.revision != current][::-1])


def _run(db_url: str, work: Callable[[Config, Connection], T]) -> T:
    try:
        with connected(db_url) as connection:
            return work(_config(connection), connection)
    except (CommandError, RevisionError) as error:
        raise ConfigError(f"{error}: is this Winnow older than the database?") from error
    except DBAPIError as error:
        if isinstance(error.orig, psycopg.errors.InsufficientPrivilege | psycopg.errors.UndefinedFile):
            raise ConfigError(f"the database refuses a migration: {error.orig.diag.message_primary}") from error
        if isinstance(error.orig, psycopg.Error) and is_away(error.orig):
            raise went_away(error.orig) from error
        raise


@contextmanager
def connected(db_url: str) -> Iterator[Connection]:
    """A connection that holds the lock of migrations, to a database that this Winnow can migrate."""
    conninfo = parse(db_url)
    engine = create_engine("postgresql+psycopg://", creator=lambda: _connect(conninfo), poolclass=NullPool)
    with engine.connect() as connection, _alone(connection):
        _refuse_other_baseline(connection)
        yield connection


def _refuse_other_baseline(connection: Connection) -> None:
    migrated = MigrationContext.configure(connection).get_current_heads()
    same = baseline.matches(connection.scalar(text(baseline.READ_MARK)))
    connection.commit()
    if migrated and not same:
        raise ConfigError(OTHER_BASELINE)


def _connect(conninfo: str) -> psycopg.Connection[tuple[object, ...]]:
    try:
        return psycopg.connect(conninfo)
    except psycopg.OperationalError as error:
        raise ConfigError(explain(error, conninfo)) from None


@contextmanager
def _alone(connection: Connection) -> Iterator[None]:
    """Asks again and again rather than waiting inside the server: a waiting statement holds a snapshot,
    and CREATE INDEX CONCURRENTLY in the migration that runs would wait for it in turn."""
    key = {"space": LOCK_SPACE, "what": LOCK_MIGRATIONS}
    while not connection.scalar(text("SELECT pg_try_advisory_lock(:space, :what)"), key):
        connection.commit()
        time.sleep(LOCK_PAUSE)
    connection.commit()
    try:
        yield
    finally:
        if not connection.invalidated:  # a connection that broke has lost its locks, and says no more
            connection.rollback()
            connection.execute(text("SELECT pg_advisory_unlock(:space, :what)"), key)
            connection.commit()


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
