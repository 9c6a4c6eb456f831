"""Pairs of events that the rules could not tell apart, for a person to decide."""

from __future__ import annotations

from typing import Any

from winnow.actions import events as event_actions
from winnow.actions import quarantine
from winnow.console.act import ActionContext, act, notify
from winnow.console.layout import heading
from winnow.console.pages.calendar.events import format_day, format_hour
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import Cell, action, cell, when
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.form import text_field
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.parts import Empty, button, card, row
from winnow.db.engine import Connection
from winnow.errors import InvalidInput
from winnow.observe.users import UserRole
from winnow.queries.events import lists
from winnow.queries.reading import Row

STATES = {"open": "waiting", "merged": "decided: one event", "distinct": "decided: two events"}
COLUMNS = [
    Column("low", "One event"),
    Column("high", "Another"),
    Column("why", "Why it is not certain"),
    Column("found", "Found"),
    Column("decided", "Decided"),
]
NONE = Empty(
    "No pair waits",
    "Events of two sources that agree in day and place but not enough in their titles or hours are listed here.",
)


@page("/event-pairs", "Duplicates", group="Events", icon="join_inner", order=30, key="y")
async def build(view: View) -> None:
    heading(
        "Possible duplicates",
        "Two sources may list one event here. Both are shown until somebody decides; a merge can be taken back.",
    )
    with FilterBar(view) as filters:
        status = filters.choice("State", STATES, "status", "open")

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        async with view.reading() as conn:
            found, following = await lists.doubts(
                conn, status=status.value, after=int(after) if after else None, limit=limit
            )
        return [_to_row(pair, may=view.may(UserRole.OPERATOR)) for pair in found], following

    async def decide_chosen(same: bool) -> None:
        if not grid.chosen:
            notify("Select pairs in the list first.", "warning")
            return
        await decide(view, grid.chosen, same, note.wanted, grid.refresh)()

    async def decide_one(pair_id: int, same: bool) -> None:
        await decide(view, [pair_id], same, note.wanted, grid.refresh)()

    if view.may(UserRole.OPERATOR):
        with card("Decide about several", "Applies to the selected pairs; the reason also to a single one."), row():
            note = text_field("Reason", placeholder="why, for the audit trail")
            button("One event each", lambda: decide_chosen(True), sign="merge")
            button("Two events each", lambda: decide_chosen(False), sign="call_split")
    grid = filters.above(Grid(
        view, COLUMNS, load, empty=NONE, caption="Possible duplicates", selectable=view.may(UserRole.OPERATOR),
        actions={"same": lambda key: decide_one(key, True), "distinct": lambda key: decide_one(key, False)},
    ))  # fmt: skip
    await grid.refresh()


def decide(view: View, ids: list[int], same: bool, reason: str | None, then: Any) -> Any:
    async def work(context: ActionContext) -> str:
        async def one(conn: Connection, pair_id: int) -> None:
            await event_actions.decide_doubt(conn, context.actor, pair_id, same=same, reason=reason)

        done = await quarantine.decide_each(context.parts.database, ids, one)
        if not done.done:
            raise InvalidInput(f"nothing was decided: {done.refused[0].message}")
        what = "one event" if same else "two events"
        message = f"{formatting.count(len(done.done), 'pair')} decided: {what}."
        return message if not done.refused else f"{message} {len(done.refused)} refused: {done.refused[0].message}"

    name = "merge a pair of events" if same else "tell a pair of events apart"
    return act(view, UserRole.OPERATOR, name, work, about=", ".join(map(str, ids[:20])), then=then)


def _to_row(pair: Row, *, may: bool) -> Row:
    waits = pair["status"] == "open" and may
    return {
        "id": pair["id"],
        "label": f"pair {pair['id']}",
        "low": _side(pair, "low"),
        "high": _side(pair, "high"),
        "why": cell(formatting.humanize(pair["facts"].get("reason", "not certain")), _facts(pair)),
        "found": when(pair["created_at"]),
        "decided": cell(pair["decided_by"], pair["decided_at"] and formatting.absolute(pair["decided_at"])),
        "actions": [action("same", "One event"), action("distinct", "Two events")] if waits else [],
    }


def _side(pair: Row, word: str) -> Cell:
    event = {
        name: pair[f"{word}_{name}"] for name in ("title", "event_date", "event_time", "venue_name", "source_name")
    }
    about = f"{format_day(event)}, {format_hour(event)} · {event['venue_name']} · {event['source_name']}"
    return cell(event["title"], about, path=f"/events/{pair[f'{word}_id']}")


def _facts(pair: Row) -> str:
    """How much of the words agree, and the vectors where they were asked."""
    said = [f"{pair['score']:.0%} of the words agree"]
    if (cosine := pair["facts"].get("cosine")) is not None:
        said.append(f"titles alike by {cosine:.0%}")
    return ", ".join(said)
