"""Run by Alembic for each command. `winnow.db.migrate` brings a connection; the command line gets one here (C-060)."""

from __future__ import annotations

import asyncio
from typing import Any

from alembic import context
from alembic.operations import MigrationScript
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection

from winnow.db.engine import Database
from winnow.db.migrate import connected
from winnow.db.settings import DatabaseSettings
from winnow.errors import WinnowError


def run(connection: Connection, **options: Any) -> None:
    context.configure(connection=connection, transaction_per_migration=True, **options)
    with context.begin_transaction():
        context.run_migrations()


async def run_from_command_line() -> None:
    """On the server of WINNOW_DATABASE_URL, or on the private one of the data folder."""
    if context.is_offline_mode():
        raise CommandError("migrations need a database: --sql is not supported")
    try:
        async with await Database.open(DatabaseSettings()) as database:
            await asyncio.to_thread(run_on, database.url)
    except WinnowError as error:
        raise CommandError(str(error)) from error


def run_on(url: str) -> None:
    from winnow.db.tables.objects import metadata  # every model: only `revision --autogenerate` and `check` need them

    with connected(url) as connection:
        run(connection, target_metadata=metadata, process_revision_directives=number)


def number(migration: MigrationContext, _: Any, directives: list[MigrationScript]) -> None:
    """Numbers a new revision: 0002 follows 0001. `winnow` finds the newest one by its file name."""
    if directives and migration.config:
        head = ScriptDirectory.from_config(migration.config).get_current_head()
        directives[0].rev_id = f"{int(head or 0) + 1:04d}"


if (given := context.config.attributes.get("connection")) is not None:
    run(given)
else:
    asyncio.run(run_from_command_line())
