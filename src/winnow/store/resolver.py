"""The resolver's chore: links offers to canonical products, many at a time, and keeps the search index up to date
(P-004, P-079, C-052).

An offer asks for it (`resolve_requested_at`) whenever what it says has changed. One process at a time resolves, so two
offers of one new product never make two products.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row, dict_row

from winnow.db.sql import load
from winnow.errors import NotFound
from winnow.store.identity_of_product import (
    SKU,
    CanonicalProduct,
    Catalogue,
    IdentityConflict,
    Offered,
    ProductLink,
    Sold,
    gtins_of,
    part_of,
    resolve,
    sold_as,
)
from winnow.store.search import documents

TAKE = load("store/resolve_take.sql")
LOCK = 0x57494E52  # "WINR": one process at a time (DESIGN §11.21)

# What a run of a feed changed waits until the run is promoted.
_WAITING = """
SELECT o.id FROM source_products AS o
WHERE o.resolve_requested_at IS NOT NULL
    AND (o.feed_run_id IS NULL OR NOT EXISTS (
        SELECT FROM affiliate_feeds AS f
        WHERE f.source_id = o.source_id AND f.loaded_run_id IS DISTINCT FROM f.promoted_run_id
            AND (o.feed_run_id > coalesce(f.promoted_run_id, 0) OR EXISTS (
                SELECT FROM offer_before AS b WHERE b.run_id = f.loaded_run_id AND b.source_product_id = o.id))))
ORDER BY o.resolve_requested_at, o.id LIMIT %(n)s
"""
_OF_SOURCE = "SELECT id FROM source_products WHERE source_id = %(source_id)s AND id > %(after)s ORDER BY id LIMIT %(n)s"
_KNOWN = """
SELECT id, name, gtin, brand, mpn, brand_key, mpn_key FROM products
WHERE gtin = ANY(%(gtins)s::char(14)[]) OR id = ANY(%(ids)s)
    OR (brand_key, mpn_key) IN (SELECT * FROM unnest(%(brands)s::text[], %(parts)s::text[]))
"""
# F-139: what another source of the same retailer sells under the same SKU, where more than the SKU says what that is.
_BY_SKU = """
SELECT DISTINCT wanted.retailer_id, wanted.sku, o.source_id, l.product_id
FROM unnest(%(retailers)s::bigint[], %(skus)s::text[]) AS wanted (retailer_id, sku)
JOIN source_products AS o ON o.sku = wanted.sku
JOIN sources AS s ON s.id = o.source_id AND s.retailer_id = wanted.retailer_id
JOIN product_links AS l ON l.source_product_id = o.id AND l.method <> 'sku'
"""
# Offers that can be linked now by the SKU of one that just was.
_NEIGHBOURS = """
UPDATE source_products AS o SET resolve_requested_at = now()
FROM source_products AS linked
JOIN sources AS s ON s.id = linked.source_id
JOIN sources AS sister ON sister.retailer_id = s.retailer_id AND sister.id <> s.id
WHERE linked.id = ANY(%s) AND linked.sku IS NOT NULL AND o.sku = linked.sku AND o.source_id = sister.id
    AND o.resolve_requested_at IS NULL
    AND NOT EXISTS (SELECT FROM product_links AS l WHERE l.source_product_id = o.id)
"""
_MAKE = """
INSERT INTO products (name, brand, mpn, gtin, brand_key, mpn_key, category, description, image_url)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
"""
_NAME_GTIN = "UPDATE products SET gtin = %s, updated_at = now() WHERE id = %s"
# What a person linked stays as it is.
_LINK = """
INSERT INTO product_links AS l (source_product_id, product_id, method, evidence)
SELECT * FROM unnest(%(offer)b::bigint[], %(product)b::bigint[], %(method)b::text[], %(evidence)b::text[])
ON CONFLICT (source_product_id) DO UPDATE
SET product_id = excluded.product_id, method = excluded.method, evidence = excluded.evidence, linked_at = now()
WHERE l.method <> 'manual'
    AND (l.product_id, l.method, l.evidence) IS DISTINCT FROM (excluded.product_id, excluded.method, excluded.evidence)
