"""`winnow events run`, `day` and `days`: the daily run of event sources."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import typer

from winnow.cli.session import AsJson, Limit, actor, assembled, run
from winnow.errors import InvalidInput, NotFound

COLUMNS = {
    "ID": "id",
    "DAY": "day",
    "TRIGGER": "trigger",
    "STATUS": "status",
    "STARTED (UTC)": "started_at",
    "SOURCES": "sources_started",
    "LEFT OUT": "sources_left_out",
    "NEW": "events_inserted",
    "CHANGED": "events_updated",
    "ERRORS": "errors",
}
SOURCES = {
    "#": "position",
    "SOURCE": "source_name",
    "PRIORITY": "priority_score",
    "STATE": "state",
    "WHY": "reason",
    "UNTIL (UTC)": "until",
    "RUN": "scrape_run_id",
    "STATUS": "status",
    "PAGES": "urls_attempted",
    "FAILED": "urls_failed",
    "EVENTS": "offers_valid",
}


def start(as_json: AsJson = False) -> None:
    """Visits all event sources now, in one run with one summary. The scheduler starts them by priority."""
    run(_start(as_json))


async def _start(as_json: bool) -> None:
    from winnow.actions import runs
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        begun = await runs.start_daily(conn, actor(), parts.settings, parts.gated)
    show.done(as_json, f"daily run {begun} has begun: `winnow events day {begun}` shows it", id=begun)


def day(
    which: Annotated[
        str | None, typer.Argument(help="Id of a daily run, or a day such as 2026-05-01; default: the newest.")
    ] = None,
    sources: Annotated[bool, typer.Option("--sources", help="Also list its sources.")] = False,
    as_json: AsJson = False,
) -> None:
    """Shows the summary of a daily run: sources, events new and changed, errors, and what was left out and why."""
    run(_day(which, sources, as_json))


async def _day(which: str | None, sources: bool, as_json: bool) -> None:
    from winnow.api.models.daily_runs import DailyRunResponse, DailyRunSourceResponse
    from winnow.cli import show
    from winnow.queries.events import daily_runs as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found = await (
            queries.one(conn, int(which)) if which and which.isdecimal() else queries.newest(conn, _day_of(which))
        )
        if found is None:
            raise NotFound("there was no daily run yet" if which is None else f"there is no daily run {which}")
        listed = await queries.sources(conn, found["id"]) if sources else []
    shown = DailyRunResponse.of(found).model_dump(mode="json")
    if as_json:
        members = [DailyRunSourceResponse.of(row).model_dump(mode="json") for row in listed]
        show.as_json(shown | ({"sources": members} if sources else {}))
        return
    summary = shown.pop("summary") or {}
    show.fields({name: value for name, value in (shown | summary).items() if value not in (None, [], {})})
    if sources:
        show.table(SOURCES, listed, "no event source is enabled")


def days(limit: Limit = 20, as_json: AsJson = False) -> None:
    """Shows daily runs, newest first."""
    run(_days(limit, as_json))


async def _days(limit: int, as_json: bool) -> None:
    from winnow.api.models.daily_runs import DailyRunResponse
    from winnow.cli import show
    from winnow.queries.events import daily_runs as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found, _ = await queries.listed(conn, limit=limit)
    rows: list[dict[str, Any]] = [{**row, **(row["summary"] or {})} for row in found]
    show.listing(as_json, DailyRunResponse, COLUMNS, found if as_json else rows, "no daily run yet")


def _day_of(which: str | None) -> date | None:
    try:
        return None if which is None else date.fromisoformat(which)
    except ValueError:
        raise InvalidInput(f"{which!r} is neither an id nor a day such as 2026-05-01", field="which") from None
