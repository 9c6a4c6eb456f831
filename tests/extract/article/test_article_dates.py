"""The day an article was published, where only its text says so, or where the data and the readers' day differ."""

from __future__ import annotations

import pytest

from tests.kinds.reading import read_target
from tests.product_pages import context, page
from winnow.kinds.registry import all_kinds

ARTICLE = all_kinds().target_type("article_metadata")
URL = "https://www.dailyfern.com/a/rain"
TITLE = "Rain ahead for the valley"


def published(body: str, head: str = "", lang: str = "en") -> str | None:
    source = f'<html lang="{lang}"><head><title>{TITLE} | Daily Fern</title>{head}</head><body>{body}</body></html>'
    found = read_target(ARTICLE, page(source, URL), context(URL)).results[0].data["published"]
    return None if found is None else str(found)[:10]


@pytest.mark.parametrize(
    ("line", "lang", "day"),
    [
        ("Veröffentlicht am 16.08.2019", "de", "2019-08-16"),
        ("Erscheinungsdatum: 07.02.2022", "de", "2022-02-07"),
        ("Publié le mardi 4 mai 2021 à 10:00", "fr", "2021-05-04"),
        ("입력2023.11.02. 오후 8:06", "ko", "2023-11-02"),
        ("Opublikowano: 12.03.2020", "pl", "2020-03-12"),
        ("Unpublished 3 May 2021", "en", None),
    ],
)
def test_a_line_anywhere_that_says_published_names_the_day(line: str, lang: str, day: str | None):
    text = "<p>It rains in the valley, as it has for days.</p>" * 8
    assert published(f"<h1>{TITLE}</h1>{text}<p>{line}</p>", lang=lang) == day


def test_two_days_called_published_are_no_day_of_this_article():
    text = "<p>It rains in the valley.</p>" * 8
    assert published(f"<h1>{TITLE}</h1>{text}<p>Published 3 May 2021</p><p>Published 9 May 2021</p>") is None


def test_a_lower_heading_that_is_the_title_counts_where_there_is_no_first():
    assert published(f"<h2>{TITLE}</h2><span>12 March 2021</span><p>It rains.</p>") == "2021-03-12"


def test_a_list_of_the_latest_articles_does_not_date_this_one():
    latest = f"<div><a href='/a/rain'>{TITLE}</a></div><p>1 February 2024</p>"
    assert published(f"<h2>{TITLE}</h2><span>12 March 2021</span><p>It rains.</p>{latest}") is None


def test_a_day_and_the_hour_behind_it_are_not_another_year():
    assert published(f"<h1>{TITLE}</h1><span>28.09.1912:30</span><p>It rains.</p>", lang="de") is None


def test_a_moment_in_utc_is_the_day_that_readers_see():
    late = '<meta property="article:published_time" content="2023-11-09T06:35:29+00:00">'
    assert published(f"<h1>{TITLE}</h1><p>Nov 8, 2023</p>", late) == "2023-11-08"
    assert published(f"<h1>{TITLE}</h1><p>Nov 3, 2023</p>", late) == "2023-11-09"
    local = late.replace("+00:00", "+02:00")
    assert published(f"<h1>{TITLE}</h1><p>Nov 8, 2023</p>", local) == "2023-11-09"


def test_the_line_beside_the_heading_counts_before_the_time_of_another_article():
    teaser = '<article><a href="/a/sun">Sun</a><time datetime="2019-07-30">30 July</time></article>'
    assert published(f"<h1>{TITLE}</h1><p>By Ann Lee, 27 June 2019</p><p>It rains.</p>{teaser}") == "2019-06-27"
