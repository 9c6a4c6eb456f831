"""One venue: where it is, what its sources call it, its events to come, and what a person corrects about it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from winnow.actions import events as event_actions
from winnow.console.act import ActionContext, act
from winnow.console.event_map import draw_map
from winnow.console.layout import heading
from winnow.console.pages.calendar.events import COLUMNS, NONE, event_row
from winnow.console.pages.calendar.venues import describe_origin, format_coordinates
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets.form import text_field
from winnow.console.widgets.grid import Grid
from winnow.console.widgets.html import div, link, quiet, tag
from winnow.console.widgets.parts import button, card, columns, confirmed, facts, reload_page, row
from winnow.errors import InvalidInput, NotFound
from winnow.observe.users import UserRole
from winnow.queries.events import lists, venues
from winnow.queries.reading import Row

MERGE_TEXT = "Every name of this venue is a name of the other from now on, and its events move. It can be taken back."
TEXTS = {
    "name": "Name",
    "street": "Street",
    "postal_code": "Postal code",
    "town": "Town",
    "country": "Country, two letters",
}
DEGREES = {"latitude": "Latitude", "longitude": "Longitude"}


@page("/venues/{venue_id:int}", "Venue", parent="/venues")
async def build(view: View, venue_id: int) -> None:
    await VenuePage(view, venue_id).build()


class VenuePage:
    def __init__(self, view: View, venue_id: int) -> None:
        self.view, self.id = view, venue_id

    async def build(self) -> None:
        async with self.view.reading() as conn:
            venue = await venues.one(conn, self.id)
        if venue is None:
            raise NotFound(f"there is no venue {self.id}")
        self._head(venue)
        with columns():
            with div("w-stack"):
                _facts(venue)
                _names(venue)
            with card("Where"):
                draw_map([venue | {"title": venue["name"], "venue_name": venue["name"]}] if _is_located(venue) else [])
        if self.view.may(UserRole.OPERATOR) and venue["merged_into"] is None:
            self._correct(venue)
            self._merge()
        with card("Events to come", wide=True):
            await self._events()

    def _head(self, venue: Row) -> None:
        with heading(venue["name"], ", ".join(str(venue[n]) for n in ("street", "town", "country") if venue[n])):
            if venue["merged_into"] is not None:
                link(f"Part of venue {venue['merged_into']}", f"/venues/{venue['merged_into']}", cls="w-button")
                separate = self._act("separate a venue", self._separate)
                button("Separate", separate, view=self.view, needs=UserRole.OPERATOR, kind="primary")

    def _act(self, name: str, work: Any) -> Any:
        return act(self.view, UserRole.OPERATOR, name, work, about=self.id, then=reload_page(self.view))

    async def _separate(self, context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            await event_actions.unmerge_venue(conn, context.actor, self.id)
        return "It is a venue of its own again."

    def _correct(self, venue: Row) -> None:
        with card("Correct", "Coordinates of a person count more than what pages state.", wide=True):
            with div("w-form"):
                fields = {name: text_field(label, venue[name] or "") for name, label in TEXTS.items()}
                for name, label in DEGREES.items():
                    given = "" if venue[name] is None else f"{venue[name]:.6f}"
                    fields[name] = text_field(label, given, kind="number", step="any")
                reason = text_field("Reason", placeholder="for the audit trail")

            async def correct(context: ActionContext) -> str:
                values = changes(venue, {name: field.value for name, field in fields.items()})
                if not values:
                    raise InvalidInput("nothing is different from what is stored")
                async with context.parts.database.transaction() as conn:
                    done = await event_actions.correct_venue(conn, context.actor, self.id, values, reason=reason.wanted)
                return f"Corrected: {', '.join(sorted(done))}."

            with row():
                handler = self._act("correct a venue", correct)
                button("Correct", handler, view=self.view, needs=UserRole.OPERATOR, kind="primary")

    def _merge(self) -> None:
        with card("The same as another venue", wide=True):
            with div("w-form"):
                other = text_field("Number of the other venue", kind="number", min=1)
                reason = text_field("Why they are one", placeholder="for the audit trail")

            async def merge(context: ActionContext) -> str:
                if not (other.wanted or "").isdigit():
                    raise InvalidInput("name the other venue by its number, which its address ends with")
                async with context.parts.database.transaction() as conn:
                    await event_actions.merge_venues(
                        conn, context.actor, self.id, int(other.value), reason=reason.wanted
                    )
                return f"It is part of venue {other.value} now."

            asked = confirmed("Are they one venue?", MERGE_TEXT, "Merge", self._act("merge venues", merge))
            with row():
                button("Merge", asked, view=self.view, needs=UserRole.OPERATOR)

    async def _events(self) -> None:
        async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
            wanted = lists.Filters(since=datetime.now(UTC), venue_id=self.id)
            async with self.view.reading() as conn:
                found, following = await lists.listed(conn, wanted, after=after, limit=limit)
            return [event_row(event) for event in found], following

        await Grid(self.view, COLUMNS, load, empty=NONE, caption="Events to come", rows=10).refresh()


def changes(venue: Row, given: dict[str, Any]) -> dict[str, Any]:
    """What differs from the venue. An empty coordinate takes none away."""
    values: dict[str, Any] = {name: str(given[name] or "").strip() or None for name in TEXTS}
    values["name"] = values["name"] or ""
    changed = {name: value for name, value in values.items() if value != venue[name]}
    degrees = {name: str(given[name] or "").strip() for name in DEGREES}
    stored = {name: "" if venue[name] is None else f"{venue[name]:.6f}" for name in DEGREES}
    if degrees == stored or not any(degrees.values()):
        return changed
    try:
        return changed | {name: float(text) for name, text in degrees.items()}
    except ValueError:
        raise InvalidInput("latitude and longitude are numbers of degrees, and go together") from None


def _is_located(venue: Row) -> bool:
    return venue["latitude"] is not None


def _facts(venue: Row) -> None:
    with card("Details"):
        facts({
            "Number": venue["id"],
            "Street": venue["street"],
            "Postal code": venue["postal_code"],
            "Town": venue["town"],
            "Country": venue["country"],
            "Coordinates": format_coordinates(venue) if _is_located(venue) else "not known",
            "They are": describe_origin(venue) if _is_located(venue) else None,
            "Changed": venue["updated_at"],
        })  # fmt: skip


def _names(venue: Row) -> None:
    with card("Names it is listed under"):
        if not venue["aliases"]:
            quiet("None.")
        with tag("ul", cls="w-list"):
            for alias in venue["aliases"]:
                beside = alias["town_key"].replace("source:", "source ")
                part = "" if alias["merged_from"] is None else f", of venue {alias['merged_from']}"
                tag("li", f"{alias['alias_key']} ({beside}{part})")
        for merged in venue["merged"]:
            link(f"Venue {merged['id']}: {merged['name']}", f"/venues/{merged['id']}")
