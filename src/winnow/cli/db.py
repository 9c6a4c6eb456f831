"""`winnow db upgrade | downgrade | status`: the schema of the database."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Annotated, Any

import typer

from winnow.cli.session import AsJson, run, settings
from winnow.errors import WinnowError

if TYPE_CHECKING:
    from winnow.db.migrate import MigrationStatus

app = typer.Typer(help="The schema of the database.", no_args_is_help=True)

# Alembic and SQLAlchemy take more than a second to import; every other command does without, so they are
# imported where they are used.


@app.command()
def upgrade(
    revision: Annotated[str, typer.Argument(help="Up to which revision.")] = "head", as_json: AsJson = False
) -> None:
    """Upgrades the schema to the newest revision."""
    from winnow.db import migrate

    _run(lambda url: migrate.upgrade(url, revision), as_json)


@app.command()
def downgrade(
    revision: Annotated[str, typer.Argument(help='Down to which revision; "base" is empty.')] = "-1",
    as_json: AsJson = False,
) -> None:
    """Downgrades the schema, by default by one revision. Data in dropped tables is lost."""
    from winnow.db import migrate

    _run(lambda url: migrate.downgrade(url, revision), as_json)


@app.command()
def status(as_json: AsJson = False) -> None:
    """Shows the revision of the schema and pending migrations."""
    _run(None, as_json)


def _run(change: Callable[[str], Coroutine[Any, Any, None]] | None, as_json: bool) -> None:
    """Changes the schema, then shows where it stands; an error is one line, without a traceback."""
    try:
        _show(run(_changed(change)), as_json)
    except WinnowError as error:
        typer.echo(f"winnow: {error}", err=True)
        raise typer.Exit(1) from None


async def _changed(change: Callable[[str], Coroutine[Any, Any, None]] | None) -> MigrationStatus:
    from winnow.db import migrate
    from winnow.db.engine import Database

    async with await Database.open(settings().db) as database:
        if change:
            await change(database.url)
        return await migrate.status(database.url)


def _show(found: MigrationStatus, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(found._asdict()))
        return
    typer.echo(f"revision {found.current or 'none'}, newest {found.head or 'none'}")
    for revision in found.pending:
        typer.echo(f"  to apply: {revision}")
