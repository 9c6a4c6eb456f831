"""One event: every value with where it was read, the listings shown as this event, its history, and what a person can
decide about it."""

from __future__ import annotations

from typing import Any

from winnow.actions import events as event_actions
from winnow.console.act import ActionContext, act
from winnow.console.event_map import draw_map
from winnow.console.layout import heading
from winnow.console.pages.calendar.correction import correction_card
from winnow.console.pages.calendar.event_values import describe_values
from winnow.console.pages.calendar.events import event_row, format_day, format_hour, state_cell
from winnow.console.pages.system.audit import format_change
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import action, cell, when
from winnow.console.widgets.form import text_field
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div, link, mono, quiet, tag
from winnow.console.widgets.parts import Empty, badge, button, card, columns, confirmed, reload_page, row
from winnow.errors import InvalidInput, NotFound
from winnow.observe.users import UserRole
from winnow.queries import audit
from winnow.queries.events import lists
from winnow.queries.reading import Row

LISTINGS = [
    Column("title", "Listed as"),
    Column("day", "Day"),
    Column("venue", "Venue"),
    Column("state", "State"),
    Column("source", "Source"),
    Column("seen", "Last seen"),
]
HISTORY = [Column("at", "When"), Column("cause", "Cause"), Column("change", "Change"), Column("actor", "Who")]
MERGES = [Column("at", "Merged"), Column("pair", "Events"), Column("reason", "Why"), Column("by", "By"),
          Column("undone", "Taken back")]  # fmt: skip
AUDIT = [Column("at", "When"), Column("actor", "Who"), Column("action", "Did"), Column("reason", "Reason")]
HIDE_TEXT = "Consumers and calendars do not see it until it is restored. Its source goes on being read."
SEPARATE_TEXT = "Both are shown on their own again, as their sources list them now. Rules never merge the two again."
MERGE_TEXT = "Consumers see one event in place of two. Both rows are kept, and separating restores them."


@page("/events/{event_id:int}", "Event", parent="/events")
async def build(view: View, event_id: int) -> None:
    await EventPage(view, event_id).build()


