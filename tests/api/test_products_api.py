"""GET /products with the whole ProductFilter (C-055), and what else lists of products and crawl jobs answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import psycopg
import pytest
from fastapi import FastAPI

from tests.db import schema_rows as rows
from winnow.observe.keys import Scope

Conn = psycopg.Connection[Any]


@pytest.fixture
def conn(database_url: str) -> Iterator[Conn]:
    with psycopg.connect(database_url, autocommit=True) as opened:
        yield opened


@pytest.fixture
def shelf(conn: Conn) -> dict[str, int]:
    """Products of two shops, as their pages left them."""
    conn.execute("INSERT INTO domains (domain_name, base_url) VALUES ('a.test', 'https://a.test/')")
    source_id = rows.source(conn, rows.retailer(conn), domain="a.test")
    given = {
        "lamp": ("a.test", "IN_STOCK", 4999, "USD", "4.50", "Lux", "Lamps"),
        "bulb": ("a.test", "OUT_OF_STOCK", 399, "USD", "3.00", "Lux", "Bulbs"),
        "sofa": ("b.test", "IN_STOCK", 99900, "EUR", None, "Rest", "Sofas"),
        "chair": ("b.test", "UNKNOWN", None, None, "5.00", "Rest", "Chairs"),
    }
    made = {}
    for name, (domain, stock, price, currency, rating, brand, category) in given.items():
        made[name] = rows.offer(
            conn, source_id, name, title=name, domain=domain, availability=stock, price_minor=price,
            price_currency=currency, rating=rating, brand=brand, category=category,
        )  # fmt: skip
    rows.offer(conn, source_id, "fed", title="fed", feed_run_id=1)
    return made


async def names(admin: httpx.AsyncClient, query: str) -> list[str]:
    answer = await admin.get(f"/api/v1/products?{query}")
    assert answer.status_code == 200, answer.text
    return [product["product_name"] for product in answer.json()["data"]]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", "chair sofa bulb lamp"),
        ("price_min=3.99&price_max=50", "bulb lamp"),
        ("price_min=4&currency=USD", "lamp"),
        ("price_max=3.99&currency=USD", "bulb"),
        ("currency=EUR", "sofa"),
        ("availability=in_stock", "sofa lamp"),
        ("availability=out_of_stock", "bulb"),
        ("rating_min=4.5", "chair lamp"),
        ("brand=Lux&category=Lamps", "lamp"),
        ("domain=b.test", "chair sofa"),
        ("created_since=2999-01-01T00:00:00Z", ""),
        ("sort=price", "bulb lamp sofa chair"),
        ("sort=-rating&limit=2", "chair lamp"),
        ("origin=feed", "fed"),
        ("origin=all&limit=2", "fed chair"),
    ],
)
async def test_c035_c055_products_are_filtered(
    admin: httpx.AsyncClient, shelf: dict[str, int], query: str, found: str
) -> None:
    assert await names(admin, query) == found.split()


async def test_c055_each_product_has_its_domain_and_a_page_has_twenty(
    admin: httpx.AsyncClient, shelf: dict[str, int], conn: Conn
) -> None:
    [lamp] = (await admin.get("/api/v1/products?brand=Lux&category=Lamps")).json()["data"]
    assert (lamp["domain_name"], lamp["domain_id"] is not None, lamp["price"]) == ("a.test", True, "49.99")
    source_id = rows.one(conn, "SELECT source_id FROM source_products LIMIT 1")
    for n in range(20):
        rows.offer(conn, source_id, f"more{n}", title=f"more{n}")
    first = (await admin.get("/api/v1/products")).json()
    assert (len(first["data"]), first["data"][0]["product_name"]) == (20, "more19")
    rest = (await admin.get(f"/api/v1/products?after={first['meta']['next']}")).json()
    assert (len(rest["data"]), rest["meta"]["next"]) == (4, None)


async def test_c055_consumers_see_what_their_views_show(
    admin: httpx.AsyncClient, api: FastAPI, shelf: dict[str, int], conn: Conn, make_key: Any
) -> None:
    key = await make_key(Scope.READ)
    transport = httpx.ASGITransport(api)
    async with httpx.AsyncClient(transport=transport, base_url="http://t", headers={"X-Service-Key": key}) as reading:
        assert (await reading.get("/api/v1/products")).json()["data"] == [], "its source is not eligible"
        rows.price(conn, shelf["lamp"], 4800)
        conn.execute("UPDATE source_trust_config SET visibility_status = 'ELIGIBLE'")
        [lamp] = (await reading.get("/api/v1/products")).json()["data"]
        assert (lamp["price"], lamp["crawl_task_id"], lamp["parser_version"]) == ("48.00", None, None)


@pytest.mark.parametrize(
    "path",
    ["products", "crawl-jobs", "crawl-batches", "targets", "sources", "runs", "tasks", "crawls", "domains", "events"],
)
async def test_a_parameter_that_does_not_exist_is_an_error(admin: httpx.AsyncClient, path: str) -> None:
    answer = await admin.get(f"/api/v1/{path}?limit=1&prise_min=3")
    assert answer.status_code == 422, answer.text
    assert answer.json()["meta"]["details"] == [
        {"field": "query.prise_min", "message": "there is no such parameter", "type": "extra_forbidden"}
    ]


async def test_c021_what_is_read_counts_towards_its_popularity(
    admin: httpx.AsyncClient, api: FastAPI, shelf: dict[str, int], conn: Conn
) -> None:
    for _ in range(3):
        await admin.get(f"/api/v1/catalog-products/{shelf['lamp']}")
    await api.state.parts.reads.flush()
    found = conn.execute("SELECT source_product_id, day = current_date, reads FROM offer_reads").fetchall()
    assert found == [(shelf["lamp"], True, 3)]
