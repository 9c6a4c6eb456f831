"""Offers of feeds are linked to products and found by search (F-139, F-111)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.feeds.shop import Shop
from winnow.db.engine import Database
from winnow.queries.reading import reader
from winnow.queries.search.offers import search
from winnow.queries.search.request import SearchRequest
from winnow.run.feed_runs import FeedUpkeep
from winnow.store import resolver

HEADER = "CatalogItemId,SKU,Name,Url,Price,Currency,Gtin"
GTIN, OTHER = "036000291452", "4006381333931"
LINKS = """
SELECT o.sku, l.method, p.gtin FROM source_products o JOIN product_links l ON l.source_product_id = o.id
JOIN products p ON p.id = l.product_id ORDER BY o.source_id, 1
"""


@pytest.fixture
async def shop(database: Database, tmp_path: Path) -> Shop:
    made = Shop(database, tmp_path / "feeds")
    await made.open()
    return made


def line(n: int, gtin: str = "") -> str:
    return f"item-{n},sku-{n},Green tent {n},https://shop.test/p/{n},10.00,USD,{gtin}"


async def load(shop: Shop, *rows: str) -> None:
    shop.write(rows, header=HEADER)
    assert (await shop.run()).word == "succeeded"


async def resolve(shop: Shop) -> None:
    async with shop.database.transaction() as conn:
        await resolver.run_once(conn)


async def direct(shop: Shop, sku: str, gtin: str) -> int:
    """The same retailer's own shop, which was scraped."""
    source = await shop.value(
        "INSERT INTO sources (name, url, domain, retailer_id) SELECT 'own', 'https://own.test', 'own.test', retailer_id"
        " FROM sources WHERE id = %s RETURNING id", shop.source_id,
    )  # fmt: skip
    offer = await shop.value(
        "INSERT INTO source_products (source_id, identity_type, identity_value, title, url, sku, resolve_requested_at)"
        " VALUES (%s, 'PID', %s, 'Tent', 'https://own.test/1', %s, now()) RETURNING id", source, sku, sku,
    )  # fmt: skip
    await shop.rows(
        "INSERT INTO source_product_codes (source_product_id, type, value) VALUES (%s, 'UPC', %s) RETURNING 1",
        offer, gtin,
    )  # fmt: skip
    return int(offer)


async def test_f139_offers_are_linked_by_upc_and_by_the_retailers_sku(shop: Shop) -> None:
    await direct(shop, "sku-2", OTHER)
    await resolve(shop)
    await load(shop, line(1, GTIN), line(2), line(3))
    upkeep = FeedUpkeep(shop.database)
    assert await upkeep.link() == 3
    assert await shop.rows(LINKS) == [
        ("sku-1", "gtin", "00036000291452"), ("sku-2", "sku", "04006381333931"), ("sku-2", "gtin", "04006381333931"),
    ]  # fmt: skip
    assert await upkeep.link() == 0
    # Search unites both: one product, offered by the feed and by the shop itself.
    united = "SELECT count(DISTINCT product_id), count(*) FROM product_links l JOIN source_products o ON o.id ="
    assert await shop.rows(united + " l.source_product_id WHERE o.sku = 'sku-2'") == [(1, 2)]


async def test_f139_a_sku_means_nothing_in_another_shop_and_links_wait_for_each_other(shop: Shop) -> None:
    await load(shop, line(2))
    upkeep = FeedUpkeep(shop.database)
    await upkeep.link()
    assert await shop.rows(LINKS) == []
    other = await shop.value("INSERT INTO retailers (name) VALUES ('Other') RETURNING id")
    offer = await direct(shop, "sku-2", OTHER)
    await shop.rows("UPDATE sources SET retailer_id = %s WHERE name = 'own' RETURNING 1", other)
    await resolve(shop)
    await resolve(shop)
    assert [sku for sku, *_ in await shop.rows(LINKS)] == ["sku-2"]
    mine = (
        "UPDATE sources o SET retailer_id = s.retailer_id FROM sources s WHERE o.name = 'own' AND s.id = %s RETURNING 1"
    )
    await shop.rows(mine, shop.source_id)
    await shop.rows("DELETE FROM product_links WHERE source_product_id = %s RETURNING 1", offer)
    await shop.rows("UPDATE source_products SET resolve_requested_at = now() WHERE id = %s RETURNING 1", offer)
    await resolve(shop)
    await resolve(shop)  # the shop's own offer was linked; now the feed's is, by its SKU
    assert [(sku, method) for sku, method, _ in await shop.rows(LINKS)] == [("sku-2", "sku"), ("sku-2", "gtin")]


async def test_f139_a_upc_that_comes_later_links_and_what_was_blocked_makes_no_product(shop: Shop) -> None:
    upkeep = FeedUpkeep(shop.database)
    await load(shop, line(1))
    await upkeep.link()
    await load(shop, line(1, GTIN))
    await resolve(shop)
    assert await shop.rows(LINKS) == [("sku-1", "gtin", "00036000291452")]
    await shop.rows("UPDATE affiliate_feeds SET promoted_run_id = NULL, linked_through_id = 0 RETURNING 1")
    assert await upkeep.link() == 0


async def test_f111_search_finds_offers_of_feeds_and_their_new_names(shop: Shop) -> None:
    await load(shop, line(1), line(2))
    await FeedUpkeep(shop.database).link()
    find = "SELECT product_name FROM search_documents WHERE document @@ websearch_to_tsquery('simple', %s) ORDER BY 1"
    assert await shop.rows(find, "tent") == [("Green tent 1",), ("Green tent 2",)]
    await load(shop, line(1), line(2).replace("Green tent", "Red kayak"))
    await resolve(shop)
    assert await shop.rows(find, "kayak") == [("Red kayak 2",)]


@pytest.mark.parametrize("q", ["036000291452", "0036000291452", "00036000291452"])
async def test_fn15_search_finds_an_offer_of_a_feed_by_its_code_however_it_is_written(shop: Shop, q: str) -> None:
    await load(shop, line(1), line(2, GTIN), line(3, OTHER))
    await FeedUpkeep(shop.database).link()
    async with reader(shop.database) as conn:
        page = await search(conn, SearchRequest(q=q, everything=True))
    assert [row["sku"] for row in page.offers] == ["sku-2"]


async def test_fn15_f038_the_code_of_an_offer_is_the_last_one_the_feed_said(shop: Shop) -> None:
    said = "SELECT type, value FROM source_product_identifiers"
    await load(shop, line(1, OTHER))
    assert await shop.rows(said) == [("GTIN", OTHER)]
    await load(shop, line(1, GTIN))
    assert await shop.rows(said) == [("GTIN", GTIN)]
    await load(shop, line(1))  # it says nothing, which is not another code
    assert await shop.rows(said) == [("GTIN", GTIN)]
    await resolve(shop)
    assert await shop.rows(LINKS) == [("sku-1", "gtin", "00036000291452")]
