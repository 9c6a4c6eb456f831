"""A chunk of a catalogue into the tables, in one transaction (F-071).

It may run twice: what is there already is found again, and the same price is not appended twice. Chunks of a source's
first load are copied straight into the tables (read/staging.py); every other one is compared in the staging table.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from typing import Any

import msgspec
import psycopg
import structlog
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.feeds.failures import Transient
from winnow.feeds.feed import Connection
from winnow.feeds.load.ids import IdArray, register
from winnow.feeds.load.jumps import JUMP_FACTOR
from winnow.feeds.load.row_log import SHOWN, RowLog
from winnow.feeds.read import memory
from winnow.feeds.read.reading import Chunk
from winnow.feeds.read.row import RowError
from winnow.feeds.read.staging import Additions

log = structlog.get_logger(__name__)

STAGE = load("feeds/load/load_stage.sql")
RESERVE = load("feeds/load/load_reserve.sql")
RESERVE_EACH = load("feeds/load/load_reserve_each.sql")
CHUNK = load("feeds/load/load_chunk.sql")
TRIES = 3  # attempts to write a chunk whose new offer another process added at the same moment
_OFFERS = (
    "id, source_id, created_by_run_id, last_updated_by_run_id, feed_run_id, identity_type, identity_value, title, url,"
    " image_url, brand, description, category, condition, sku, mpn, impact_item_id, normalized_url_hash, gtin"
)
_PRICES = "amount_minor, currency, exponent, list_price_minor, availability, in_stock, price_signature_hash"
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


class LoadTarget(msgspec.Struct, frozen=True, kw_only=True):
    """Whose rows these are, and under which rules they are written."""

    feed_id: int
    source_id: int
    run_id: int
    incremental: bool = False  # the file names changes only: what it does not name is not missed
    heartbeat_hours: int
    jump_factor: int = JUMP_FACTOR


class Turns(defaultdict[str, asyncio.Lock]):
    """One writer at a time in a table of new offers: two in the same one cost each other what they gain, because only
    one of them can append at the end of its indexes. They take the tables in the same order."""

    def __init__(self) -> None:
        super().__init__(asyncio.Lock)


class ChunkWriter:
    """Writes on one connection, which holds a lock of the feed (DESIGN §11.21)."""

    def __init__(self, conn: Connection, target: LoadTarget, turns: Turns | None = None) -> None:
        self._conn, self._target = conn, target
        self._turns = Turns() if turns is None else turns  # an empty one is false
        self.rows = RowLog(conn, target.run_id, target.source_id, target.heartbeat_hours)
        register(conn)

    async def open_second(self, conn: Connection) -> ChunkWriter:
        """Another one, for chunks of new offers."""
        other = ChunkWriter(conn, self._target, self._turns)
        if other.rows.wanted:  # the log has them compared all the same
            await conn.execute(STAGE)
        return other

    async def write(self, chunk: Chunk, part: int) -> dict[str, Any]:
        for attempt in range(TRIES):
            try:
                return await self._committed(chunk, part)
            except psycopg.Error as error:
                log.error("UPSERT_BATCH_FAILED", stage="upsert", batch_number=part + 1, error=str(error),
                          rolled_back=True)  # fmt: skip
                if not isinstance(error, psycopg.errors.UniqueViolation) or attempt + 1 == TRIES:
                    raise
                if chunk.added is not None:  # another process adds offers: the next attempt compares
                    raise Transient("offers of this source appeared while it was loaded", code="NOT_ALONE") from None
        raise AssertionError("the last try returns or raises")

    async def _committed(self, chunk: Chunk, part: int) -> dict[str, Any]:
        async with self._conn.transaction():
            done = await self._loaded(chunk) if chunk.count else _NOTHING
            loaded = IdArray.within(done["entries"], 0, memory.STORED_BYTES)
            seen = IdArray(loaded + IdArray.within(chunk.known, memory.KEY_BYTES, memory.ENTRY_BYTES))
            if seen:
                await self._conn.execute(_SEEN, (self._target.run_id, part, seen))
            await self._report(chunk.errors)
        return done

    async def _loaded(self, chunk: Chunk) -> dict[str, Any]:
        if chunk.added is not None:
            return await self._added(chunk, chunk.added)
        await self._stage(chunk)
        async with self._conn.cursor(row_factory=dict_row, binary=True) as cursor:
            await cursor.execute(CHUNK, msgspec.structs.asdict(self._target))
            done = await cursor.fetchone()
        assert done is not None
        await self.rows.after(IdArray.within(done["entries"][: SHOWN * memory.STORED_BYTES], 0, memory.STORED_BYTES))
        return done

    async def _stage(self, chunk: Chunk) -> None:
        await self._conn.execute(_PLANS)
        await self._copy("feed_stage", chunk.rows)
        await self.rows.before()

    async def _added(self, chunk: Chunk, added: Additions) -> dict[str, Any]:
        """Ids are taken first, then every table is copied: no row of a new offer is looked for or compared."""
        if self.rows.wanted:
            await self._stage(chunk)
        async with self._turns["ids"]:
            offers, prices, moment = await self._reserved(chunk.count)
        lines = added.offers % offers
        attributes = ", attributes" if added.with_attributes else ""
        copying = f"COPY source_products ({_OFFERS}{attributes}) FROM STDIN"
        async with self._turns["source_products"], self._conn.cursor().copy(copying) as copy:
            await copy.write(lines)
            # The server has work: meanwhile the rest is written out for it.
            tables = _following(added, self._target.run_id, offers, prices)
        for table, lines in tables.items():
            async with self._turns[table]:
                await self._copy(table, lines)
        await self.rows.after(IdArray.of(offers[:SHOWN]))
        return {"entries": IdArray.of(offers).each_with(moment), "created": chunk.count, "updated": 0, "adopted": 0,
                "prices": chunk.count, "jumps": 0}  # fmt: skip

    async def _reserved(self, count: int) -> tuple[tuple[int, ...], tuple[int, ...], bytes]:
        cursor = await self._conn.execute(RESERVE, {"count": count}, binary=True)
        row = await cursor.fetchone()
        assert row is not None
        first, last, first_price, last_price, moment, _ = row
        if last - first == last_price - first_price == count - 1:
            return tuple(range(first, last + 1)), tuple(range(first_price, last_price + 1)), moment
        cursor = await self._conn.execute(RESERVE_EACH, {"count": count}, binary=True)
        row = await cursor.fetchone()
        assert row is not None
        return tuple(row[0]), tuple(row[1]), moment

    async def _copy(self, table: str, rows: bytes) -> None:
        async with self._conn.cursor().copy(f"COPY {table} FROM STDIN") as copy:
            await copy.write(rows)

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


_NOTHING: dict[str, Any] = {"entries": b"", "created": 0, "updated": 0, "adopted": 0, "prices": 0, "jumps": 0}


def _following(added: Additions, run_id: int, offers: Sequence[int], prices: Sequence[int]) -> dict[str, bytes]:
    """The lines of the tables that come after the offers."""
    priced = added.prices % tuple(chain.from_iterable(zip(prices, offers, strict=True)))
    run = f"AFFILIATE_FEED\t{run_id}\t".encode()
    return {
        f"prices (ingestion_run_type, affiliate_feed_run_id, id, source_product_id, {_PRICES})": _each(priced, run),
        f"latest_prices (scraped, ingestion_run_type, price_id, source_product_id, {_PRICES})": _each(
            priced, b"f\tAFFILIATE_FEED\t"
        ),
    }


def _each(lines: bytes, before: bytes) -> bytes:
    """Each line with what is the same in all."""
    return before + lines[:-1].replace(b"\n", b"\n" + before) + b"\n"
