"""Pages of events for the store's tests: through the writer of the kind, as the commit calls it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec

from winnow.db.engine import Connection, Database
from winnow.judge.verdict import Decision, Finding, Hold, Verdict
from winnow.kinds.assess import Judged
from winnow.kinds.kind import Content, digest
from winnow.kinds.writers.events import EventsWriter
from winnow.kinds.writers.writer import Item, PageRead, Stored, VisitRef

HELD = Verdict(Decision.HOLD, [Finding("event_date", Hold.VALIDATION_FAILED, "no year")])
ACCEPTED = Verdict(Decision.ACCEPT)
ZONE = "Europe/Amsterdam"
WRITER = EventsWriter()


def day(n: int) -> str:
    """So many days from now."""
    return (datetime.now(UTC).date() + timedelta(days=n)).isoformat()


async def source(database: Database, name: str = "Paradiso", **more: Any) -> int:
    given = {"default_latitude": 52.36, "default_longitude": 4.88, "timezone": ZONE, "adapter_id": "event"} | more
    names = ", ".join(["name", "url", "domain", "kind", *given])
    async with database.transaction() as conn:
        statement = f"INSERT INTO sources ({names}) VALUES ({', '.join(['%s'] * (4 + len(given)))}) RETURNING id"
        host = f"{name.lower().replace(' ', '-')}.test"
        row = await (
            await conn.execute(statement, (name, f"https://{host}/", host, "event", *given.values()))  # type: ignore[call-overload]
        ).fetchone()
    assert row is not None
    return int(row[0])


def event(title: str = "Nachtvlinders", on: int | str = 10, hour: str | None = "20:30", **more: Any) -> dict[str, Any]:
    """A record as its kind makes one. `on`: days from now; `key`: its source key."""
    when = day(on) if isinstance(on, int) else on
    start = when if hour is None else f"{when}T{hour}:00"
    given = {
        "title": title,
        "start": start,
        "event_date": when,
        "event_time": hour or "TBD",
        "time_zone": ZONE if hour else None,
        "venue_name": "Paradiso",
        "location": {"city": "Amsterdam", "raw": "Amsterdam"},
        "category": "music",
    }
    return given | more


def judged(record: dict[str, Any], n: int, verdict: Verdict = ACCEPTED) -> Judged:
    record = dict(record)
    key = record.pop("key", None) or f"URL:{digest(record['title'].encode())[:16]}"
    occurrence = record.pop("occurrence", None) or record["event_date"]
    payload = msgspec.json.encode(record)
    content = Content(payload=payload, digest=digest(payload), provenance={"title": "h2"})
    return Judged(key=f"{key}@{occurrence}", draft=n, verdict=verdict, content=content)


def page(
    source_id: int, records: Sequence[dict[str, Any]], *, url: str = "https://paradiso.test/agenda",
    run_id: int | None = None, held: Sequence[dict[str, Any]] = (), cut: int = 0,
) -> PageRead:  # fmt: skip
    visit = VisitRef(task_id=uuid4(), kind="event", url=url, source_id=source_id, run_id=run_id)
    found = [judged(record, n) for n, record in enumerate(records)]
    found += [judged(record, len(found) + n, HELD) for n, record in enumerate(held)]
    return PageRead(visit, found, cut)


class Read(msgspec.Struct, frozen=True):
    """What became of a page: the verdict that held it, or what was stored."""

    held: Verdict | None
    stored: list[Stored]

    @property
    def ids(self) -> list[int]:
        return [one.ref for one in self.stored if one.ref is not None]


async def read(database: Database, *pages: PageRead) -> list[Read]:
    """In one commit, as run/commit does it."""
    async with database.transaction() as conn:
        return await read_in(conn, pages)


async def read_in(conn: Connection, pages: Sequence[PageRead]) -> list[Read]:
    held = await WRITER.read_pages(conn, pages)
    believed = [one for one in pages if one.visit.task_id not in held]
    items = [
        Item(one.visit, record)
        for one in believed
        for record in one.records
        if record.verdict.decision is Decision.ACCEPT
    ]
    stored = await WRITER.write(conn, items)
    refs = {one.item.id: one.ref for one in stored if one.ref is not None}
    await WRITER.pages_stored(conn, believed, refs)
    by_task: dict[UUID, list[Stored]] = {}
    for one in stored:
        by_task.setdefault(one.item.visit.task_id, []).append(one)
    return [Read(held.get(one.visit.task_id), by_task.get(one.visit.task_id, [])) for one in pages]


async def list_events(database: Database, source_id: int, *records: dict[str, Any], **more: Any) -> Read:
    """One reading of the source's agenda."""
    (found,) = await read(database, page(source_id, records, **more))
    return found
