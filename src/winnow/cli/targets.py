"""`winnow targets …`: the URLs of a source."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from winnow.cli.session import AsJson, Limit, actor, assembled, one_of, run

if TYPE_CHECKING:
    from winnow.actions.imports import ImportReport
    from winnow.actions.intake import Cadence

app = typer.Typer(help="Targets: the URLs of a source.", no_args_is_help=True)

MAX_REASONS = 20  # shown on a terminal; --json has them all
Ids = Annotated[list[int], typer.Argument(help="Ids of targets.", min=1, show_default=False)]
SourceOption = Annotated[str | None, typer.Option("--source", "-s", help="Name or id; default: by the URL's domain.")]
Schedule = Annotated[str | None, typer.Option(help='Cron, e.g. "0 */4 * * *".')]
Every = Annotated[str | None, typer.Option(help="Interval instead of a cron: 30m, 4h, 1d.")]
ByHand = Annotated[bool, typer.Option("--by-hand", help="No schedule: visited only when a run is started.")]
COLUMNS = {
    "ID": "id",
    "SOURCE": "source_name",
    "STATUS": "status",
    "PRIO": "priority",
    "NEXT (UTC)": "next_crawl_at",
    "LAST": "last_status",
    "FAILED": "consecutive_failures",
    "URL": "url",
}


def cadence(schedule: str | None, every: str | None, by_hand: bool) -> Cadence:
    from winnow.actions import validation
    from winnow.actions.intake import Cadence
    from winnow.errors import InvalidInput

    if sum((schedule is not None, every is not None, by_hand)) > 1:
        raise InvalidInput("--schedule, --every and --by-hand exclude each other")
    return Cadence(schedule=schedule, every=None if every is None else validation.every(every), by_hand=by_hand)


@app.command("add")
def add(
    url: Annotated[str, typer.Argument(help="The page to visit.", show_default=False)],
    source: SourceOption = None,
    schedule: Schedule = None,
    every: Every = None,
    by_hand: ByHand = False,
    priority: Annotated[int, typer.Option(help="Higher runs first.")] = 0,
    adapter: Annotated[str | None, typer.Option(help="Default: the domain's own, else generic.")] = None,
    notes: Annotated[str | None, typer.Option(help="For people.")] = None,
    as_json: AsJson = False,
) -> None:
    """Adds one URL. Without a cadence: the source's cron, else once a day."""
    run(_add(url, source, cadence(schedule, every, by_hand), priority, adapter, notes, as_json))


async def _add(
    url: str, which: str | None, when: Cadence, priority: int, adapter: str | None, notes: str | None, as_json: bool
) -> None:
    from winnow.actions import sources as source_actions
    from winnow.actions import targets as target_actions
    from winnow.cli import show
    from winnow.sources import sources

    async with assembled() as parts, parts.database.transaction() as conn:
        source = (
            await source_actions.find_or_add(conn, actor(), parts.intake, url)
            if which is None
            else await sources.find(conn, which)
        )
        target_id = await target_actions.add(
            conn, actor(), parts.intake, source, url, when=when, priority=priority, adapter_id=adapter, notes=notes
        )
    if as_json:
        show.as_json({"id": target_id, "source_id": source.id})
    else:
        show.message(f"target {target_id} of source {source.id} ({source.name})")


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="CSV with a column url; `-` is standard input.", allow_dash=True)],
    source: SourceOption = None,
    schedule: Schedule = None,
    every: Every = None,
    by_hand: ByHand = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 1 when any row is wrong.")] = False,
    as_json: AsJson = False,
) -> None:
    """Adds many URLs. Invalid rows are reported with line and reason, valid rows are imported, duplicates are skipped.

    Columns: url, and if you like source, schedule, every, priority, adapter, enabled, notes."""
    report = run(_import(file, source, cadence(schedule, every, by_hand), as_json))
    if report.wrong and (strict or report.wrong == report.rows):
        raise typer.Exit(1)


async def _import(file: Path, which: str | None, when: Cadence, as_json: bool) -> ImportReport:
    from winnow.actions.imports import Import
    from winnow.sources import sources

    with _open(file) as opened:
        async with assembled() as parts:
            source = None
            if which is not None:
                async with parts.database.connection() as conn:
                    source = await sources.find(conn, which)
            size = os.fstat(opened.fileno()).st_size
            with _bar(size, quiet=as_json) as progress:
                report = await Import(parts.database, parts.intake, actor(), source, when).run(opened, progress)
    _report(report, as_json)
    return report


