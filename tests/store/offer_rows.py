"""Offers and prices for the store's tests, through the real writer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from winnow.db.engine import Database
from winnow.normalise.record import Availability, Identity, Money, Product
from winnow.store import offers

DAY = datetime(2026, 3, 1, tzinfo=UTC)


async def source(database: Database, name: str = "shop", **trust: Any) -> int:
    async with database.transaction() as conn:
        await conn.execute("INSERT INTO retailers (name) VALUES (%s) ON CONFLICT DO NOTHING", (name,))
        row = await (
            await conn.execute(
                "INSERT INTO sources (name, url, domain, retailer_id, adapter_id) "
                "SELECT %s, %s, %s, id, 'generic' FROM retailers WHERE name = %s RETURNING id",
                (name, f"https://{name}.test/", f"{name}.test", name),
            )
        ).fetchone()
        assert row is not None
        for field, value in trust.items():
            assert field in ("visibility_status", "upc_trusted", "expiry_hours")
            await conn.execute(f"UPDATE source_trust_config SET {field} = %s WHERE source_id = %s", (value, row[0]))
    return int(row[0])


def offer(sku: str = "1", minor: int = 1999, currency: str = "USD", **more: Any) -> Product:
    url = f"https://shop.test/p/{sku}"
    given: dict[str, Any] = {
        "url": url,
        "canonical_url": url,
        "title": f"Thing {sku}",
        "price": Money(minor, currency),
        "availability": Availability.IN_STOCK,
        "identity": Identity("SKU", sku),
        "sku": sku,
        "observed_at": DAY,
        "adapter_id": "generic",
        "adapter_version": "1.0.0",
    }
    return Product(**given | more)


async def write(
    database: Database, source_id: int, *given: Product, run_id: int | None = None
) -> list[offers.WrittenOffer]:
    async with database.transaction() as conn:
        batch = [
            offers.AcceptedOffer(offer=o, source_id=source_id, task_id=uuid4(), page_id=None, run_id=run_id)
            for o in given
        ]
        return await offers.write(conn, batch)


def days(n: float) -> datetime:
    return DAY + timedelta(days=n)
