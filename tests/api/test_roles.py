"""Every operation, tried with no key and with a key of each scope: only what this table allows happens (R-25)."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from tests.api.conftest import Checked, MakeKey
from tests.api.routes import PLACES
from winnow.db.engine import Database
from winnow.observe.keys import Scope

# The least that is needed. A new operation fails the first test until somebody has decided here who may do it.
PUBLIC = """
GET /calendar/{token}.{form}
GET /go/{offer_id}
GET /health
GET /metrics
GET /readiness
"""
READ = """
GET /api/v1/events
GET /api/v1/events.ics
GET /api/v1/events.jsonld
GET /api/v1/events.rss
GET /api/v1/events/{event_id}
GET /api/v1/events/{event_id}/history
GET /api/v1/exports/{dataset}
POST /api/v1/events/{event_id}/reactions
GET /api/v1/feed
GET /api/v1/prices
GET /api/v1/prices/{source_product_id}
GET /api/v1/prices/{source_product_id}/history
GET /api/v1/products
GET /api/v1/products/search
GET /api/v1/products/{product_id}
GET /api/v1/targets/{target_id}/prices
"""
SCRAPE = """
POST /api/v1/scrape
POST /api/v1/scrape/batch
POST /api/v1/scrape/sync
GET /api/v1/scrape/types
GET /api/v1/scrape/{task_id}
GET /api/v1/scrape/jobs/{job_id}
GET /api/v1/scrape/jobs/{job_id}/results
POST /api/v1/scrape/jobs/{job_id}/cancel
"""
ADMIN = """
GET /api/v1/adapters
POST /api/v1/adapters/{adapter_id}/disable
POST /api/v1/adapters/{adapter_id}/enable
GET /api/v1/alerts
POST /api/v1/alerts/acknowledge
POST /api/v1/alerts/resolve
POST /api/v1/alerts/silence
GET /api/v1/catalog-products/{product_id}
GET /api/v1/corrections
POST /api/v1/corrections
DELETE /api/v1/corrections/{correction_id}
GET /api/v1/crawl-jobs
POST /api/v1/crawl-jobs
GET /api/v1/crawl-jobs/{job_id}
GET /api/v1/crawl-jobs/{job_id}/attempts
POST /api/v1/crawl-jobs/{job_id}/recrawl
GET /api/v1/crawl-batches
GET /api/v1/crawl-batches/{batch_id}
POST /api/v1/crawl-batches/{batch_id}/pause
POST /api/v1/crawl-batches/{batch_id}/resume
POST /api/v1/crawl-batches/{batch_id}/stop
GET /api/v1/crawling
POST /api/v1/crawling/pause
POST /api/v1/crawling/resume
POST /api/v1/crawling/stop
GET /api/v1/crawls
POST /api/v1/crawls
GET /api/v1/crawls/{crawl_id}
POST /api/v1/crawls/{crawl_id}/pause
POST /api/v1/crawls/{crawl_id}/resume
POST /api/v1/crawls/{crawl_id}/stop
GET /api/v1/daily-runs
POST /api/v1/daily-runs
GET /api/v1/daily-runs/{daily_run_id}
GET /api/v1/daily-runs/{daily_run_id}/sources
GET /api/v1/dead-letters
POST /api/v1/dead-letters/discard
POST /api/v1/dead-letters/retry
GET /api/v1/dead-letters/{letter_id}
GET /api/v1/deliveries
POST /api/v1/deliveries/redeliver
GET /api/v1/deliveries/{delivery_id}
GET /api/v1/discovery/jobs
POST /api/v1/discovery/jobs
GET /api/v1/discovery/municipalities
GET /api/v1/discovery/candidates
POST /api/v1/discovery/candidates/{candidate_id}/accept
POST /api/v1/discovery/candidates/{candidate_id}/reject
GET /api/v1/domains
GET /api/v1/domains/{domain}
PATCH /api/v1/domains/{domain}
POST /api/v1/domains/{domain}/pause
POST /api/v1/domains/{domain}/resume
POST /api/v1/domains/{domain}/stop
GET /api/v1/event-doubts
POST /api/v1/event-doubts/{doubt_id}/decide
GET /api/v1/event-subscriptions
POST /api/v1/event-subscriptions
DELETE /api/v1/event-subscriptions/{subscription_id}
PATCH /api/v1/events/{event_id}
POST /api/v1/events/{event_id}/hide
POST /api/v1/events/{event_id}/merge
POST /api/v1/events/{event_id}/restore
POST /api/v1/events/{event_id}/unmerge
GET /api/v1/feed-runs/{run_id}
POST /api/v1/feed-runs/{run_id}/approve
GET /api/v1/feed-runs/{run_id}/errors
GET /api/v1/feed-runs/{run_id}/offers
POST /api/v1/feed-runs/{run_id}/rollback
GET /api/v1/feeds
POST /api/v1/feeds
GET /api/v1/feeds/jobs/{task_id}
GET /api/v1/feeds/{feed_id}
PATCH /api/v1/feeds/{feed_id}
DELETE /api/v1/feeds/{feed_id}
POST /api/v1/feeds/{feed_id}/clone
POST /api/v1/feeds/{feed_id}/enable
POST /api/v1/feeds/{feed_id}/pause
POST /api/v1/feeds/{feed_id}/primary
POST /api/v1/feeds/{feed_id}/run
GET /api/v1/feeds/{feed_id}/runs
POST /api/v1/feeds/{feed_id}/targets
POST /api/v1/feeds/{feed_id}/test
POST /api/v1/offers/{offer_id}/click
DELETE /api/v1/offers/{source_product_id}/product
GET /api/v1/images/{image_id}/body
GET /api/v1/pages/{page_id}
GET /api/v1/pages/{page_id}/body
GET /api/v1/pipeline-jobs
GET /api/v1/product-conflicts
POST /api/v1/products/{product_id}/offers
GET /api/v1/monitors
PATCH /api/v1/monitors/{source_id}
POST /api/v1/monitors/{source_id}/accept
GET /api/v1/proxies
POST /api/v1/proxies
GET /api/v1/proxies/{proxy_id}
DELETE /api/v1/proxies/{proxy_id}
POST /api/v1/proxies/{proxy_id}/disable
POST /api/v1/proxies/{proxy_id}/enable
POST /api/v1/proxies/{proxy_id}/test
GET /api/v1/quarantine
POST /api/v1/quarantine/accept
POST /api/v1/quarantine/reject
GET /api/v1/quarantine/{entry_id}
POST /api/v1/quarantine/{entry_id}/accept
POST /api/v1/quarantine/{entry_id}/note
POST /api/v1/quarantine/{entry_id}/reject
GET /api/v1/replays
POST /api/v1/replays
GET /api/v1/replays/{replay_id}
GET /api/v1/runs
POST /api/v1/runs
GET /api/v1/runs/{run_id}
POST /api/v1/runs/{run_id}/cancel
POST /api/v1/shadows
POST /api/v1/shadows/stop
GET /api/v1/sources
GET /api/v1/sources/health
POST /api/v1/sources
GET /api/v1/sources/{source_id}
PATCH /api/v1/sources/{source_id}
POST /api/v1/sources/{source_id}/pause
POST /api/v1/sources/{source_id}/resume
PATCH /api/v1/sources/{source_id}/trust
GET /api/v1/targets
POST /api/v1/targets
POST /api/v1/targets/import
POST /api/v1/targets/pause
POST /api/v1/targets/remove
POST /api/v1/targets/requeue
POST /api/v1/targets/resume
POST /api/v1/targets/watch
GET /api/v1/targets/{target_id}
PUT /api/v1/targets/{target_id}/choice
PATCH /api/v1/targets/{target_id}
DELETE /api/v1/targets/{target_id}
GET /api/v1/tasks
GET /api/v1/tasks/summary
GET /api/v1/tasks/{task_id}
POST /api/v1/tasks/{task_id}/cancel
GET /api/v1/venues
GET /api/v1/venues/{venue_id}
PATCH /api/v1/venues/{venue_id}
POST /api/v1/venues/{venue_id}/merge
POST /api/v1/venues/{venue_id}/unmerge
GET /api/v1/watches
POST /api/v1/watches
DELETE /api/v1/watches/{watch_id}
GET /api/v1/webhooks
POST /api/v1/webhooks
GET /api/v1/webhooks/{webhook_id}
PATCH /api/v1/webhooks/{webhook_id}
DELETE /api/v1/webhooks/{webhook_id}
"""
TABLE: dict[tuple[str, str], Scope | None] = {
    (method, path): scope
    for scope, lines in ((None, PUBLIC), (Scope.READ, READ), (Scope.SCRAPE, SCRAPE), (Scope.ADMIN, ADMIN))
    for method, path in (line.split() for line in lines.split("\n") if line)
}
MAY: dict[Scope | None, set[Scope | None]] = {
    None: {None},
    Scope.READ: {None, Scope.READ},
    Scope.SCRAPE: {None, Scope.READ, Scope.SCRAPE},
    Scope.ADMIN: {None, Scope.READ, Scope.SCRAPE, Scope.ADMIN},
}
# What a person sends; with `{}` alone a door that stood open would not be noticed.
BODY: dict[str, Any] = {"ids": [1], "url": "https://shop.example.com/p/1", "name": "x", "reason": "x", "note": "x"}


def test_every_operation_is_in_the_table(api: FastAPI) -> None:
    there = {(method.upper(), path) for path, ops in api.openapi()["paths"].items() for method in ops}
    assert there == set(TABLE)


async def contents(database: Database) -> dict[str, str]:
    """A digest of every table, but for when a key was used."""
    async with database.connection() as conn:
        found = await conn.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
        names = [row[0] for row in await found.fetchall() if row[0] != "api_keys"]
        each = " UNION ALL ".join(
            f"SELECT '{name}', md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM {name} AS t"
            for name in names
        )
        return dict(await (await conn.execute(each.encode())).fetchall())


@pytest.fixture
async def something(database: Database) -> None:
    """Rows with the id 1 to do harm to."""
    async with database.transaction() as conn:
        await conn.execute("INSERT INTO retailers (name) VALUES ('shop')")
        await conn.execute(
            "INSERT INTO sources (name, url, domain, retailer_id, adapter_id) "
            "SELECT 'shop', 'https://shop.example.com/', 'shop.example.com', id, 'generic' FROM retailers"
        )
        await conn.execute(
            "INSERT INTO scrape_targets (url, canonical_url, url_hash, domain, source_id, adapter_id) "
            "SELECT url, url, repeat('0', 64), domain, id, 'generic' FROM sources"
        )
        await conn.execute(
            "INSERT INTO alerts (severity, code, dedupe_key, title) VALUES ('P1', 'test', 'k', 'something is wrong')"
        )
        await conn.execute(
            "INSERT INTO dead_letters (task_id, stage, error_type, payload) "
            "VALUES (gen_random_uuid(), 'fetch', 'timeout', '{}')"
        )
        await conn.execute("INSERT INTO webhook_endpoints (name, url) VALUES ('hook', 'https://hook.example.com/')")


@pytest.mark.usefixtures("something")
@pytest.mark.parametrize("held", list(MAY), ids=lambda scope: scope.value if scope else "no key")
async def test_r25_a_scope_does_what_the_table_allows_and_nothing_else(
    api: FastAPI, make_key: MakeKey, database: Database, held: Scope | None
) -> None:
    headers = {} if held is None else {"X-Service-Key": await make_key(held)}
    refusal = 401 if held is None else 403
    before = await contents(database)
    async with httpx.AsyncClient(transport=Checked(api), base_url="http://winnow.test", headers=headers) as client:
        for (method, path), needed in TABLE.items():
            if needed not in MAY[held]:
                answer = await client.request(method, path.format_map(PLACES), json=None if method == "GET" else BODY)
                assert answer.status_code == refusal, (method, path, answer.status_code)
        assert await contents(database) == before, "a refused request has changed something"
        for (method, path), needed in TABLE.items():
            if needed in MAY[held]:
                answer = await client.request(method, path.format_map(PLACES), json=None if method == "GET" else {})
                assert answer.status_code not in {401, 403}, (method, path, answer.status_code)
