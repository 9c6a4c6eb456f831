"""Held records and alerts over the API."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import httpx
import msgspec
import pytest
from psycopg.types.json import Jsonb

from tests.api.conftest import watch
from winnow.db.engine import Database
from winnow.normalise.record import Availability, Identity, Money, Offer
from winnow.publish import alerts
from winnow.publish.alerts import Alert

URL = "https://shop.example.com/p"
BASE = "/api/v1/quarantine"


@pytest.fixture
async def held(admin: httpx.AsyncClient, database: Database) -> list[int]:
    """Two held offers of two targets: one with a price, one with zero."""
    ids = []
    for n, minor in ((1, 1999), (2, 0)):
        target = await watch(admin, f"{URL}/{n}")
        offer = Offer(
            url=f"{URL}/{n}",
            canonical_url=f"{URL}/{n}",
            observed_at=datetime.now(UTC),
            adapter_id="generic",
            adapter_version="1.0.0",
            identity=Identity("SKU", f"A{n}"),
            title=f"Shoe {n}",
            price=Money(minor, "USD"),
            availability=Availability.IN_STOCK,
        )
        async with database.transaction() as conn:
            found = await conn.execute(
                "INSERT INTO quarantine (task_id, target_id, source_id, adapter_id, reason, payload) "
                "VALUES (%s, %s, %s, 'generic', %s, %s) RETURNING id",
                (uuid4(), target["id"], target["source_id"],
                 "IMPLAUSIBLE_PRICE" if minor else "ZERO_PRICE_EXTRACTED", Jsonb(msgspec.to_builtins(offer))),
            )  # fmt: skip
            ids.append((await found.fetchone())[0])
    return ids


async def test_entries_are_listed_filtered_and_shown(admin: httpx.AsyncClient, held: list[int]) -> None:
    found = (await admin.get(BASE)).json()["data"]
    assert [(f["id"], f["price_minor"], f["title"]) for f in found] == [
        (held[1], 0, "Shoe 2"),
        (held[0], 1999, "Shoe 1"),
    ]
    assert [f["id"] for f in (await admin.get(f"{BASE}?reason=IMPLAUSIBLE_PRICE")).json()["data"]] == [held[0]]
    assert (await admin.get(f"{BASE}?status=resolved")).json()["data"] == []
    one = (await admin.get(f"{BASE}/{held[0]}")).json()["data"]
    assert one["payload"]["identity"]["value"] == "A1"
    assert (await admin.get(f"{BASE}/999999")).status_code == 404


async def test_accept_reject_note_and_what_is_refused(admin: httpx.AsyncClient, held: list[int], database) -> None:
    done = await admin.post(f"{BASE}/{held[0]}/accept", json={"note": "sale"})
    assert (done.status_code, done.json()["data"]["resolution"]) == (200, "accept")
    assert done.json()["data"]["resolved_by"].startswith("key:")
    again = await admin.post(f"{BASE}/{held[0]}/accept", json={})
    assert (again.status_code, again.json()["meta"]["existing"]) == (409, "accept")
    assert (await admin.post(f"{BASE}/{held[1]}/accept", json={})).status_code == 422
    for price in ("1.234", "abc", "NaN", "1e999", "-5"):
        assert (await admin.post(f"{BASE}/{held[1]}/accept", json={"price": price})).status_code == 422, price
    noted = await admin.post(f"{BASE}/{held[1]}/note", json={"note": "asked the shop"})
    assert noted.json()["data"]["note"] == "asked the shop"
    fixed = await admin.post(f"{BASE}/{held[1]}/accept", json={"price": "12.50"})
    assert (fixed.status_code, fixed.json()["data"]["resolution"]) == (200, "corrected")
    async with database.connection() as conn:
        prices = await (await conn.execute("SELECT amount_minor FROM prices ORDER BY id")).fetchall()
    assert prices == [(1999,), (1250,)]
    assert (await admin.post(f"{BASE}/999999/reject", json={})).status_code == 404


async def test_bulk_decides_each_for_itself(admin: httpx.AsyncClient, held: list[int]) -> None:
    assert (await admin.post(f"{BASE}/accept", json={})).status_code == 422
    assert (await admin.post(f"{BASE}/accept", json={"ids": held, "all_open": True})).status_code == 422
    answer = (await admin.post(f"{BASE}/accept", json={"all_open": True})).json()["data"]
    assert answer["done"] == [held[0]]
    assert [(r["id"], r["code"]) for r in answer["refused"]] == [(held[1], "invalid")]
    answer = (await admin.post(f"{BASE}/reject", json={"all_open": True, "note": "zero"})).json()["data"]
    assert (answer["done"], answer["left"]) == ([held[1]], 0)


async def test_p092_consumers_see_nothing_of_what_was_held(
    consumer: httpx.AsyncClient, anyone: httpx.AsyncClient, held: list[int]
) -> None:
    for place in (BASE, f"{BASE}/{held[0]}", "/api/v1/alerts"):
        assert (await consumer.get(place)).status_code == 403
        assert (await anyone.get(place)).status_code == 401


async def test_p099_alerts_are_listed_acknowledged_and_resolved(admin: httpx.AsyncClient, database: Database) -> None:
    alert = Alert(severity="P1", code="adapter_disabled", key="adapter_disabled:x", title="x was disabled")
    async with database.transaction() as conn:
        assert await alerts.open_alert(conn, alert)
        assert not await alerts.open_alert(conn, alert)
    (found,) = (await admin.get("/api/v1/alerts?severity=P1")).json()["data"]
    assert (found["occurrences"], found["acknowledged_by"]) == (2, None)
    ids = {"ids": [found["id"]]}
    assert (await admin.post("/api/v1/alerts/acknowledge", json=ids)).json()["data"]["ids"] == [found["id"]]
    assert (await admin.post("/api/v1/alerts/resolve", json=ids)).json()["data"]["ids"] == [found["id"]]
    assert (await admin.post("/api/v1/alerts/resolve", json=ids)).json()["data"]["ids"] == []
    assert (await admin.post("/api/v1/alerts/acknowledge", json=ids)).status_code == 404
    assert (await admin.get("/api/v1/alerts")).json()["data"] == []
    assert len((await admin.get("/api/v1/alerts?status=all")).json()["data"]) == 1
    async with database.connection() as conn:
        topics = await (await conn.execute("SELECT topic FROM outbox ORDER BY id")).fetchall()
    assert [t[0] for t in topics] == ["alert.opened", "alert.resolved"]
