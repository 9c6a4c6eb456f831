"""A map of events without tiles or scripts: an SVG of the places that are known, with a linked dot for each that has
events. Its background are the Dutch towns and postcodes of the gazetteer; elsewhere only the lines of degrees show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import ceil, cos, floor, radians, sqrt
from typing import Any

import msgspec

from winnow.console.urls import href
from winnow.console.widgets import formatting
from winnow.console.widgets.html import quiet, tag
from winnow.normalise.places import towns

WIDTH, HEIGHT = 640.0, 420.0
MIN_DEGREES = 0.3  # of latitude: a town and its surroundings, also where all events are in one house
MARGIN = 0.12  # of the frame, around the outermost dots
MAX_LABELS = 8
NEAR_METRES = 250
_STEPS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 45.0)  # degrees between two lines
Point = tuple[float, float]  # latitude, longitude


class Frame(msgspec.Struct, frozen=True):
    """The part of the earth that is shown. East and west are shortened by the cosine of the latitude."""

    south: float
    north: float
    west: float
    east: float

    @classmethod
    def around(cls, points: Sequence[Point]) -> Frame:
        south, north = min(p[0] for p in points), max(p[0] for p in points)
        west, east = min(p[1] for p in points), max(p[1] for p in points)
        narrower = max(cos(radians((south + north) / 2)), 0.1)
        tall = max(north - south, (east - west) * narrower * HEIGHT / WIDTH, MIN_DEGREES) * (1 + 2 * MARGIN)
        wide = tall * WIDTH / HEIGHT / narrower
        middle, centre = (south + north) / 2, (west + east) / 2
        return cls(middle - tall / 2, middle + tall / 2, centre - wide / 2, centre + wide / 2)

    def contains(self, latitude: float, longitude: float) -> bool:
        return self.south <= latitude <= self.north and self.west <= longitude <= self.east

    def place(self, latitude: float, longitude: float) -> tuple[float, float]:
        x = (longitude - self.west) / (self.east - self.west) * WIDTH
        y = (self.north - latitude) / (self.north - self.south) * HEIGHT
        return round(x, 1), round(y, 1)


class Dot(msgspec.Struct, frozen=True):
    """A place with events: one, which it leads to, or several."""

    latitude: float
    longitude: float
    venue_name: str
    events: list[tuple[int, str]]

    @property
    def radius(self) -> float:
        return min(5 + 2 * sqrt(len(self.events) - 1), 14)

    @property
    def label(self) -> str:
        what = self.events[0][1] if len(self.events) == 1 else formatting.count(len(self.events), "event")
        return f"{self.venue_name}: {what}"

    @property
    def address(self) -> str:
        if len(self.events) == 1:
            return href(f"/events/{self.events[0][0]}")
        return href("/events", place=f"{self.latitude}, {self.longitude}", within=NEAR_METRES)


def dots(rows: Iterable[dict[str, Any]]) -> list[Dot]:
    """One for each place; a hundred metres make no difference on a map."""
    found: dict[Point, Dot] = {}
    for row in rows:
        at = round(row["latitude"], 3), round(row["longitude"], 3)
        found.setdefault(at, Dot(*at, row["venue_name"], [])).events.append((row["id"], row["title"]))
    return sorted(found.values(), key=lambda dot: -len(dot.events))


def draw_map(rows: Sequence[dict[str, Any]], most: int | None = None) -> None:
    """`most` is how many were asked for, where there may be more."""
    shown = dots(rows)
    if not shown:
        quiet("None of these events has coordinates.")
        return
    frame = Frame.around([(dot.latitude, dot.longitude) for dot in shown])
    with tag("svg", cls="w-map", viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}", role="group", aria_label="Map of the events"):
        _lines_of_degrees(frame)
        tag("path", cls="w-map-land", d=_inhabited(frame), aria_hidden="true")
        _names(frame)
        for dot in shown:
            _dot(frame, dot)
    if most is not None:
        cut = f"The next {formatting.number(most)} events that match are drawn. " if len(rows) >= most else ""
        quiet(f"{cut}A larger dot has more events; the small ones are towns and postcodes.")


def _dot(frame: Frame, dot: Dot) -> None:
    x, y = frame.place(dot.latitude, dot.longitude)
    with tag("a", href=dot.address, cls="w-map-dot", aria_label=dot.label), tag("circle", cx=x, cy=y, r=dot.radius):
        tag("title", dot.label)


def _lines_of_degrees(frame: Frame) -> None:
    step = next((s for s in _STEPS if (frame.north - frame.south) / s <= 5), _STEPS[-1])
    parts = [f"M0 {frame.place(at, 0)[1]}H{WIDTH:g}" for at in _multiples(frame.south, frame.north, step)]
    parts += [f"M{frame.place(0, at)[0]} 0V{HEIGHT:g}" for at in _multiples(frame.west, frame.east, step)]
    tag("path", cls="w-map-lines", d="".join(parts), aria_hidden="true")


def _multiples(low: float, high: float, step: float) -> list[float]:
    return [step * n for n in range(ceil(low / step), floor(high / step) + 1)]


def _inhabited(frame: Frame) -> str:
    """A small square for each town and postcode, once where several fall together."""
    seen = {frame.place(*at) for at in _places() if frame.contains(*at)}
    squares = {(round(x / 3) * 3, round(y / 3) * 3) for x, y in seen}
    return "".join(f"M{x} {y}h2.4v2.4h-2.4z" for x, y in sorted(squares))


def _names(frame: Frame) -> None:
    """The largest towns, none over another."""
    written: list[tuple[float, float]] = []
    for town in _largest():
        x, y = frame.place(town.latitude, town.longitude)
        inside = 30 < x < WIDTH - 30 and 16 < y < HEIGHT - 8
        if not inside or any(abs(x - a) < 96 and abs(y - b) < 22 for a, b in written):
            continue
        tag("text", town.name, x=x, y=round(y - 9, 1), cls="w-map-name", aria_hidden="true")
        written.append((x, y))
        if len(written) == MAX_LABELS:
            return


@cache
def _places() -> tuple[Point, ...]:
    found = [(town.latitude, town.longitude) for same in towns.towns().values() for town in same]
    return (*found, *((code.latitude, code.longitude) for code in towns.postcodes().values()))


@cache
def _largest() -> tuple[towns.Town, ...]:
    named = [town for same in towns.towns().values() for town in same if town.population]
    return tuple(sorted(named, key=lambda town: -town.population))
