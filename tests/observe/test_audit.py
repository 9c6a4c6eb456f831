"""The audit trail names secrets and never shows them (F-101)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import psycopg
import pytest

from winnow.db.engine import Database
from winnow.observe import audit, logs


async def test_an_entry_holds_actor_change_and_request(database: Database) -> None:
    before = {"rate": Decimal("0.5"), "at": datetime(2024, 1, 1, tzinfo=UTC), "every": timedelta(hours=4)}
    after = {"scrape_config": {"customHeaders": {"Cookie": "canary"}, "id": UUID(int=1)}, "proxy_password": "canary"}
    async with database.connection() as conn:
        with logs.context(request_id="r-1"):
            await audit.record(conn, "ann", "source.updated", "source", 7, before, after, reason="asked to")
        row = await (
            await conn.execute("SELECT actor, action, object_id, before, after, reason, request_id FROM audit_log")
        ).fetchone()
    assert row is not None
    assert row[:3] == ("ann", "source.updated", "7")
    assert row[3] == {"rate": "0.5", "at": "2024-01-01T00:00:00+00:00", "every": "4:00:00"}
    assert "canary" not in repr(row)
    assert row[5:] == ("asked to", "r-1")


async def test_entries_are_never_changed(database: Database) -> None:
    async with database.connection() as conn:
        await audit.record(conn, "ann", "x", "source", 1)
        with pytest.raises(psycopg.Error):
            await conn.execute("UPDATE audit_log SET actor = 'bob'")
        with pytest.raises(psycopg.Error):
            await conn.execute("DELETE FROM audit_log")


async def test_an_entry_lives_and_dies_with_its_transaction(database: Database) -> None:
    async def fails() -> None:
        async with database.transaction() as conn:
            await audit.record(conn, "ann", "x", "source", 1)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fails()
    async with database.connection() as conn:
        row = await (await conn.execute("SELECT count(*) FROM audit_log")).fetchone()
    assert row == (0,)


def test_only_what_differs_is_kept() -> None:
    assert audit.changes({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 5}) == ({"b": 2}, {"b": 5})
