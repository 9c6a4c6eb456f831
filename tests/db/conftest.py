from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from tests.db import schema_rows as rows


@pytest.fixture(autouse=True)
def _own_logs(own_logs: None) -> None:
    """Some of these tests call commands."""


@pytest.fixture(scope="session")
def rules_database(server_url: str, template_database: str) -> Iterator[str]:
    name = f"winnow_rules_{secrets.token_hex(4)}"
    with psycopg.connect(server_url, autocommit=True) as server:
        made = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        server.execute(made.format(sql.Identifier(name), sql.Identifier(template_database)))
        yield make_conninfo(server_url, dbname=name)
        server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def empty_url(server_url: str) -> Iterator[str]:
    """A database without any schema."""
    name = f"winnow_empty_{secrets.token_hex(4)}"
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        yield make_conninfo(server_url, dbname=name)
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def conn(rules_database: str) -> Iterator[psycopg.Connection[Any]]:
    """A transaction on a shared database, undone after the test: nothing a test writes is ever seen."""
    with psycopg.connect(rules_database) as opened:
        yield opened
        opened.rollback()


@pytest.fixture
def offer_id(conn: psycopg.Connection[Any]) -> int:
    return int(rows.offer(conn, rows.source(conn, rows.retailer(conn))))


@pytest.fixture
def feed_offer(conn: psycopg.Connection[Any]) -> tuple[int, int]:
    """An affiliate's offer and the run that brought it."""
    source_id = rows.source(conn, rows.retailer(conn), source_kind="AFFILIATE_FEED")
    run_id = rows.feed_run(conn, rows.feed(conn, source_id), source_id)
    return rows.offer(conn, source_id, identity_type="IMPACT_ITEM_ID"), run_id
