"""One event said twice: what one reading lacks the other gives, and what contradicts is held (E-046, E-060)."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime

import msgspec
import pytest

from tests.product_pages import context, page
from winnow.judge.verdict import Decision
from winnow.kinds.assess import Judged, assess
from winnow.kinds.generic import GenericAdapter
from winnow.kinds.registry import all_kinds

EVENT = all_kinds().get("event")
URL = "https://www.dekroon.nl/agenda"
NAMES = ["Trio Noord", "Blaaskapel Zuid", "De Late Band", "Koor West", "Slotconcert"]


def _read(html: str, now: datetime) -> list[Judged]:
    ctx = msgspec.structs.replace(context(URL), now=now, timezone="Europe/Amsterdam", locale="nl-NL")
    return assess(page(html, URL), GenericAdapter(EVENT), EVENT, ctx).records


def _page(items: list[str], data: list[dict[str, object]] | None = None) -> str:
    script = f'<script type="application/ld+json">{json.dumps(data)}</script>' if data else ""
    return f'<html lang="nl"><head><title>Agenda</title>{script}</head><body><h1>Agenda</h1><ul>{"".join(items)}</ul></body></html>'


def _item(n: int, day: str, url: str = "", more: str = "") -> str:
    link = url or f"{URL}/{n}"
    return f'<li class="event"><a href="{link}"><h3>{NAMES[n]}</h3></a><p class="date">{day}</p>{more}</li>'


def _event(n: int, start: str, **more: object) -> dict[str, object]:
    return {"@type": "MusicEvent", "name": NAMES[n], "startDate": start, "url": f"{URL}/{n}", **more}


MARCH = datetime(2026, 3, 4, 12, tzinfo=UTC)


def test_e046_data_without_an_hour_take_it_and_the_place_from_the_list():
    items = [
        _item(n, f"{n + 10} april 2026 20:30 uur", more='<span class="venue">Kleine Zaal</span>') for n in range(4)
    ]
    data = [_event(n, f"2026-04-{n + 10}") for n in range(4)]
    found = _read(_page(items, data), MARCH)
    assert [(one.data["start"], one.data["venue_name"]) for one in found] == [
        (f"2026-04-{n + 10}T20:30+02:00", "Kleine Zaal") for n in range(4)
    ]
    assert all(one.verdict.decision is Decision.ACCEPT for one in found)


def test_e046_a_list_takes_hour_end_and_place_from_the_data():
    items = [_item(n, f"{n + 10} april 2026") for n in range(4)]
    place = {"@type": "Place", "name": "Grote Zaal"}
    data = [_event(n, f"2026-04-{n + 10}T20:30", endDate=f"2026-04-{n + 10}T23:00", location=place) for n in range(2)]
    found = _read(_page(items, data), MARCH)
    assert [(one.data["start"], one.data["end"], one.data["venue_name"]) for one in found] == [
        ("2026-04-10T20:30+02:00", "2026-04-10T23:00+02:00", "Grote Zaal"),
        ("2026-04-11T20:30+02:00", "2026-04-11T23:00+02:00", "Grote Zaal"),
        ("2026-04-12", None, None),
        ("2026-04-13", None, None),
    ]


@pytest.mark.parametrize("shown", [4, 5])
def test_e060_one_address_with_two_days_is_one_event_and_held(shown: int):
    items = [_item(n, f"{n + 10} april 2026 20:30 uur") for n in range(shown)]
    data = [_event(n, f"2026-04-{n + (10 if n else 24)}T20:30") for n in range(4)]
    found = _read(_page(items, data), MARCH)
    assert sorted(one.data["title"] for one in found) == sorted(NAMES[:shown])
    held = [one for one in found if one.verdict.decision is Decision.HOLD]
    assert [one.data["title"] for one in held] == [NAMES[0]]
    assert "the page names two days" in held[0].verdict.findings[0].details


def test_e060_data_in_another_zone_contradict_no_day():
    items = [_item(n, f"{n + 10} april 2026 00:30 uur") for n in range(4)]
    data = [_event(n, f"2026-04-{n + 9:02}T22:30:00Z") for n in range(4)]
    found = _read(_page(items, data), MARCH)
    assert [one.data["event_date"] for one in found] == [f"2026-04-{n + 10}" for n in range(4)]
    assert all(one.verdict.decision is Decision.ACCEPT for one in found)


def test_e060_the_address_of_an_event_contradicts_the_year_of_its_text():
    """An old text was copied: "07-08-25" under an address of 2026."""
    items = [_item(n, f"{n + 3:02}-08-2026 20:30", f"{URL}/2026/08/{n + 3:02}/naam-{n}") for n in range(4)]
    items[2] = _item(2, "05-08-2025 20:30", f"{URL}/2026/08/05/naam-2")
    found = _read(_page(items), datetime(2026, 7, 20, 12, tzinfo=UTC))
    assert [one.verdict.decision for one in found].count(Decision.HOLD) == 1
    assert "address says 2026, its text 2025" in found[2].verdict.findings[0].details


def test_e060_a_weekday_that_breaks_the_order_of_its_list_is_held():
    """11 April 2026 is a Saturday; the page says Sunday, as in 2027."""
    days = ["vr 10 april", "zo 11 april", "zo 12 april", "ma 13 april"]
    found = _read(_page([_item(n, f"{day} 20:30 uur") for n, day in enumerate(days)]), MARCH)
    assert [one.verdict.decision for one in found] == [Decision.ACCEPT, Decision.HOLD, Decision.ACCEPT, Decision.ACCEPT]
    assert "the entries around it are of 2026" in found[1].verdict.findings[0].details


def test_e060_a_weekday_a_year_ahead_is_held_where_the_day_comes_by_today():
    """20 March 2026 is a Friday; the page says Saturday, as in 2027."""
    days = ["10 april 2026", "11 april 2026", "za 20 maart"]
    found = _read(_page([_item(n, f"{day} 20:30 uur") for n, day in enumerate(days)]), MARCH)
    assert found[2].verdict.decision is Decision.HOLD


def test_e060_a_season_that_goes_on_for_a_year_confirms_its_weekdays():
    days = ["vr 4 december", "vr 5 februari", "za 20 maart", "za 10 april"]
    found = _read(
        _page([_item(n, f"{day} 20:30 uur") for n, day in enumerate(days)]), datetime(2026, 4, 1, 12, tzinfo=UTC)
    )
    assert [one.data["event_date"] for one in found] == ["2026-12-04", "2027-02-05", "2027-03-20", "2027-04-10"]
    assert all(one.verdict.decision is Decision.ACCEPT for one in found)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("zaterdag & zondag 20 & 21 juni", ("2026-06-20", "2026-06-21")),
        ("zaterdag en zondag 20 en 21 juni", ("2026-06-20", "2026-06-21")),
        ("za-zo 20-21 juni 2026", ("2026-06-20", "2026-06-21")),
        ("Saturday & Sunday, June 20 & 21", ("2026-06-20", "2026-06-21")),
    ],
)
def test_e060_two_weekdays_before_two_days_are_read_together(text: str, days: tuple[str, str]):
    """The second weekday beside the first day would be another year."""
    items = [_item(0, text), _item(1, "26 juni 2026"), _item(2, "27 juni 2026")]
    found = _read(_page(items), MARCH)
    assert (found[0].data["event_date"], found[0].data["end_date"]) == days
    assert found[0].verdict.decision is Decision.ACCEPT


def test_r17_a_table_of_ten_thousand_rows_beside_its_data_is_read_in_bounded_time_and_told():
    days = [f"{10 + n % 18}-{4 + n % 8:02}-2026" for n in range(10_000)]
    cells = [f'<td>{day}</td><td>20:30</td><td><a href="/e/{n}">Avond {n}</a></td>' for n, day in enumerate(days)]
    rows = "".join(f"<tr>{cell}</tr>" for cell in cells)
    data = [{"@type": "Event", "name": f"Nacht {n}", "startDate": "2026-05-01", "url": f"/n/{n}"} for n in range(1_000)]
    head = "<tr><th>Datum</th><th>Tijd</th><th>Titel</th></tr>"
    script = f'<script type="application/ld+json">{json.dumps(data)}</script>'
    html = f'<html lang="nl"><head>{script}</head><body><h1>Agenda</h1><table>{head}{rows}</table></body></html>'
    ctx = msgspec.structs.replace(context(URL), now=MARCH, timezone="Europe/Amsterdam")
    before = time.process_time()
    found = assess(page(html, URL), GenericAdapter(EVENT), EVENT, ctx)
    assert time.process_time() - before < 30  # a quadratic step takes minutes
    assert len(found.records) == 2_000
    assert found.cut > 0
    assert any("too many elements" in attempt.note for attempt in found.trace)
