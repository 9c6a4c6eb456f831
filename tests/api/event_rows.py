"""Rows of events for tests of the API and of what it publishes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from tests.api.conftest import watch
from winnow.db.engine import Database
from winnow.store.events.place import area

AMSTERDAM, UTRECHT = (52.37, 4.89), (52.09, 5.12)


async def source(client: httpx.AsyncClient, name: str = "kade") -> int:
    return int((await watch(client, f"https://{name}.example/agenda"))["source_id"])


async def add_event(database: Database, source_id: int, title: str, **more: Any) -> int:
    """One that is shown, tomorrow in Amsterdam unless `more` says otherwise."""
    starts: datetime = more.pop("starts_at", datetime.now(UTC) + timedelta(days=1))
    row = {
        "source_id": source_id,
        "source_key": f"KEY:{title}",
        "occurrence": str(starts.date()),
        "record_key": f"KEY:{title}@{starts.date()}",
        "event_fingerprint": "0" * 64,
        "digest": "x",
        "title": title,
        "event_date": starts.date(),
        "event_time": "20:30",
        "starts_at": starts,
        "time_zone": "Europe/Amsterdam",
        "category": "music",
        "venue_name": "De Kade",
        "latitude": AMSTERDAM[0],
        "longitude": AMSTERDAM[1],
        "precision": "exact",
        "search_text": title,
        **more,
    }
    if row["latitude"] is not None:
        row["area"] = area(row["latitude"], row["longitude"])
    columns, values = ", ".join(f'"{name}"' for name in row), ", ".join(["%s"] * len(row))
    async with database.transaction() as conn:
        cursor = await conn.execute(
            f"INSERT INTO events ({columns}) VALUES ({values}) RETURNING id", list(row.values())
        )
        found = await cursor.fetchone()
    assert found is not None
    return int(found[0])


async def titles(client: httpx.AsyncClient, path: str = "/api/v1/events", **query: Any) -> list[str]:
    answer = await client.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return [event["title"] for event in answer.json()["data"]]
