"""What each family of operators sees in its own words: the catalogue, the events pipeline, feeds, the orchestrator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import psycopg
import pytest

from tests.db import schema_rows as rows


@pytest.fixture
def conn(database_url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(database_url, autocommit=True) as opened:
        yield opened


async def get(admin: httpx.AsyncClient, path: str) -> Any:
    answer = await admin.get(f"/api/v1/{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_c031_c055_products_are_listed_newest_first_with_their_newest_observation(
    admin: httpx.AsyncClient, conn: psycopg.Connection[Any]
) -> None:
    source_id = rows.source(conn, rows.retailer(conn))  # not eligible: consumers see nothing of it
    offers = [rows.offer(conn, source_id, str(n), url_hash=str(n) * 64) for n in (1, 2)]
    rows.price(conn, offers[0], 1999, created_at="2026-01-01T00:00:00Z")
    rows.price(conn, offers[0], 2500, availability="OUT_OF_STOCK", created_at="2026-01-02T00:00:00Z")
    first = await get(admin, f"products?source_id={source_id}&limit=1")
    [priceless] = first["data"]
    assert (priceless["id"], priceless["price"], priceless["url_hash"]) == (offers[1], None, "2" * 64)
    [shown] = (await get(admin, f"products?after={first['meta']['next']}"))["data"]
    assert (shown["price"], shown["currency"], shown["availability"]) == ("25.00", "USD", "out_of_stock")
    detail = (await get(admin, f"catalog-products/{offers[0]}"))["data"]
    assert detail == {**shown, "images": [], "field_sources": {}}
    assert (await admin.get("/api/v1/catalog-products/99")).status_code == 404


async def test_e098_jobs_of_the_events_pipeline_are_listed_by_stage_and_run(
    admin: httpx.AsyncClient, conn: psycopg.Connection[Any]
) -> None:
    run_id = rows.one(conn, "SELECT gen_random_uuid()")
    job = {"producer": "events", "kind": "event", "job_id": run_id}
    parsing = rows.task(conn, **job, status="queued", stage="extract")
    ended = rows.task(conn, "task_archive", **job, status="done", stage="done")
    rows.task(conn, producer="events", kind="event")
    rows.task(conn)  # another producer's
    assert len((await get(admin, "pipeline-jobs"))["data"]) == 3
    found = (await get(admin, f"pipeline-jobs?run_id={run_id}"))["data"]
    assert {job["id"]: job["current_stage"] for job in found} == {str(parsing): "parse", str(ended): "completed"}
    [only] = (await get(admin, "pipeline-jobs?stage=parse"))["data"]
    assert only["stage_status"] == {
        "fetch": "completed",
        "parse": "pending",
        "normalize": "pending",
        "persist": "pending",
    }
    first = await get(admin, "pipeline-jobs?limit=2")
    last = await get(admin, f"pipeline-jobs?limit=2&after={first['meta']['next']}")
    assert (len(first["data"]), len(last["data"]), last["meta"]["next"]) == (2, 1, None)


async def test_e025_e110_sources_are_listed_by_whose_turn_it_is(
    admin: httpx.AsyncClient, conn: psycopg.Connection[Any]
) -> None:
    names = {name: rows.source(conn, None, kind="event", name=name) for name in ("open", "recent", "never")}
    rows.source(conn, rows.retailer(conn), name="a shop")
    conn.execute("INSERT INTO scrape_runs (source_id, adapter_id) VALUES (%s, 'generic')", (names["recent"],))
    conn.execute(
        "INSERT INTO source_circuits (source_id, state, failure_count, cooldown_until)"
        " VALUES (%s, 'OPEN', 5, now() + interval '1 hour')",
        (names["open"],),
    )
    available = (await get(admin, "sources/health?kind=event&available=true"))["data"]
    assert [source["name"] for source in available] == ["never", "recent"]
    [closed] = (await get(admin, "sources/health?available=false"))["data"]
    assert (closed["name"], closed["circuit_state"], closed["failure_count"]) == ("open", "OPEN", 5)
    assert len((await get(admin, "sources/health"))["data"]) == 4


async def test_f028_the_offers_a_feed_run_saw_are_listed_once_each(
    admin: httpx.AsyncClient, conn: psycopg.Connection[Any]
) -> None:
    source_id = rows.source(conn, rows.retailer(conn), source_kind="AFFILIATE_FEED")
    run_id = rows.feed_run(conn, rows.feed(conn, source_id), source_id)
    offers = [rows.offer(conn, source_id, str(n)) for n in range(3)]
    for part, ids in enumerate([offers[:2], offers[1:], [999]]):
        conn.execute("INSERT INTO feed_run_seen VALUES (%s, %s, %s)", (run_id, part, ids))
    first = await get(admin, f"feed-runs/{run_id}/offers?limit=2")
    last = await get(admin, f"feed-runs/{run_id}/offers?limit=2&after={first['meta']['next']}")
    assert [offer["id"] for offer in first["data"] + last["data"]] == offers
    assert (await admin.get("/api/v1/feed-runs/99/offers")).status_code == 404
