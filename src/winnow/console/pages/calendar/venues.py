"""Venues: the places of events, and what is known of where they are."""

from __future__ import annotations

from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import Cell, cell, number, when
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.parts import Empty
from winnow.queries.events import venues
from winnow.queries.reading import Row

COLUMNS = [
    Column("name", "Venue"),
    Column("town", "Town"),
    Column("where", "Coordinates"),
    Column("events", "Events to come", "right"),
    Column("changed", "Changed"),
]
STATES = {"": "all", "located": "with coordinates", "unlocated": "without coordinates", "merged": "merged into another"}
ORIGINS = {
    "stated": "stated by a page",
    "geocoder": "from the geocoder",
    "gazetteer": "from the gazetteer",
    "source": "of its source",
    "person": "set by a person",
}
NONE = Empty("No venues here", "Nothing matches, or no event with a place was read yet.")


@page("/venues", "Venues", group="Events", icon="place", order=20, key="v")
async def build(view: View) -> None:
    heading("Venues", "The places of events, each with the names its sources list it under.")
    with FilterBar(view) as filters:
        q = filters.search("Search", "q", "part of a name or town")
        state = filters.choice("State", STATES, "state")

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        chosen = state.value
        async with view.reading() as conn:
            found, following = await venues.listed(
                conn,
                text=q.wanted,
                located={"located": True, "unlocated": False}.get(chosen),
                merged=chosen == "merged" if chosen else None,
                after=int(after) if after else None,
                limit=limit,
            )
            coming = await venues.coming(conn, [venue["id"] for venue in found])
        return [_to_row(venue, coming.get(venue["id"], 0)) for venue in found], following

    grid = filters.above(Grid(view, COLUMNS, load, empty=NONE, caption="Venues"))
    await grid.refresh()


def _to_row(venue: Row, coming: int) -> Row:
    return {
        "id": venue["id"],
        "label": venue["name"],
        "name": cell(venue["name"], venue["street"], path=f"/venues/{venue['id']}"),
        "town": cell(venue["town"], venue["country"]),
        "where": coordinates_cell(venue),
        "events": number(coming),
        "changed": when(venue["updated_at"]),
    }


def coordinates_cell(venue: Row) -> Cell:
    if venue["merged_into"] is not None:
        return cell(f"In venue {venue['merged_into']}", path=f"/venues/{venue['merged_into']}")
    if venue["latitude"] is None:
        return cell("Not known", tone="warn")
    return cell(format_coordinates(venue), describe_origin(venue))


def format_coordinates(venue: Row) -> str:
    return f"{venue['latitude']:.5f}, {venue['longitude']:.5f}"


def describe_origin(venue: Row) -> str:
    origin = venue["coordinates_from"]
    return f"{ORIGINS.get(origin, formatting.humanize(origin))}, {venue['precision']}"
