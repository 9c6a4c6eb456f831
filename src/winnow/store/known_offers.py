"""Which offers a batch of accepted pages speaks of: those there are, and those that are made for it.

Every transaction first makes the offers it misses, in one order, and then locks those it found, in one order: two
that meet wait for each other at most, and never in a circle (PN-12).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
import orjson
from psycopg import AsyncConnection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.normalise.record import Money, Product
from winnow.normalise.urls import clickable_url, url_hash
from winnow.sources.domain import domain_of

MISSING = load("store/offer_missing.sql")
INSERT = load("store/offer_insert.sql")
FIND = load("store/offer_find.sql")
LOCK = load("store/offer_lock.sql")
LAST = load("store/offer_last.sql")
_TEXT_COLUMNS = (
    "title", "image_url", "brand", "description", "category", "condition", "sku", "mpn", "adapter_version", "gtin",
    "availability", "rating", "review_count", "price_withheld",
)  # fmt: skip

Connection = AsyncConnection[Any]


class AcceptedOffer(msgspec.Struct, frozen=True, kw_only=True):
    """An offer the judge accepted. `linked` is the offer its target refreshes, when it has one; `seen_at` when its page
    was fetched, where that was not just now."""

    offer: Product
    source_id: int
    task_id: UUID
    page_id: UUID | None
    run_id: int | None
    kind: str = "offer"
    target_id: int | None = None
    linked: int | None = None
    seen_at: datetime | None = None


class Previous(msgspec.Struct, frozen=True):
    """What the offer said and cost the last time it was seen. `created`: it was not there before this page."""

    id: int
    content_hash: str | None
    url_hash: str | None = None
    amount_minor: int | None = None
    currency: str | None = None
    availability: str | None = None
    priced_at: datetime | None = None
    created: bool = False

    @property
    def price(self) -> Money | None:
        if self.amount_minor is None or self.currency is None:
            return None
        return Money(self.amount_minor, self.currency)


async def lock(conn: Connection, batch: Sequence[AcceptedOffer]) -> list[Previous]:
    """The offers of the batch, made where they are new and locked until the transaction ends, with what was last
    known of them, so that no price can be added before the caller writes."""
    if not batch:
        return []
    known = await _created(conn, batch)
    ids = await _locked(conn, [(n, a) for n, a in enumerate(batch) if n not in known])
    if ids:
        async with conn.cursor(row_factory=class_row(Previous)) as cursor:
            await cursor.execute(LAST, {"id": sorted(set(ids.values()))})
            rows = {previous.id: previous for previous in await cursor.fetchall()}
        known |= {n: rows[offer] for n, offer in ids.items()}
    return [known[n] for n in range(len(batch))]


def content_hash(offer: Product) -> str:
    """C-033: digest of what the page says, its price and stock included; two addresses of one product say the same."""
    content = (offer.title, offer.brand, offer.sku, offer.product_id, offer.gtin, offer.mpn, offer.image_url,
            offer.category, offer.description, offer.condition, offer.attributes, _money(offer.price),
            _money(offer.list_price), offer.availability, str(offer.rating), offer.review_count, offer.breadcrumbs,
            [(image.url, image.alt) for image in offer.images], offer.price_withheld is None)  # fmt: skip
    return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _money(money: Money | None) -> tuple[int, str] | None:
    return None if money is None else (money.minor, money.currency)


def _field_sources(accepted: AcceptedOffer) -> dict[str, dict[str, Any]]:
    """C-068: where each field was read and how sure it is; kept for the catalogue's products."""
    product = accepted.offer
    return {
        name: {"from": product.provenance.get(PROVENANCE_OF.get(name, name), ""), "confidence": confidence}
        for name, confidence in product.field_confidence.items()
    }


PROVENANCE_OF = {"images": "image", "breadcrumbs": "breadcrumb"}  # as their drafts call them


def columns(batch: Sequence[AcceptedOffer], hashes: Sequence[str]) -> dict[str, list[Any]]:
    """What these pages say of their offers, as it is stored."""
    offers = [a.offer for a in batch]
    urls = [clickable_url(o.url) for o in offers]
    return {
        "url": urls,
        "url_hash": [url_hash(o.canonical_url) for o in offers],
        "domain": [domain_of(url) for url in urls],
        "retailer_product_id": [o.product_id for o in offers],
        "attributes": [Jsonb(o.attributes) for o in offers],
        "breadcrumbs": [Jsonb(o.breadcrumbs) if o.breadcrumbs else None for o in offers],
        "field_sources": [Jsonb(_field_sources(a)) for a in batch],
        "price_minor": [o.price and o.price.minor for o in offers],
        "price_currency": [o.price and o.price.currency for o in offers],
        "target_id": [a.target_id for a in batch],
        "content_hash": list(hashes),
        "run_id": [a.run_id for a in batch],
        **{name: [getattr(o, name) for o in offers] for name in _TEXT_COLUMNS},
    }


async def _created(conn: Connection, batch: Sequence[AcceptedOffer]) -> dict[int, Previous]:
    """The positions whose offer was not there; of two equal ones in the batch, the first."""
    first: dict[tuple[int, str], int] = {}
    for n, accepted in enumerate(batch):
        if accepted.linked is None:
            first.setdefault((accepted.source_id, accepted.offer.identity.key), n)
    if not first or not (missing := await _missing(conn, first)):
        return {}
    new = [batch[n] for n in missing]
    hashes = [content_hash(a.offer) for a in new]
    given = columns(new, hashes)
    given["source_id"] = [a.source_id for a in new]
    given["identity_type"] = [a.offer.identity.type for a in new]
    given["identity_value"] = [a.offer.identity.value for a in new]
    rows = await (await conn.execute(INSERT, given)).fetchall()
    return {first[source, key]: Previous(offer, content, created=True) for source, key, offer, content in rows}


async def _missing(conn: Connection, first: dict[tuple[int, str], int]) -> list[int]:
    given = {
        "n": list(first.values()),
        "source_id": [source for source, _ in first],
        "identity_key": [key for _, key in first],
    }
    return [n for (n,) in await (await conn.execute(MISSING, given)).fetchall()]


async def _locked(conn: Connection, wanted: Sequence[tuple[int, AcceptedOffer]]) -> dict[int, int]:
    """Position -> its offer. A target that refreshes an offer names it (FN-18); the others are found."""
    ids = {n: a.linked for n, a in wanted if a.linked is not None}
    if ids:
        await conn.execute(LOCK, {"id": sorted(set(ids.values()))})
    others = [(n, a) for n, a in wanted if a.linked is None]
    return ids | (await _find(conn, others) if others else {})


async def _find(conn: Connection, wanted: Sequence[tuple[int, AcceptedOffer]]) -> dict[int, int]:
    given = {
        "n": [n for n, _ in wanted],
        "source_id": [a.source_id for _, a in wanted],
        "identity_key": [a.offer.identity.key for _, a in wanted],
    }
    cursor = await conn.execute(FIND, given)
    return {n: product_id for n, product_id in await cursor.fetchall()}