def _open(file: Path) -> BinaryIO:
    """Standard input is copied to a file first: finding the encoding takes a second look."""
    import shutil
    import sys
    import tempfile

    from winnow.errors import InvalidInput

    if str(file) == "-":
        copy = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the caller
        shutil.copyfileobj(sys.stdin.buffer, copy)
        copy.seek(0)
        return copy
    try:
        return file.open("rb")
    except OSError as wrong:
        raise InvalidInput(f"{file}: {wrong.strerror}") from None


@contextmanager
def _bar(size: int, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    quiet = quiet or not console.is_terminal
    columns = (TextColumn("importing"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=quiet) as progress:
        bar = progress.add_task("import", total=size)
        yield lambda position: progress.update(bar, completed=position)


def _report(report: ImportReport, as_json: bool) -> None:
    import msgspec

    from winnow.cli import show

    if as_json:
        show.as_json(msgspec.to_builtins(report))
        return
    for row in report.wrong_rows[:MAX_REASONS]:
        show.message(f"line {row.line}: {row.reason}")
    if report.wrong > MAX_REASONS:
        show.message(f"… and {report.wrong - MAX_REASONS} more (use --json for all)")
    if report.ignored_columns:
        show.message(f"columns not used: {', '.join(report.ignored_columns)}")
    show.message(f"{report.rows} rows: {report.added} added, {report.repeated} duplicates, {report.wrong} invalid")


@app.command("list")
def list_(
    source: Annotated[str | None, typer.Option("--source", "-s", help="Name or id.")] = None,
    status: Annotated[str | None, typer.Option(help="ACTIVE, PAUSED, BROKEN or STALE.")] = None,
    q: Annotated[str | None, typer.Option("--url", help="Only URLs that contain this.")] = None,
    limit: Limit = 100,
    as_json: AsJson = False,
) -> None:
    """Shows targets."""
    run(_list(source, one_of("ACTIVE PAUSED BROKEN STALE", status, "status"), q, limit, as_json))


async def _list(which: str | None, status: str | None, q: str | None, limit: int, as_json: bool) -> None:
    from winnow.api.models.targets import TargetResponse
    from winnow.cli import show
    from winnow.queries import targets as queries
    from winnow.queries.reading import reader
    from winnow.sources import sources

    async with assembled() as parts:
        source_id = None
        if which is not None:
            async with parts.database.connection() as conn:
                source_id = (await sources.find(conn, which)).id
        async with reader(parts.database) as reading:
            found, following = await queries.listed(reading, source_id=source_id, status=status, q=q, limit=limit)
    if as_json:
        show.models([TargetResponse.of(row) for row in found])
        return
    show.table(COLUMNS, found, "no targets: `winnow watch URL` adds one")
    if following is not None:
        show.message(f"… more rows: raise --limit above {limit}")


@app.command("pause")
def pause(ids: Ids, as_json: AsJson = False) -> None:
    """Pauses targets: they are not visited until resumed, and their queued visits are cancelled."""
    run(_change("pause", ids, "paused", as_json))


@app.command("resume")
def resume(ids: Ids, as_json: AsJson = False) -> None:
    """Resumes targets."""
    run(_change("resume", ids, "resumed", as_json))


@app.command("requeue")
def requeue(ids: Ids, as_json: AsJson = False) -> None:
    """Makes STALE and BROKEN targets due now."""
    run(_change("requeue", ids, "due now", as_json))


@app.command("remove")
def remove(ids: Ids, as_json: AsJson = False) -> None:
    """Removes targets. Their price history is kept."""
    run(_change("remove", ids, "removed", as_json))


async def _change(what: str, ids: list[int], word: str, as_json: bool) -> None:
    from winnow.actions import targets as target_actions
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        changed = await getattr(target_actions, what)(conn, actor(), ids)
    same = sorted(set(ids) - set(changed))
    summary = [*(f"target {n}: {word}" for n in changed), *(f"target {n}: unchanged" for n in same)]
    show.done(as_json, "\n".join(summary), changed=changed, unchanged=same)
