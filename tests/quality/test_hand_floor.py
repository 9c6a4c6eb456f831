"""Product pages written by hand, each in the manner of a shop system, a country or a trap, with what a person reads.

The first line of a page says it: where it stood, the price and stock (or `-` where no single price can be read), and
the title (or why there is none).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kinds.reading import GENERIC, OfferRead, assess
from tests.product_pages import context, page
from winnow.judge.verdict import Decision

PAGES = sorted((Path(__file__).parent / "hand").glob("*.html"))


def _said(path: Path) -> tuple[str, str, str]:
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    url, price, title = first.removeprefix("<!-- ").removesuffix(" -->").split(" | ", 2)
    return url, price, title


def _read(found: OfferRead) -> str:
    offer = found.offer
    if offer is None or offer.price is None or found.verdict is None or found.verdict.decision is not Decision.ACCEPT:
        return "-"
    return f"{offer.price.minor} {offer.price.currency} {offer.availability}"


def test_there_are_enough_pages() -> None:
    assert len(PAGES) >= 255


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_p027_p034_a_page_is_read_as_a_person_reads_it_or_held(path: Path) -> None:
    url, price, title = _said(path)
    found = assess(page(path.read_text(encoding="utf-8"), url), GENERIC, context(url))
    assert _read(found) == price
    if price != "-":
        assert found.offer is not None
        assert found.offer.title == title
