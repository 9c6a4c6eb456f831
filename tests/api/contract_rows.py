"""Some of everything, so that requests that name an id find something."""

from __future__ import annotations

import itertools
from typing import Any

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

Conn = psycopg.Connection[Any]
N = 40  # of each: what the examples delete or finish must not be all there is


def some_of_everything(conn: Conn) -> dict[str, list[Any]]:
    """Ids by the name a path or body calls them."""
    shop = _add(conn, "retailers", name="Shop")
    sources = [_source(conn, shop, n) for n in range(N)]
    targets = [_target(conn, source) for source in sources]
    offers = [_offer(conn, source) for source in sources]
    products = [
        _add(conn, "products", name=f"Product {n}", brand="Brand", mpn=f"M-{n}", brand_key="brand", mpn_key=f"m{n}")
        for n in range(N)
    ]
    runs = [_add(conn, "scrape_runs", source_id=s, adapter_id="generic", trigger="MANUAL") for s in sources]
    tasks = [_task(conn, source_id=source, target_id=target) for source, target in zip(sources, targets, strict=True)]
    jobs = [_job(conn) for _ in range(N)]
    asked = [_task(conn, producer="enrichment", job_id=job, adapter_id="company_website") for job in jobs]
    letters = [_letter(conn, task) for task in tasks]
    return {
        "source_id": sources,
        "target_id": targets,
        "source_product_id": offers,
        "offer_id": offers,
        "product_id": products,
        "run_id": runs,
        "task_id": [str(task) for task in (*tasks, *asked)],
        "job_id": [str(job) for job in jobs],
        "letter_id": letters,
        "domain": [f"shop{n}.test" for n in range(N)],
        "adapter_id": ["generic", "company_website"],
        "proxy_id": _proxies(conn),
        "webhook_id": [_webhook(conn, n) for n in range(N)],
        **_events(conn, sources),
        "feed_id": [_add(conn, "affiliate_feeds", source_id=source) for source in sources],
    }


def _add(conn: Conn, table: str, key: str = "id", **values: Any) -> Any:
    statement = sql.SQL("INSERT INTO {} ({}) VALUES ({}) RETURNING {}").format(
        sql.Identifier(table),
        sql.SQL(", ").join(map(sql.Identifier, values)),
        sql.SQL(", ").join(sql.Placeholder() * len(values)),
        sql.Identifier(key),
    )
    row = conn.execute(statement, list(values.values())).fetchone()
    assert row is not None
    return row[0]


def _source(conn: Conn, retailer: int, n: int) -> int:
    domain = f"shop{n}.test"
    _add(conn, "domains", domain_name=domain, base_url=f"https://{domain}")
    source_id = _add(conn, "sources", name=domain, url=f"https://{domain}", domain=domain, retailer_id=retailer)
    if n % 2:
        conn.execute("UPDATE source_trust_config SET visibility_status = 'ELIGIBLE' WHERE source_id = %s", (source_id,))
    return int(source_id)


def _target(conn: Conn, source_id: int) -> int:
    url = f"https://shop.test/{source_id}"
    made = _add(
        conn,
        "scrape_targets",
        source_id=source_id,
        url=url,
        canonical_url=url,
        url_hash=f"{source_id:064d}",
        domain="shop.test",
        adapter_id="generic",
    )  # fmt: skip
    return int(made)


def _offer(conn: Conn, source_id: int) -> int:
    offer = _add(
        conn, "source_products", source_id=source_id, identity_type="PID", identity_value=str(source_id),
        title="Thing", url=f"https://shop.test/{source_id}",
    )  # fmt: skip
    _add(
        conn, "prices", source_product_id=offer, amount_minor=1999, currency="USD", availability="IN_STOCK",
        in_stock=True, observed_at="2026-01-02T00:00:00Z", ingestion_run_type="SCRAPE",
    )  # fmt: skip
    return int(offer)


def _task(conn: Conn, **values: Any) -> Any:
    made = conn.execute("SELECT gen_random_uuid()").fetchone()
    assert made is not None
    given = {"producer": "prices", "lane": "@contract", "url": "https://shop.test/1", "status": "failed"}
    return _add(conn, "tasks", id=made[0], finished_at="2026-01-02T00:00:00Z", **given | values)


def _job(conn: Conn) -> Any:
    made = conn.execute("SELECT gen_random_uuid()").fetchone()
    assert made is not None
    return _add(conn, "jobs", id=made[0], workspace_id="ws_1", total_tasks=2)


def _letter(conn: Conn, task_id: Any) -> int:
    payload = {
        "producer": "prices", "kind": "offer", "url": "https://shop.test/1", "origin": "https://shop.test",
        "lane": "shop.test", "source_id": None, "target_id": None, "job_id": None, "adapter_id": "generic",
        "trigger": "MANUAL", "page_id": None, "payload": {},
    }  # fmt: skip
    made = _add(
        conn,
        "dead_letters",
        task_id=task_id,
        stage="fetch",
        error_type="timeout",
        payload=Jsonb(payload),
        max_retries=3,
    )  # fmt: skip
    return int(made)


def _proxies(conn: Conn) -> list[int]:
    return [int(_add(conn, "proxies", proxy_url="proxy.test", proxy_port=1000 + n)) for n in range(N)]


def _webhook(conn: Conn, n: int) -> int:
    return int(_add(conn, "webhook_endpoints", name=f"hook {n}", url="https://hook.test/", topics=["*"]))


def _events(conn: Conn, sources: list[int]) -> dict[str, list[Any]]:
    venues = [_add(conn, "venues", name=f"Hall {n}", name_key=f"hall {n}") for n in range(N)]
    events = [
        _add(
            conn, "events", source_id=source, source_key=f"KEY:{n}", occurrence="2030-01-01", record_key=f"KEY:{n}",
            event_fingerprint="0" * 64, digest="x", title=f"Event {n}", event_date="2030-01-01",
            starts_at="2030-01-01T20:00Z", venue_id=venue, venue_name=f"Hall {n}", latitude=52.0, longitude=4.0,
            precision="exact",
        )
        for n, (source, venue) in enumerate(zip(sources, venues, strict=True))
    ]  # fmt: skip
    doubts = [_add(conn, "event_doubts", low_id=a, high_id=b, score=0.8) for a, b in itertools.pairwise(events)]
    made = [
        _add(conn, "event_subscriptions", token_hash=f"{n:064}", name=f"Calendar {n}", created_by="tests")
        for n in range(N)
    ]
    return {"event_id": events, "other_id": events, "venue_id": venues, "into": venues, "doubt_id": doubts,
            "subscription_id": made}  # fmt: skip
