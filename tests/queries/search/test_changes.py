"""What triggers note, and how it reaches the documents: each case once, in the end exactly as the views say."""

from __future__ import annotations

from typing import Any

import pytest

from tests.queries.search.conftest import Rows, Shop
from tests.store.offer_rows import offer, source, write
from winnow.db.engine import Database
from winnow.normalise.record import Availability
from winnow.store.search import changes, documents

# Documents that say something else than the tables do.
WRONG = """
SELECT d.product_name FROM search_documents AS d JOIN search_states AS s USING (product_id)
WHERE (d.price, d.currency, d.availability, d.shown_price, d.shown_currency, d.shown_availability, d.shown_until)
    IS DISTINCT FROM (s.price, s.currency, s.availability, s.shown_price, s.shown_currency, s.shown_availability,
                      s.shown_until)
"""

STOCK = "SELECT DISTINCT availability, shown_availability FROM search_documents"


@pytest.fixture
def shop(database: Database) -> Shop:
    return Shop(database, None)


@pytest.fixture
async def one(shop: Shop, database: Database) -> int:
    made = await source(database, visibility_status="ELIGIBLE")
    await shop.write(made, *(offer(f"n{n}", 1000 + n, title=f"Tent {n}") for n in range(3)))
    return made


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE source_trust_config SET visibility_status = 'INELIGIBLE'",
        "UPDATE source_trust_config SET expiry_hours = 1",
        "INSERT INTO price_corrections (action, price_id, reason, created_by) "
        "SELECT 'IGNORE', min(id), 'x', 'x' FROM prices",
        "INSERT INTO price_corrections (action, factor, source_id, reason, created_by) "
        "SELECT 'MULTIPLY', 2, id, 'x', 'x' FROM sources",
        "UPDATE source_product_presence SET unavailable_since = now(), unavailable_reason = 'gone'",
        "UPDATE sources SET source_kind = 'OTHER'",
    ],
)
async def test_c052_whatever_changes_reaches_the_documents(shop: Shop, one: int, rows: Rows, change: str) -> None:
    await rows("UPDATE source_product_presence SET last_seen_success_at = now() - interval '2 hours'")
    await shop.settle()
    assert await rows(WRONG) == []
    before = await rows("SELECT version FROM search_documents ORDER BY product_id")
    await rows(change)
    await shop.settle()
    assert await rows(WRONG) == []
    assert await rows("SELECT count(*) FROM search_changes") == [0]
    assert await rows("SELECT count(*) FROM search_walks") == [0]
    assert len(before) == 3


async def test_a_correction_that_is_revoked_reaches_them_too(shop: Shop, one: int, rows: Rows) -> None:
    await rows(
        "INSERT INTO price_corrections (action, factor, source_id, reason, created_by) "
        "VALUES ('MULTIPLY', 2, %s, 'x', 'x')",
        one,
    )
    await shop.settle()
    assert {float(p) for p in await rows("SELECT shown_price FROM search_documents")} == {20.0, 20.02, 20.04}
    await rows("UPDATE price_corrections SET revoked_at = now()")
    await shop.settle()
    assert {float(p) for p in await rows("SELECT shown_price FROM search_documents")} == {10.0, 10.01, 10.02}


async def test_what_says_nothing_new_is_not_looked_at(shop: Shop, one: int, database: Database, rows: Rows) -> None:
    before = await rows("SELECT version FROM search_documents ORDER BY product_id")
    await write(database, one, offer("n0", 1000, title="Tent 0"))
    assert await rows("SELECT count(*) FROM search_changes") == [0]
    await shop.settle()
    assert await rows("SELECT version FROM search_documents ORDER BY product_id") == before


async def test_time_alone_makes_an_offer_unconfirmed_and_hides_it(shop: Shop, one: int, rows: Rows) -> None:
    """And being seen again confirms it and shows it."""
    await rows("UPDATE source_trust_config SET expiry_hours = 50")
    await rows(
        "INSERT INTO scrape_targets (url, canonical_url, url_hash, domain, source_id, adapter_id, expected_every) "
        "VALUES ('https://shop.test/', 'https://shop.test/', repeat('a', 64), 'shop.test', %s, 'generic', '4 hours')",
        one,
    )  # fmt: skip
    await rows("UPDATE source_product_presence SET target_id = (SELECT id FROM scrape_targets)")
    async with shop.database.transaction() as conn:
        await documents.write(conn, [row[0] for row in await _all(conn)])
    await shop.settle()
    due = await rows("SELECT count(*) FROM search_documents WHERE recheck_at < now() + interval '48 hours'")
    assert due == [3]
    # Two days later; nobody has written anything.
    await rows("ALTER TABLE source_product_presence DISABLE TRIGGER search_presence_changed")
    await rows("UPDATE source_product_presence SET last_seen_success_at = now() - interval '49 hours'")
    await rows("ALTER TABLE source_product_presence ENABLE TRIGGER search_presence_changed")
    await rows("UPDATE search_documents SET recheck_at = recheck_at - interval '49 hours'")
    await shop.settle()
    assert await rows(STOCK) == [("UNKNOWN", "UNKNOWN")]
    assert await rows("SELECT count(*) FROM search_documents WHERE recheck_at IS NULL") == [3]
    await rows("UPDATE source_product_presence SET last_seen_success_at = now()")
    await shop.settle()
    assert await rows(STOCK) == [("IN_STOCK", "IN_STOCK")]
    assert await rows(WRONG) == []


async def _all(conn: Any) -> list[Any]:
    found: list[Any] = await (await conn.execute("SELECT id FROM source_products")).fetchall()
    return found


async def test_two_processes_do_not_get_in_each_others_way(shop: Shop, one: int, database: Database) -> None:
    await write(
        database,
        one,
        offer("n0", 5000, title="Tent 0"),
        offer("n1", title="Tent 1", availability=Availability.OUT_OF_STOCK),
    )
    async with database.transaction() as first, database.transaction() as second:
        assert await changes.run_once(first) > 0
        assert await changes.run_once(second) == 0, "the other one is at it"


async def test_no_writer_waits_for_the_index(shop: Shop, one: int, database: Database, rows: Rows) -> None:
    """Prices and trust commit while a batch of changes is under way."""
    await write(database, one, offer("n0", 5000, title="Tent 0"))
    async with database.transaction() as busy:
        await changes.run_once(busy)
        await write(database, one, offer("n0", 6000, title="Tent 0"))
        await rows("SET lock_timeout = '5s'; UPDATE source_trust_config SET visibility_status = 'INELIGIBLE'")
    await shop.settle()
    assert await rows(WRONG) == []


async def test_a_batch_that_is_rolled_back_is_done_again(shop: Shop, one: int, database: Database, rows: Rows) -> None:
    await write(database, one, offer("n0", 5000, title="Tent 0"))
    with pytest.raises(RuntimeError):
        async with database.transaction() as conn:
            assert await changes.run_once(conn) > 0
            raise RuntimeError("killed")
    await shop.settle()
    assert await rows(WRONG) == []
