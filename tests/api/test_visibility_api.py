"""P-092: whatever a key that may only read asks, it never gets a scraped price of a source that is not eligible."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from tests.searchable import index_offers
from winnow.db.engine import Database

CANARY = 77_665_543  # minor units, found in no other number
SHOWN = ("77665543", "776655.43")


@pytest.fixture
async def scraped(database: Database) -> int:
    async with database.transaction() as conn:
        await conn.execute("INSERT INTO retailers (name) VALUES ('shop')")
        await conn.execute(
            "INSERT INTO sources (name, url, domain, retailer_id, adapter_id) "
            "SELECT 'shop', 'https://s.test/', 's.test', id, 'generic' FROM retailers"
        )
        await conn.execute(
            "INSERT INTO source_products (source_id, identity_type, identity_value, title, url, url_hash) "
            "SELECT id, 'SKU', '1', 'Tent', 'https://s.test/1', repeat('0', 64) FROM sources"
        )
        await conn.execute(
            "INSERT INTO scrape_targets "
            "(url, canonical_url, url_hash, domain, source_id, adapter_id, source_product_id) "
            "SELECT o.url, o.url, o.url_hash, 's.test', o.source_id, 'generic', o.id FROM source_products AS o"
        )
        await conn.execute(
            "INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, observed_at, "
            "ingestion_run_type) SELECT id, %s, 'USD', 'IN_STOCK', true, now(), 'SCRAPE' FROM source_products",
            (CANARY,),
        )
        await conn.execute("INSERT INTO products (name, gtin) VALUES ('Tent', '04006381333931')")
        await conn.execute(
            "INSERT INTO product_links (source_product_id, product_id, method, evidence) "
            "SELECT o.id, p.id, 'gtin', 'x' FROM source_products AS o, products AS p"
        )
    index_offers(database.url)
    return 1


def paths(api: FastAPI) -> list[str]:
    return sorted(path for path, operations in api.openapi()["paths"].items() if "get" in operations)


async def everything(client: httpx.AsyncClient, api: FastAPI) -> dict[str, str]:
    """Every route that can be read, with every id being 1, and the ways to ask for prices that have parameters."""
    found: dict[str, str] = {}
    for path in paths(api):
        place = path.replace("{adapter_id}", "generic").replace("{domain}", "s.test")
        while "{" in place:
            start, end = place.index("{"), place.index("}")
            place = place[:start] + "1" + place[end + 1 :]
        answer = await client.get(place, params={"q": "tent"} if "search" in place else None)
        found[path] = answer.text
    for params in ({"url": "https://s.test/1"}, {"q": "tent"}, {"source_id": 1}, {"in_stock": True}):
        found[f"/api/v1/prices?{params}"] = (await client.get("/api/v1/prices", params=params)).text
    return found


async def test_p092_no_answer_to_a_consumer_holds_it(
    api: FastAPI, consumer: httpx.AsyncClient, admin: httpx.AsyncClient, scraped: int, database: Database
) -> None:
    for path, text in (await everything(consumer, api)).items():
        assert not any(shown in text for shown in SHOWN), path
    seen = {path for path, text in (await everything(admin, api)).items() if any(shown in text for shown in SHOWN)}
    assert {"/api/v1/prices", "/api/v1/products/search", "/api/v1/products/{product_id}"} <= seen, "an admin sees it"
    async with database.transaction() as conn:
        await conn.execute("UPDATE source_trust_config SET visibility_status = 'ELIGIBLE'")
    eligible = {p for p, text in (await everything(consumer, api)).items() if any(shown in text for shown in SHOWN)}
    assert "/api/v1/prices" in eligible
    assert eligible <= seen


async def test_the_history_is_summed_up(admin: httpx.AsyncClient, scraped: int, database: Database) -> None:
    async with database.transaction() as conn:
        for day, minor, currency in ((1, 1000, "EUR"), (2, 3000, "EUR"), (9, 2000, "EUR"), (10, 1, "USD")):
            await conn.execute(
                "INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, observed_at, "
                "ingestion_run_type) SELECT id, %s, %s, 'IN_STOCK', true, '2026-01-01'::timestamptz + %s * interval "
                "'1 day', 'SCRAPE' FROM source_products", (minor, currency, day),
            )  # fmt: skip
        row: Any = await (await conn.execute("SELECT id FROM source_products")).fetchone()
    path = f"/api/v1/prices/{row[0]}/history"
    said = (await admin.get(path, params={"currency": "EUR", "limit": 2})).json()
    data = said["data"]
    assert (data["lowest"], data["highest"], data["observations"]) == ("10.00", "30.00", 3)
    assert data["now"]["amount"] == "20.00"
    assert [(g["since"][:10], g["until"][:10]) for g in data["gaps"]] == [("2026-01-03", "2026-01-10")]
    assert len(data["points"]) == 2
    rest = (await admin.get(path, params={"currency": "EUR", "after": said["meta"]["next"]})).json()["data"]["points"]
    assert [p["amount"] for p in data["points"] + rest] == ["20.00", "30.00", "10.00"]
    window = {"currency": "EUR", "since": "2026-01-02T12:00:00Z", "until": "2026-01-04T00:00:00Z"}
    assert (await admin.get(path, params=window)).json()["data"]["lowest"] == "30.00"
    newest = (await admin.get(path)).json()["data"]
    assert newest["currency"] == "USD"
    none = (await admin.get(path, params={"currency": "JPY"})).json()["data"]
    assert (none["now"], none["lowest"], none["observations"]) == (None, None, 0)


async def test_corrections_over_the_api(admin: httpx.AsyncClient, scraped: int, database: Database) -> None:
    async with database.connection() as conn:
        row: Any = await (await conn.execute("SELECT source_id FROM source_products")).fetchone()
    given = {"action": "IGNORE", "source_id": row[0], "reason": "wrong shop"}
    made = await admin.post("/api/v1/corrections", json=given)
    assert made.status_code == 201
    path = f"/api/v1/corrections/{made.json()['data']['id']}"
    assert len((await admin.get("/api/v1/corrections")).json()["data"]) == 1
    assert (await admin.delete(path)).status_code == 200
    assert (await admin.delete(path)).status_code == 409
    assert (await admin.get("/api/v1/corrections")).json()["data"] == []
    assert len((await admin.get("/api/v1/corrections", params={"all": True})).json()["data"]) == 1
    for wrong in ({"action": "IGNORE", "reason": "x"}, {**given, "factor": 2}, {**given, "action": "MULTIPLY"}):
        assert (await admin.post("/api/v1/corrections", json=wrong)).status_code == 422
    assert (await admin.post("/api/v1/corrections", json={**given, "source_id": 999_999})).status_code == 404


async def test_an_offer_is_linked_by_hand(admin: httpx.AsyncClient, scraped: int, database: Database) -> None:
    async with database.connection() as conn:
        row: Any = await (await conn.execute("SELECT o.id, p.id FROM source_products AS o, products AS p")).fetchone()
    offer, product = row
    assert (await admin.delete(f"/api/v1/offers/{offer}/product")).status_code == 200
    assert (await admin.delete(f"/api/v1/offers/{offer}/product")).status_code == 404
    linked = await admin.post(f"/api/v1/products/{product}/offers", json={"source_product_id": offer})
    assert linked.status_code == 200
    assert (await admin.post("/api/v1/products/999/offers", json={"source_product_id": offer})).status_code == 404
    detail = (await admin.get(f"/api/v1/products/{product}")).json()["data"]
    assert [o["source_product_id"] for o in detail["offers"]] == [offer]
