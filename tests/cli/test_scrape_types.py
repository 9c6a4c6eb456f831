"""`winnow scrape URL --type …`: one page of every target type, with its verdict, through robots.txt and ledger."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from tests.cli.conftest import Winnow


def _ld(**node: Any) -> str:
    return f'<html lang="en"><head><script type="application/ld+json">{json.dumps(node)}</script></head><body><p>Text</p></body></html>'


PAGES = {
    "company_website": ("company_name", "Acme Tools", _ld(**{"@type": "Organization"}, name="Acme Tools", email="info@acme-tools.de")),
    "job_posting": ("job_title", "Engineer", _ld(**{"@type": "JobPosting"}, title="Engineer", hiringOrganization="Acme")),
    "linkedin_profile": ("name", "Jo Doe", _ld(**{"@type": "Person"}, name="Jo Doe", jobTitle="Engineer")),
    "event": ("title", "Jazz", _ld(**{"@type": "Event"}, name="Jazz", startDate="2026-09-12T20:00")),
    "article_metadata": ("title", "Rain", _ld(**{"@type": "NewsArticle"}, headline="Rain", datePublished="2026-05-12")),
    "product": (
        "title",
        "Shoe",
        _ld(**{"@type": "Product"}, name="Shoe", offers={"price": "9.99", "priceCurrency": "EUR", "availability": "InStock"}),
    ),
}  # fmt: skip


class _Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        name = self.path.strip("/")
        body = PAGES[name][2] if name in PAGES else "User-agent: *\nAllow: /\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if name in PAGES else "text/plain")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *given: object) -> None:
        pass


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    Thread(target=server.serve_forever, daemon=True).start()
    host = f"127.0.0.1:{server.server_port}"
    monkeypatch.setenv("WINNOW_EGRESS_ALLOW", host)
    monkeypatch.setenv("SCRAPER_RATE_LIMIT_TOKENS", "100")
    monkeypatch.setenv("SCRAPER_RATE_LIMIT_INTERVAL_SECONDS", "1")
    yield f"http://{host}"
    server.shutdown()
    server.server_close()


def test_every_target_type_shows_its_record_and_its_verdict(winnow: Winnow, site: str) -> None:
    for kind, (field, value, _) in PAGES.items():
        shown = winnow("scrape", f"{site}/{kind}", "--type", kind, "--json")
        assert shown.code == 0, (kind, shown.err)
        assert (shown.data["target_type"], shown.data["verdict"], shown.data["fetch"]) == (kind, "accept", "ok")
        assert shown.data["record"][field] == value
        assert field in shown.data["provenance"]


def test_fields_limit_the_record(winnow: Winnow, site: str) -> None:
    shown = winnow(
        "scrape",
        f"{site}/company_website",
        "--type",
        "company_website",
        "--fields",
        "company_name,contact_phone",
        "--json",
    )
    assert shown.data["record"] == {"company_name": "Acme Tools", "contact_phone": None}
    assert "Acme Tools" in winnow("scrape", f"{site}/company_website", "--type", "company_website").out


def test_what_cannot_be_asked_for_is_refused_before_anything_is_fetched(winnow: Winnow, site: str) -> None:
    unknown = winnow("scrape", f"{site}/event", "--type", "recipe")
    assert (unknown.code, "company_website" in unknown.err) == (1, True)
    wrong = winnow("scrape", f"{site}/event", "--type", "event", "--fields", "nonsense")
    assert (wrong.code, "nonsense" in wrong.err) == (1, True)


def test_an_agenda_shows_its_events_and_what_its_source_has_to_know(winnow: Winnow, site: str) -> None:
    shown = winnow("agenda", f"{site}/event")
    assert "Jazz" in shown.out
    assert "--timezone" in shown.out
    assert "--coordinates" in shown.out
    assert [event["title"] for event in winnow("agenda", f"{site}/event", "--json").data] == ["Jazz"]


def test_an_agenda_that_cannot_be_read_says_why(winnow: Winnow, closed_shop: str) -> None:
    for form in ([], ["--json"]):
        told = winnow("agenda", f"{closed_shop}/agenda", *form)
        assert (told.code, "robots.txt cannot be read: the server answered 500" in told.err) == (1, True)


@pytest.fixture
def closed_shop(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Its robots.txt answers 500."""

    class Broken(_Pages):
        def do_GET(self) -> None:
            self.send_error(500)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Broken)
    Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("WINNOW_EGRESS_ALLOW", "127.0.0.1")
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_p048_robots_that_cannot_be_read_is_told_with_its_reason(winnow: Winnow, closed_shop: str) -> None:
    told = winnow("scrape", f"{closed_shop}/p/1", "--json")
    assert told.code == 1
    assert told.data["fetch"] == "robots_blocked"
    assert told.data["robots"] == "robots.txt cannot be read: the server answered 500"
