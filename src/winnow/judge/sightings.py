"""Loads previous readings of offers whose price changed implausibly; only those need them, and they are rare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from psycopg import AsyncConnection

from winnow.db.sql import load
from winnow.judge.gates import PriceHistory
from winnow.normalise.record import Money

SIGHTINGS = load("judge/sightings.sql")
CROWD = load("judge/crowd.sql")
# The figures by which a batch is called bad (P-083): more than half of the source's offers, and no fewer than 20.
MIN_CROWD = 20

Connection = AsyncConnection[Any]


class ImplausibleOffer(msgspec.Struct, frozen=True, kw_only=True):
    """An offer whose price is not what its `last` one makes plausible."""

    task_id: UUID
    kind: str
    key: str
    source_id: int
    adapter_id: str
    last: Money
    since: datetime


async def histories(conn: Connection, changed: Sequence[ImplausibleOffer]) -> list[PriceHistory]:
    """In the order of `changed`."""
    held: dict[int, list[Money]] = {}
    refused: dict[int, list[Money]] = {}
    given = {
        "n": list(range(len(changed))),
        "source_id": [c.source_id for c in changed],
        "kind": [c.kind for c in changed],
        "record_key": [c.key for c in changed],
        "task_id": [c.task_id for c in changed],
        "since": [c.since for c in changed],
    }
    for n, by_person, minor, currency in await (await conn.execute(SIGHTINGS, given)).fetchall():
        (refused if by_person else held).setdefault(n, []).append(Money(minor, currency))
    crowds = await _crowds(conn, changed)
    return [
        PriceHistory(c.last, held.get(n, []), refused.get(n, []), c.source_id in crowds) for n, c in enumerate(changed)
    ]


async def _crowds(conn: Connection, changed: Sequence[ImplausibleOffer]) -> set[int]:
    """The sources most of whose offers changed like this, or whose adapter is suspected of drift: a second sighting
    proves nothing there."""
    adapters = {c.source_id: c.adapter_id for c in changed}
    now = Counter(source for source, _ in {(c.source_id, c.key) for c in changed})
    keys = [c.key for c in changed]
    given = {"source_id": list(adapters), "adapter_id": list(adapters.values()), "record_key": keys}
    rows = await (await conn.execute(CROWD, given)).fetchall()
    return {source for source, waiting, total, suspected in rows if suspected or is_crowd(waiting + now[source], total)}


def is_crowd(changed: int, known: int) -> bool:
    return changed >= MIN_CROWD and changed * 2 > known
