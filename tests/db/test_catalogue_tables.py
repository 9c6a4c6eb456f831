"""The catalogue has the columns, defaults and keys of its list (C-026 … C-040, DESIGN §11.1, §11.2)."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.db import schema_rows as rows
from tests.db.schema_rows import one
from tests.db.test_event_tables import columns, index

Conn = psycopg.Connection[Any]


def test_c026_a_domain_is_active_and_loosens_no_limit_by_existing(conn: Conn) -> None:
    """Its own limits are unset until a person sets them (DESIGN §11.4)."""
    rows.insert(conn, "domains", domain_name="shop.test", base_url="https://shop.test")
    shown = "SELECT crawl_delay_seconds, max_concurrent_requests, is_active, created_at = updated_at FROM domains"
    assert conn.execute(shown).fetchall() == [(None, None, True, True)]
    for name, base in (("shop.test", "https://x.test"), ("a" * 256, "https://x.test"), ("b.test", "h" * 513)):
        with pytest.raises((psycopg.errors.UniqueViolation, psycopg.errors.CheckViolation)), conn.transaction():
            rows.insert(conn, "domains", domain_name=name, base_url=base)


def test_c027_c039_indexes_are_named_by_table_and_column(conn: Conn) -> None:
    for table, names in (("domains", "domain_name is_active"), ("proxies", "is_active last_used_at failure_count")):
        for name in names.split():
            assert index(conn, f"idx_{table}_{name}").endswith(f"({name})")


def test_c028_c029_a_crawl_task_has_its_identity_and_its_run_data(conn: Conn) -> None:
    """A row of the view is a target with its latest task; what never ran has only its defaults."""
    target_id = rows.target(conn, rows.source(conn, None, kind="product"), kind="product")
    shown = """SELECT id, url, url_hash, status, priority, scheduled_at IS NOT NULL, started_at, completed_at,
               error_message, next_crawl_at, html_path, retry_count, max_retries, crawl_frequency = interval '1 day',
               created_at IS NOT NULL, updated_at IS NOT NULL FROM crawl_tasks"""
    assert conn.execute(shown).fetchall() == [
        (target_id, "https://shop.test/1", rows.URL_HASH, "pending", 5, True, None, None,
         None, None, None, 0, 3, True, True, True)
    ]  # fmt: skip


def test_c030_what_the_catalogue_looks_targets_up_by_is_indexed(conn: Conn) -> None:
    wanted = {"status": "status", "domain": "domain", "url_hash": "url_hash", "next_crawl_at": "next_crawl_at"}
    for name, column in wanted.items():
        assert f"({column})" in index(conn, f"idx_scrape_targets_{name}")
    assert index(conn, "idx_scrape_targets_url_hash").startswith("CREATE UNIQUE")


def test_c033_c034_a_product_has_its_digest_its_extras_and_its_two_times(conn: Conn) -> None:
    rows.offer(conn, rows.source(conn, None, kind="product"), content_hash="0" * 64, attributes='{"colour": "red"}')
    shown = "SELECT content_hash, metadata, created_at IS NOT NULL, updated_at IS NOT NULL FROM catalog_products"
    assert conn.execute(shown).fetchall() == [("0" * 64, {"colour": "red"}, True, True)]


def test_c037_c038_a_proxy_has_its_way_its_sealed_password_and_its_health(conn: Conn) -> None:
    rows.insert(conn, "proxies", proxy_url="proxy.test", proxy_port=3128)
    shown = """SELECT proxy_protocol, proxy_username, proxy_password, is_active, failure_count, success_count,
               last_used_at, last_success_at, last_failure_at, avg_response_time_ms FROM proxies"""
    assert conn.execute(shown).fetchall() == [("http", None, None, True, 0, 0, None, None, None, None)]
    assert columns(conn, "proxies")["proxy_password"][0] == "bytea", "it is stored encrypted"
    for wrong in ({"proxy_protocol": "ftp"}, {"proxy_port": 0}):
        with pytest.raises(psycopg.errors.CheckViolation), conn.transaction():
            rows.insert(conn, "proxies", **{"proxy_url": "other.test", "proxy_port": 1} | wrong)


def test_c040_a_product_has_many_pictures_and_they_go_with_it(conn: Conn) -> None:
    """A domain has many tasks and products, a target one product at most."""
    source_id = rows.source(conn, None, kind="product")
    offers = [rows.offer(conn, source_id, value) for value in "12"]
    for n in range(2):
        rows.insert(conn, "images", product_id=offers[0], image_url=f"https://shop.test/{n}.jpg", position=n)
    target_id = rows.target(conn, source_id, kind="product", source_product_id=offers[0])
    rows.target(conn, source_id, "/2", kind="product", url_hash="1" * 64, source_product_id=offers[1])
    assert conn.execute("SELECT crawl_task_id FROM catalog_products WHERE id = %s", (offers[0],)).fetchall() == [
        (target_id,)
    ]
    conn.execute("DELETE FROM source_products WHERE id = %s", (offers[0],))
    assert one(conn, "SELECT count(*) FROM images") == 0
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        rows.insert(conn, "images", product_id=offers[0], image_url="https://shop.test/1.jpg")
