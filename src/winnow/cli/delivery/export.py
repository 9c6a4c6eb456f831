"""`winnow export WHAT`: prices, offers, products or events as a file for other programs."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from winnow.cli.session import AsJson, assembled, moment, one_of, run
from winnow.errors import InvalidInput

if TYPE_CHECKING:
    from winnow.actions.parts import Parts
    from winnow.publish.exports.selection import Asked, Selection
    from winnow.publish.exports.text_files import Counted, Format

FORMATS = "csv jsonl parquet"


def export(
    what: Annotated[str, typer.Argument(help="prices, offers, products or events.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write; it appears when it is whole. Default: stdout.")
    ] = None,
    format: Annotated[
        str | None, typer.Option("--format", "-f", help="csv, jsonl or parquet. Default: by the name of the file.")
    ] = None,
    since: Annotated[str | None, typer.Option(help="Only what changed from this moment on (ISO 8601, UTC).")] = None,
    until: Annotated[str | None, typer.Option(help="Only what changed before this moment.")] = None,
    after: Annotated[int | None, typer.Option(help="Go on after the row with this id.", min=0)] = None,
    cursor: Annotated[
        Path | None, typer.Option(help="File that remembers where to go on: each export has what changed since.")
    ] = None,
    source: Annotated[str | None, typer.Option("--source", "-s", help="Only of this source: name or id.")] = None,
    offer: Annotated[int | None, typer.Option(help="Only of the offer with this id.", min=1)] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="CSV cells as they are, also those that look like formulas.")
    ] = False,
    for_consumers: Annotated[bool, typer.Option("--for-consumers", help="Only what consumers may see.")] = False,
    as_json: AsJson = False,
) -> None:
    """Writes prices, offers, products or events to a file.

    A cell of CSV that a spreadsheet would take for a formula gets an apostrophe in front; --raw leaves it."""
    from winnow.publish.exports.datasets import Audience, find
    from winnow.publish.exports.selection import Asked

    if cursor is not None and (since or until or after is not None or out is None or source or offer):
        raise InvalidInput("--cursor goes with --out, and without a filter or a moment", field="cursor")
    asked = Asked(
        dataset=find(what),
        audience=Audience.CONSUMER if for_consumers else Audience.OPERATOR,
        since=moment(since, "since"),
        until=moment(until, "until"),
        after=after,
        offer_id=offer,
    )
    run(_export(asked, out, _format(format, out), source, cursor, raw, as_json))


async def _export(
    asked: Asked, out: Path | None, format: Format, source: str | None, cursor: Path | None, raw: bool, as_json: bool
) -> None:
    import msgspec

    from winnow.publish.exports import cursor_file
    from winnow.publish.exports.files import stream
    from winnow.publish.exports.text_files import Counted

    if cursor is not None:
        asked = msgspec.structs.replace(asked, since=cursor_file.read(cursor, asked.dataset, asked.audience))
    counted = Counted()
    async with assembled() as parts:
        asked = await _of_source(parts, asked, source)
        async with parts.database.connection() as conn:
            selection = await asked.open(conn)
        chunks = stream(parts.database, selection, format, counted, raw=raw)
        await _write(out, _with_progress(chunks, counted))
    if cursor is not None:
        cursor_file.write(cursor, asked.dataset, asked.audience, selection.window.until)
    _report(selection, counted, out, as_json)


async def _of_source(parts: Parts, asked: Asked, source: str | None) -> Asked:
    import msgspec

    from winnow.sources import sources

    if source is None:
        return asked
    async with parts.database.connection() as conn:
        return msgspec.structs.replace(asked, source_id=(await sources.find(conn, source)).id)


async def _write(out: Path | None, chunks: AsyncIterator[bytes]) -> None:
    from winnow.publish.exports.files import write_whole

    if out is not None:
        await write_whole(out, chunks)
        return
    async for chunk in chunks:
        sys.stdout.buffer.write(chunk)
    sys.stdout.buffer.flush()


async def _with_progress(chunks: AsyncIterator[bytes], counted: Counted) -> AsyncIterator[bytes]:
    """On a terminal: how many rows so far, and how fast."""
    if not sys.stderr.isatty():
        async for chunk in chunks:
            yield chunk
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:,.0f} rows"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("export", total=None)
        async for chunk in chunks:
            progress.update(task, completed=counted.rows)
            yield chunk


def _report(selection: Selection, counted: Counted, out: Path | None, as_json: bool) -> None:
    from winnow.cli import show

    until = selection.window.until.astimezone(UTC).isoformat()
    if as_json and out is not None:
        show.as_json({"rows": counted.rows, "out": str(out), "cursor": until})
        return
    where = "" if out is None else f" to {out}"
    print(f"{counted.rows:,} {selection.dataset.name}{where}; go on with --since {until}", file=sys.stderr)
    if selection.dataset.name == "products" and not counted.rows:
        print("products are what codes have matched across shops; what each page shows is in: offers", file=sys.stderr)


def _format(given: str | None, out: Path | None) -> Format:
    from winnow.publish.exports.text_files import Format

    by_name = out.suffix.lstrip(".").lower() if out is not None else ""
    word = one_of(FORMATS, given, "format") or (by_name if by_name in FORMATS.split() else "csv")
    format = Format(word)
    if format is Format.PARQUET and out is None and sys.stdout.isatty():
        raise InvalidInput("Parquet is nothing for a terminal: name a file with --out", field="out")
    return format
