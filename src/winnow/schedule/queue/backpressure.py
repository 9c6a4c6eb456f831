"""Backpressure: how much more work may be queued. Work that does not fit is rejected with a reason (P-070)."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import scalar_row

from winnow.schedule.queue.task import Producer
from winnow.schedule.settings import ScheduleSettings

RETRY_AFTER_MS = 60_000  # the queue drains at the pace of politeness: a minute is the least worth waiting


class Rejection(StrEnum):
    QUEUE_FULL = "queue_full"
    ADAPTER_DISABLED = "adapter_disabled"
    RATE_LIMITED = "rate_limited"


class QueueRoom(msgspec.Struct, frozen=True):
    """`room` tasks are accepted; with less room than asked for, `reason` and `retry_after_ms` say why."""

    room: int
    reason: Rejection | None = None
    retry_after_ms: int = 0


# Counts stop at the cap, so that asking stays cheap however much is queued.
_PENDING = """
SELECT count(*) FROM (
    SELECT 1 FROM tasks
    WHERE status = 'queued' AND producer = %(producer)s AND (%(adapter)s::text IS NULL OR adapter_id = %(adapter)s)
    LIMIT %(cap)s
) AS pending
"""
# An adapter that serves every site has a standing for each source besides: `generic@12`.
_ADAPTER_DISABLED = "SELECT true FROM scrape_adapter_status WHERE adapter_id IN (%s, %s) AND NOT enabled LIMIT 1"


def cap_of(producer: Producer, settings: ScheduleSettings) -> int:
    if producer is Producer.PRICES:
        return settings.queue_total
    return settings.queue_enrichment if producer is Producer.ENRICHMENT else settings.queue_other


async def admit(
    conn: AsyncConnection[Any],
    producer: Producer,
    adapter_id: str | None,
    wanted: int,
    settings: ScheduleSettings,
    source_id: int | None = None,
) -> QueueRoom:
    """How many of `wanted` tasks fit now. Counts race with other producers only by what those add at the same
    instant; the caps are for backpressure, not for correctness."""
    if adapter_id is not None and await _scalar(conn, _ADAPTER_DISABLED, (adapter_id, f"{adapter_id}@{source_id}")):
        return QueueRoom(0, Rejection.ADAPTER_DISABLED, RETRY_AFTER_MS)
    room = await _room(conn, producer, None, cap_of(producer, settings))
    if producer is Producer.PRICES and adapter_id is not None:
        room = min(room, await _room(conn, producer, adapter_id, settings.queue_per_adapter))
    if room >= wanted:
        return QueueRoom(wanted)
    return QueueRoom(max(0, room), Rejection.QUEUE_FULL, RETRY_AFTER_MS)


async def _room(conn: AsyncConnection[Any], producer: Producer, adapter: str | None, cap: int) -> int:
    pending = await _scalar(conn, _PENDING, {"producer": producer, "adapter": adapter, "cap": cap})
    return cap - int(pending or 0)


async def _scalar(conn: AsyncConnection[Any], query: str, given: Any) -> Any:
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(query, given)
        return await cursor.fetchone()
