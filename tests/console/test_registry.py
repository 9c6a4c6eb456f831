"""What pages announce about themselves fits together."""

from __future__ import annotations

from collections import Counter

from winnow.console.registry import discover


async def test_every_key_leads_to_one_page() -> None:
    keys = Counter(page.key for page in discover() if page.key)
    assert [key for key, n in keys.items() if n > 1] == []


async def test_every_page_without_a_place_in_the_navigation_names_its_parent() -> None:
    pages = discover()
    known = {page.path for page in pages if page.group}
    assert [p.path for p in pages if p.group is None and p.parent and p.parent not in known] == []
