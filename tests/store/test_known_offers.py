"""Finding and making the offers of a batch: by their key, once, and without waiting in a circle."""

from __future__ import annotations

import asyncio

import pytest

from tests.store.conftest import Rows
from tests.store.offer_rows import offer, source, write
from winnow.db.engine import Database
from winnow.store.known_offers import FIND, MISSING

MANY = 3_000
_OFFERS = """
INSERT INTO source_products (source_id, identity_type, identity_value, title, url)
SELECT %s, 'SKU', n, 'Thing', 'https://shop.test/' || n FROM generate_series(1, %s) AS n
"""


@pytest.mark.parametrize("statement", [FIND, MISSING])
async def test_an_offer_is_looked_up_by_its_key_however_many_its_source_has(database: Database, statement: str) -> None:
    shop = await source(database)
    async with database.connection() as conn:
        await conn.execute(_OFFERS, (shop, MANY))
        await conn.execute("ANALYZE source_products")
        given = {"n": [0, 1], "source_id": [shop, shop], "identity_key": ["SKU:7", "SKU:none"]}
        lines = await (await conn.execute(f"EXPLAIN {statement}", given)).fetchall()
    looked_up = [line for (line,) in lines if "Index Cond" in line]
    assert looked_up, lines
    assert all("identity_key" in line for line in looked_up)


async def test_a_new_offer_is_written_once_and_whole(database: Database, rows: Rows) -> None:
    shop = await source(database)
    (written,) = await write(database, shop, offer("1", brand="Acme", mpn="A-1", attributes={"colour": "red"}))

    assert written.previous is None
    assert not written.duplicate
    stored = await rows("SELECT ctid::text, brand, mpn, attributes, content_hash IS NULL FROM source_products")
    assert stored == [("(0,1)", "Acme", "A-1", {"colour": "red"}, False)]  # a second version would stand elsewhere
    assert sorted(await rows("SELECT type FROM source_product_identifiers")) == ["MPN", "SKU"]


async def test_p026_of_two_equal_new_offers_in_a_batch_the_first_is_made(database: Database, rows: Rows) -> None:
    shop = await source(database)
    first, second = await write(database, shop, offer("1", title="First"), offer("1", title="Second", minor=5))

    assert (first.product_id, first.duplicate, second.duplicate) == (second.product_id, False, True)
    assert await rows("SELECT title FROM source_products") == ["First"]
    assert await rows("SELECT amount_minor FROM prices") == [1999]


async def test_pn12_batches_that_share_new_and_old_offers_never_wait_in_a_circle(
    database: Database, rows: Rows
) -> None:
    shop = await source(database)
    for turn in range(10):
        skus = [str(n) for n in range(turn * 20, turn * 20 + 40)]  # half of them are there from the turn before
        batches = [[offer(sku) for sku in order] for order in (skus, skus[::-1], skus[20:] + skus[:20])]
        await asyncio.gather(*(write(database, shop, *batch) for batch in batches))

    assert await rows("SELECT count(*) FROM source_products") == [220]
