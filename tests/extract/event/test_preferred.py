"""The preferred reading is tried first, and gives way where it fails (E-053, E-054)."""

from __future__ import annotations

import json

import msgspec
import pytest

from tests.product_pages import context, page
from winnow.extract.draft import Extracted, Strategy
from winnow.extract.event.event import extract_events
from winnow.kinds.assess import assess
from winnow.kinds.generic import GenericAdapter
from winnow.kinds.registry import all_kinds
from winnow.sources.methods import WINS, MethodStanding, MethodWin, after_win

URL = "https://www.dekroon.nl/agenda"
NAMES = ["Trio Noord", "Blaaskapel Zuid", "De Late Band", "Koor West"]


def _event(n: int) -> dict[str, object]:
    day = f"2026-04-{n + 10}T20:30:00+02:00"
    return {"@type": "MusicEvent", "name": NAMES[n], "startDate": day, "url": f"{URL}/{n}"}


def _item(n: int) -> str:
    return f'<li class="event"><a href="{URL}/{n}"><h3>{NAMES[n]}</h3></a><p>{n + 10} april 2026, 20:30 uur</p></li>'


def _agenda(stated: int, shown: int) -> str:
    data = json.dumps({"@context": "https://schema.org", "@graph": [_event(n) for n in range(stated)]})
    items = "".join(_item(n) for n in range(shown))
    return (
        f'<html lang="nl"><head><title>Agenda</title><script type="application/ld+json">{data}</script></head>'
        f"<body><h1>Agenda</h1><ul>{items}</ul></body></html>"
    )


def _read(html: str, preferred: Strategy | None = None, usual: int = 0) -> Extracted:
    found = extract_events(page(html, URL), preferred, usual)
    assert isinstance(found, Extracted)
    return found


def _tried(found: Extracted) -> list[tuple[Strategy, int]]:
    return [(attempt.strategy, attempt.drafts) for attempt in found.trace]


def test_e053_a_preferred_method_that_gives_as_much_as_usual_is_the_only_one_that_is_asked():
    found = _read(_agenda(4, 4), Strategy.JSON_LD, 4)
    assert (len(found.drafts), found.strategy) == (4, Strategy.JSON_LD)
    assert _tried(found) == [(Strategy.JSON_LD, 4)]


def test_e053_without_a_preference_every_method_is_asked():
    assert _tried(_read(_agenda(4, 4))) == [(Strategy.JSON_LD, 4), (Strategy.DOM, 4)]


@pytest.mark.parametrize("stated", [0, 1])
def test_e054_a_preferred_method_that_fails_or_gives_less_lets_the_waterfall_go_on(stated: int):
    found = _read(_agenda(stated, 4), Strategy.JSON_LD, 4)
    assert (len(found.drafts), found.strategy) == (4, Strategy.DOM)
    assert _tried(found)[0] == (Strategy.JSON_LD, stated)
    assert _tried(found)[-1] == (Strategy.DOM, 4)


def test_e054_a_preferred_state_that_is_gone_gives_way_to_the_structured_data():
    found = _read(_agenda(4, 4), Strategy.HYDRATION, 4)
    assert (len(found.drafts), found.strategy) == (4, Strategy.JSON_LD)
    assert _tried(found)[0] == (Strategy.HYDRATION, 0)


def test_e053_a_preferred_list_stands_and_structured_data_completes_it():
    found = _read(_agenda(4, 3), Strategy.DOM, 3)
    assert found.strategy is Strategy.DOM
    assert [draft.values["title"][0].raw for draft in found.drafts] == NAMES
    assert found.drafts[0].values["start"][0].raw == "2026-04-10T20:30:00+02:00"
    assert _read(_agenda(4, 3)).strategy is Strategy.JSON_LD


@pytest.mark.parametrize("preferred", [None, *Strategy])
def test_e053_a_preference_changes_the_order_and_never_the_events(preferred: Strategy | None):
    """E-055: the counts of the trace are those of what was read."""
    event = all_kinds().get("event")
    ctx = context(URL)
    plain = assess(page(_agenda(4, 4), URL), GenericAdapter(event), event, ctx)
    other = assess(
        page(_agenda(4, 4), URL),
        GenericAdapter(event),
        event,
        msgspec.structs.replace(ctx, preferred=preferred, usual=4),
    )
    facts = [[(r.data["title"], r.data["start"][:16], r.data["url"]) for r in each.records] for each in (plain, other)]
    assert facts[0] == facts[1]
    assert {attempt.drafts for attempt in other.trace} <= {0, 4}


def _after(*methods: str, preferred: str | None = None) -> MethodStanding:
    standing = MethodStanding(1, preferred, preferred, WINS if preferred else 0)
    for method in methods:
        standing = after_win(standing, MethodWin(1, method))
    return standing


@pytest.mark.parametrize(
    ("methods", "preferred"),
    [
        (["dom", "dom"], None),
        (["dom", "dom", "dom"], "dom"),
        (["dom", "dom", "json_ld", "dom"], None),
        (["dom", "json_ld", "json_ld", "json_ld"], "json_ld"),
        (["dom"] * 9, "dom"),
    ],
)
def test_e053_three_wins_in_a_row_make_a_method_preferred(methods: list[str], preferred: str | None):
    assert _after(*methods).preferred == preferred


def test_e054_the_preference_moves_to_the_method_that_won_in_its_place():
    assert _after("dom", preferred="json_ld").preferred == "dom"
    assert _after("feed", "json_ld", preferred="dom").preferred == "json_ld"


def test_e052_the_system_of_the_page_is_kept_until_another_one_is_seen():
    standing = after_win(MethodStanding(1), MethodWin(1, "dom", "drupal"))
    assert after_win(standing, MethodWin(1, "dom")).cms == "drupal"
    assert after_win(standing, MethodWin(1, "dom", "wix")).cms == "wix"
