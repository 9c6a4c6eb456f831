"""Runs: how the tasks of a source that were started together went."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from winnow.actions import runs as run_actions
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import action, cell, number, state, when
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div, link
from winnow.console.widgets.parts import (
    Empty,
    badge,
    button,
    card,
    columns,
    confirm,
    confirmed,
    facts,
    figure,
    refresh_every,
)
from winnow.console.widgets.parts import (
    when as moment,
)
from winnow.errors import NotFound
from winnow.observe.users import UserRole
from winnow.queries import runs, tasks
from winnow.queries.reading import Row

STATUSES = {"": "All", "RUNNING": "Running", "SUCCESS": "Success", "FAILED": "Failed", "QUARANTINED": "Quarantined"}
COLUMNS = [
    Column("run", "Run"),
    Column("status", "Status"),
    Column("started", "Started"),
    Column("took", "Took", "right"),
    Column("visited", "Visited", "right"),
    Column("accepted", "Accepted", "right"),
    Column("held", "Held", "right"),
    Column("rejected", "Rejected", "right"),
    Column("failed", "Failed", "right"),
]
TASKS = [
    Column("url", "Page"),
    Column("outcome", "Outcome"),
    Column("reason", "Reason"),
    Column("attempts", "Attempts", "right"),
    Column("finished", "Finished"),
]
CANCEL_TEXT = "Queued tasks are removed; running tasks finish. Accepted prices are kept."


@page("/runs", "Runs", group="Now", icon="play_circle", order=20, key="r")
async def build(view: View) -> None:
    heading("Runs", "Tasks of one source started together, newest first.")

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        async with view.reading() as conn:
            found, following = await runs.listed(
                conn,
                status=status.wanted,
                adapter_id=adapter.wanted,
                source_id=await source.id(),
                after=int(after) if after else None,
                limit=limit,
            )
        return [_listed(view, run) for run in found], following

    async def cancel(run_id: int) -> None:
        if await confirm(f"Cancel run {run_id}?", CANCEL_TEXT, "Cancel the run"):
            await _cancel(view, run_id, grid.refresh)()

    with FilterBar(view) as filters:
        status = filters.choice("Status", STATUSES, "status")
        source = await filters.source()
        adapter = filters.search("Adapter", "adapter")
    empty = Empty("No runs", "A run starts when targets of a source are due, or when a person starts one.")
    grid = filters.above(Grid(view, COLUMNS, load, empty=empty, caption="Runs", actions={"cancel": cancel}))
    await grid.refresh()
    refresh_every(5, grid.refresh, view)


def _listed(view: View, run: Row) -> Row:
    may_cancel = run["status"] == "RUNNING" and view.may(UserRole.OPERATOR)
    return {
        "id": run["id"],
        "label": f"run {run['id']}",
        "run": cell(f"Run {run['id']}", run["source_name"], path=f"/runs/{run['id']}"),
        "status": _status(run),
        "started": when(run["started_at"]),
        "took": cell(_took(run)),
        "visited": cell(f"{formatting.number(run['urls_attempted'])} of {formatting.number(run['urls_planned'])}"),
        "accepted": number(run["offers_valid"]),
        "held": number(run["offers_quarantined"]),
        "rejected": number(run["rejected"]),
        "failed": number(run["urls_failed"]),
        "actions": [action("cancel", "Cancel", danger=True)] if may_cancel else [],
    }


def _status(run: Row) -> dict[str, Any]:
    tones = {"RUNNING": "info", "SUCCESS": "good", "FAILED": "bad", "QUARANTINED": "warn"}
    return cell(formatting.humanize(run["status"].lower()), run["error_code"], tone=tones[run["status"]])


def _took(run: Row) -> str:
    return formatting.NOTHING if run["duration_ms"] is None else formatting.duration(run["duration_ms"] / 1000)


def _cancel(view: View, run_id: int, then: Any) -> Any:
    async def work(context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            gone = await run_actions.cancel(conn, context.actor, run_id)
        return f"Run {run_id} is cancelled; {formatting.count(gone, 'queued task')} removed."

    return act(view, UserRole.OPERATOR, "cancel a run", work, about=run_id, then=then)


@page("/runs/{run_id:int}", "Run", parent="/runs")
async def build_one(view: View, run_id: int) -> None:
    run = await _run(view, run_id)
    buttons = heading(f"Run {run_id}", f"{run['source_name']} · {run['adapter_id']} {run['adapter_version']}".strip())

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        async with view.reading() as conn:
            found, following = await tasks.of_run(
                conn, run_id, outcome=outcome.wanted, after=UUID(after) if after else None, limit=limit
            )
        return [_task(task) for task in found], following

    async def refresh() -> None:
        shown.clear()
        with shown:
            _counters(await _run(view, run_id))
        await grid.refresh()

    if run["status"] == "RUNNING":
        stop = confirmed(f"Cancel run {run_id}?", CANCEL_TEXT, "Cancel the run", _cancel(view, run_id, refresh))
        with buttons:
            button("Cancel the run", stop, view=view, needs=UserRole.OPERATOR, kind="danger", sign="stop")
    with div("w-stack") as shown:
        _counters(run)
    async with view.reading() as conn:
        ended = await tasks.outcomes_of_run(conn, run_id)
    with card("Tasks", "One visit of one page per task, with its result and the reason."):
        with FilterBar(view) as filters:
            choices = {
                "": "All",
                **{name: f"{formatting.humanize(name)} ({formatting.number(n)})" for name, n in ended.items()},
            }
            outcome = filters.choice("Outcome", choices, "outcome")
        empty = Empty("No such task", "Tasks that finished long ago are deleted by the retention settings.")
        grid = filters.above(Grid(view, TASKS, load, empty=empty, caption="Tasks of the run"))
    await grid.refresh()
    if run["status"] == "RUNNING":
        refresh_every(5, refresh, view)


async def _run(view: View, run_id: int) -> Row:
    async with view.reading() as conn:
        run = await runs.one(conn, run_id)
    if run is None:
        raise NotFound(f"there is no run {run_id}")
    return run


def _counters(run: Row) -> None:
    with div("w-figures"):
        planned, attempted = run["urls_planned"], run["urls_attempted"]
        figure(
            "Visited",
            f"{formatting.number(attempted)} of {formatting.number(planned)}",
            description=formatting.percent(attempted, planned),
        )
        figure(
            "Accepted",
            formatting.number(run["offers_valid"]),
            description=f"{formatting.number(run['urls_unchanged'])} unchanged",
        )
        held, waiting = run["offers_quarantined"], run["held_waiting"]
        figure(
            "Held",
            formatting.number(held),
            tone="warn" if waiting else "",
            description=f"{formatting.number(waiting)} waiting for review" if held else "",
        )
        sold_out = run["oos_no_price_count"]
        figure(
            "Rejected",
            formatting.number(run["rejected"]),
            description=f"{formatting.number(sold_out)} out of stock, no price" if sold_out else "",
        )
        failed = run["urls_failed"]
        figure(
            "Failed",
            formatting.number(failed),
            tone="bad" if failed else "",
            description=formatting.percent(failed, attempted),
        )
    with columns():
        with card("Result"):
            facts({
                "Status": lambda: badge(run["status"], _status(run)["text"], tone=_status(run)["tone"]),
                "Source": lambda: link(run["source_name"], f"/sources/{run['source_id']}"),
                "Started": lambda: moment(run["started_at"]),
                "Took": _took(run),
                "Started by": run["requested_by"] or run["trigger"].lower(),
                "Error": _trouble(run),
            })  # fmt: skip
        with card("Rates"):
            facts({
                "Failure rate": _rate(run["failure_rate"]),
                "Yield": _rate(run["yield_rate"]),
                "Drop rate": _rate(run["drop_rate"]),
                "Out of stock, no price": formatting.number(run["oos_no_price_count"]),
                "Price of zero": formatting.number(run["zero_price_count"]),
                "Stock unknown": formatting.number(run["unknown_availability_count"]),
                "Forbidden by robots.txt": formatting.number(run["urls_robots_blocked"]),
                "Cancelled": formatting.number(run["urls_cancelled"]),
            })  # fmt: skip
        if run["budget"] is not None:
            with card("Links", "Links found on its pages. Each is visited once or skipped by a limit."):
                facts({
                    "Found": formatting.number(run["links_found"]),
                    "Waiting": formatting.number(run["links_waiting"]),
                    "Queued": _listed_counts(run["links_queued"], run["links_by_role"]),
                    "Cut": _listed_counts(run["links_cut"], run["links_cut_by"]),
                })  # fmt: skip


def _listed_counts(total: int, by_name: dict[str, int]) -> str:
    named = ", ".join(f"{formatting.humanize(name)} {formatting.number(n)}" for name, n in sorted(by_name.items()))
    return f"{formatting.number(total)} ({named})" if named else formatting.number(total)


def _trouble(run: Row) -> str:
    return " ".join(filter(None, (run["error_code"], run["error_message"]))) or formatting.NOTHING


def _rate(value: Any) -> str:
    return formatting.NOTHING if value is None else f"{float(value) * 100:.1f} %"


def _task(task: Row) -> Row:
    ended = task["outcome"] or task["status"]
    return {
        "id": str(task["id"]),
        "label": task["url"],
        "url": cell(task["url"], path=f"/tasks/{task['id']}"),
        "outcome": state(ended),
        "reason": cell(task["reason"], task["last_error"]),
        "attempts": number(task["attempts"]),
        "finished": when(task["finished_at"]),
    }
