"""What discovery proposes: pages that look like agendas, for a person to accept or reject."""

from __future__ import annotations

from typing import Any

from winnow.actions import quarantine
from winnow.actions.agendas import discovery as actions
from winnow.console.act import ActionContext, act, notify
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import action, cell, number, when
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.form import text_field
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.parts import Empty, button, card, confirm, row
from winnow.db.engine import Connection
from winnow.errors import InvalidInput
from winnow.observe.users import UserRole
from winnow.queries.events import discovery
from winnow.queries.reading import Row

STATES = {"pending": "waiting", "accepted": "accepted", "rejected": "rejected", "not_added": "not added", "": "all"}
FOUND_BY = {"search": "search", "seed": "the page itself", "sitemap": "sitemap", "link": "link"}
COLUMNS = [
    Column("page", "Page"),
    Column("events", "Events", "right"),
    Column("confidence", "Confidence"),
    Column("found", "Found"),
    Column("looked", "Looked at"),
    Column("decided", "Decided"),
]
NONE = Empty(
    "No candidates here",
    "Discovery proposes agendas it finds from pages you name, from known sources, and by search: "
    "winnow discover seed URL begins.",
)
REJECT_TEXT = "Their sources are removed, and neither the pages nor their sites are proposed again."


@page("/discovery", "Discovery", group="Events", icon="radar", order=40, key="n")
async def build(view: View) -> None:
    heading("Discovery", "Pages that look like agendas. None is visited before somebody accepts it.")
    with FilterBar(view) as filters:
        status = filters.choice("State", STATES, "status", "pending")

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        async with view.reading() as conn:
            found, following = await discovery.candidates(
                conn, status=status.wanted, after=int(after) if after else None, limit=limit
            )
        return [_to_row(candidate, may=view.may(UserRole.OPERATOR)) for candidate in found], following

    async def decide(ids: list[int], accepted: bool) -> None:
        if not ids:
            notify("Select candidates in the list first.", "warning")
            return
        count = formatting.count(len(ids), "candidate")
        if not accepted and not await confirm(f"Reject {count}?", REJECT_TEXT, f"Reject {count}"):
            return
        await decide_handler(view, ids, accepted, note.wanted, grid.refresh)()

    if view.may(UserRole.OPERATOR):
        with (
            card("Decide about several", "Applies to the selected ones; the reason also to a single one."),
            row(),
        ):
            note = text_field("Reason", placeholder="why not, for the audit trail")
            button("Accept selected", lambda: decide(grid.chosen, True), sign="check")
            button("Reject selected", lambda: decide(grid.chosen, False), sign="close")
    grid = filters.above(Grid(
        view, COLUMNS, load, empty=NONE, caption="Candidates", selectable=view.may(UserRole.OPERATOR),
        actions={"accept": lambda key: decide([key], True), "reject": lambda key: decide([key], False)},
    ))  # fmt: skip
    await grid.refresh()


def decide_handler(view: View, ids: list[int], accepted: bool, reason: str | None, then: Any) -> Any:
    async def work(context: ActionContext) -> str:
        async def one(conn: Connection, candidate_id: int) -> None:
            if accepted:
                await actions.accept(conn, context.actor, context.parts.intake, candidate_id)
            else:
                await actions.reject(conn, context.actor, candidate_id, reason)

        done = await quarantine.decide_each(context.parts.database, ids, one)
        if not done.done:
            raise InvalidInput(f"nothing was decided: {done.refused[0].message}")
        became = "accepted: the daily run visits them" if accepted else "rejected"
        message = f"{formatting.count(len(done.done), 'candidate')} {became}."
        return message if not done.refused else f"{message} {len(done.refused)} refused: {done.refused[0].message}"

    name = "accept candidates" if accepted else "reject candidates"
    return act(view, UserRole.OPERATOR, name, work, about=", ".join(map(str, ids[:20])), then=then)


def _to_row(candidate: Row, *, may: bool) -> Row:
    waits = candidate["status"] == "pending" and may
    source = candidate["source_id"]
    return {
        "id": candidate["id"],
        "label": candidate["url"],
        "page": cell(candidate["title"] or candidate["domain"], candidate["url"],
                     path=None if source is None else f"/sources/{source}"),
        "events": number(candidate["events"]),
        "confidence": cell(_confidence(candidate), candidate["review_reason"] or candidate["reason"]),
        "found": cell(FOUND_BY.get(candidate["found_by"], candidate["found_by"]),
                      candidate["municipality"] or candidate["found_at"]),
        "looked": when(candidate["examined_at"]),
        "decided": cell(candidate["decided_by"], candidate["decided_at"] and
                        formatting.absolute(candidate["decided_at"])),
        "actions": [action("accept", "Accept"), action("reject", "Reject", danger=True)] if waits else [],
    }  # fmt: skip


def _confidence(candidate: Row) -> str | None:
    if candidate["confidence"] is None:
        return None
    judge = {"llm": "the language model", "rules": "rules"}.get(candidate["judged_by"], "")
    return f"{formatting.percent(candidate['confidence'], 1)}{f' by {judge}' if judge else ''}"
