"""What watching a URL would bring: fetched politely, read and judged, and nothing stored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from winnow import settings as all_settings
from winnow.actions.scrape_url import preview
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.errors import WinnowError
from winnow.fetch.outcome import Outcome
from winnow.judge.verdict import Decision
from winnow.normalise.record import Offer
from winnow.settings import Settings

OFFER = {"price": "19.99", "priceCurrency": "USD", "availability": "https://schema.org/InStock"}
LD = {"@context": "https://schema.org", "@type": "Product", "name": "Hammer", "sku": "H-1", "offers": OFFER}
PAGE = f'<html><head><script type="application/ld+json">{json.dumps(LD)}</script></head><body>Hammer</body></html>'
ROBOTS = "User-agent: *\nDisallow: /private\n"


class _Shop(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain" if self.path == "/robots.txt" else "text/html")
        self.end_headers()
        self.wfile.write((ROBOTS if self.path == "/robots.txt" else PAGE).encode())

    def log_message(self, *given: object) -> None:
        pass


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Shop)
    Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("WINNOW_EGRESS_ALLOW", f"127.0.0.1:{server.server_port}")
    monkeypatch.setenv("SCRAPER_RATE_LIMIT_TOKENS", "100")
    monkeypatch.setenv("SCRAPER_RATE_LIMIT_INTERVAL_SECONDS", "1")
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def settings(shop: str, database_settings: DatabaseSettings) -> Settings:
    loaded = all_settings.load()
    return Settings(
        db=database_settings, schedule=loaded.schedule, fetch=loaded.fetch, browser=loaded.browser,
        observe=loaded.observe, run=loaded.run, api=loaded.api,
    )  # fmt: skip


async def test_the_offer_and_its_verdict_are_shown_and_nothing_is_stored(
    settings: Settings, shop: str, database: Database
) -> None:
    found = await preview(database, settings, f"{shop}/p/1")
    seen = found.assessment
    assert seen is not None
    assert seen.verdict is not None
    offer = seen.records[0].decode(Offer)
    assert (offer.title, offer.price.minor if offer.price else None) == ("Hammer", 1999)
    assert seen.verdict.decision is Decision.ACCEPT
    async with database.connection() as conn:
        row = await (
            await conn.execute("SELECT (SELECT count(*) FROM sources) + (SELECT count(*) FROM pages)")
        ).fetchone()
    assert row == (0,)


async def test_what_robots_forbids_is_not_fetched_and_says_by_which_rule(
    settings: Settings, shop: str, database: Database
) -> None:
    found = await preview(database, settings, f"{shop}/private/1")
    assert (found.result.outcome, found.assessment) == (Outcome.ROBOTS_BLOCKED, None)
    assert "/private" in found.robots


async def test_an_address_inside_the_network_is_refused(settings: Settings, database: Database) -> None:
    with pytest.raises(WinnowError):
        await preview(database, settings, "http://169.254.169.254/latest/meta-data")
