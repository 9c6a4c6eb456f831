"""Which way of reading an agenda wins is remembered on its source, over several visits (E-052 … E-055)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.run.conftest import *  # noqa: F403 - a worker, a site and a database to run against
from tests.run.feeds.test_agenda_feeds import agenda  # noqa: F401 - a source of events
from tests.run.scripted_site import Site

NAMES = ["Trio Noord", "Blaaskapel Zuid", "De Late Band", "Koor West"]
FIRST = datetime.now(UTC) + timedelta(days=20)
PLACE = {"timezone": "Europe/Amsterdam", "locale": "nl-NL", "default_latitude": 52.01, "default_longitude": 4.36}
STANDING = "SELECT preferred_method, winning_method, winning_count FROM sources"


def _page(visit: int, *, stated: bool) -> str:
    """The agenda as it is on a visit: never the same bytes twice."""
    days = [FIRST + timedelta(days=n) for n in range(len(NAMES))]
    data = [
        {"@type": "MusicEvent", "name": name, "startDate": f"{day:%Y-%m-%d}T20:30:00", "url": f"/agenda/{n}"}
        for n, (name, day) in enumerate(zip(NAMES, days, strict=True))
    ]
    script = f'<script type="application/ld+json">{json.dumps(data)}</script>' if stated else ""
    items = "".join(
        f'<li class="event views-row"><a href="/agenda/{n}"><h3>{name}</h3></a><p>{day:%d-%m-%Y} 20:30 uur</p></li>'
        for n, (name, day) in enumerate(zip(NAMES, days, strict=True))
    )
    return (
        f'<html lang="nl"><head><title>Agenda</title>{script}</head><body><h1>Agenda</h1><ul>{items}</ul>'
        f"<p>Bezoek {visit}</p></body></html>"
    )


async def test_e053_e054_a_method_is_preferred_after_three_wins_and_gives_way_when_it_fails(
    site: Site,
    agenda: Any,  # noqa: F811
    start: Any,
    work: Any,
    rows: Any,
):
    source = None
    seen = []
    for visit in range(5):
        url = site.says("/agenda", _page(visit, stated=visit < 4))
        source = source or await agenda(url, **PLACE)
        await start(source)
        await work()
        seen += await rows(STANDING)
    assert seen == [
        (None, "json_ld", 1),
        (None, "json_ld", 2),
        ("json_ld", "json_ld", 3),
        ("json_ld", "json_ld", 3),
        ("dom", "dom", 1),
    ]
    assert await rows("SELECT detected_cms FROM sources") == ["drupal"]
    assert await rows("SELECT count(*)::int FROM events") == [len(NAMES)]


async def test_e055_each_reading_leaves_an_insight_with_what_was_tried_and_true_counts(
    site: Site,
    agenda: Any,  # noqa: F811
    start: Any,
    work: Any,
    rows: Any,
):
    source = None
    for visit in range(4):
        url = site.says("/agenda", _page(visit, stated=True))
        source = source or await agenda(url, **PLACE)
        await start(source)
        await work()
    found = await rows(
        "SELECT winning_strategy, events_found, execution_time_ms >= 0, "
        "ARRAY(SELECT (t ->> 'strategy') || ' ' || (t ->> 'drafts') FROM jsonb_array_elements(strategy_trace) AS t) "
        "FROM insights ORDER BY id"
    )
    every, first = ["json_ld 4", "dom 4"], ["json_ld 4"]
    assert found == [("json_ld", 4, True, trace) for trace in (every, every, every, first)]
