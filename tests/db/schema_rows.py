"""Rows for the schema's own tests: the smallest ones that its checks allow."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql

URL_HASH = "0" * 64


def insert(conn: psycopg.Connection[Any], table: str, key: str = "id", **values: Any) -> Any:
    """Returns the new row's key."""
    statement = sql.SQL("INSERT INTO {} ({}) VALUES ({}) RETURNING {}").format(
        sql.Identifier(table),
        sql.SQL(", ").join(map(sql.Identifier, values)),
        sql.SQL(", ").join(sql.Placeholder() * len(values)),
        sql.Identifier(key),
    )
    row = conn.execute(statement, list(values.values())).fetchone()
    assert row is not None
    return row[0]


def retailer(conn: psycopg.Connection[Any], name: str = "Shop") -> int:
    return int(insert(conn, "retailers", name=name))


def source(conn: psycopg.Connection[Any], retailer_id: int | None, **values: Any) -> int:
    given = {"name": "shop", "url": "https://shop.test", "domain": "shop.test", "retailer_id": retailer_id}
    return int(insert(conn, "sources", **given | values))


def eligible(conn: psycopg.Connection[Any], source_id: int) -> None:
    conn.execute("UPDATE source_trust_config SET visibility_status = 'ELIGIBLE' WHERE source_id = %s", (source_id,))


def feed(conn: psycopg.Connection[Any], source_id: int, **values: Any) -> int:
    return int(insert(conn, "affiliate_feeds", source_id=source_id, **values))


def feed_run(conn: psycopg.Connection[Any], feed_id: int, source_id: int) -> int:
    return int(insert(conn, "affiliate_feed_runs", feed_id=feed_id, source_id=source_id))


def offer(conn: psycopg.Connection[Any], source_id: int, value: str = "1", **values: Any) -> int:
    given = {"identity_type": "PID", "identity_value": value, "title": "Thing", "url": f"https://shop.test/{value}"}
    return int(insert(conn, "source_products", source_id=source_id, **given | values))


def price(conn: psycopg.Connection[Any], offer_id: int, amount: int = 1999, **values: Any) -> int:
    given = {"currency": "USD", "availability": "IN_STOCK", "observed_at": "2026-01-02T00:00:00Z"}
    given |= {"ingestion_run_type": "SCRAPE"} | values
    in_stock = given["availability"] == "IN_STOCK"
    return int(insert(conn, "prices", source_product_id=offer_id, amount_minor=amount, in_stock=in_stock, **given))


def target(conn: psycopg.Connection[Any], source_id: int, path: str = "/1", **values: Any) -> int:
    url = f"https://shop.test{path}"
    given = {"url": url, "canonical_url": url, "url_hash": URL_HASH, "domain": "shop.test", "adapter_id": "shop"}
    return int(insert(conn, "scrape_targets", source_id=source_id, **given | values))


def task(conn: psycopg.Connection[Any], table: str = "tasks", **values: Any) -> Any:
    given = {"producer": "catalogue", "lane": "shop.test", "url": "https://shop.test/1"}
    if values.get("status") == "running":
        given |= {"fence": 1, "lease_until": "infinity"}
    task_id = conn.execute("SELECT gen_random_uuid()").fetchone()
    assert task_id is not None
    return insert(conn, table, id=task_id[0], **given | values)


def one(conn: psycopg.Connection[Any], query: str, *params: Any) -> Any:
    """The first value of the first row; None when there is none."""
    row = conn.execute(query, params).fetchone()
    return row[0] if row else None