"""
_CONFLICT = """
INSERT INTO product_conflicts AS c (source_product_id, reason, candidates, evidence) VALUES (%s, %s, %s, %s)
ON CONFLICT (source_product_id) DO UPDATE
SET reason = excluded.reason, candidates = excluded.candidates, evidence = excluded.evidence, found_at = now()
WHERE (c.reason, c.candidates, c.evidence) IS DISTINCT FROM (excluded.reason, excluded.candidates, excluded.evidence)
"""
# Nothing proves these links any more; a product that nobody sells goes with its last one.
_UNLINK = "DELETE FROM product_links WHERE source_product_id = ANY(%s) AND method <> 'manual' RETURNING product_id"
_FORGET = """
DELETE FROM products AS p WHERE p.id = ANY(%s) AND NOT EXISTS (SELECT FROM product_links AS l WHERE l.product_id = p.id)
"""
# A product is called what its first offer is called, also when that changes.
_DESCRIBE = """
UPDATE products AS p
SET name = o.title, category = o.category, description = o.description, image_url = o.image_url, updated_at = now()
FROM product_links AS l
JOIN source_products AS o ON o.id = l.source_product_id
WHERE l.source_product_id = ANY(%s) AND p.id = l.product_id
    AND NOT EXISTS (
        SELECT FROM product_links AS earlier
        WHERE earlier.product_id = p.id AND earlier.source_product_id < l.source_product_id)
    AND (p.name, p.category, p.description, p.image_url)
        IS DISTINCT FROM (o.title, o.category, o.description, o.image_url)
"""
_SETTLED = "DELETE FROM product_conflicts WHERE source_product_id = ANY(%s)"
_DONE = "UPDATE source_products SET resolve_requested_at = NULL WHERE id = ANY(%s)"
_BY_HAND = """
INSERT INTO product_links AS l (source_product_id, product_id, method, evidence, linked_by)
VALUES (%(offer)s, %(product)s, 'manual', %(evidence)s, %(actor)s)
ON CONFLICT (source_product_id) DO UPDATE
SET product_id = excluded.product_id, method = 'manual', evidence = excluded.evidence, linked_at = now(),
    linked_by = excluded.linked_by
"""

Connection = AsyncConnection[Any]


class Resolved(msgspec.Struct, frozen=True, kw_only=True):
    taken: int = 0
    linked: int = 0
    made: int = 0
    conflicts: int = 0
    through: int | None = None


async def run_once(conn: Connection, n: int = 1_000) -> Resolved:
    """The next offers that wait, in the caller's transaction. Nothing when another process is at it."""
    return await _resolved(conn, _WAITING, {"n": n})


async def run_over(conn: Connection, source_id: int, after: int, n: int = 1_000) -> Resolved:
    """Offers of one source in the order of their ids, whether they ask for it or not: a feed brings too many at once to
    have each of them ask. `through` is the last one; None when there is none, or another process is at it."""
    return await _resolved(conn, _OF_SOURCE, {"source_id": source_id, "after": after, "n": n})


async def _resolved(conn: Connection, choose: str, given: dict[str, Any]) -> Resolved:
    row = await (await conn.execute("SELECT pg_try_advisory_xact_lock(%s)", (LOCK,))).fetchone()
    if row is None or not row[0]:
        return Resolved()
    chosen = [row[0] for row in await (await conn.execute(choose, given)).fetchall()]
    async with conn.cursor(row_factory=class_row(Offered)) as cursor:
        await cursor.execute(TAKE, {"ids": chosen})
        taken = await cursor.fetchall()
    done = await _linked(conn, taken) if taken else Resolved()
    return msgspec.structs.replace(done, through=max(chosen, default=None))


async def _linked(conn: Connection, taken: Sequence[Offered]) -> Resolved:
    sold = await _sold(conn, taken)
    known = Catalogue(await _known(conn, taken, sold), sold)
    decided = [found for offer in taken if (found := resolve(offer, known)) is not None]
    await _make(conn, known)
    links = [d for d in decided if isinstance(d, ProductLink)]
    conflicts = [d for d in decided if isinstance(d, IdentityConflict)]
    await _write(conn, links, conflicts)
    ids = [offer.id for offer in taken]
    await _unlink(conn, taken, {one.offer.id for one in decided})
    await conn.execute(_DESCRIBE, (ids,))
    await documents.write(conn, [offer.id for offer in taken if not offer.hidden])
    # Offers that nobody sees must not take the places of those that are searched for.
    await documents.delete(conn, [offer.id for offer in taken if offer.hidden])
    await conn.execute(_DONE, (ids,))
    fresh = [one.offer.id for one in links if one.offer.linked is None and one.method != SKU]
    await conn.execute(_NEIGHBOURS, (fresh,))
    return Resolved(taken=len(taken), linked=len(links), made=len(known.new), conflicts=len(conflicts))


