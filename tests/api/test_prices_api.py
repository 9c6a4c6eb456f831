"""Prices over the API: everything for operators, what is visible for consumers (P-092); GET never writes (R-25)."""

from __future__ import annotations

import httpx
from fastapi import FastAPI

from tests.api.conftest import watch
from tests.api.routes import PLACES, all_routes
from winnow.db.engine import Database
from winnow.normalise.urls import url_hash

URL = "https://shop.example.com/p/1"


async def offer(database: Database, source_id: int, minors: list[int], currency: str = "USD") -> int:
    async with database.transaction() as conn:
        row = await (
            await conn.execute(
                "INSERT INTO source_products (source_id, identity_type, identity_value, title, url, url_hash) "
                "VALUES (%s, 'SKU', %s, 'Hammer <b>', %s, %s) RETURNING id",
                (source_id, f"H{minors[0]}", URL, url_hash(URL)),
            )
        ).fetchone()
        assert row is not None
        for n, minor in enumerate(minors):
            await conn.execute(
                "INSERT INTO prices (source_product_id, amount_minor, currency, exponent, availability, in_stock, "
                "observed_at, ingestion_run_type) VALUES (%s, %s, %s, currency_exponent(%s), 'IN_STOCK', true, "
                "now() - %s * interval '1 hour', 'SCRAPE')",
                (row[0], minor, currency, currency, len(minors) - n),
            )
    return int(row[0])


async def test_history_is_paged_newest_first_and_exact(admin: httpx.AsyncClient, database: Database) -> None:
    watched = await watch(admin, URL)
    product = await offer(database, watched["source_id"], [1999, 5, 100_000])
    first = (await admin.get(f"/api/v1/prices/{product}?limit=2")).json()
    assert [p["amount"] for p in first["data"]] == ["1000.00", "0.05"]
    second = (await admin.get(f"/api/v1/prices/{product}?limit=2&after={first['meta']['next']}")).json()
    assert [p["amount"] for p in second["data"]] == ["19.99"]
    by_target = (await admin.get(f"/api/v1/targets/{watched['id']}/prices")).json()["data"]
    assert [p["amount_minor"] for p in by_target] == [100_000, 5, 1999]
    latest = (await admin.get("/api/v1/prices", params={"url": f"{URL}#x"})).json()["data"]
    assert [(o["title"], o["amount"], o["currency"]) for o in latest] == [("Hammer <b>", "1000.00", "USD")]
    assert (await admin.get("/api/v1/prices", params={"q": "nail"})).json()["data"] == []
    assert (await admin.get("/api/v1/prices", params={"in_stock": "false"})).json()["data"] == []
    assert (await admin.get("/api/v1/prices/999")).status_code == 404
    assert (await admin.get("/api/v1/targets/999/prices")).status_code == 404
    assert (await admin.get("/api/v1/prices", params={"url": "nonsense"})).status_code == 422


async def test_a_currency_without_cents_is_shown_without(admin: httpx.AsyncClient, database: Database) -> None:
    watched = await watch(admin, URL)
    product = await offer(database, watched["source_id"], [1999], "JPY")
    assert (await admin.get(f"/api/v1/prices/{product}")).json()["data"][0]["amount"] == "1999"


async def test_p092_consumers_see_scraped_prices_only_of_eligible_sources(
    admin: httpx.AsyncClient, consumer: httpx.AsyncClient, database: Database
) -> None:
    watched = await watch(admin, URL)
    product = await offer(database, watched["source_id"], [1999])
    assert (await consumer.get("/api/v1/prices")).json()["data"] == []
    assert (await consumer.get(f"/api/v1/prices/{product}")).json()["data"] == []
    assert (await consumer.get(f"/api/v1/targets/{watched['id']}/prices")).json()["data"] == []
    await admin.patch(f"/api/v1/sources/{watched['source_id']}/trust", json={"visibility_status": "ELIGIBLE"})
    assert (await consumer.get("/api/v1/prices")).json()["data"][0]["amount"] == "19.99"
    assert len((await consumer.get(f"/api/v1/prices/{product}")).json()["data"]) == 1


async def fingerprint(database: Database) -> dict[str, str]:
    """A digest of every table; when a key was last used is bookkeeping of the gate, not a change."""
    found = {}
    async with database.connection() as conn:
        tables = await (
            await conn.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
        ).fetchall()
        for (name,) in tables:
            text = "to_jsonb(t) - 'last_used_at'" if name == "api_keys" else "to_jsonb(t)"
            query = f"SELECT md5(coalesce(string_agg(({text})::text, '|' ORDER BY ({text})::text), '')) FROM {name} t"
            row = await (await conn.execute(query)).fetchone()  # type: ignore[call-overload]
            found[name] = row[0]
    return found


async def test_r25_get_never_changes_anything(api: FastAPI, admin: httpx.AsyncClient, database: Database) -> None:
    watched = await watch(admin, URL)
    await offer(database, watched["source_id"], [1999])
    before = await fingerprint(database)
    for method, path in all_routes(api):
        if method == "GET":
            await admin.get(path.format_map(PLACES))
    assert await fingerprint(database) == before
    assert len(before) > 30