class EventPage:
    def __init__(self, view: View, event_id: int) -> None:
        self.view, self.id = view, event_id

    async def build(self) -> None:
        async with self.view.reading() as conn:
            event = await lists.one(conn, self.id)
            if event is None:
                raise NotFound(f"there is no event {self.id}")
            people, _ = await audit.listed(conn, object_type="event", object_id=str(self.id), limit=50)
        self._head(event)
        with card("What is known", "Each value with where the page states it.", wide=True):
            _values(event)
        with columns():
            _description(event)
            with card("Where"):
                draw_map([event] if event["latitude"] is not None else [])
        with card("Listings", "Every source that lists this event; the first is the one shown.", wide=True):
            await self._listings(event)
            self._merge()
        if self.view.may(UserRole.OPERATOR):
            correction_card(self.view, event)
        with card("History", "What its sources and people changed, newest first.", wide=True):
            await self._table(HISTORY, [_change_row(c) for c in event["changes"]], "Nothing was ever changed.")
        if event["merges"]:
            with card("Merges", "Those that were taken back as well.", wide=True):
                await self._table(MERGES, [_merge_row(m) for m in event["merges"]], "")
        with card("Decisions by people", "From the audit trail.", wide=True):
            await self._table(AUDIT, [_audit_row(entry) for entry in people], "Nobody has decided anything about it.")

    def _head(self, event: Row) -> None:
        state = state_cell(event)
        about = f"{format_day(event)}, {format_hour(event)} · {event['venue_name']} · {event['source_name']}"
        with heading(event["title"], about):
            badge("", state["text"], tone=state.get("tone"))
            if event["merged_into"] is not None:
                link(f"Shown as event {event['merged_into']}", f"/events/{event['merged_into']}", cls="w-button")
            external_link("Its page", event["url"])
            self._hide_button(event)

    def _hide_button(self, event: Row) -> None:
        if event["status"] == "hidden":
            handler = self._act("restore an event", self._restore)
            button("Restore", handler, view=self.view, needs=UserRole.OPERATOR, kind="primary")
        elif event["status"] == "published":
            handler = self._act("hide an event", self._hide)
            asked = confirmed("Hide this event?", HIDE_TEXT, "Hide it", handler)
            button("Hide", asked, view=self.view, needs=UserRole.OPERATOR)

    async def _hide(self, context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            await event_actions.hide(conn, context.actor, self.id)
        return "Hidden."

    async def _restore(self, context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            await event_actions.restore(conn, context.actor, self.id)
        return "Shown again."

    def _act(self, name: str, work: Any) -> Any:
        return act(self.view, UserRole.OPERATOR, name, work, about=self.id, then=reload_page(self.view))

    async def _listings(self, event: Row) -> None:
        async def separate(context: ActionContext) -> str:
            async with context.parts.database.transaction() as conn:
                undone = await event_actions.unmerge(conn, context.actor, int(context.arguments))
            return f"Event {undone.merged_id} is shown on its own again."

        asked = confirmed("Separate these events?", SEPARATE_TEXT, "Separate", self._act("separate events", separate))
        may = self.view.may(UserRole.OPERATOR)
        found = [_listing(member, separable=may) for member in event["members"]]
        await self._table(LISTINGS, found, "Listed nowhere.", actions={"separate": asked})

    def _merge(self) -> None:
        if not self.view.may(UserRole.OPERATOR):
            return
        with tag("details"):
            tag("summary", "Merge with another event")
            with div("w-form"):
                other = text_field("Number of the other event", kind="number", min=1)
                reason = text_field("Reason", placeholder="why they are one, for the audit trail")

            async def merge(context: ActionContext) -> str:
                if not (other.wanted or "").isdigit():
                    raise InvalidInput("name the other event by its number, which its address ends with")
                async with context.parts.database.transaction() as conn:
                    merged = await event_actions.merge(
                        conn, context.actor, self.id, int(other.value), reason=reason.wanted or "by a person"
                    )
                return f"Event {merged.merged_id} is shown as event {merged.kept_id}."

            asked = confirmed("Show both as one?", MERGE_TEXT, "Merge", self._act("merge events", merge))
            with row():
                button("Merge", asked, view=self.view, needs=UserRole.OPERATOR)

    async def _table(self, wanted: list[Column], rows: list[Row], nothing: str, **more: Any) -> None:
        """A table of what is at hand already."""
        if not rows:
            quiet(nothing)
            return

        async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
            start = int(after or 0)
            return rows[start : start + limit], str(start + limit) if start + limit < len(rows) else None

        caption = " ".join(column.label for column in wanted)
        await Grid(self.view, wanted, load, empty=Empty(nothing, ""), caption=caption, rows=10, **more).refresh()


def external_link(label: str, url: str | None) -> None:
    """To a page of somebody else; only what a browser opens as a page."""
    if url is not None and url.startswith(("http://", "https://")):
        tag("a", label, cls="w-button", href=url, target="_blank", rel="noopener noreferrer")


def _values(event: Row) -> None:
    known, unknown = describe_values(event)
    with div("w-grid-wrap", tabindex="0", role="region", aria_label="Values"), tag("table", cls="w-grid"):
        with tag("thead"), tag("tr"):
            for name in ("Field", "Value", "Read from"):
                tag("th", name, scope="col")
        with tag("tbody"):
            for label, value, origin in known:
                with tag("tr"):
                    tag("th", label, scope="row")
                    with tag("td", data_label="Value"):
                        tag("span", value, cls="w-long")
                    with tag("td", data_label="Read from"):
                        tag("span", origin, cls="w-quiet w-long")
    if unknown:
        quiet(f"Not stated: {', '.join(unknown)}.")


def _description(event: Row) -> None:
    with card("Description"):
        if event["description"]:
            mono(event["description"])
        else:
            quiet("The page gives none.")
        if event["task_id"] is not None:
            link("The visit that read it, with the page as it was", f"/tasks/{event['task_id']}")


def _listing(member: Row, *, separable: bool) -> Row:
    shown = event_row(member)
    merged = member["merged_into"] is not None
    return shown | {
        "label": f"event {member['id']}",
        "title": cell(member["title"], f"event {member['id']}", path=f"/events/{member['id']}"),
        "actions": [action("separate", "Separate")] if merged and separable else [],
    }


def _change_row(change: Row) -> Row:
    before = {name: pair[0] for name, pair in change["changes"].items()}
    after = {name: pair[1] for name, pair in change["changes"].items()}
    return {
        "id": change["id"],
        "at": when(change["changed_at"]),
        "cause": cell(formatting.humanize(change["cause"])),
        "change": cell(format_change(before, after), mono=True),
        "actor": cell(change["actor"] or "its source"),
    }


def _merge_row(merge: Row) -> Row:
    undone = merge["undone_at"]
    return {
        "id": merge["id"],
        "at": when(merge["merged_at"]),
        "pair": cell(f"{merge['merged_id']} shown as {merge['kept_id']}", path=f"/events/{merge['kept_id']}"),
        "reason": cell(merge["reason"], f"score {merge['score']:.2f}"),
        "by": cell(merge["decided_by"]),
        "undone": cell(None) if undone is None else cell(f"by {merge['undone_by']}", formatting.absolute(undone)),
    }


def _audit_row(entry: Row) -> Row:
    return {
        "id": entry["id"],
        "at": when(entry["at"]),
        "actor": cell(entry["actor"]),
        "action": cell(entry["action"], mono=True),
        "reason": cell(entry["reason"]),
    }
