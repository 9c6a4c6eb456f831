"""Phase 1: chunks of a catalogue into the database, each committed on its own (F-070, F-071).

Works on the connection that holds the feed's lock and on no other (DESIGN §11.21). Every chunk may run twice: what
is there already is found again, and the same price is not appended twice.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import msgspec
import psycopg
import structlog
from psycopg import AsyncConnection
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.feeds import memory
from winnow.feeds.layout import Layout
from winnow.feeds.reading import Chunk, End
from winnow.feeds.row import RowError
from winnow.feeds.row_log import RowLog

log = structlog.get_logger(__name__)
Connection = AsyncConnection[Any]

STAGE = load("feeds/load_stage.sql")
CHUNK = load("feeds/load_chunk.sql")
CLOSE = load("feeds/load_close.sql")
ANALYSE_AT = (1, 10, 40)  # chunks after which a table that grew is looked at again: without, plans go quadratic
TRIES = 3  # of a chunk whose new offer somebody else added at the same moment
_SEEN = """
INSERT INTO feed_run_seen (run_id, part, source_product_ids) VALUES (%s, %s, %b)
ON CONFLICT (run_id, part) DO UPDATE SET source_product_ids = EXCLUDED.source_product_ids
"""
_ERRORS = """
INSERT INTO affiliate_feed_run_errors (run_id, code, message, row_number, raw_row)
SELECT %(run_id)s, * FROM unnest(%(code)b::text[], %(message)b::text[], %(row)b::integer[], %(raw)b::jsonb[])
"""
# Lookups by key for a few thousand rows each: a plan that reads whole tables is always the wrong one here.
_PLANS = """
SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
       set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
       set_config('winnow.latest_by_writer', 'on', true)
