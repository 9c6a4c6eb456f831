"""Who wrote an article, where the page says so in a byline or wrongly in its data."""

from __future__ import annotations

import pytest

from tests.kinds.reading import read_target
from tests.product_pages import context, page
from winnow.kinds.registry import all_kinds

ARTICLE = all_kinds().target_type("article_metadata")
URL = "https://www.dailyfern.com/news/rain"


def authors(body: str, head: str = "", url: str = URL) -> object:
    source = f'<html lang="en"><head><title>Rain - Daily Fern</title><meta property="og:site_name" content="Daily Fern">{head}</head>{body}</html>'
    return read_target(ARTICLE, page(source, url), context(url)).results[0].data["authors"]


@pytest.mark.parametrize(
    ("byline", "names"),
    [
        ('<a rel="author" href="/author/ann">Ann Lee</a>', ["Ann Lee"]),
        ('<a rel="author" href="/author/ann">View all posts by Ann Lee →</a>', ["Ann Lee"]),
        ('<a rel="author" href="/author/ann">Zeige alle Beiträge von Ann Lee →</a>', ["Ann Lee"]),
        ('<a rel="author" href="/author/ann">Archiv anzeigen →</a>', None),
        ('<span class="author-name">von Ann Lee</span>', ["Ann Lee"]),
        ('<p class="byline"><a href="/topic/asia">Asia</a> <a href="/writers/ann-lee">Ann Lee</a></p>', ["Ann Lee"]),
        ('<p class="byline"><a href="/ann-lee">Ann Lee</a></p>', ["Ann Lee"]),
        ('<a rel="author" href="/author/admin">admin</a>', None),
        ('<a rel="author" href="/author/x">Daily Fern</a>', None),
        ('<a rel="author" href="/author/x">gnarled</a>', ["gnarled"]),
        ('<a rel="author" href="/author/x">Fern Media GmbH</a>', None),
    ],
)  # fmt: skip
def test_a_byline_names_people(byline: str, names: list[str] | None):
    assert (
        authors(f'<body class="has-sidebar"><article><h1>Rain</h1>{byline}<p>It rains.</p></article></body>') == names
    )


def test_the_writers_of_other_articles_are_not_this_ones():
    body = '<article><h1>Rain</h1><p><a rel="author" href="/a/ann">Ann Lee</a></p></article><div class="more"><p><a rel="author" href="/a/bo">Bo Dahl</a></p></div>'
    assert authors(f"<body>{body}</body>") == ["Ann Lee"]


@pytest.mark.parametrize("meta", ["wordpressadmin", "ann.lee", "Daily Fern", "Daily & Fern", "Redaktion", "No Author"])
def test_a_paper_or_an_account_in_the_data_gives_way_to_the_byline(meta: str):
    head = f'<meta name="author" content="{meta}"><meta property="og:site_name" content="Daily & Fern">'
    body = '<body><h1>Rain</h1><p><a rel="author" href="/a/ann">Ann Lee</a></p></body>'
    assert authors(body, head) == ["Ann Lee"]
