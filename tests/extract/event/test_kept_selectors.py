"""Selectors that matched the list of a page are kept, and read it where it is not found any more (E-058)."""

from __future__ import annotations

import pytest

from tests.product_pages import page
from winnow.extract.draft import Extracted, Extraction, Failure
from winnow.extract.event.event import extract_events
from winnow.extract.selector_set import Origin, SelectorSet
from winnow.sources.methods import MAX_SETS, MethodStanding, MethodWin, after_win

URL = "https://www.dekroon.nl/agenda"
NAMES = ["Trio Noord", "Blaaskapel Zuid", "De Late Band", "Koor West"]
KEPT = SelectorSet(item="div.kaart")


def _page(item: str, heading: str = "Agenda", tail: str = "") -> str:
    entries = "".join(item.format(n=n, name=name, day=n + 10) for n, name in enumerate(NAMES))
    return f'<html lang="nl"><head><title>{heading}</title></head><body><h1>{heading}</h1>{entries}{tail}</body></html>'


def _read(html: str, *sets: SelectorSet, usual: int = 0, url: str = URL) -> Extraction:
    return extract_events(page(html, url), usual=usual, selectors=sets)


def _titles(found: Extraction) -> list[str]:
    assert isinstance(found, Extracted), found
    return [draft.values["title"][0].raw for draft in found.drafts]


CARD = '<div class="kaart item-{n}"><h3><a href="/agenda/{n}">{name}</a></h3><p>{day} april 2026 20:30</p></div>'
# A redesign in which nothing says any more that the entries are events: posts of a blog, each with a day.
POST = '<div class="kaart post"><p class="wie">{name}</p><p class="wanneer">{day} april 2026</p></div>'


def test_e058_the_selector_of_a_list_is_what_its_entries_share():
    found = _read(_page(CARD))
    assert isinstance(found, Extracted)
    assert found.selectors == SelectorSet(item="div.kaart")


@pytest.mark.parametrize("item", ["<p>{day} april 2026: {name}</p>", '<p class="x{n}">{day} april 2026: {name}</p>'])
def test_e058_entries_without_a_name_of_their_own_have_no_selector(item: str):
    found = _read(_page(item))
    assert isinstance(found, Extracted)
    assert found.selectors is None


def test_e058_a_list_that_is_no_longer_found_is_read_by_the_selector_that_matched_it():
    news = _page(POST, "Nieuws")
    assert isinstance(_read(news, url="https://www.dekroon.nl/nieuws"), Failure)
    found = _read(news, SelectorSet(item="li.event"), KEPT, usual=4, url="https://www.dekroon.nl/nieuws")
    assert _titles(found) == NAMES
    assert isinstance(found, Extracted)
    assert found.selectors == KEPT
    assert "div.kaart" in found.trace[-1].note


def test_e058_parts_of_an_entry_are_taken_where_a_selector_names_them():
    parts = SelectorSet(
        item="div.kaart", title=".wie", date=".wanneer", time=".tijd", venue=".zaal", link="a.meer", origin=Origin.MODEL
    )
    item = (
        '<div class="kaart post"><h4>Nieuwsbericht van 1 maart 2026</h4><p class="wie">{name}</p><a href="/oud">oud</a>'
        '<p class="wanneer">{day} april 2026</p><i class="tijd">20.30</i><b class="zaal">Kleine Zaal</b><a class="meer" href="/a/{n}">meer</a></div>'
    )  # fmt: skip
    found = _read(_page(item, "Nieuws"), parts, url="https://www.dekroon.nl/nieuws")
    assert _titles(found) == NAMES
    assert isinstance(found, Extracted)
    first = {field: values[0].raw for field, values in found.drafts[0].values.items()}
    assert first["start"].startswith("10 april 2026")
    assert (first["clock"], first["venue_name"], first["url"]) == ("20.30", "Kleine Zaal", "https://www.dekroon.nl/a/0")


def test_e058_a_selector_that_matches_other_things_is_not_believed():
    other = "".join(f'<div class="kaart">Over ons {n}</div>' for n in range(6))
    found = _read(
        _page(POST.replace("kaart", "tegel"), "Nieuws", other), KEPT, usual=4, url="https://www.dekroon.nl/nieuws"
    )
    assert isinstance(found, Failure)
    assert found.trace[-1].note == "1 kept selectors"


@pytest.mark.parametrize("item", ["div[", ":nth-child(", "", "div:contains('x')", "*" * 200])
def test_e058_what_is_no_selector_finds_nothing(item: str):
    assert isinstance(
        _read(_page(POST, "Nieuws"), SelectorSet(item=item), url="https://www.dekroon.nl/nieuws"), Failure
    )


def test_e058_a_list_that_is_found_is_not_read_by_selectors():
    found = _read(_page(CARD), SelectorSet(item="li.oud"), usual=4)
    assert isinstance(found, Extracted)
    assert found.selectors == SelectorSet(item="div.kaart")


def test_e057_an_empty_agenda_is_not_looked_through_for_old_entries():
    html = _page(POST, "Nieuws", "<p>Er zijn geen evenementen gepland.</p>")
    found = _read(html, KEPT, usual=4, url="https://www.dekroon.nl/nieuws")
    assert isinstance(found, Extracted)
    assert found.empty


def test_e058_the_newest_sets_of_a_source_are_kept():
    standing = MethodStanding(1)
    for n in range(MAX_SETS + 2):
        standing = after_win(standing, MethodWin(1, "dom", selectors={"item": f"li.n{n}"}))
    assert [one["item"] for one in standing.selectors] == ["li.n6", "li.n5", "li.n4", "li.n3", "li.n2"]
    again = after_win(standing, MethodWin(1, "dom", selectors={"item": "li.n4"}))
    assert [one["item"] for one in again.selectors] == ["li.n4", "li.n6", "li.n5", "li.n3", "li.n2"]
    assert after_win(again, MethodWin(1, "json_ld")).selectors == again.selectors
