"""Job postings, profiles, events and articles: the shapes that need a rule of their own (E-046 … E-057, S-051 … S-055)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kinds.reading import TargetRead, read_target
from tests.product_pages import context, page
from winnow.extract.draft import Reason, Strategy
from winnow.judge.verdict import Decision
from winnow.kinds.registry import all_kinds

TYPES = all_kinds()


def read(kind: str, html: str, url: str = "https://www.acme.com/page") -> TargetRead:
    return read_target(TYPES.target_type(kind), page(html, url), context(url))


def ld(node: dict[str, Any]) -> str:
    return f'<script type="application/ld+json">{json.dumps(node)}</script>'


def job(html: str, url: str = "https://www.acme.com/page") -> dict[str, Any]:
    return read("job_posting", html, url).results[0].data


def test_a_list_of_postings_is_not_a_posting():
    postings = "".join(ld({"@type": "JobPosting", "title": f"Job {i}", "url": f"/j/{i}"}) for i in range(3))
    found = read("job_posting", f"<html><head>{postings}</head><body><h1>All jobs</h1></body></html>")
    assert found.failure is Reason.SELECTOR_NOT_FOUND


@pytest.mark.parametrize(
    "heading",
    [
        "Careers at Acme",
        "Open positions",
        "Jobs",
        "Stellenangebote",
        "Join our team",
        "Werken bij Acme",
        "We're hiring!",
        "Current vacancies",
    ],
)
def test_headings_of_career_sections_are_no_titles(heading: str):
    assert job(f"<html><body><h1>{heading}</h1><p>text</p></body></html>")["job_title"] is None


@pytest.mark.parametrize(
    ("title", "company"),
    [
        ("Acme Corp - Senior Engineer", "Acme Corp"),
        ("Senior Engineer - Acme Corp", "Acme Corp"),
        ("Acme - Senior Engineer - Remote", "Acme"),
    ],
)
def test_lever_titles_name_company_and_job_in_either_order(title: str, company: str):
    html = f'<html><head><title>{title}</title></head><body><div class="posting-headline"><h2>Senior Engineer</h2></div></body></html>'
    found = job(html, "https://jobs.lever.co/acme/1")
    assert (found["job_title"], found["company_name"]) == ("Senior Engineer", company)


def test_the_board_is_never_the_employer():
    html = '<html><head><title>Nurse - Indeed.com</title><meta property="og:site_name" content="Indeed"></head><body><h1 class="jobsearch-JobInfoHeader-title">Nurse</h1></body></html>'
    found = job(html, "https://www.indeed.com/viewjob?jk=1")
    assert (found["job_title"], found["company_name"]) == ("Nurse", None)


def test_a_remote_job_with_a_salary_and_a_deadline():
    node = {
        "@type": "JobPosting", "title": "Engineer", "hiringOrganization": "Acme", "jobLocationType": "TELECOMMUTE", "validThrough": "2026-07-01",
        "baseSalary": {"@type": "MonetaryAmount", "currency": "USD", "value": {"@type": "QuantitativeValue", "value": "$100,000", "unitText": "YEAR"}},
        "employmentType": ["FULL_TIME", "Part-time"], "datePosted": "2026-02-01",
    }  # fmt: skip
    found = job(f"<html><head>{ld(node)}</head><body></body></html>")
    assert (found["remote"], found["salary_range"], found["valid_through"]) == (
        True,
        "100000 USD per year",
        "2026-07-01",
    )
    assert (found["employment_type"], found["company_name"]) == (["FULL_TIME", "PART_TIME"], "Acme")


def test_several_places_of_one_job_are_all_listed():
    places = [
        {"@type": "Place", "address": {"@type": "PostalAddress", "addressLocality": city}}
        for city in ("Berlin", "Hamburg")
    ]
    found = job(f"<html><head>{ld({'@type': 'JobPosting', 'title': 'Engineer', 'jobLocation': places})}</head></html>")
    assert found["location"]["city"] == "Berlin"
    assert [place["city"] for place in found["locations"]] == ["Berlin", "Hamburg"]


def test_the_employer_on_the_button_of_a_profiles_card():
    html = (
        '<html><body><main><h1 class="text-heading-xlarge">Jo Doe</h1><div class="text-body-medium break-words">Lead at large</div>'
        '<button aria-label="Current company: Holm Potential. Click to skip to experience card"><span>Holm Potential</span></button></main></body></html>'
    )
    found = read("linkedin_profile", html, "https://www.linkedin.com/in/jodoe").results[0].data
    assert (found["name"], found["headline"], found["current_company"]) == ("Jo Doe", "Lead at large", "Holm Potential")


def test_a_board_that_asks_for_an_account_ends_blocked():
    html = '<html><head><title>Sign In | Boardly Accounts</title></head><body><h1>Ready for the next step?</h1><form><input type="email"></form></body></html>'
    assert read("job_posting", html, "https://www.boardly.example/viewjob?jk=1").failure is Reason.BLOCKED_PAGE


def test_login_walls_end_blocked():
    html = '<html><head><title>Sign Up | LinkedIn</title></head><body><main class="authwall-join-form"><form><input type="password"></form></main></body></html>'
    assert read("linkedin_profile", html, "https://www.linkedin.com/authwall?x").failure is Reason.BLOCKED_PAGE


def test_a_profile_with_experience_and_education():
    html = (
        '<html><head><title>Jo Doe | LinkedIn</title></head><body><h1 class="top-card-layout__title">Jo Doe</h1><ul class="experience__list"><li><h3>Lead</h3><h4>Acme</h4>'
        '<span class="date-range">2020 - Present</span></li></ul><ul class="education__list"><li><h3>State University</h3><h4>BSc</h4></li></ul></body></html>'
    )
    found = read("linkedin_profile", html, "https://www.linkedin.com/in/jo").results[0].data
    assert (found["name"], found["current_company"]) == ("Jo Doe", "Acme")
    assert found["experience"] == [{"title": "Lead", "company": "Acme", "period": "2020 - Present"}]
    assert found["education"] == [{"school": "State University", "degree": "BSc"}]


def event(name: str, start: str, **more: Any) -> dict[str, Any]:
    return {"@type": "Event", "name": name, "startDate": start, **more}


def test_e048_several_events_of_one_page_are_several_results():
    blocks = "".join(ld(event(f"Night {i}", f"2026-09-1{i}T20:00")) for i in range(4))
    found = read("event", f"<html><head>{blocks}</head><body></body></html>")
    assert [result.data["title"] for result in found.results] == [f"Night {i}" for i in range(4)]
    assert found.strategy is Strategy.JSON_LD


@pytest.mark.parametrize(
    "written",
    [
        '{"@type": "Event", "name": "Jazz", "startDate": "2026-09-12T20:00",}',
        '[{"@type": "Event", "name": "Jazz", "startDate": "2026-09-12T20:00"},]',
        '{"@type": "Event", name: "Jazz", startDate: "2026-09-12T20:00"}',
        "{'@type': 'Event', 'name': 'Jazz', 'startDate': '2026-09-12T20:00'}",
        '{"@type": "Event", "name": "Jazz", /* when */ "startDate": "2026-09-12T20:00"}',
    ],
)
def test_e048_json_ld_with_a_slip_of_the_pen_is_mended(written: str):
    found = read(
        "event", f'<html><head><script type="application/ld+json">{written}</script></head><body></body></html>'
    )
    assert [(result.data["title"], result.data["event_date"]) for result in found.results] == [("Jazz", "2026-09-12")]
    assert found.strategy is Strategy.JSON_LD


def test_a_series_gives_its_evenings_not_itself():
    series = {
        "@type": "EventSeries",
        "name": "Jazz",
        "startDate": "2026-09-01",
        "subEvent": [event("Jazz 1", "2026-09-01T20:00"), event("Jazz 2", "2026-09-08T20:00")],
    }
    found = read("event", f"<html><head>{ld(series)}</head><body></body></html>")
    assert [result.data["title"] for result in found.results] == ["Jazz 1", "Jazz 2"]


def test_e047_events_in_the_state_of_the_page():
    state = {
        "props": {
            "pageProps": {
                "events": [
                    {"title": "Jazz", "startDate": "2026-09-12T20:00:00+02:00", "venue": {"name": "Hall"}},
                    {"title": "Rock", "startDate": "2026-09-13"},
                ]
            }
        }
    }
    html = f'<html><body><p>Agenda</p><script id="__NEXT_DATA__" type="application/json">{json.dumps(state)}</script></body></html>'
    found = read("event", html)
    assert [(r.data["title"], r.data["start"]) for r in found.results] == [
        ("Jazz", "2026-09-12T20:00+02:00"),
        ("Rock", "2026-09-13"),
    ]
    assert found.strategy is Strategy.HYDRATION


def test_e057_an_empty_calendar_is_not_a_broken_one():
    empty = read("event", "<html><body><h1>Agenda</h1><p>There are no upcoming events.</p></body></html>")
    assert (empty.failure, empty.results) == (None, [])
    broken = read("event", "<html><body><h1>Agenda</h1><p>Hello</p></body></html>")
    assert broken.failure is Reason.SELECTOR_NOT_FOUND


def test_an_event_whose_day_is_only_inferred_is_held():
    found = read("event", f"<html><head>{ld(event('Jazz', 'every Friday'))}</head><body></body></html>")
    assert found.results[0].verdict.decision is Decision.HOLD
    data = found.results[0].data
    assert (data["recurrence"], data["inferred"]) == ("FREQ=WEEKLY;BYDAY=FR", ["day"])


@pytest.mark.parametrize(
    ("title", "status"),
    [
        ("CANCELLED: Jazz", "cancelled"),
        ("Jazz (abgesagt)", "cancelled"),
        ("GEANNULEERD - Jazz", "cancelled"),
        ("Verschoben: Jazz", "postponed"),
        ("Jazz [postponed]", "postponed"),
        ("The Cancelled Tour", None),
    ],
)
def test_states_in_titles(title: str, status: str | None):
    found = read("event", f"<html><head>{ld(event(title, '2026-09-12'))}</head><body></body></html>")
    assert found.results[0].data["status"] == status


def test_all_day_zone_price_and_place_of_an_event():
    node = event("Fair", "2026-09-12T00:00:00", endDate="2026-09-13T23:59:00", isAccessibleForFree=True, eventAttendanceMode="https://schema.org/OfflineEventAttendanceMode",
                 location={"@type": "Place", "name": "Park", "address": "Domplein 1, 3512 JC Utrecht, Nederland", "geo": {"latitude": "52.09", "longitude": 5.12}})  # fmt: skip
    data = read("event", f"<html><head>{ld(node)}</head><body></body></html>").results[0].data
    assert (data["start"], data["end"], data["online"]) == ("2026-09-12", "2026-09-13", False)
    assert data["price"] == {"low_minor": 0, "high_minor": 0, "currency": None}
    assert (data["latitude"], data["longitude"], data["location"]["city"]) == (52.09, 5.12, "Utrecht")


def test_prices_of_tickets_are_a_range_of_minor_units():
    offers = [{"@type": "Offer", "price": price, "priceCurrency": "EUR"} for price in (12.5, 20)]
    data = (
        read("event", f"<html><head>{ld(event('Jazz', '2026-09-12', offers=offers))}</head><body></body></html>")
        .results[0]
        .data
    )
    assert data["price"] == {"low_minor": 1250, "high_minor": 2000, "currency": "EUR"}


def test_repaired_json_ld_is_read_and_noted():
    html = '<html><head><script type="application/ld+json">{"@type": "Event", name: "Jazz", "startDate": "2026-09-12",}</script></head><body></body></html>'
    assert read("event", html).results[0].data["title"] == "Jazz"


@pytest.mark.parametrize(
    "block",
    [
        "null",
        "false",
        "[true]",
        '"text"',
        "7",
        "[]",
        "[null, 3]",
        "{}",
        '{"@type": null}',
        '{"@graph": null}',
        "not json",
    ],
)
@pytest.mark.parametrize("kind", TYPES.target_types())
def test_json_ld_that_says_nothing_breaks_nothing(kind: str, block: str):
    html = f'<html><head><script type="application/ld+json">{block}</script></head><body><h1>Hi</h1><p>There</p></body></html>'
    assert isinstance(read(kind, html), TargetRead)


def test_a_sentence_about_pay_is_read_and_a_hidden_suffix_is_not():
    html = '<html><body><h1 class="jobsearch-JobInfoHeader-title"><span>Nurse</span><span> - job post</span></h1><p>The base salary range for this role is $140,000 — $170,000 USD per year.</p></body></html>'
    found = job(html, "https://www.indeed.com/viewjob?jk=1")
    assert (found["job_title"], found["salary_range"]) == ("Nurse", "140000-170000 USD per year")


def test_an_articles_authors_dates_and_site():
    html = (
        '<html lang="nl"><head><title>Regen | De Krant</title><meta property="og:title" content="Regen | De Krant"><meta property="og:site_name" content="De Krant"><meta name="author" content="Door Jan Jansen">'
        '<meta property="article:published_time" content="2026-02-12T08:00:00+01:00"><link rel="canonical" href="/regen?utm_source=x"></head><body><h1>Regen</h1></body></html>'
    )
    data = read("article_metadata", html, "https://krant.nl/regen").results[0].data
    assert (data["title"], data["authors"], data["site_name"], data["language"]) == (
        "Regen",
        ["Jan Jansen"],
        "De Krant",
        "nl",
    )
    assert (data["published"], data["canonical_url"]) == ("2026-02-12T08:00+01:00", "https://krant.nl/regen")


def test_product_pages_come_through_the_same_door():
    node = {
        "@type": "Product",
        "name": "Red Shoe",
        "offers": {
            "@type": "Offer",
            "price": "19.99",
            "priceCurrency": "USD",
            "availability": "https://schema.org/InStock",
        },
    }
    found = read(
        "product", f"<html><head><title>Red Shoe</title>{ld(node)}</head><body><h1>Red Shoe</h1></body></html>"
    ).results[0]
    assert found.data["price"] == {"minor": 1999, "currency": "USD"}
    assert found.verdict.decision is Decision.ACCEPT


@pytest.mark.parametrize(
    "kind", ["company_website", "job_posting", "linkedin_profile", "event", "article_metadata", "product"]
)
def test_empty_pages_and_challenges_are_refused_by_every_type(kind: str):
    assert read(kind, "   ").failure is Reason.EMPTY_PAGE
    wall = (
        "<html><head><title>Just a moment...</title></head><body><script>window._cf_chl_opt={}</script></body></html>"
    )
    assert read(kind, wall).failure is not None
