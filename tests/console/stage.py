"""A small shop on loopback for the pages that fetch, rows for those that show, and what hands do on every page."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler

from playwright.async_api import Page, expect

from tests.console.conftest import Served

OFFER = {"price": "19.99", "priceCurrency": "USD", "availability": "https://schema.org/InStock"}
PRODUCT = {"@context": "https://schema.org", "@type": "Product", "name": "Hammer <b>XL</b>", "sku": "H-1"}
ROBOTS = "User-agent: *\nDisallow: /private\nAllow: /private/open\nCrawl-delay: 1\n"


CLUB = """<p class='shelf'>Price <b>$19.99</b></p><p class='club'>With the club <b>$17.49</b></p><p>12 pieces</p>"""


class Shop(BaseHTTPRequestHandler):
    """/p/… is a product, /empty says nothing, /private is forbidden."""

    def do_GET(self) -> None:
        text, kind = self._answer()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode())

    def _answer(self) -> tuple[str, str]:
        if self.path == "/robots.txt":
            return ROBOTS, "text/plain"
        if self.path.startswith("/p/"):
            data = json.dumps({**PRODUCT, "offers": OFFER}).replace("<", "\\u003c")
            amounts = CLUB if "club" in self.path else ""
            body = f"<body>Hammer{amounts}</body>"
            return f'<html><script type="application/ld+json">{data}</script>{body}</html>', "text/html"
        return "<html><body><p>Nothing is sold here, this is only a text about tools.</p></body></html>", "text/html"

    def log_message(self, *given: object) -> None:
        pass


def source(served: Served, name: str) -> int:
    """A source of its own for a test, with a domain."""
    retailer = served.sql("INSERT INTO retailers (name) VALUES (%s) RETURNING id", name)[0][0]
    domain = f"{name}.test"
    made = served.sql(
        "INSERT INTO sources (name, url, domain, retailer_id) VALUES (%s, %s, %s, %s) RETURNING id",
        name, f"https://{domain}/", domain, retailer,
    )  # fmt: skip
    served.sql("INSERT INTO lanes (lane) VALUES (%s) ON CONFLICT DO NOTHING", domain)
    return int(made[0][0])


def target(served: Served, source_id: int, path: str = "p/1", *, offer: int | None = None) -> int:
    url, domain = served.sql("SELECT url || %s, domain FROM sources WHERE id = %s", path, source_id)[0]
    made = served.sql(
        "INSERT INTO scrape_targets (url, canonical_url, url_hash, domain, source_id, adapter_id, schedule, "
        "next_crawl_at, source_product_id, last_verdict, last_scraped_at) VALUES (%s, %s, encode(sha256(%s), 'hex'), "
        "%s, %s, 'generic', '0 */4 * * *', now() + interval '1 hour', %s, 'accept', now()) RETURNING id",
        url, url, url.encode(), domain, source_id, offer,
    )  # fmt: skip
    return int(made[0][0])


def offer(served: Served, source_id: int, title: str, prices: list[int], *, gap_after: int = 0) -> int:
    """One price every six hours, oldest first; `gap_after` leaves ten days out after that many."""
    made = served.sql(
        "INSERT INTO source_products (source_id, identity_type, identity_value, title, url, brand, sku) "
        "SELECT id, 'SKU', %s, %s, url || 'p', 'Acme', 'S-1' FROM sources WHERE id = %s RETURNING id",
        title, title, source_id,
    )[0][0]  # fmt: skip
    served.sql(
        "INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, observed_at, "
        "ingestion_run_type) SELECT %s, p, 'USD', 'IN_STOCK', true, now() - (%s - n) * interval '6 hours' - "
        "CASE WHEN n <= %s THEN interval '10 days' ELSE interval '0' END, 'SCRAPE' "
        "FROM unnest(%s::bigint[]) WITH ORDINALITY AS g (p, n) ORDER BY n",
        made, len(prices) + 1, gap_after, prices,
    )  # fmt: skip
    return int(made)


async def press(page: Page, name: str, *, sure: str = "") -> None:
    """A button; and the one that says so when it asks."""
    await page.get_by_role("button", name=name, exact=True).first.click()
    if sure:
        await page.get_by_role("dialog").get_by_role("button", name=sure, exact=True).click()


async def expect_notice(page: Page, text: str) -> None:
    """What the page said about what was done, each note once; it may have vanished meanwhile."""
    await page.wait_for_function(
        "(text) => { const at = (window.wSaid ?? []).findIndex((said) => said.includes(text));"
        " if (at < 0) return false; window.wSaid.splice(at, 1); return true; }",
        arg=text,
    )


@asynccontextmanager
async def redrawing(page: Page, part: int = 0) -> AsyncIterator[None]:
    """What happens inside draws a part of the page anew; afterwards the new one is there."""
    box = page.locator("[data-drawn]").nth(part)
    before = await box.get_attribute("data-drawn") or ""
    yield
    await expect(box).not_to_have_attribute("data-drawn", before)
