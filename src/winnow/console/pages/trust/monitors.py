"""Monitors: whether the last run of each source looks like the ones before it (C-069)."""

from __future__ import annotations

from typing import Any

from winnow.actions import monitors as actions
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets.cells import Cell, action, cell, when
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import quiet, tag
from winnow.console.widgets.parts import Empty, badge, card
from winnow.console.widgets.parts import when as moment
from winnow.judge import monitor_readings
from winnow.judge.monitors import Monitor
from winnow.observe import invariant_checks
from winnow.observe.users import UserRole

Row = dict[str, Any]
COLUMNS = [
    Column("source", "Source"),
    Column("items", "Items"),
    Column("coverage", "Coverage"),
    Column("prices", "Prices"),
    Column("held", "Held"),
    Column("run", "Last run"),
    Column("read", "Read"),
]
NONE = Empty(
    "No run was read yet",
    "Monitors judge a run when it has ended, and know what is usual after three.",
    "Runs",
    "/runs",
)
TONES = {"ok": "good", "broken": "bad", "learning": "info", "off": ""}
WORDS = {"ok": "As usual", "broken": "Unusual", "learning": "Learning", "off": "Off"}


@page("/monitors", "Monitors", group="Trust", icon="monitor_heart", order=35)
async def build(view: View) -> None:
    heading(
        "Monitors",
        "Whether the last run of each source brought as much, as completely and at such prices as the runs before it.",
    )
    with FilterBar(view) as filters:
        which = filters.choice("Show", {"": "all sources", "broken": "only unusual ones"}, "show")

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        async with view.parts.database.connection() as conn:
            found = await monitor_readings.newest(
                conn, broken=which.value == "broken", after=int(after or 0), limit=limit + 1
            )
        more = str(found[limit - 1]["source_id"]) if len(found) > limit else None
        return [_row(row, view) for row in found[:limit]], more

    async def accept(context: ActionContext) -> str:
        resolved = await actions.accept(context.parts.database, int(context.arguments), context.actor)
        return f"What it brought last is usual from now on; {len(resolved)} alerts resolved."

    handler = act(view, UserRole.OPERATOR, "monitors.accept", accept, then=lambda: grid.refresh())
    grid: Grid = filters.above(Grid(view, COLUMNS, load, empty=NONE, caption="Monitors", actions={"accept": handler}))
    await grid.refresh()
    await _invariants(view)


def _row(row: Row, view: View) -> Row:
    results = {result["monitor"]: result for result in row["results"]}
    broken = any(result["state"] == "broken" for result in results.values())
    return {
        "id": row["source_id"],
        "label": row["source_name"],
        "actions": [action("accept", "Accept as usual")] if broken and view.may(UserRole.OPERATOR) else [],
        "source": cell(row["source_name"], path=f"/sources/{row['source_id']}"),
        **{monitor.value: _state(row, results.get(monitor.value)) for monitor in Monitor},
        "run": cell(f"Run {row['run_id']}", path=f"/runs/{row['run_id']}"),
        "read": when(row["taken_at"]),
    }


def _state(row: Row, result: Row | None) -> Cell:
    """The word and, where something is unusual, what."""
    word = "learning" if result is None else result["state"]
    sentence = (result or {}).get("sentence", "").removeprefix(f"{row['source_name']}: ") or None
    return cell(WORDS[word], sentence, tone=TONES[word] or None)


async def _invariants(view: View) -> None:
    async with view.parts.database.connection() as conn:
        found = await invariant_checks.last(conn)
    with card("Invariants", "What has to hold of everything that is stored; checked once a day."):
        if not found:
            quiet("Not checked yet.")
            return
        broken = [finding for finding in found if not finding.holds]
        with tag("p"):
            badge("broken" if broken else "ok", f"{len(found) - len(broken)} of {len(found)} hold",
                  tone="bad" if broken else "good")  # fmt: skip
            tag("span", " checked ")
            moment(max(finding.checked_at for finding in found if finding.checked_at is not None))
        with tag("ul", cls="w-list"):
            for finding in broken:
                tag("li", invariant_checks.describe(finding))
