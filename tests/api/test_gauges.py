"""P-096, P-097: the gauges say what is in the database."""

from __future__ import annotations

import httpx

from winnow.db.engine import Database
from winnow.observe import metrics


async def test_p097_gauges_follow_the_database(anyone: httpx.AsyncClient, database: Database) -> None:
    async with database.transaction() as conn:
        await conn.execute("INSERT INTO retailers (name) VALUES ('shop')")
        await conn.execute(
            "INSERT INTO sources (id, name, url, domain, retailer_id, adapter_id) OVERRIDING SYSTEM VALUE "
            "SELECT 41, 'shop', 'https://s.test/', 's.test', id, 'generic' FROM retailers"
        )
        for n, status in enumerate(("ACTIVE", "ACTIVE", "BROKEN", "STALE")):
            await conn.execute(
                "INSERT INTO scrape_targets (url, canonical_url, url_hash, domain, source_id, adapter_id, status) "
                "VALUES (%s, %s, %s, 's.test', 41, 'generic', %s)",
                (f"https://s.test/{n}", f"https://s.test/{n}", str(n) * 64, status),
            )
        await conn.execute(
            "INSERT INTO scrape_adapter_status (adapter_id, enabled, disabled_at, disabled_reason) "
            "VALUES ('shop', false, now(), 'MANUAL')"
        )
    text = (await anyone.get("/metrics", headers={"Accept": "text/plain"})).text
    assert 'scrape_targets_active{adapter_id="generic",source_id="41"} 2.0' in text
    assert 'scrape_targets_broken{adapter_id="generic",source_id="41"} 1.0' in text
    assert 'scrape_targets_stale{adapter_id="generic",source_id="41"} 1.0' in text
    assert 'scrape_adapter_enabled{adapter_id="shop"} 0.0' in text


async def test_p096_refusals_are_counted_by_reason(anyone: httpx.AsyncClient) -> None:
    metrics.queue_rejected("queue_full", 3)
    metrics.adapter_disabled("p096", "DRIFT_DETECTED")
    text = (await anyone.get("/metrics", headers={"Accept": "text/plain"})).text
    assert 'scrape_queue_rejected_total{reason="queue_full"}' in text
    assert 'scrape_adapter_disabled_total{adapter_id="p096",reason="DRIFT_DETECTED"} 1.0' in text