"""


class Totals(msgspec.Struct, kw_only=True):
    """What a run has done so far; the columns of F-014."""

    rows_read: int = 0
    rows_parsed: int = 0
    products_upserted: int = 0
    products_created: int = 0
    products_updated: int = 0
    products_rejected: int = 0
    prices_written: int = 0
    error_count: int = 0
    duplicate_key_count: int = 0
    unknown_stock_count: int = 0
    url_hash_fallback_count: int = 0


Progress = Callable[[Totals], Awaitable[None]]


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """Whose rows these are, and under which rules they are written."""

    feed_id: int
    source_id: int
    run_id: int
    heartbeat_hours: int


class Loader:
    def __init__(self, conn: Connection, target: Target, progress: Progress | None = None) -> None:
        self._conn, self._target, self._progress = conn, target, progress
        self.totals = Totals()
        self._rows = RowLog(conn, target.run_id, target.source_id, target.heartbeat_hours)
        self._entries = bytearray()
        self._whole = True  # every row has a digest: the load may be remembered
        self._part = 0
        self._fresh = False

    async def run(self, stream: AsyncIterator[Layout | Chunk | End]) -> End:
        """Until the file ends. What was committed stays when it does not (F-074)."""
        await self._prepare()
        async for frame in stream:
            if isinstance(frame, End):
                await self._close()
                return frame
            if isinstance(frame, Chunk):
                await self._chunk(frame)
                if self._progress is not None:
                    await self._progress(self.totals)
        raise RuntimeError("the reader said nothing of an end")

    def remembered(self, end: End) -> list[bytes]:
        usable = self._whole and end.salt != ""
        return list(memory.parts_of(self._entries, end.doubled)) if usable else []

    async def _prepare(self) -> None:
        """A retry begins anew: what an earlier attempt saw may not be in the file any more."""
        await self._conn.execute(STAGE)
        for table in ("feed_run_seen", "affiliate_feed_run_errors"):
            await self._conn.execute(f"DELETE FROM {table} WHERE run_id = %s", (self._target.run_id,))
        found = await self._conn.execute(
            "SELECT FROM source_products WHERE source_id = %s LIMIT 1", (self._target.source_id,)
        )
        self._fresh = await found.fetchone() is None

    async def _chunk(self, chunk: Chunk) -> None:
        began = time.monotonic()
        log.info("UPSERT_BATCH_START", stage="upsert", batch_number=self._part + 1, batch_size=chunk.count,
                 total_batches=None)  # fmt: skip
        done = await self._tried(chunk)
        self._count(chunk, done)
        self._rows.tell()
        log.info("UPSERT_BATCH_COMPLETE", stage="upsert", batch_number=self._part, products_upserted=chunk.count,
                 prices_written=done["prices"], duplicates=chunk.duplicates,
                 duration_ms=round((time.monotonic() - began) * 1000))  # fmt: skip
        if chunk.duplicates:
            self._fresh = False
        if self._part in ANALYSE_AT and done["created"] and not self._fresh:
            await self._conn.execute("ANALYZE source_products, latest_prices, source_product_identifiers")

    async def _tried(self, chunk: Chunk) -> dict[str, Any]:
        for attempt in range(TRIES):
            try:
                return await self._committed(chunk)
            except psycopg.Error as error:
                log.error("UPSERT_BATCH_FAILED", stage="upsert", batch_number=self._part + 1, error=str(error),
                          rolled_back=True)  # fmt: skip
                if not isinstance(error, psycopg.errors.UniqueViolation) or attempt + 1 == TRIES:
                    raise
                self._fresh = False
        raise AssertionError("the last try returns or raises")

    async def _committed(self, chunk: Chunk) -> dict[str, Any]:
        async with self._conn.transaction():
            done = await self._loaded(chunk) if chunk.count else _NOTHING
            ids = [*done["ids"], *_offers(chunk.known)]
            if ids:
                await self._conn.execute(_SEEN, (self._target.run_id, self._part, ids))
            await self._report(chunk.errors)
        self._part += 1
        return done

    async def _loaded(self, chunk: Chunk) -> dict[str, Any]:
        await self._conn.execute(_PLANS)
        async with self._conn.cursor().copy("COPY feed_stage FROM STDIN") as copy:
            await copy.write(chunk.rows)
        await self._rows.before()
        given = {**msgspec.structs.asdict(self._target), "fresh": self._fresh and not chunk.duplicates}
        async with self._conn.cursor(row_factory=dict_row, binary=True) as cursor:
            await cursor.execute(CHUNK, given)
            done = await cursor.fetchone()
        assert done is not None
        await self._rows.after(done["ids"])
        return done

    def _count(self, chunk: Chunk, done: dict[str, Any]) -> None:
        t = self.totals
        t.rows_read = chunk.read
        t.rows_parsed += chunk.parsed
        t.products_upserted += chunk.count + len(chunk.known) // memory.ENTRY_BYTES
        t.products_created += done["created"]
        t.products_updated += done["updated"]
        t.prices_written += done["prices"]
        t.products_rejected += chunk.rejected
        t.error_count += chunk.rejected
        t.duplicate_key_count += chunk.duplicates
        t.unknown_stock_count += chunk.unknown_stock
        t.url_hash_fallback_count += chunk.fallbacks
        self._remember(chunk, done["entries"])

    def _remember(self, chunk: Chunk, stored: bytes) -> None:
        self._entries += chunk.known
        if len(chunk.keys) != 24 * chunk.count:
            self._whole = False
            return
        keys = chunk.keys
        self._entries += b"".join(keys[24 * n : 24 * n + 24] + stored[16 * n : 16 * n + 16] for n in range(chunk.count))

    async def _report(self, errors: list[RowError]) -> None:
        if errors:
            given = {
                "run_id": self._target.run_id,
                "code": [e.code for e in errors],
                "message": [e.message for e in errors],
                "row": [e.row_number for e in errors],
                "raw": [Jsonb(e.sample) for e in errors],
            }
            await self._conn.execute(_ERRORS, given)

    async def _close(self) -> None:
        async with self._conn.transaction():
            await self._conn.execute(CLOSE, msgspec.structs.asdict(self._target))


_NOTHING: dict[str, Any] = {"entries": b"", "ids": [], "created": 0, "updated": 0, "prices": 0}


def _offers(known: bytes) -> list[int]:
    return [int.from_bytes(known[at : at + 8], "big") for at in range(24, len(known), memory.ENTRY_BYTES)]