async def _unlink(conn: Connection, taken: Sequence[Offered], decided: set[int]) -> None:
    """Takes away the links of offers that nothing identifies any more, as after a run of a feed was taken back."""
    lost = [offer.id for offer in taken if offer.linked is not None and offer.id not in decided]
    if lost:
        products = [row[0] for row in await (await conn.execute(_UNLINK, (lost,))).fetchall()]
        await conn.execute(_FORGET, (products,))


async def link(conn: Connection, offer_id: int, product_id: int, actor: str, evidence: str) -> dict[str, Any] | None:
    """A person's word; the link it replaces."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(
            "SELECT o.id, p.id AS product_id, l.product_id AS linked, l.method FROM source_products AS o "
            "LEFT JOIN products AS p ON p.id = %s LEFT JOIN product_links AS l ON l.source_product_id = o.id "
            "WHERE o.id = %s FOR UPDATE OF o",
            (product_id, offer_id),
        )
        found = await cursor.fetchone()
    if found is None:
        raise NotFound(f"there is no offer {offer_id}")
    if found["product_id"] is None:
        raise NotFound(f"there is no product {product_id}")
    given = {"offer": offer_id, "product": product_id, "evidence": evidence, "actor": actor}
    await conn.execute(_BY_HAND, given)
    await conn.execute(_SETTLED, ([offer_id],))
    return None if found["linked"] is None else {"product_id": found["linked"], "method": found["method"]}


async def unlink(conn: Connection, offer_id: int) -> dict[str, Any]:
    """Takes a link away and asks the resolver to look again."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(
            "DELETE FROM product_links WHERE source_product_id = %s RETURNING product_id, method", (offer_id,)
        )
        gone = await cursor.fetchone()
    if gone is None:
        raise NotFound(f"offer {offer_id} is not linked to a product")
    await conn.execute("UPDATE source_products SET resolve_requested_at = now() WHERE id = %s", (offer_id,))
    return gone


async def _sold(conn: Connection, offers: Sequence[Offered]) -> Sold:
    wanted = sorted({sold for offer in offers if (sold := sold_as(offer)) is not None})
    given = {"retailers": [retailer for retailer, _ in wanted], "skus": [sku for _, sku in wanted]}
    found: Sold = {}
    for retailer, sku, source, product in await (await conn.execute(_BY_SKU, given)).fetchall():
        found.setdefault((retailer, sku), []).append((source, product))
    return found


async def _known(conn: Connection, offers: Sequence[Offered], sold: Sold) -> list[CanonicalProduct]:
    parts = sorted({part for offer in offers if (part := part_of(offer)) is not None})
    gtins = sorted({gtin for offer in offers for gtin in gtins_of(offer)})
    ids = sorted({product for products in sold.values() for _, product in products})
    given = {"ids": ids, "gtins": gtins, "brands": [brand for brand, _ in parts], "parts": [part for _, part in parts]}
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_KNOWN, given)
        return [_product(row) for row in await cursor.fetchall()]


def _product(row: dict[str, Any]) -> CanonicalProduct:
    part = None if row["brand_key"] is None else (row["brand_key"], row["mpn_key"])
    return CanonicalProduct(
        id=row["id"], name=row["name"], gtin=row["gtin"], brand=row["brand"], mpn=row["mpn"], part=part
    )


async def _make(conn: Connection, known: Catalogue) -> None:
    for product in known.new:
        brand_key, mpn_key = product.part or (None, None)
        given = (product.name, product.brand, product.mpn, product.gtin, brand_key, mpn_key, product.category,
                 product.description, product.image_url)  # fmt: skip
        row: Any = await (await conn.execute(_MAKE, given)).fetchone()
        product.id = row[0]
    fresh = {id(product) for product in known.new}
    for product in known.by_gtin.values():
        if product.changed and id(product) not in fresh:
            await conn.execute(_NAME_GTIN, (product.gtin, product.id))


async def _write(conn: Connection, links: Sequence[ProductLink], conflicts: Sequence[IdentityConflict]) -> None:
    if links:
        columns: dict[str, list[Any]] = {
            "offer": [one.offer.id for one in links],
            "product": [one.product.id for one in links],
            "method": [one.method for one in links],
            "evidence": [one.evidence for one in links],
        }
        await conn.execute(_LINK, columns)
        await conn.execute(_SETTLED, (columns["offer"],))
    for one in conflicts:
        await conn.execute(_CONFLICT, (one.offer.id, one.reason, _ids(one.candidates), one.evidence))


def _ids(candidates: Sequence[CanonicalProduct]) -> list[int]:
    return sorted(product.id for product in candidates if product.id is not None)
