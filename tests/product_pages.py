"""Small product pages for the tests of the pure stages."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Extracted, Extraction, Value
from winnow.extract.page import Page

URL = "https://shop.example/p/red-shoe"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def page(html: str | bytes, url: str = URL, charset: str = "utf-8") -> Page:
    body = html if isinstance(html, bytes) else html.encode(charset)
    return Page(url=url, body=body, fetched_at=NOW, charset=charset)


def context(url: str = URL, currency: str | None = None) -> Context:
    return Context(source_id="1", retailer_id="2", run_id="3", target_id="4", url=url, now=NOW, currency=currency)


def offer(price: Any = "19.99", **more: Any) -> dict[str, Any]:
    base = {"@type": "Offer", "price": price, "priceCurrency": "USD", "availability": "https://schema.org/InStock"}
    return {key: value for key, value in {**base, **more}.items() if value is not None}


def product(name: str = "Red Shoe", offers: Any = None, **more: Any) -> dict[str, Any]:
    found = {"@context": "https://schema.org", "@type": "Product", "name": name, **more}
    return {**found, "offers": offer() if offers is None else offers}


def ld(*blocks: Any, title: str = "Red Shoe | The Shop", body: str = "<h1>Red Shoe</h1>", head: str = "") -> Page:
    """A page with each block as JSON-LD; text is put in as it stands."""
    scripts = "".join(
        f'<script type="application/ld+json">{b if isinstance(b, str) else json.dumps(b)}</script>' for b in blocks
    )
    return page(
        f'<!doctype html><html lang="en"><head><title>{title}</title>{head}{scripts}</head><body>{body}</body></html>'
    )


def micro(body: str, title: str = "Red Shoe | The Shop") -> Page:
    return page(f'<!doctype html><html lang="en"><head><title>{title}</title></head><body>{body}</body></html>')


def draft_of(extraction: Extraction | None) -> Draft:
    assert isinstance(extraction, Extracted), extraction
    assert len(extraction.drafts) == 1
    return extraction.drafts[0]


def raws(draft: Draft, field: str) -> list[str]:
    return [value.raw for value in draft.values.get(field, [])]


def first(draft: Draft, field: str) -> Value:
    found = draft.first(field)
    assert found is not None, (field, draft)
    return found
