"""`winnow search-index …`: the indexes of a search server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from winnow.cli.session import AsJson, assembled, run
from winnow.errors import ConfigError

if TYPE_CHECKING:
    from winnow.actions.parts import Parts
    from winnow.store.search.lag import Lag

app = typer.Typer(help="The index of a search server (WINNOW_SEARCH_URL).", no_args_is_help=True)

INDEXES = {
    "INDEX": "index",
    "SEARCHED": "live",
    "SENT": "documents",
    "WAITING": "documents_waiting",
    "SECONDS BEHIND": "index_seconds",
    "ERROR": "last_error",
}


@app.command("status")
def status(as_json: AsJson = False) -> None:
    """Shows how far the indexes are, and what waits."""
    run(_status(as_json))


async def _status(as_json: bool) -> None:
    import msgspec

    from winnow.cli import show
    from winnow.store.search import lag

    async with assembled() as parts, parts.database.connection() as conn:
        known = await lag.read(conn)
    if as_json:
        show.as_json([msgspec.to_builtins(one) for one in known])
        return
    show.message(f"{known[0].changes:,} changes wait, for {known[0].changes_seconds:.0f} s")
    indexes = [msgspec.to_builtins(one) for one in known if one.index is not None]
    show.table(INDEXES, indexes, "no search server: PostgreSQL answers searches")


@app.command("create")
def create(as_json: AsJson = False) -> None:
    """Makes the index where there is none and fills it; upkeep does so by itself."""
    run(_build(as_json, anew=False))


@app.command("rebuild")
def rebuild(as_json: AsJson = False) -> None:
    """Builds a new index beside the one that is searched, and lets it take its place when it is complete."""
    run(_build(as_json, anew=True))


async def _build(as_json: bool, *, anew: bool) -> None:
    from winnow.cli import show
    from winnow.store.search.server import indexes

    async with assembled() as parts:
        if parts.search_server is None:
            raise ConfigError("there is no search server: set WINNOW_SEARCH_URL")
        alias = parts.settings.search.search_index
        async with parts.database.connection() as conn:
            name = await (indexes.request_new(conn, alias) if anew else indexes.request_first(conn, alias))
            waiting = name or next((one.name for one in await indexes.listed(conn) if not one.live), None)
        if waiting is not None:
            await _fill(parts, waiting, quiet=as_json)
    if as_json:
        show.as_json({"index": waiting, "built": waiting is not None})
    elif waiting is None:
        show.message("there is an index already; `winnow search-index rebuild` builds it anew")
    else:
        show.message(f"{waiting} is searched now")


async def _fill(parts: Parts, name: str, *, quiet: bool) -> None:
    """Sends until the index is the live one; where another process is sending, watches it."""
    import asyncio

    from rich.progress import Progress

    from winnow.run.search.upkeep import rebuild_step

    assert parts.search_server is not None
    with Progress(disable=quiet) as progress:
        bar = progress.add_task("documents", total=None)
        while True:
            async with parts.database.connection() as conn:
                index = _of(name, await rebuild_step(conn, parts.search_server))
            progress.update(bar, completed=index.documents or 0, total=(index.documents or 0) + index.documents_waiting)
            if index.live:
                return
            await asyncio.sleep(0.01)


def _of(name: str, known: list[Lag]) -> Lag:
    found = next((one for one in known if one.index == name), None)
    if found is None:
        raise ConfigError(f"the index {name} was deleted while it was built")
    return found
