"""`winnow crawl URL` and `winnow crawls …`: the products of a whole site."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from winnow.cli.session import AsJson, Limit, actor, assembled, run

if TYPE_CHECKING:
    from winnow.actions.catalogue.crawls import CrawlOrder
    from winnow.actions.parts import Parts
    from winnow.queries.reading import Row

app = typer.Typer(help="Crawls: sites whose products are found by links and sitemaps.", no_args_is_help=True)

CrawlId = Annotated[int, typer.Argument(help="Id of the crawl.", min=1, show_default=False)]
COLUMNS = {
    "ID": "id",
    "SOURCE": "source_name",
    "STATE": "state",
    "STARTED (UTC)": "started_at",
    "PAGES": "pages",
    "PRODUCTS": "products",
    "HELD": "held",
    "REJECTED": "rejected",
    "FAILED": "failed",
    "QUEUE": "queue",
    "URL": "url",
}
LIVE = ("waiting", "running", "paused")
STEP = 1.0  # seconds between two looks


def crawl(
    url: Annotated[str, typer.Argument(help="Where to begin: the home page of a shop.", show_default=False)],
    whole_domain: Annotated[
        bool, typer.Option("--whole-domain", help="All hosts of its registrable domain, not only this one.")
    ] = False,
    path: Annotated[str, typer.Option(help="Prefix of the paths that belong to it, such as /en/.")] = "",
    include: Annotated[
        list[str] | None, typer.Option(help="Only URLs that match, written as in robots.txt (repeat the option).")
    ] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="No URLs that match (repeat the option).")] = None,
    section: Annotated[
        list[str] | None,
        typer.Option(help="Maximum number of pages of paths that begin so, such as /blog/=100 (repeat the option)."),
    ] = None,
    kind: Annotated[str, typer.Option(help="product, or offer where prices have to be complete.")] = "product",
    depth: Annotated[int | None, typer.Option(help="Maximum number of links away from the first page.")] = None,
    pages: Annotated[int | None, typer.Option(help="Maximum number of pages.")] = None,
    seconds: Annotated[int | None, typer.Option(help="Seconds after which no link is followed.")] = None,
    max_bytes: Annotated[int | None, typer.Option("--bytes", help="Bytes after which no link is followed.")] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Show the progress until it has ended.")] = True,
    as_json: AsJson = False,
) -> None:
    """Finds all products of a shop by its links and sitemaps, and stores them.

    The work is done by `winnow up`. Ctrl-C ends the progress bar, not the crawl."""
    from winnow.actions.catalogue.crawls import CrawlOrder
    from winnow.cli.session import one_of

    given = {"pages": pages, "depth": depth, "seconds": seconds, "bytes": max_bytes}
    order = CrawlOrder(
        url=url,
        kind=one_of("product offer", kind, "kind") or "product",
        sections=dict(_section(one) for one in section or []),
        whole_domain=whole_domain,
        path=path,
        include=include or [],
        exclude=exclude or [],
        budget={name: limit for name, limit in given.items() if limit is not None},
    )
    run(_crawl(order, wait, as_json))


def _section(given: str) -> tuple[str, int]:
    from winnow.errors import InvalidInput

    prefix, _, pages = given.rpartition("=")
    if not prefix or not pages.isdecimal():
        raise InvalidInput("a section is written as /blog/=100", field="section")
    return prefix, int(pages)


async def _crawl(order: CrawlOrder, wait: bool, as_json: bool) -> None:
    from winnow.actions.catalogue import crawls as crawl_actions
    from winnow.cli import show

    async with assembled() as parts:
        async with parts.database.transaction() as conn:
            crawl_id, began = await crawl_actions.start(conn, actor(), parts.intake, parts.settings.schedule, order)
        state = "running" if began else "waiting"
        if not wait:
            sentence = f"crawl {crawl_id} is {state}: `winnow crawls watch {crawl_id}` shows its progress"
            show.done(as_json, sentence, id=crawl_id, state=state)
            return
        await _follow(parts, crawl_id, as_json)


@app.command("list")
def list_(
    state: Annotated[str | None, typer.Option(help="waiting, running, paused, done, stopped or failed.")] = None,
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """Shows crawls, newest first."""
    run(_list(state, limit, as_json))


async def _list(state: str | None, limit: int, as_json: bool) -> None:
    from winnow.api.models.crawls import CrawlResponse
    from winnow.cli import show
    from winnow.cli.session import one_of
    from winnow.queries import crawls as queries
    from winnow.queries.reading import reader

    wanted = one_of("waiting running paused done stopped failed", state, "state")
    async with assembled() as parts, reader(parts.database) as reading:
        found, _ = await queries.listed(reading, state=wanted, limit=limit)
    show.listing(as_json, CrawlResponse, COLUMNS, found, "no crawls yet: `winnow crawl URL` starts one")


@app.command("show")
def show_(crawl_id: CrawlId, as_json: AsJson = False) -> None:
    """Shows what a crawl found, what it did not read and why, and how much of the sitemaps it covers."""
    run(_show(crawl_id, as_json))


async def _show(crawl_id: int, as_json: bool) -> None:
    async with assembled() as parts:
        _print_report(await _report(parts, crawl_id), as_json)


async def _report(parts: Parts, crawl_id: int) -> Row:
    from winnow.errors import NotFound
    from winnow.queries import crawls as queries
    from winnow.queries.reading import reader

    async with reader(parts.database) as conn:
        row = await queries.report(conn, crawl_id)
    if row is None:
        raise NotFound(f"there is no crawl {crawl_id}")
    return row


def _print_report(row: Row, as_json: bool) -> None:
    from winnow.api.models.crawls import CrawlReport
    from winnow.cli import show

    shown = CrawlReport.of(row)
    if as_json:
        show.as_json(shown.model_dump(mode="json"))
        return
    values = shown.model_dump(exclude={"without_product", "scope", "sitemap", "run_id"})
    scope = {name: value for name, value in shown.scope.model_dump().items() if value}
    show.fields(values | {"scope": scope, "sitemap": shown.sitemap.model_dump() if shown.sitemap else None})
    if shown.without_product:
        columns = {"PAGES": "n", "ENDED": "outcome", "BECAUSE": "reason", "EXAMPLE": "example"}
        show.message("")
        show.table(columns, [one.model_dump() for one in shown.without_product], "")


@app.command("watch")
def watch(crawl_id: CrawlId) -> None:
    """Shows the progress of a crawl until it has ended."""
    run(_watch(crawl_id))


async def _watch(crawl_id: int) -> None:
    async with assembled() as parts:
        await _follow(parts, crawl_id, False)


async def _follow(parts: Parts, crawl_id: int, as_json: bool) -> None:
    """A progress bar on a terminal, nothing otherwise; the report at the end."""
    row = await _report(parts, crawl_id)
    if not as_json and sys.stderr.isatty():
        row = await _draw(parts, crawl_id, row)
    while row["state"] in LIVE:
        await asyncio.sleep(STEP)
        row = await _report(parts, crawl_id)
    _print_report(row, as_json)


async def _draw(parts: Parts, crawl_id: int, row: Row) -> Row:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("crawl {task.fields[id]} {task.fields[state]}"),
        BarColumn(),
        TextColumn("{task.completed:.0f}/{task.total:.0f} pages, {task.fields[products]} products"),
        TextColumn("{task.fields[pace]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        shown = bar.add_task("", **_progress(row))
        while row["state"] in LIVE:
            await asyncio.sleep(STEP)
            row = await _report(parts, crawl_id)
            bar.update(shown, **_progress(row))
    return row


def _progress(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "state": row["state"],
        "completed": row["pages"],
        "total": max(1, row["pages"] + row["queue"]),
        "products": row["products"],
        "pace": _pace(row),
    }


def _pace(row: Row) -> str:
    if row["state"] == "waiting":
        return "starts with `winnow up`, when its source has no other run"
    left = "" if row["eta_seconds"] is None else f", {row['eta_seconds']} s left"
    return f"{row['pages_per_second']}/s{left}"


@app.command("pause")
def pause(crawl_id: CrawlId, as_json: AsJson = False) -> None:
    """Pauses a crawl: queued pages wait, running ones finish."""
    run(_change("pause", crawl_id, as_json))


@app.command("resume")
def resume(crawl_id: CrawlId, as_json: AsJson = False) -> None:
    """Resumes a paused crawl where it was."""
    run(_change("resume", crawl_id, as_json))


@app.command("stop")
def stop(crawl_id: CrawlId, as_json: AsJson = False) -> None:
    """Ends a crawl for good; what it stored stays."""
    run(_change("stop", crawl_id, as_json))


async def _change(word: str, crawl_id: int, as_json: bool) -> None:
    from winnow.actions.catalogue import crawls as crawl_actions
    from winnow.cli import show

    actions = {"pause": crawl_actions.pause, "resume": crawl_actions.resume, "stop": crawl_actions.stop}
    done = {"pause": "paused", "resume": "resumed", "stop": "stopped"}[word]
    async with assembled() as parts, parts.database.transaction() as conn:
        tasks = await actions[word](conn, actor(), crawl_id)
    show.done(as_json, f"crawl {crawl_id} {done}: {tasks} queued pages", id=crawl_id, tasks=tasks)
