"""Politeness is per registrable domain (P-041), and every way in ends in the same table (P-002)."""

from __future__ import annotations

import io

import pytest

from winnow.actions import targets as target_actions
from winnow.actions.imports import Import
from winnow.actions.intake import Intake
from winnow.db.engine import Database
from winnow.sources.domain import domain_of


@pytest.mark.parametrize("host", ["sgammo.com", "www.sgammo.com", "cdn.sgammo.com", "WWW.SGAMMO.COM", "a.b.sgammo.com"])
def test_p041_subdomains_share_one_budget(host: str) -> None:
    assert domain_of(f"https://{host}/product/1") == "sgammo.com"


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://www.shop.co.uk/1", "shop.co.uk"),
        ("https://one.myshopify.com/1", "one.myshopify.com"),
        ("https://two.myshopify.com/1", "two.myshopify.com"),
        ("http://127.0.0.1:8080/1", "127.0.0.1:8080"),
    ],
)
def test_p041_public_suffixes_are_known(url: str, domain: str) -> None:
    assert domain_of(url) == domain


async def test_p002_a_form_a_file_and_a_known_offer_all_become_targets(database: Database, intake: Intake) -> None:
    async with database.transaction() as conn:
        await target_actions.watch(conn, "ann", intake, "https://shop.example.com/p/1")
    data = b"url\nhttps://shop.example.com/p/2\n"
    assert (await Import(database, intake, "ann", None).run(io.BytesIO(data))).added == 1
    async with database.transaction() as conn:
        await conn.execute(
            "INSERT INTO source_products (source_id, identity_type, identity_value, title, url, url_hash, domain) "
            "SELECT id, 'SKU', 'A1', 'Shoe', 'https://shop.example.com/p/3', repeat('a', 64), domain FROM sources"
        )
        await target_actions.watch(conn, "ann", intake, "https://shop.example.com/p/3")
        await conn.execute(
            "UPDATE scrape_targets AS t SET source_product_id = p.id FROM source_products AS p WHERE t.url = p.url"
        )
        found = await conn.execute("SELECT url, source_product_id IS NOT NULL FROM scrape_targets ORDER BY url")
        rows = await found.fetchall()
    assert [(url[-1], linked) for url, linked in rows] == [("1", False), ("2", False), ("3", True)]
