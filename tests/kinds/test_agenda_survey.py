"""Whether a page is an agenda, by rules (E-021)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.run.discovery.town import agenda, html
from winnow.extract.page import Page
from winnow.kinds.agenda_survey import AGENDA_FROM, decide, says_agenda, survey

URL = "https://kroon.example.com/agenda"


def page(body: str, url: str = URL, now: datetime | None = None) -> Page:
    return Page(url=url, body=body.encode(), fetched_at=now or datetime.now(UTC))


def test_e021_three_days_to_come_make_an_agenda_and_more_make_it_surer() -> None:
    few, many = (decide(survey(page(agenda(n=n)))) for n in (3, 6))
    assert few.is_agenda
    assert many.is_agenda
    assert AGENDA_FROM < few.confidence < many.confidence < 1


@pytest.mark.parametrize(
    "body",
    [
        html("Agenda", "<p>Welkom bij De Kroon.</p>"),
        html("Contact", "<p>Open: maandag 09:00 - 17:00</p>"),
        agenda(n=1),
        agenda(n=2),
        "",
        "<html>" + "<div>" * 100_000,
    ],
    ids=["word only", "opening hours", "one event", "two events", "nothing", "too deep"],
)
def test_e021_words_without_days_are_no_agenda(body: str) -> None:
    found = decide(survey(page(body)))
    assert not found.is_agenda
    assert found.confidence < AGENDA_FROM
    assert found.why


def test_e021_an_agenda_of_last_year_is_none() -> None:
    later = datetime.now(UTC) + timedelta(days=400)
    assert not decide(survey(page(agenda(n=6), now=later))).is_agenda


def test_links_lead_to_the_agenda_of_the_site_and_to_other_sites() -> None:
    body = html(
        "Welkom",
        '<a href="/contact">Contact</a><a href="/uit">Agenda</a><a href="/programma">Alles</a>'
        '<a href="mailto:a@b.nl">Mail</a><a href="/agenda.pdf">Agenda</a><a href="javascript:x()">Agenda</a>'
        '<a href="https://other.example.org/a">1</a><a href="https://www.other.example.org/b">2</a>'
        '<a href="http://[broken">x</a>',
    )
    found = survey(page(body, "https://kroon.example.com/"))
    assert found.own_links == ["https://kroon.example.com/programma", "https://kroon.example.com/uit"]
    assert found.site_links == ["https://other.example.org/a"]


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("https://a.nl/agenda", True),
        ("https://a.nl/wat-is-er-te-doen/", True),
        ("https://a.nl/nl/evenementen.html", True),
        ("https://a.nl/", False),
        ("https://a.nl/agenda/jazz-avond", False),
        ("https://a.nl/contact", False),
    ],
)
def test_addresses_that_name_an_agenda(url: str, says: bool) -> None:
    assert says_agenda(url) is says
