"""The map of events: what is inside its frame, which dots there are, where they lead."""

from __future__ import annotations

from typing import Any

import pytest

from winnow.console.event_map import HEIGHT, WIDTH, Frame, dots
from winnow.console.urls import ROOT


def row(event_id: int, latitude: float, longitude: float, **more: Any) -> dict[str, Any]:
    return {"id": event_id, "title": "Jazz", "venue_name": "Kade", "latitude": latitude, "longitude": longitude, **more}


@pytest.mark.parametrize(
    "points",
    [
        [(52.0, 4.3)],
        [(50.75, 3.36), (53.5, 7.2)],
        [(52.0, 4.0), (52.0, 4.1)],
        [(-33.9, 151.2), (59.3, 18.1)],
        [(89.9, 0.0)],
        [(0.0, -179.9), (0.0, 179.9)],
    ],
)
def test_every_point_is_inside_the_frame(points: list[tuple[float, float]]) -> None:
    frame = Frame.around(points)
    for point in points:
        x, y = frame.place(*point)
        assert 10 < x < WIDTH - 10
        assert 10 < y < HEIGHT - 10


def test_events_at_one_place_are_one_dot_that_leads_to_all_of_them() -> None:
    found = dots([row(1, 52.01, 4.35), row(2, 52.0102, 4.3499), row(3, 52.5, 6.08)])
    assert [(dot.radius, dot.label) for dot in found] == [(7.0, "Kade: 2 events"), (5.0, "Kade: Jazz")]
    assert found[0].address == f"{ROOT}/events?place=52.01%2C+4.35&within=250"
    assert found[1].address == f"{ROOT}/events/3"
