"""`winnow pages …`: fetched pages and their archived bodies."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from winnow.cli.session import AsJson, Limit, actor, assembled, moment, run

if TYPE_CHECKING:
    from winnow.actions.pages import KeptPage
    from winnow.actions.parts import Parts
    from winnow.fetch.archive.archive import Archive

app = typer.Typer(help="Pages: fetched pages and their archived bodies.", no_args_is_help=True)

Which = Annotated[UUID, typer.Argument(help="Id of the page, as `winnow pages list` shows it.", show_default=False)]
COLUMNS = {
    "ID": "id",
    "FETCHED (UTC)": "created_at",
    "OUTCOME": "outcome",
    "STATUS": "status_code",
    "BYTES": "body_bytes",
    "BODY": "kept",
    "URL": "final_url",
}


@app.command("list")
def list_(
    source: Annotated[str | None, typer.Option("--source", "-s", help="Name or id.")] = None,
    target: Annotated[int | None, typer.Option("--target", "-t", help="Id of the target.", min=1)] = None,
    outcome: Annotated[str | None, typer.Option(help="ok, error, blocked, timeout, …")] = None,
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """Shows fetches, newest first."""
    run(_list(source, target, outcome, limit, as_json))


async def _list(source: str | None, target: int | None, outcome: str | None, limit: int, as_json: bool) -> None:
    import msgspec

    from winnow.cli import show
    from winnow.fetch import pages
    from winnow.sources import sources

    async with assembled() as parts, parts.database.connection() as conn:
        source_id = None if source is None else (await sources.find(conn, source)).id
        found = await pages.listed(conn, source_id=source_id, target_id=target, outcome=outcome, limit=limit)
    if as_json:
        show.as_json([msgspec.to_builtins(page) for page in found])
        return
    show.table(COLUMNS, (msgspec.structs.asdict(page) for page in found), "no pages yet")


@app.command("show")
def show_(
    page: Which,
    source_text: Annotated[bool, typer.Option("--source", help="The page's source instead of its text.")] = False,
    as_json: AsJson = False,
) -> None:
    """Shows how a fetch went, why it was allowed, and the text of the page."""
    run(_show(page, source_text, as_json))


async def _show(page_id: UUID, source_text: bool, as_json: bool) -> None:
    from winnow.cli import show

    kept = await _kept(page_id)
    text = None if kept.body is None else kept.source() if source_text else kept.text()
    if as_json:
        show.as_json({**_facts(kept), "text": text})
        return
    show.fields(_facts(kept))
    for line in (text or "").splitlines():  # each cleaned of what a terminal would obey
        show.message(line)


@app.command("open")
def open_(page: Which) -> None:
    """Writes the body as it was fetched to a temporary file and prints its path."""
    run(_open(page))


async def _open(page_id: UUID) -> None:
    import os
    import tempfile

    from winnow.errors import NotFound

    kept = await _kept(page_id)
    if kept.body is None:
        raise NotFound(f"the body of page {page_id} was not kept")
    handle, path = tempfile.mkstemp(prefix=f"winnow-{page_id.hex[:8]}-", suffix=kept.suffix)  # for its owner only
    with os.fdopen(handle, "wb") as out:
        out.write(kept.body)
    typer.echo(path)


@app.command("export")
def export_(
    warc: Annotated[Path, typer.Option("--warc", help="File to write, such as pages.warc.gz.", show_default=False)],
    source: Annotated[str | None, typer.Option("--source", "-s", help="Only of this source: name or id.")] = None,
    since: Annotated[str | None, typer.Option(help="Only fetched from this moment on (ISO 8601, UTC).")] = None,
    until: Annotated[str | None, typer.Option(help="Only fetched before this moment.")] = None,
    as_json: AsJson = False,
) -> None:
    """Writes archived pages to a web archive (WARC); the file appears when it is whole."""
    run(_export(warc, source, moment(since, "since"), moment(until, "until"), as_json))


async def _export(out: Path, source: str | None, since: datetime | None, until: datetime | None, as_json: bool) -> None:
    from winnow.cli import show
    from winnow.publish.exports.files import write_whole
    from winnow.publish.exports.text_files import Counted
    from winnow.publish.exports.warc import stream_warc
    from winnow.publish.exports.window import BEGINNING
    from winnow.sources import sources

    counted = Counted()
    async with assembled() as parts, _archive(parts) as archive:
        async with parts.database.connection() as conn:
            source_id = None if source is None else (await sources.find(conn, source)).id
        chunks = stream_warc(
            parts.database, archive, counted, since=since or BEGINNING, until=until or datetime.now(UTC),
            source_id=source_id,
        )  # fmt: skip
        await write_whole(out, chunks)
    show.done(as_json, f"{counted.rows:,} pages written to {out}", pages=counted.rows, out=str(out))


@app.command("erase")
def erase_(
    url: Annotated[str, typer.Argument(help="Address of the page.", show_default=False)], as_json: AsJson = False
) -> None:
    """Erases the results of the scraping service for a URL, and the bodies of its pages. Cannot be undone."""
    run(_erase(url, as_json))


async def _erase(url: str, as_json: bool) -> None:
    import msgspec

    from winnow.actions.erasure import erase
    from winnow.cli import show

    async with assembled() as parts, _archive(parts) as archive:
        done = await erase(parts.database, archive, url, actor())
    if as_json:
        show.as_json(msgspec.to_builtins(done))
        return
    show.message(f"erased: {done.results} results and {done.pages} pages, {done.bodies} bodies deleted")


async def _kept(page_id: UUID) -> KeptPage:
    from winnow.actions.pages import kept

    async with assembled() as parts, _archive(parts) as archive:
        return await kept(parts.database, archive, page_id)


@asynccontextmanager
async def _archive(parts: Parts) -> AsyncIterator[Archive]:
    from winnow.fetch.archive.archive import Archive

    opened = Archive(parts.settings.fetch.archive_url, parts.settings.db.folder / "pages")
    try:
        yield opened
    finally:
        opened.close()


def _facts(kept: KeptPage) -> dict[str, Any]:
    import msgspec

    return {"id": str(kept.id), **msgspec.to_builtins(kept.page)}
