"""`winnow crawl-jobs …` and `winnow batches …`: URLs of products, submitted together and visited again and again."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from winnow.cli.session import AsJson, Limit, actor, assembled, one_of, run

if TYPE_CHECKING:
    from winnow.actions.catalogue.crawl_jobs import CrawlJob
    from winnow.queries.reading import Row

app = typer.Typer(help="Crawl jobs: URLs of products, and what became of each visit.", no_args_is_help=True)
batches = typer.Typer(help="Batches: URLs that were submitted together.", no_args_is_help=True)

JobId = Annotated[int, typer.Argument(help="Id of the crawl job.", min=1, show_default=False)]
BatchId = Annotated[int, typer.Argument(help="Id of the batch.", min=1, show_default=False)]
STATUSES = "pending queued crawling downloaded parsing completed failed"
COLUMNS = {
    "ID": "id",
    "STATUS": "status",
    "OUTCOME": "outcome",
    "PAUSED": "paused",
    "PRIO": "priority",
    "NEXT (UTC)": "next_crawl_at",
    "URL": "url",
}
ATTEMPTS = {
    "STARTED (UTC)": "started_at",
    "WHY": "trigger",
    "STATUS": "status",
    "OUTCOME": "outcome",
    "TRIES": "attempts",
    "ANSWERS": "answers",
    "ERRORS": "wrong",
    "PAGE": "page",
}
BATCHES = {"ID": "id", "STATE": "state", "URLS": "urls", "COUNTS": "counts", "CREATED (UTC)": "created_at", "BY": "by"}


@app.command("submit")
def submit(
    urls: Annotated[list[str] | None, typer.Argument(help="URLs of product pages.", show_default=False)] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="A file with one URL a line.")] = None,
    priority: Annotated[int | None, typer.Option(help="1 (most urgent) to 10; default 5.", min=1, max=10)] = None,
    every: Annotated[str | None, typer.Option(help="Interval: 30m, 4h, 1d.")] = None,
    least: Annotated[str | None, typer.Option(help="Let the interval follow the changes, from this one …")] = None,
    most: Annotated[str | None, typer.Option(help="… to this one.")] = None,
    max_retries: Annotated[
        int | None, typer.Option(help="Attempts at most, the first one included; default 3.", min=1, max=10)
    ] = None,
    note: Annotated[str | None, typer.Option(help="For people.")] = None,
    as_json: AsJson = False,
) -> None:
    """Submits URLs as one batch. Known ones are due again, with what is given now."""
    from winnow.actions import validation
    from winnow.actions.catalogue.crawl_jobs import CrawlJob

    named = _named(every, least, most)
    spans: dict[str, Any] = {name: None if text is None else validation.every(text) for name, text in named}
    given = [*(urls or []), *(_lines(file) if file is not None else [])]
    run(
        _submit(
            [CrawlJob(url=url, priority=priority, max_attempts=max_retries, **spans) for url in given], note, as_json
        )
    )


def _named(every: str | None, least: str | None, most: str | None) -> list[tuple[str, str | None]]:
    return [("every", every), ("least", least), ("most", most)]


def _lines(file: Path) -> list[str]:
    from winnow.errors import InvalidInput

    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as wrong:
        raise InvalidInput(f"{file} cannot be read: {getattr(wrong, 'strerror', None) or 'it is not UTF-8'}") from None
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


async def _submit(jobs: list[CrawlJob], note: str | None, as_json: bool) -> None:
    import msgspec

    from winnow.actions.catalogue.crawl_jobs import submit
    from winnow.cli import show
    from winnow.errors import InvalidInput

    if not jobs:
        raise InvalidInput("name a URL, or a file of URLs with --file")
    async with assembled() as parts, parts.database.transaction() as conn:
        accepted = await submit(conn, actor(), parts.intake, jobs, note)
    if as_json:
        show.as_json([msgspec.to_builtins(one) for one in accepted])
        return
    new = sum(one.created for one in accepted)
    show.message(f"batch {accepted[0].batch_id}: {new} new URLs, {len(accepted) - new} known ones that are due again")


@app.command("list")
def list_(
    status: Annotated[str | None, typer.Option(help=f"{STATUSES.replace(' ', ', ')}.")] = None,
    batch: Annotated[int | None, typer.Option(help="Of this batch.", min=1)] = None,
    crawl: Annotated[int | None, typer.Option(help="Found by this crawl.", min=1)] = None,
    domain: Annotated[str | None, typer.Option(help="Of this domain.")] = None,
    since: Annotated[datetime | None, typer.Option(help="Visited last (or made) since then, UTC.")] = None,
    until: Annotated[datetime | None, typer.Option(help="… and before this.")] = None,
    limit: Limit = 100,
    as_json: AsJson = False,
) -> None:
    """Shows crawl jobs."""
    wanted = {"batch_id": batch, "crawl_id": crawl, "domain": domain, "since": _utc(since), "until": _utc(until)}
    run(_list({**wanted, "status": one_of(STATUSES, status, "status")}, limit, as_json))


def _utc(moment: datetime | None) -> datetime | None:
    from datetime import UTC

    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


async def _list(wanted: dict[str, Any], limit: int, as_json: bool) -> None:
    from winnow.api.models.crawl_jobs import CrawlJobStatus
    from winnow.cli import show
    from winnow.queries.catalogue import crawl_jobs as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found, following = await queries.listed(conn, **wanted, limit=limit)
    if as_json:
        show.models([CrawlJobStatus.of(row) for row in found])
        return
    show.table(COLUMNS, found, "no crawl jobs: `winnow crawl-jobs submit URL` or `winnow crawl URL`")
    if following is not None:
        show.message(f"… more rows: raise --limit above {limit}")


@app.command("show")
def show_(job: JobId, as_json: AsJson = False) -> None:
    """Shows one crawl job: when it is visited and why."""
    run(_show(job, as_json))


async def _show(job: int, as_json: bool) -> None:
    from winnow.api.models.crawl_jobs import CrawlJobDetail
    from winnow.cli import show
    from winnow.errors import NotFound
    from winnow.queries.catalogue import crawl_jobs as queries
    from winnow.queries.catalogue.revisit import describe_revisit
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        row = await queries.one(conn, job)
    if row is None:
        raise NotFound(f"there is no crawl job {job}")
    found = CrawlJobDetail.of({**row, "revisit": describe_revisit(row)})
    if as_json:
        show.as_json(found.model_dump(mode="json"))
    else:
        show.fields(found.model_dump())


@app.command("attempts")
def attempts(job: JobId, limit: Limit = 20, as_json: AsJson = False) -> None:
    """Shows every visit of a URL, newest first, with its requests and what failed."""
    run(_attempts(job, limit, as_json))


async def _attempts(job: int, limit: int, as_json: bool) -> None:
    from winnow.api.models.crawl_jobs import CrawlAttempt
    from winnow.cli import show
    from winnow.queries.catalogue import crawl_jobs as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found, _ = await queries.attempts(conn, job, limit=limit)
    if as_json:
        show.models([CrawlAttempt.of(row) for row in found])
        return
    show.table(ATTEMPTS, (_attempt(row) for row in found), "not visited yet")


def _attempt(row: Row) -> Row:
    answers = [str(page["status_code"] or page["error_class"] or page["outcome"]) for page in row["fetches"]]
    wrong = [error["error_type"] for error in row["errors"]]
    kept = [page["id"] for page in row["fetches"] if page["kept"]]
    return {**row, "answers": ", ".join(answers), "wrong": ", ".join(wrong), "page": kept[-1] if kept else None}


@app.command("recrawl")
def recrawl(
    ids: Annotated[list[int], typer.Argument(help="Ids of crawl jobs.", min=1)], as_json: AsJson = False
) -> None:
    """Makes URLs due now; broken and stale ones too."""
    run(_recrawl(ids, as_json))


async def _recrawl(ids: list[int], as_json: bool) -> None:
    from winnow.actions import targets
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        changed = await targets.recrawl(conn, actor(), ids)
    show.done(as_json, "\n".join(f"crawl job {n}: due now" for n in changed), changed=changed)


@batches.command("list")
def list_batches(limit: Limit = 50, as_json: AsJson = False) -> None:
    """Shows batches, newest first, with their URLs by status."""
    run(_list_batches(limit, as_json))


async def _list_batches(limit: int, as_json: bool) -> None:
    from winnow.api.models.crawl_jobs import BatchResponse
    from winnow.cli import show
    from winnow.queries.catalogue import crawl_jobs as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found, _ = await queries.batches(conn, limit=limit)
    if as_json:
        show.models([BatchResponse.of(row) for row in found])
        return
    shown = ({**row, "counts": _counts(row["counts"]), "by": row["requested_by"]} for row in found)
    show.table(BATCHES, shown, "no batches: `winnow crawl-jobs submit URL` makes one")


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{n} {status}" for status, n in sorted(counts.items()))


@batches.command("pause")
def pause(batch: BatchId, as_json: AsJson = False) -> None:
    """Pauses a batch: its URLs are not visited until it is resumed."""
    run(_control("pause_batch", batch, "paused", as_json))


@batches.command("resume")
def resume(batch: BatchId, as_json: AsJson = False) -> None:
    """Resumes a batch where it was."""
    run(_control("resume_batch", batch, "resumed", as_json))


@batches.command("stop")
def stop(batch: BatchId, as_json: AsJson = False) -> None:
    """Stops a batch for good: its URLs are not visited again unless they are submitted again."""
    run(_control("stop_batch", batch, "stopped", as_json))


async def _control(what: str, batch: int, word: str, as_json: bool) -> None:
    from winnow.actions.catalogue import control
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        changed = await getattr(control, what)(conn, actor(), batch)
    show.done(as_json, f"batch {batch}: {word}, {changed} URLs", batch=batch, changed=changed)
