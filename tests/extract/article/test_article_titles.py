"""Which of the names of a page is the title of its article: headings of the section or the site, descriptions that data
call headlines, and paths of comment threads are not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kinds.reading import read_target
from tests.product_pages import context, page
from winnow.kinds.registry import all_kinds

ARTICLE = all_kinds().target_type("article_metadata")
URL = "https://daily-fern.example/a/1"
TEXT = "<p>" + "Rain is coming to the coast this week. " * 30 + "</p>"


def title(head: str, body: str) -> Any:
    found = read_target(ARTICLE, page(f"<html><head>{head}</head><body>{body}{TEXT}</body></html>", URL), context(URL))
    return found.results[0].data["title"]


def ld(**node: str) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@type": "Article", **node})}</script>'


@pytest.mark.parametrize(
    ("shown", "heading"),
    [
        ("Rain ahead for the coast", "Weather and Climate"),
        ("Rain ahead for the coast | Daily Fern", "Daily Fern"),
        ("Rain ahead for the coast [Daily Fern]", "Daily Fern"),
    ],
    ids=["section", "site", "site in brackets"],
)
def test_e046_a_heading_that_is_not_the_articles_is_no_title(shown: str, heading: str) -> None:
    assert title(f"<title>{shown}</title>", f"<h1>{heading}</h1>").startswith("Rain ahead for the coast")


@pytest.mark.parametrize(
    ("shown", "heading"),
    [
        ("Rain ahead for the coast - Daily Fern", "Rain ahead for the coast"),
        ("Daily Fern: Rain ahead", "Rain ahead for the whole coast"),
        ("", "Rain ahead for the coast"),
    ],
)
def test_e046_the_heading_of_the_article_is_its_title(shown: str, heading: str) -> None:
    assert title(f"<title>{shown}</title>", f"<h1>{heading}</h1>") == heading


def test_e046_a_headline_that_the_page_does_not_show_stands_behind_a_name_that_it_does() -> None:
    data = ld(headline="science of the weather and its forecast", name="Meteorology")
    assert title(f"<title>Meteorology - Fern Encyclopedia</title>{data}", "<h1>Meteorology</h1>") == "Meteorology"
    data = ld(headline="Rain ahead for the coast", name="Rain")
    assert title(f"<title>Rain ahead for the coast</title>{data}", "<h1>Rain ahead for the coast</h1>") == (
        "Rain ahead for the coast"
    )


def test_e046_a_path_is_no_title() -> None:
    data = ld(name="/a/2013/rain-ahead-for-the-coast/")
    found = title(f"<title>Rain ahead for the coast | Daily Fern</title>{data}", "")
    assert found.startswith("Rain ahead for the coast")


@pytest.mark.parametrize("second", ["Rain ahead for the coast", "… umbrellas concerned"])
def test_e046_of_several_headings_the_one_that_the_page_is_called_after(second: str) -> None:
    shared = '<meta property="og:title" content="Rain ahead for the coast | Daily Fern">'
    head = f"<title>Rain ahead for the coast - Daily Fern</title>{shared}{ld(headline='… umbrellas concerned')}"
    assert title(head, f"<h1>Rain ahead for the coast</h1><h1>{second}</h1>") == "Rain ahead for the coast"
