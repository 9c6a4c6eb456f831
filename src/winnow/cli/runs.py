"""`winnow runs …`: the tasks of one source started together."""

from __future__ import annotations

from typing import Annotated

import typer

from winnow.cli.session import AsJson, Limit, actor, assembled, run

app = typer.Typer(help="Runs: the tasks of one source, started together and counted.", no_args_is_help=True)

RunId = Annotated[int, typer.Argument(help="Id of the run.", min=1, show_default=False)]
COLUMNS = {
    "ID": "id",
    "SOURCE": "source_name",
    "STATUS": "status",
    "TRIGGER": "trigger",
    "STARTED (UTC)": "started_at",
    "URLS": "urls_planned",
    "OK": "urls_succeeded",
    "FAILED": "urls_failed",
    "VALID": "offers_valid",
    "DROPPED": "offers_dropped",
    "NO PRICE": "oos_no_price_count",
    "HELD": "offers_quarantined",
    "WHY": "error_message",
}


@app.command("list")
def list_(
    source: Annotated[str | None, typer.Option("--source", "-s", help="Name or id.")] = None,
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """Shows runs, newest first."""
    run(_list(source, limit, as_json))


async def _list(which: str | None, limit: int, as_json: bool) -> None:
    from winnow.api.models.work import RunResponse
    from winnow.cli import show
    from winnow.queries import runs as queries
    from winnow.queries.reading import reader
    from winnow.sources import sources

    async with assembled() as parts:
        source_id = None
        if which is not None:
            async with parts.database.connection() as conn:
                source_id = (await sources.find(conn, which)).id
        async with reader(parts.database) as reading:
            found, _ = await queries.listed(reading, source_id=source_id, limit=limit)
    show.listing(as_json, RunResponse, COLUMNS, found, "no runs yet")


@app.command("show")
def show_(run_id: RunId, as_json: AsJson = False) -> None:
    """Shows one run with all its counters."""
    run(_show(run_id, as_json))


async def _show(run_id: int, as_json: bool) -> None:
    from winnow.api.models.work import RunResponse
    from winnow.cli import show
    from winnow.errors import NotFound
    from winnow.queries import runs as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        row = await queries.one(conn, run_id)
    if row is None:
        raise NotFound(f"there is no run {run_id}")
    shown = RunResponse.of(row)
    if as_json:
        show.as_json(shown.model_dump(mode="json"))
    else:
        show.fields(shown.model_dump())


@app.command("start")
def start(
    source: Annotated[str, typer.Argument(help="Name or id of the source.", show_default=False)],
    target: Annotated[list[int] | None, typer.Option(help="Only these targets (repeat the option).")] = None,
    pages: Annotated[int | None, typer.Option(help="Maximum number of linked pages to visit.")] = None,
    depth: Annotated[int | None, typer.Option(help="Maximum link depth from a target.")] = None,
    seconds: Annotated[int | None, typer.Option(help="Seconds after which no link is followed.")] = None,
    max_bytes: Annotated[int | None, typer.Option("--bytes", help="Bytes after which no link is followed.")] = None,
    as_json: AsJson = False,
) -> None:
    """Visits a source's targets now. One run of a source is active at a time.

    The limits matter for sources that follow links; those not given are the source's own."""
    given = {"pages": pages, "depth": depth, "seconds": seconds, "bytes": max_bytes}
    run(_start(source, target, {name: limit for name, limit in given.items() if limit is not None}, as_json))


async def _start(which: str, targets: list[int] | None, budget: dict[str, int], as_json: bool) -> None:
    from winnow.actions import runs as run_actions
    from winnow.cli import show
    from winnow.errors import Conflict
    from winnow.sources import sources

    async with assembled() as parts, parts.database.transaction() as conn:
        source = await sources.find(conn, which)
        started = await run_actions.start(
            conn, actor(), source.id, parts.settings.schedule, targets or None, gated=parts.gated, budget=budget
        )
    if started.run_id is None:
        raise Conflict(f"nothing was started: {started.reason or 'every target is queued or running already'}")
    found = {"run_id": started.run_id, "accepted": len(started.accepted), "rejected": started.rejected}
    if as_json:
        show.as_json({**found, "reason": started.reason})
        return
    left = f", {started.rejected} not ({started.reason})" if started.rejected else ""
    show.message(f"run {started.run_id}: {len(started.accepted)} targets queued{left}")


@app.command("cancel")
def cancel(run_id: RunId, as_json: AsJson = False) -> None:
    """Cancels a run: queued tasks are removed, running tasks finish."""
    run(_cancel(run_id, as_json))


async def _cancel(run_id: int, as_json: bool) -> None:
    from winnow.actions import runs as run_actions
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        cancelled = await run_actions.cancel(conn, actor(), run_id)
    show.done(as_json, f"run {run_id}: {cancelled} tasks cancelled", id=run_id, cancelled=cancelled)
