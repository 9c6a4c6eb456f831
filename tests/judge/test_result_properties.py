"""Properties 13 and 31 … 35 of the enrichment list, on the real extractors and normalisers."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.kinds.reading import read_target
from tests.product_pages import context, page
from winnow.extract.draft import Draft, Strategy, Value
from winnow.kinds.article import ARTICLE
from winnow.kinds.company import COMPANY
from winnow.kinds.event import EVENT
from winnow.kinds.job_posting import JOB_POSTING
from winnow.kinds.kind import Kind
from winnow.kinds.product import PRODUCT_RESULT
from winnow.kinds.profile import PROFILE
from winnow.normalise.doubts import Unread
from winnow.normalise.fields import partial_result
from winnow.normalise.links import read_link
from winnow.normalise.places.located import normalise_location

URL = "https://www.acme-tools.de/page"
TAG = re.compile(r"<[^>]+>")
NOISE = st.sampled_from(
    ["<p>{}</p><br/><b>noise</b>", "  {}\u200b ", "&lt;i&gt;{}&lt;/i&gt;", "{}", "<div class='x>y'>{}", "{}<!-- c -->"]
)
TEXT = st.text(max_size=120)
NOISY = st.builds(str.format, NOISE, TEXT)
KINDS = [COMPANY, JOB_POSTING, PROFILE, EVENT, ARTICLE, PRODUCT_RESULT]
KIND = st.sampled_from(KINDS)
TRACKING = ["utm_source", "utm_campaign", "utm_anything", "fbclid", "gclid", "msclkid", "mc_eid"]


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for key, inner in value.items() if key != "raw" for text in texts(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in texts(inner)]
    return [value] if isinstance(value, str) else []


def draft_of(kind: Kind, raw: dict[str, str]) -> Draft:
    return Draft(kind.name, {field: [Value(text, Strategy.DOM, "test")] for field, text in raw.items()})


# Feature: scraping-microservices, Property 13: Missing extraction fields default to null
@settings(max_examples=150, deadline=None)
@given(present=st.sets(st.sampled_from(["name", "email", "telephone", "address", "description", "foundingDate"])))
def test_property_13_missing_fields_are_null_and_nothing_fails(present: set[str]):
    all_of_them = {
        "name": "Acme Tools",
        "email": "info@acme-tools.de",
        "telephone": "+49 711 1234567",
        "address": {
            "@type": "PostalAddress",
            "streetAddress": "Weg 1",
            "postalCode": "70565",
            "addressLocality": "Stuttgart",
        },
        "description": "Makes tools.",
        "foundingDate": "1998",
    }
    shown = {"name": "company_name", "email": "contact_email", "telephone": "contact_phone", "address": "headquarters",
             "description": "description", "foundingDate": "founded_year"}  # fmt: skip
    node = {"@type": "Organization", "name": "Acme Tools", **{key: all_of_them[key] for key in present}}
    if "name" not in present:
        node = {"@type": "Thing"}
    source = f'<html><head><script type="application/ld+json">{json.dumps(node)}</script></head><body><p>Hi</p></body></html>'
    read = read_target(KINDS[0], page(source, URL), context(URL))
    assert read.failure is None
    data = read.results[0].data
    assert set(data) == set(KINDS[0].fields)
    for key, field in shown.items():
        expected = key in present and "name" in present
        assert (data[field] is not None) == expected, (field, data[field])


# The same of any page at all
@settings(max_examples=100, deadline=None)
@given(kind=KIND, body=TEXT)
def test_property_13_any_page_gives_every_field_or_a_reason(kind: Kind, body: str):
    read = read_target(kind, page(f"<html><body><p>{html.escape(body)}</p></body></html>", URL), context(URL))
    assert read.failure is not None or all(set(result.data) == set(kind.fields) for result in read.results)


# Feature: scraping-microservices, Property 31: Result normalization produces valid schema
@settings(max_examples=300, deadline=None)
@given(kind=st.sampled_from(KINDS[:5]), data=st.data())
def test_s123_property_31_results_validate_and_texts_are_free_of_markup(kind: Kind, data: st.DataObject):
    plain = [name for name in kind.fields if name not in ("experience", "education")]
    raw = data.draw(st.dictionaries(st.sampled_from(plain), NOISY, min_size=1, max_size=6))
    found = kind.normalise(draft_of(kind, raw), context(URL))
    assert isinstance(kind.model.model_validate(found.result.model_dump()), kind.model)
    for text in texts(found.result.model_dump(mode="json")):
        assert not TAG.search(text), text
        assert text == text.strip()
        assert "\u200b" not in text


# Feature: scraping-microservices, Property 32: Partial result on validation failure
@settings(max_examples=200, deadline=None)
@given(kind=KIND, data=st.data())
def test_s124_property_32_invalid_fields_are_dropped_and_the_rest_is_returned(kind: Kind, data: st.DataObject):
    good = _valid(kind)
    bad = data.draw(st.sets(st.sampled_from(sorted(good)), max_size=len(good)))
    values = {name: (object() if name in bad else value) for name, value in good.items()}
    result, problems = partial_result(kind.model, values)
    assert set(problems) == bad
    for name, value in good.items():
        assert getattr(result, name) == (None if name in bad else value), name


# The same from the raw value on
@settings(max_examples=100, deadline=None)
@given(st.text(max_size=30))
def test_s124_property_32_an_unreadable_value_costs_only_its_own_field(text: str):
    assume("@" not in text)
    raw = {"company_name": "Acme Tools", "contact_email": text, "contact_phone": "+49 711 1234567"}
    found = KINDS[0].normalise(draft_of(KINDS[0], raw), context(URL))
    assert found.result.company_name == "Acme Tools"
    assert found.result.contact_phone == "+497111234567"
    assert found.result.contact_email is None


def _valid(kind: Kind) -> dict[str, Any]:
    """One valid value for each plain text or link field of a type."""
    names = {
        "company_website": {"company_name": "Acme", "description": "Tools", "contact_email": "a@acme.de", "contact_phone": "+497111234567",
                            "website_url": "https://acme.de/", "founded_year": 1998, "employee_count_range": "51-200"},
        "job_posting": {"job_title": "Engineer", "company_name": "Acme", "salary_range": "1 EUR", "posting_url": "https://acme.de/", "remote": True},
        "linkedin_profile": {"name": "Jo Doe", "headline": "Engineer", "current_company": "Acme", "profile_url": "https://acme.de/"},
        "event": {"title": "Jazz", "start": "2026-05-12", "venue_name": "Hall", "latitude": 52.0, "url": "https://acme.de/"},
        "article_metadata": {"title": "News", "site_name": "Daily", "published": "2026-05-12", "canonical_url": "https://acme.de/"},
        "product": {"title": "Shoe", "brand": "Acme", "sku": "1", "image_url": "https://acme.de/"},
    }  # fmt: skip
    return names[kind.target_type]


# Feature: scraping-microservices, Property 33: URL normalization
@settings(max_examples=300, deadline=None)
@given(
    scheme=st.sampled_from(["http", "https", "HTTP"]),
    path=st.text("abc/-_.0123%20", max_size=20),
    keep=st.dictionaries(
        st.text("abcxyz", min_size=1, max_size=6).map(lambda k: f"k{k}"),
        st.text("abc123", min_size=1, max_size=6),
        max_size=3,
    ),
    drop=st.dictionaries(st.sampled_from(TRACKING), st.text("abc123", min_size=1, max_size=6), max_size=4),
)
def test_s125_property_33_urls_are_https_and_without_tracking(
    scheme: str, path: str, keep: dict[str, str], drop: dict[str, str]
):
    pairs = [f"{key}={value}" for key, value in [*keep.items(), *drop.items()]]
    found = read_link(f"{scheme}://acme-tools.de/{path}{'?' + '&'.join(pairs) if pairs else ''}")
    assert isinstance(found, str), found
    assert found.startswith("https://acme-tools.de/")
    query = found.partition("?")[2]
    assert not any(re.match(r"utm_|fbclid|gclid|msclkid|mc_eid", pair) for pair in query.split("&"))
    assert set(filter(None, query.split("&"))) == {f"{key}={value}" for key, value in keep.items()}


# Feature: scraping-microservices, Property 34: Location normalization structure
@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.text(max_size=80),
        st.lists(
            st.sampled_from(["Berlin", "TX", "Austin", "Deutschland", "Remote", "12345", "CA", "Paris"]), max_size=4
        ).map(", ".join),
    )
)
def test_property_34_locations_have_four_parts_and_keep_the_input(text: str):
    found = normalise_location(text)
    assert found.raw == text
    assert {"city", "state_region", "country", "raw"} <= set(found.model_dump())
    assert (found.country is None) == (found.country_code is None)


# Feature: scraping-microservices, Property 35: Result serialization round trip
@settings(max_examples=200, deadline=None)
@given(kind=st.sampled_from(KINDS[:5]), data=st.data())
def test_s127_property_35_results_survive_json(kind: Kind, data: st.DataObject):
    plain = [name for name in kind.fields if name not in ("experience", "education")]
    raw = data.draw(st.dictionaries(st.sampled_from(plain), st.one_of(NOISY, st.sampled_from(SAMPLES)), max_size=8))
    found = kind.normalise(draft_of(kind, raw), context(URL)).result
    again = kind.model.model_validate_json(found.model_dump_json())
    assert again == found
    assert isinstance(again, BaseModel)


SAMPLES = [
    "info@acme-tools.de", "+49 711 1234567", "https://acme-tools.de/x?utm_source=a", "Austin, TX", "12 May 2026 20:00", "51-200",
    "€ 3.500 pro Monat", "1998", "52.37", "FULL_TIME", "OnlineEventAttendanceMode", '{"@type":"PostalAddress","addressLocality":"Köln","addressCountry":"DE"}',
    '[{"low":"10","high":"20","currency":"EUR"}]', "EventCancelled", "Remote",
]  # fmt: skip


# Feature: scraping-microservices, S-030: requested fields limit the result
@settings(max_examples=100, deadline=None)
@given(kind=KIND, data=st.data())
def test_s030_exactly_the_requested_fields_come_back(kind: Kind, data: st.DataObject):
    requested = data.draw(st.lists(st.sampled_from([*kind.fields, "no_such_field"]), unique=True))
    source = '<html><body><h1>Senior Engineer</h1><article class="event"><h2>Jazz</h2><time datetime="2026-05-12">12 May</time></article></body></html>'
    read = read_target(kind, page(source, URL), context(URL), requested)
    assert all(set(result.data) == set(requested) for result in read.results)
    assert all(set(result.problems) <= set(requested) for result in read.results)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@settings(max_examples=60, deadline=None)
@given(body=st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(kind: Kind, body: bytes):
    read = read_target(kind, page(body, URL), context(URL))
    assert read.failure is not None or isinstance(read.results, list)
    assert all(isinstance(problem, Unread) for result in read.results for problem in result.problems.values())
