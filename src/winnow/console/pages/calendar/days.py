"""Daily runs of event sources: one summary a day, and how the visit of each source went."""

from __future__ import annotations

from winnow.actions import runs
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import Cell, cell, number, state, when
from winnow.console.widgets.grid import Column, Grid, Load
from winnow.console.widgets.html import div
from winnow.console.widgets.parts import Empty, button, card, facts, figure
from winnow.errors import NotFound
from winnow.observe.users import UserRole
from winnow.queries.events import daily_runs
from winnow.queries.reading import Row

COLUMNS = [
    Column("day", "Day"),
    Column("status", "Status"),
    Column("sources", "Sources", "right"),
    Column("left_out", "Left out", "right"),
    Column("new", "New events", "right"),
    Column("changed", "Changed", "right"),
    Column("errors", "Errors", "right"),
    Column("started", "Started"),
]
SOURCES = [
    Column("source", "Source"),
    Column("state", "State"),
    Column("why", "Why"),
    Column("priority", "Priority", "right"),
    Column("pages", "Pages", "right"),
    Column("failed", "Failed", "right"),
    Column("events", "Events", "right"),
    Column("run", "Run"),
]
NONE = Empty("No daily run yet", "Every enabled event source is visited at 06:00, or when somebody starts it here.")
NO_SOURCE = Empty("No source", "There was no enabled event source.")


@page("/days", "Daily runs", group="Events", icon="today", order=50, key="b")
async def build(view: View) -> None:
    buttons = heading("Daily runs", "All event sources, visited in one run a day with one summary.")

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        async with view.reading() as conn:
            found, following = await daily_runs.listed(conn, after=int(after) if after else None, limit=limit)
        return [_to_row(run) for run in found], following

    async def start(context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            begun = await runs.start_daily(conn, context.actor, context.parts.settings, context.parts.gated)
        return f"Daily run {begun} has begun."

    grid = Grid(view, COLUMNS, load, empty=NONE, caption="Daily runs")
    with buttons:
        handler = act(view, UserRole.OPERATOR, "start a daily run", start, then=grid.refresh)
        button("Visit all now", handler, view=view, needs=UserRole.OPERATOR, kind="primary")
    await grid.refresh()


def _to_row(run: Row) -> Row:
    summary = run["summary"] or {}
    return {
        "id": run["id"],
        "label": f"daily run {run['id']}",
        "day": cell(run["day"], formatting.humanize(run["trigger"].lower()), path=f"/days/{run['id']}"),
        "status": state(run["status"].lower()),
        "sources": number(run["sources_started"]),
        "left_out": number(run["sources_left_out"]),
        "new": number(summary.get("events_inserted")),
        "changed": number(summary.get("events_updated")),
        "errors": number(summary.get("errors")),
        "started": when(run["started_at"]),
    }


@page("/days/{run_id:int}", "Daily run", parent="/days")
async def build_one(view: View, run_id: int) -> None:
    async with view.reading() as conn:
        run = await daily_runs.one(conn, run_id)
        visited = [] if run is None else await daily_runs.sources(conn, run_id)
    if run is None:
        raise NotFound(f"there is no daily run {run_id}")
    summary = run["summary"] or {}
    heading(f"{run['day']}", f"{formatting.humanize(run['status'].lower())}, {run['trigger'].lower()}")
    with div("w-figures"):
        figure("Sources", formatting.number(run["sources_started"]), description=f"{run['sources_waiting']} waiting")
        figure("New events", formatting.number(summary.get("events_inserted")))
        figure("Changed", formatting.number(summary.get("events_updated")))
        figure("Skipped", formatting.number(summary.get("events_skipped")))
        errors = summary.get("errors")
        figure("Errors", formatting.number(errors), tone="bad" if errors else "")
    with card("Summary"):
        facts({
            "Circuits that opened": summary.get("circuit_breakers_tripped") or "none",
            "Dead letters added": summary.get("dlq_items_added"),
            "Started": run["started_at"],
            "Completed": run["completed_at"],
            "Started by": run["requested_by"] or "the scheduler",
        })  # fmt: skip
    with card("Sources", "In the order of their priority.", wide=True):
        await Grid(view, SOURCES, _paged([_source(one) for one in visited]), empty=NO_SOURCE,
                   caption="Sources of the day").refresh()  # fmt: skip


def _paged(found: list[Row]) -> Load:
    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        start = int(after or 0)
        return found[start : start + limit], str(start + limit) if start + limit < len(found) else None

    return load


def _state_of(one: Row) -> Cell:
    """How its run went; of one that is not visited yet, that it waits or was left out."""
    return state(one["state"] if one["status"] is None else one["status"].lower())


def _source(one: Row) -> Row:
    run, until = one["scrape_run_id"], one["until"]
    return {
        "id": one["source_id"],
        "label": one["source_name"],
        "source": cell(one["source_name"], path=f"/sources/{one['source_id']}"),
        "state": _state_of(one),
        "why": cell(one["reason"] and formatting.humanize(one["reason"]), until and formatting.absolute(until)),
        "priority": number(one["priority_score"]),
        "pages": number(one["urls_attempted"]),
        "failed": number(one["urls_failed"]),
        "events": number(one["offers_valid"]),
        "run": cell(None) if run is None else cell(f"run {run}", path=f"/runs/{run}"),
    }
