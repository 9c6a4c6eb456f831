"""Events: those to come as consumers see them, or all rows of one state, with filters and a map."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from winnow.console.event_map import draw_map
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import Cell, cell, when
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.form import FormField
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import link
from winnow.console.widgets.parts import Empty, card
from winnow.console.widgets.refreshable import Refreshable
from winnow.queries.events import checks, lists
from winnow.queries.reading import Row
from winnow.vocabulary.event_categories import categories
from winnow.vocabulary.event_status import STATUSES

COLUMNS = [
    Column("day", "Day"),
    Column("title", "Event"),
    Column("venue", "Venue"),
    Column("category", "Category"),
    Column("state", "State"),
    Column("source", "Source"),
    Column("seen", "Last seen"),
]
STATES = {
    "": "shown to consumers",
    "missing": "missing from its source",
    "hidden": "hidden by a person",
    "gone": "gone",
    "merged": "merged into another",
    "published": "published, also without a place",
}
WITHIN = {"250": "250 m", "1000": "1 km", "5000": "5 km", "10000": "10 km", "25000": "25 km", "50000": "50 km"}
CATEGORIES = {"": "all", **{name: formatting.humanize(name) for name in sorted(categories())}}
EVENT_STATUSES = {"": "any", **{name: formatting.humanize(name) for name in STATUSES}}
ON_MAP = 400
TONES = {"cancelled": "bad", "postponed": "warn", "rescheduled": "info", "moved_online": "info"}
NONE = Empty(
    "No events here",
    "Nothing matches, or no agenda was read yet. Events that lack their day or place wait in quarantine.",
    "Watch a page",
    "/add",
)


@page("/events", "Events", group="Events", icon="event", order=10, key="e")
async def build(view: View) -> None:
    with heading("Events", "Each once, the next ones first, as consumers see them. A first day shows past ones too."):
        link("CSV", "/exports/events.csv", cls="w-button")
    with FilterBar(view) as bar:
        wanted = EventFilters(bar)
        source = await bar.source()

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        chosen = wanted.chosen(await source.id())
        query = lists.listed if chosen.status is None else lists.all_rows
        async with view.reading() as conn:
            found, following = await query(conn, chosen, after=after, limit=limit)
        return [event_row(event) for event in found], following

    async def located() -> list[Row]:
        chosen = wanted.chosen(await source.id())
        async with view.reading() as conn:
            return await lists.points(conn, chosen, ON_MAP)

    grid = Grid(view, COLUMNS, load, empty=NONE, caption="Events")
    with card("Map"):
        on_map = Refreshable(located, lambda rows: draw_map(rows, ON_MAP))
    bar.above(grid, on_map.refresh)
    await grid.refresh()
    await on_map.refresh()


class EventFilters:
    """What is chosen above a list of events."""

    def __init__(self, bar: FilterBar) -> None:
        self._text = bar.search("Search", "q", "title, venue, town or performer")
        self._first = bar.day("First day", "from")
        self._last = bar.day("Last day", "until")
        self._place = bar.search("Place", "place", "town, postcode or 52.09, 5.12")
        self._within = bar.choice("Within", WITHIN, "within", "10000")
        self._category = bar.choice("Category", CATEGORIES, "category")
        self._event_status = bar.choice("Takes place", EVENT_STATUSES, "event_status")
        self._state = bar.choice("State", STATES, "state")

    def chosen(self, source_id: int | None) -> lists.Filters:
        first, place = self._day(self._first), self._place.wanted
        return lists.Filters(
            since=datetime.now(UTC) if first is None else checks.before(first),
            first_day=first,
            last_day=self._day(self._last),
            around=None if place is None else checks.place(place, float(self._within.value)),
            categories=(self._category.value,) if self._category.wanted else (),
            text=self._text.wanted,
            source_id=source_id,
            event_status=self._event_status.wanted,
            status=self._state.wanted,
        )

    @staticmethod
    def _day(field: FormField) -> Any:
        return None if field.wanted is None else checks.day(field.wanted)


def event_row(event: Row) -> Row:
    return {
        "id": event["id"],
        "label": event["title"],
        "day": cell(format_day(event), format_hour(event)),
        "title": cell(event["title"], path=f"/events/{event['id']}"),
        "venue": cell(event["venue_name"]),
        "category": cell(formatting.humanize(event["category"])),
        "state": state_cell(event),
        "source": cell(event["source_name"], path=f"/sources/{event['source_id']}"),
        "seen": when(event["last_seen_at"]),
    }


def format_day(event: Row) -> str:
    """Sat 21 Nov 2026, and until when where it takes several days."""
    day, end = event["event_date"], event.get("end_date")
    shown = f"{day:%a} {day.day} {day:%b %Y}"
    return shown if end is None or end == day else f"{shown} – {end:%a} {end.day} {end:%b %Y}"


def format_hour(event: Row) -> str:
    return "hour not known" if event["event_time"] == "TBD" else str(event["event_time"])


def state_cell(event: Row) -> Cell:
    """The most important of what can be said: what became of the row, else of the event."""
    if event.get("merged_into"):
        return cell(f"In event {event['merged_into']}", tone="neutral")
    status = event.get("status", "published")
    if status != "published":
        return cell(formatting.humanize(status), tone="warn")
    if event["missing_since"] is not None:
        return cell("Missing", tone="warn", title=f"since {formatting.absolute(event['missing_since'])}")
    if event["event_status"] != "scheduled":
        return cell(formatting.humanize(event["event_status"]), tone=TONES.get(event["event_status"], "neutral"))
    return cell("Sold out", tone="info") if event.get("sold_out") else cell("As planned", tone="good")
