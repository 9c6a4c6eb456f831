"""Phase 1: chunks of a catalogue into the database, each committed on its own (F-070, F-071).

Works on the connection that holds the feed's lock. The first load of a source may write every other chunk on a second
one, which holds a lock of the feed too (pool.py, DESIGN §11.21): nothing in it is compared with what is there,
so that no chunk needs another one. A load that is interrupted goes on as any other does.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

import msgspec
import structlog

from winnow.db.sql import load
from winnow.feeds.feed import Connection
from winnow.feeds.load.writer_pool import Second, WriterPool
from winnow.feeds.load.writing import STAGE, ChunkWriter, LoadTarget
from winnow.feeds.read import memory
from winnow.feeds.read.layout import Layout
from winnow.feeds.read.reading import Chunk, EndOfFile

log = structlog.get_logger(__name__)

BEFORE = load("feeds/load/load_before.sql")
BACK = load("feeds/load/load_back.sql")
APART = load("feeds/load/load_apart.sql")
MISSED = load("feeds/load/load_missed.sql")
REMOVED = load("feeds/load/load_removed.sql")
CLOSE = load("feeds/load/load_close.sql")
ANALYSE_AT = (1, 10, 40)  # chunks after which a table that grew is looked at again: without, plans go quadratic


class Totals(msgspec.Struct, kw_only=True):
    """Counters of a run in progress; the columns of F-014."""

    rows_read: int = 0
    rows_parsed: int = 0
    products_upserted: int = 0
    products_created: int = 0
    products_updated: int = 0
    products_removed: int = 0
    products_rejected: int = 0
    prices_written: int = 0
    error_count: int = 0
    duplicate_key_count: int = 0
    unknown_stock_count: int = 0
    url_hash_fallback_count: int = 0
    price_jump_count: int = 0


Progress = Callable[[Totals], Awaitable[None]]


class Before(msgspec.Struct, frozen=True):
    """The source's offers before the load: numbers of those in step since a run, and of those with a row of presence
    of their own."""

    plain: Mapping[int, int]
    apart: int


class Loader:
    def __init__(
        self, conn: Connection, target: LoadTarget, progress: Progress | None = None, second: Second | None = None
    ) -> None:
        self._conn, self._target, self._progress = conn, target, progress
        self._writer = ChunkWriter(conn, target)
        self._second = second
        self.totals = Totals()
        self._entries = bytearray()
        self._whole = True  # every row has a digest: the load may be remembered
        self._part = 0
        self._fresh = False
        self._before: Before | None = None
        self._adopted = 0  # offers that were there, but not of the feed
        self.moved = False  # whether offers came, came back or were missed

    async def run(self, stream: AsyncIterator[Layout | Chunk | EndOfFile]) -> EndOfFile:
        """Load the file to its end, after `prepare`. Committed chunks remain when it fails (F-074)."""
        async with WriterPool(self._writer, self._second) as pool:
            async for frame in stream:
                if isinstance(frame, Chunk):
                    await self._write_chunk(pool, frame)
                elif isinstance(frame, EndOfFile):
                    await pool.wait_all()
                    await self._close(frame)
                    return frame
        raise RuntimeError("the reader ended without an End frame")

    async def _write_chunk(self, pool: WriterPool, chunk: Chunk) -> None:
        """What is compared needs everything before it committed, and the one after it needs its statistics."""
        part, self._part = self._part, self._part + 1
        if chunk.added is not None:
            await pool.submit(partial(self._chunk, chunk, part))
            return
        await pool.wait_all()
        await self._chunk(chunk, part, pool.first)

    def remembered(self, end: EndOfFile) -> list[bytes]:
        usable = self._whole and end.salt != ""
        return list(memory.parts_of(self._entries, end.doubled)) if usable else []

    async def prepare(self) -> bool:
        """Whether the source has no offers yet. A retry begins anew: what an earlier attempt saw may not be in the
        file any more."""
        await self._conn.execute(STAGE)
        for table in ("feed_run_seen", "affiliate_feed_run_errors"):
            await self._conn.execute(f"DELETE FROM {table} WHERE run_id = %s", (self._target.run_id,))
        found = await self._conn.execute(
            "SELECT FROM source_products WHERE source_id = %s LIMIT 1", (self._target.source_id,)
        )
        self._fresh = await found.fetchone() is None
        return self._fresh

    async def count_existing(self, made_at: datetime | None) -> list[int]:
        """Counts what is there, and returns the offers that were changed after `made_at`. In one go, while the file is
        opened: afterwards the run would have to look at each offer again to know how many it did not see."""
        if self._fresh:
            self._before = Before({}, 0)
            return []
        given = {"source_id": self._target.source_id, "made_at": made_at}
        rows = await (await self._conn.execute(BEFORE, given)).fetchall()
        self._before = Before({run: plain for run, plain, *_ in rows if run is not None}, sum(row[2] for row in rows))
        return [offer for *_, changed in rows for offer in changed or ()]

    async def _chunk(self, chunk: Chunk, part: int, writer: ChunkWriter) -> None:
        began = time.monotonic()
        log.info("UPSERT_BATCH_START", stage="upsert", batch_number=part + 1, batch_size=chunk.count,
                 total_batches=None)  # fmt: skip
        done = await writer.write(chunk, part)
        self._count(chunk, done)
        writer.rows.log_rows()
        log.info("UPSERT_BATCH_COMPLETE", stage="upsert", batch_number=part + 1, products_upserted=chunk.count,
                 prices_written=done["prices"], duplicates=chunk.duplicates,
                 duration_ms=round((time.monotonic() - began) * 1000))  # fmt: skip
        if part + 1 in ANALYSE_AT and done["created"] and chunk.added is None:
            await self._conn.execute("ANALYZE source_products, latest_prices")
        if self._progress is not None and writer is self._writer:  # said on its connection
            await self._progress(self.totals)

    def _count(self, chunk: Chunk, done: dict[str, Any]) -> None:
        t = self.totals
        t.rows_read = max(t.rows_read, chunk.read)
        t.rows_parsed += chunk.parsed
        t.products_upserted += (0 if chunk.late else chunk.count) + len(chunk.known) // memory.ENTRY_BYTES
        t.products_created += done["created"]
        t.products_updated += done["updated"]
        self._adopted += done["adopted"]
        t.prices_written += done["prices"]
        t.price_jump_count += done["jumps"]
        t.products_rejected += chunk.rejected
        t.error_count += chunk.rejected
        t.duplicate_key_count += chunk.duplicates
        t.unknown_stock_count += chunk.unknown_stock
        t.url_hash_fallback_count += chunk.fallbacks
        self._remember(chunk, done["entries"])

    def _remember(self, chunk: Chunk, stored: bytes) -> None:
        self._entries += chunk.known
        if len(chunk.keys) == memory.KEY_BYTES * chunk.count:
            self._entries += memory.entries_of(chunk.keys, stored)
        else:
            self._whole = False

    async def _close(self, end: EndOfFile) -> None:
        """Who was missed has to be looked for only if there are more offers in step than the file has: after those
        that came back, every offer it has is one of them."""
        given = msgspec.structs.asdict(self._target)
        async with self._conn.transaction():
            back = await self._conn.execute(BACK, given)
            missed = not self._fresh and await self._in_step(given) != end.unique and not self._target.incremental
            if missed:
                await self._conn.execute(MISSED, given)
            removed = await self._remove(end.removed, given) if end.removed else 0
            await self._conn.execute(CLOSE, given)
        self.totals.products_removed = removed
        missed = missed or removed > 0
        self.moved = missed or back.rowcount > 0 or self.totals.products_created > 0
        if missed:
            self._before = None

    async def _remove(self, identities: list[tuple[str, str]], given: dict[str, Any]) -> int:
        """Takes out what rows of the file remove; how many offers there were."""
        kinds, values = map(list, zip(*identities, strict=True))
        return (await self._conn.execute(REMOVED, {**given, "kinds": kinds, "values": values})).rowcount

    async def _in_step(self, given: dict[str, Any]) -> int | None:
        """None: not known without a look at each. What was counted before the load still holds if no other offer of
        the source has got a row of presence or lost it since."""
        row = await (await self._conn.execute(APART, given)).fetchone()
        assert row is not None
        apart, in_step = row
        if self._before is None or self._before.apart != apart or self._adopted:
            self._before = None
            return None
        return sum(self._before.plain.values()) + self.totals.products_created + int(in_step)

    @property
    def plain(self) -> Mapping[int, int] | None:
        """Of the offers in step that have no row of presence: how many since which run. None: not known."""
        return None if self._before is None else self._before.plain
