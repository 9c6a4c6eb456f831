"""Writes accepted offers: the offer, its identifiers, its presence and its price, many at a time.

Runs inside the caller's transaction, after the tasks were settled with their fences: what comes here
is written exactly once (R-02, R-03).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import scalar_row

from winnow.db.sql import load
from winnow.normalise.money.currencies import exponent
from winnow.normalise.record import Availability, Money, Offer
from winnow.normalise.urls import url_hash
from winnow.store.known_offers import AcceptedOffer as AcceptedOffer
from winnow.store.known_offers import Previous as Previous
from winnow.store.known_offers import columns, content_hash
from winnow.store.known_offers import lock as lock

UPDATE = load("store/offer_update.sql")
APPEND = load("store/price_append.sql")
SEEN = load("store/seen.sql")
SEEN_AGAIN = load("store/seen_again.sql")
_IDENTIFIERS = """
INSERT INTO source_product_codes (source_product_id, type, value)
SELECT * FROM unnest(%(id)b::bigint[], %(type)b::text[], %(value)b::text[]) ON CONFLICT DO NOTHING
"""

Connection = AsyncConnection[Any]


class WrittenOffer(msgspec.Struct, frozen=True, kw_only=True):
    """`duplicate`: this offer was observed in this run already, so no price was added (P-026). `says_new`: its row says
    something else than before; None where there was none before."""

    accepted: AcceptedOffer
    product_id: int
    previous: Money | None
    previous_availability: str | None
    duplicate: bool
    says_new: bool | None = None

    @property
    def changed(self) -> bool:
        offer = self.accepted.offer
        return (
            offer.enters_history
            and not self.duplicate
            and (self.previous != offer.price or self.previous_availability != offer.availability)
        )


async def write(
    conn: Connection, batch: Sequence[AcceptedOffer], known: Sequence[Previous] | None = None
) -> list[WrittenOffer]:
    """In the order of `batch`. The second of two equal offers in one batch is a duplicate as well. `known` is what
    `lock` returned for these, when the caller has locked already."""
    if not batch:
        return []
    found = dict(enumerate(await lock(conn, batch) if known is None else known))
    first = _first_of_each(batch, found)
    priced = [n for n in first if batch[n].offer.enters_history]
    added = await _append(conn, [batch[n] for n in priced], [found[n].id for n in priced])
    # A second page of the offer in one run changes nothing: not its price, and not its address either.
    repeated = {n for n in range(len(batch)) if n not in first} | {n for n in priced if found[n].id not in added}
    changed = await _update_changed(conn, batch, found, [n for n in first if n not in repeated])
    await _identify(conn, batch, found, changed)
    await conn.execute(
        SEEN,
        {
            "id": [found[n].id for n in first],
            "at": [batch[n].seen_at for n in first],
            "target_id": [batch[n].target_id for n in first],
            "sold_out": [batch[n].offer.availability == Availability.OUT_OF_STOCK for n in first],
            "priced": [batch[n].offer.enters_history for n in first],
        },
    )
    return [_written(batch[n], found[n], n in repeated, n in changed) for n in range(len(batch))]


def _first_of_each(batch: Sequence[AcceptedOffer], found: dict[int, Previous]) -> list[int]:
    """The positions that are written: one per offer and run."""
    seen: set[tuple[int, int | None]] = set()
    first = []
    for n, accepted in enumerate(batch):
        key = (found[n].id, accepted.run_id)
        if key not in seen:
            seen.add(key)
            first.append(n)
    return first


async def _update_changed(
    conn: Connection, batch: Sequence[AcceptedOffer], found: dict[int, Previous], first: list[int]
) -> list[int]:
    """The positions that say something else than before, new ones included. Identifiers are among what they say."""
    hashes = {n: content_hash(batch[n].offer) for n in first if not found[n].created}
    differ = [n for n, content in hashes.items() if found[n].content_hash != content or _moved(batch[n], found[n])]
    written: set[int] = set()
    if differ:
        given = columns([batch[n] for n in differ], [hashes[n] for n in differ])
        async with conn.cursor(row_factory=scalar_row) as cursor:
            await cursor.execute(UPDATE, {"id": [found[n].id for n in differ], **given})
            written = set(await cursor.fetchall())
    return [n for n in differ if found[n].id in written] + [n for n in first if found[n].created]


def _moved(accepted: AcceptedOffer, known: Previous) -> bool:
    """It stands at another address than before."""
    return known.url_hash is not None and known.url_hash != url_hash(accepted.offer.canonical_url)


async def _identify(
    conn: Connection, batch: Sequence[AcceptedOffer], found: dict[int, Previous], changed: list[int]
) -> None:
    rows = []
    for n in changed:
        offer = batch[n].offer
        identifiers = (("GTIN", offer.gtin), ("MPN", offer.mpn), ("SKU", offer.sku))
        rows += [(found[n].id, kind, value) for kind, value in identifiers if value and len(value) <= 255]
    if rows:
        ids, kinds, values = zip(*sorted(rows), strict=True)
        await conn.execute(_IDENTIFIERS, {"id": list(ids), "type": list(kinds), "value": list(values)})


async def _append(conn: Connection, batch: Sequence[AcceptedOffer], product_ids: list[int]) -> set[int]:
    prices = [_price_of(a.offer) for a in batch]
    given = {
        "product_id": product_ids,
        "amount": [p.minor for p in prices],
        "currency": [p.currency for p in prices],
        "exponent": [exponent(p.currency) for p in prices],
        "list_price": [_minor(a.offer.list_price, p) for a, p in zip(batch, prices, strict=True)],
        "shipping": [_minor(a.offer.shipping, p) for a, p in zip(batch, prices, strict=True)],
        "availability": [a.offer.availability for a in batch],
        "observed_at": [a.offer.observed_at for a in batch],
        "run_id": [a.run_id for a in batch],
        "task_id": [a.task_id for a in batch],
        "page_id": [a.page_id for a in batch],
    }
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(APPEND, given)
        return set(await cursor.fetchall())


def _price_of(offer: Offer) -> Money:
    if offer.price is None:
        raise ValueError(f"an accepted offer without a price: {offer.url}")
    return offer.price


def _minor(money: Money | None, price: Money) -> int | None:
    """Other amounts are kept only in the currency of the price: the row has one."""
    return money.minor if money is not None and money.currency == price.currency and money.minor > 0 else None


def _written(accepted: AcceptedOffer, previous: Previous, duplicate: bool, says_new: bool) -> WrittenOffer:
    return WrittenOffer(
        accepted=accepted,
        product_id=previous.id,
        previous=previous.price,
        previous_availability=previous.availability,
        duplicate=duplicate,
        says_new=None if previous.created else says_new,
    )


class SeenAgain(msgspec.Struct, frozen=True, kw_only=True):
    """A page that has not changed since its offers were accepted; `linked` as in `AcceptedOffer`. A `listing` has
    several: those whose last word came from its target."""

    source_id: int
    kind: str
    url: str
    linked: int | None
    listing: bool
    target_id: int | None
    run_id: int | None
    task_id: UUID
    page_id: UUID | None


async def seen_again(conn: Connection, pages: Sequence[SeenAgain]) -> None:
    if not pages:
        return
    names = ("source_id", "kind", "linked", "listing", "target_id", "run_id", "task_id", "page_id")
    columns: dict[str, list[Any]] = {name: [getattr(p, name) for p in pages] for name in names}
    columns["url_hash"] = [url_hash(p.url) for p in pages]
    await conn.execute(SEEN_AGAIN, columns)
