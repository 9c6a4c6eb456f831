"""Agendas and event pages: page -> accepted events. The figures in event_floor.json may only rise."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from tests.product_pages import context, page
from tests.quality.event_pages import DETAILS, LISTS, OTHERS, EventPage, pages_of
from winnow.extract.draft import Role
from winnow.judge.verdict import Decision
from winnow.kinds.assess import Assessment, assess
from winnow.kinds.generic import GenericAdapter
from winnow.kinds.registry import all_kinds

EVENT = all_kinds().get("event")
FLOOR = json.loads((Path(__file__).parent / "event_floor.json").read_text())
SETS = {"lists": LISTS, "details": DETAILS, "others": OTHERS}
ZONES = {"nl": "Europe/Amsterdam", "de": "Europe/Berlin", "fr": "Europe/Paris", "uk": "Europe/London"}


def read(case: EventPage) -> Assessment:
    zone = next((zone for end, zone in ZONES.items() if f".{end}/" in case.url), "America/New_York")
    ctx = msgspec.structs.replace(context(case.url), timezone=zone, follow=(Role.NEXT_PAGE, Role.DETAIL))
    return assess(page(case.html, case.url), GenericAdapter(EVENT), EVENT, ctx)


def accepted(found: Assessment) -> list[tuple[str, str]]:
    return [
        (str(one.data["title"]), str(one.data["start"])[:16])
        for one in found.records
        if one.verdict.decision is Decision.ACCEPT
    ]


def compare(case: EventPage, read: list[tuple[str, str]]) -> tuple[int, list[tuple[str, str]], int, int]:
    """Events found; those that are not there; hours shown, and hours right."""
    by_day = {(title, start[:10]): start for title, start in read}
    truth = {(title, start[:10]): start for title, start in case.truth}
    hits = by_day.keys() & truth.keys()
    shown = [key for key in hits if len(truth[key]) > 10]
    right = sum(by_day[key][:16] == truth[key] for key in shown)
    return len(hits), [(*key,) for key in by_day.keys() - truth.keys()], len(shown), right


@pytest.mark.parametrize("name", SETS)
def test_e051_enough_events_are_read_and_no_wrong_ones(name: str):
    cases = pages_of(SETS[name])
    hits = stated = shown = right = 0
    wrong, missed, hours = [], [], []
    for case in cases:
        found, extra, with_hour, right_hour = compare(case, accepted(read(case)))
        hits, stated, shown, right = hits + found, stated + len(case.truth), shown + with_hour, right + right_hour
        wrong += [(case.shape, *one) for one in extra]
        missed += [(case.shape, f"{found} of {len(case.truth)}")] if found < len(case.truth) else []
        hours += [(case.shape, f"{right_hour} of {with_hour}")] if right_hour < with_hour else []
    floor = FLOOR[name]
    assert len(cases) >= floor["pages"]
    assert len(wrong) <= floor["wrong"], wrong[:20]
    assert hits >= floor["recall"] * stated, missed
    assert right >= floor["hours"] * shown, hours


@pytest.mark.parametrize("case", pages_of(OTHERS), ids=lambda case: case.shape)
def test_e057_an_empty_agenda_says_so_and_another_page_is_broken(case: EventPage):
    found = read(case)
    assert not found.records
    assert (found.empty is not None, found.failure is not None) == (case.empty, not case.empty)


@pytest.mark.parametrize("case", [c for c in pages_of(LISTS) if c.next_page], ids=lambda case: case.shape)
def test_e046_the_next_page_of_a_list_is_found(case: EventPage):
    assert [link.url for link in read(case).links if link.role is Role.NEXT_PAGE] == [case.next_page]


@pytest.mark.parametrize("case", pages_of(LISTS), ids=lambda case: case.shape)
def test_e103_each_event_of_a_list_keeps_its_own_part_of_the_page(case: EventPage):
    found = read(case)
    assert all(draft.block for draft in found.drafts)
    assert len({draft.block for draft in found.drafts}) > len(found.drafts) / 4 or len(found.drafts) < 3
