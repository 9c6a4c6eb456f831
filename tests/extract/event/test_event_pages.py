"""Pages of events without structured data, as venues, clubs and towns write them, and pages that only look like one."""

from __future__ import annotations

import time

import pytest

from tests.extract.event.ambiguous_pages import AMBIGUOUS
from tests.extract.event.single_pages import PAGES as CLEAR
from tests.kinds.reading import read_target
from tests.product_pages import context, page
from winnow.kinds.registry import all_kinds

EVENT = all_kinds().target_type("event")
PAGES = CLEAR | AMBIGUOUS


@pytest.mark.parametrize("name", PAGES)
def test_e051_e052_an_event_is_read_as_a_reader_sees_it(name: str) -> None:
    """`start` may be less exact than what was read, never different."""
    url, html, truth = PAGES[name]
    found = read_target(EVENT, page(html, url), context(url))
    data = dict(found.results[0].data) if found.results else {}
    for field, expected in truth.items():
        read = data.get(field)
        assert (read[: len(expected)] if read and expected else read) == expected, (field, data)


def test_r17_an_event_page_of_blocks_in_blocks_is_read_without_end():
    nested = '<span class="x">a' * 6_000 + "<button>Apply</button>"
    html = f"<html><head><title>Fair</title></head><body><h1>Fair</h1><p>4 March 2027, 7 pm</p>{nested}</body></html>"
    begun = time.process_time()
    read_target(EVENT, page(html, "https://town.example/events/fair"), context("https://town.example/"))
    assert time.process_time() - begun < 10.0
