"""Loads a catalogue and reads back every table it wrote, without what differs from load to load."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import msgspec

from tests.feeds.shop import FILE, Shop

HEADER = "CatalogItemId,SKU,Name,Url,TrackingUrl,ImageUrl,Manufacturer,Description,Gtin,Price,SalePrice,Currency,Stock"


TABLES = {
    "offers": "SELECT identity_key, title, url, image_url, brand, description, sku, impact_item_id,"
    " normalized_url_hash, attributes, created_by_run_id IS NOT NULL, feed_run_id IS NOT NULL FROM source_products",
    "identifiers": "SELECT o.identity_key, i.type, i.value FROM source_product_identifiers i"
    " JOIN source_products o ON o.id = i.source_product_id",
    "prices": "SELECT o.identity_key, p.amount_minor, p.currency, p.exponent, p.list_price_minor, p.availability,"
    " p.in_stock, p.ingestion_run_type, p.affiliate_feed_run_id IS NOT NULL, p.price_signature_hash, p.observed_at ="
    " p.created_at FROM prices p JOIN source_products o ON o.id = p.source_product_id",
    "latest": "SELECT o.identity_key, l.scraped, l.amount_minor, l.currency, l.exponent, l.list_price_minor,"
    " l.availability, l.in_stock, l.ingestion_run_type, l.price_signature_hash, l.created_at = p.created_at,"
    " l.observed_at = p.observed_at FROM latest_prices l JOIN prices p ON p.id = l.price_id"
    " JOIN source_products o ON o.id = l.source_product_id AND o.id = p.source_product_id",
    "presence": "SELECT o.identity_key, v.in_step, v.last_seen_success_at IS NOT NULL FROM offer_presence v"
    " JOIN source_products o ON o.id = v.source_product_id",
    "seen": "SELECT o.identity_key, s.run_id FROM source_product_seen s JOIN source_products o"
    " ON o.id = s.source_product_id",
    "errors": "SELECT code, row_number, message FROM affiliate_feed_run_errors",
    "runs": "SELECT status, rows_read, rows_parsed, products_upserted, products_rejected, prices_written, error_count,"
    " duplicate_key_count, unknown_stock_count, url_hash_fallback_count, products_expired FROM affiliate_feed_runs"
    " WHERE status <> 'FAILED'",
}


def line(n: int, rng: random.Random) -> str:
    item = "" if n % 41 == 0 else f"id-{n}"
    words = rng.choice(["plain", '"with, comma"', '"a ""quote"""', "50 %d off", "back\\slash", "tab\there"])
    if n % 60 == 0:  # the lines of its block are not a record each
        words = '"two\nlines"'
    tracking = "" if n % 3 else f"https://click.test/{n}?to=%2Fp"
    price = "free" if n % 97 == 0 else f"{rng.randrange(100, 99_999) / 100:.2f}"
    stock = rng.choice(["Y", "N", "in stock", "perhaps"])
    code = "" if n % 5 == 0 else f"{10**11 + n}"
    return (f"{item},s{n},Thing {n},https://Shop.test/p/{n}?utm_source=x,{tracking},https://cdn.test/{n}.jpg,maker,"
            f"{words},{code},{price},,USD,{stock}")  # fmt: skip


def catalogue(seed: int, count: int = 700) -> list[str]:
    rng = random.Random(seed)
    return [line(n, rng) for n in range(1, count + 1)]


async def tables(shop: Shop) -> dict[str, list[tuple[Any, ...]]]:
    return {name: sorted(map(repr, await shop.rows(query))) for name, query in TABLES.items()}  # type: ignore[misc]


async def loads(shop: Shop, files: Sequence[Sequence[str]], chunk_rows: int) -> dict[str, list[tuple[Any, ...]]]:
    shop.means = msgspec.structs.replace(shop.means, chunk_rows=chunk_rows)
    for rows in files:
        (shop.folder / FILE).write_text("\n".join([HEADER, *rows]) + "\n", newline="")
        outcome = await shop.run()
        assert outcome.word == "succeeded", outcome
    return await tables(shop)


async def again(shop: Shop) -> Shop:
    """The same shop as if nothing had ever been loaded."""
    async with shop.database.transaction() as conn:
        await conn.execute("ALTER TABLE prices DISABLE TRIGGER USER")
        await conn.execute("ALTER TABLE source_products DISABLE TRIGGER USER")
        for table in ("prices", "latest_prices", "source_product_codes", "source_product_presence",
                      "source_products", "feed_run_seen", "feed_row_memory"):  # fmt: skip
            await conn.execute(f"DELETE FROM {table}")
        await conn.execute("ALTER TABLE prices ENABLE TRIGGER USER")
        await conn.execute("ALTER TABLE source_products ENABLE TRIGGER USER")
        await conn.execute("UPDATE affiliate_feeds SET current_seen_run_id = NULL, promoted_run_id = NULL,"
                           " current_seen_at = NULL, promoted_at = NULL, last_remote_mtime = NULL,"
                           " last_remote_size = NULL, last_content_hash = NULL")  # fmt: skip
        await conn.execute("DELETE FROM affiliate_feed_runs")
        await conn.execute("ALTER SEQUENCE affiliate_feed_runs_id_seq RESTART")
    return shop
