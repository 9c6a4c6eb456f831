"""Phase 1: chunks of a catalogue into the database, each committed on its own (F-070, F-071).

Works on the connection that holds the feed's lock and on no other (DESIGN §11.21). Every chunk may run twice: what
is there already is found again, and the same price is not appended twice. Chunks of a source's first load are copied
straight into the tables (feeds/staging.py); a load that is interrupted goes on as any other does.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from itertools import chain, compress
from typing import Any

import msgspec
import psycopg
import structlog
from psycopg import AsyncConnection
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.feeds import memory
from winnow.feeds.failures import Transient
from winnow.feeds.ids import Ids, register
from winnow.feeds.layout import Layout
from winnow.feeds.reading import Chunk, End
from winnow.feeds.row import RowError
from winnow.feeds.row_log import SHOWN, RowLog
from winnow.feeds.staging import Additions

log = structlog.get_logger(__name__)
Connection = AsyncConnection[Any]

STAGE = load("feeds/load_stage.sql")
RESERVE = load("feeds/load_reserve.sql")
CHUNK = load("feeds/load_chunk.sql")
BEFORE = load("feeds/load_before.sql")
BACK = load("feeds/load_back.sql")
APART = load("feeds/load_apart.sql")
MISSED = load("feeds/load_missed.sql")
CLOSE = load("feeds/load_close.sql")
ANALYSE_AT = (1, 10, 40)  # chunks after which a table that grew is looked at again: without, plans go quadratic
TRIES = 3  # of a chunk whose new offer somebody else added at the same moment
_OFFERS = (
    "id, source_id, created_by_run_id, last_updated_by_run_id, feed_run_id, identity_type, identity_value, title, url,"
    " image_url, brand, description, category, condition, sku, mpn, impact_item_id, normalized_url_hash"
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


class Before(msgspec.Struct, frozen=True):
    """The source's offers before the load: numbers of those in step since a run, and of those with a row of presence
    of their own."""

    plain: Mapping[int, int]
    apart: int


class Loader:
    def __init__(self, conn: Connection, target: Target, progress: Progress | None = None) -> None:
        self._conn, self._target, self._progress = conn, target, progress
        self.totals = Totals()
        self._rows = RowLog(conn, target.run_id, target.source_id, target.heartbeat_hours)
        self._entries = bytearray()
        self._whole = True  # every row has a digest: the load may be remembered
        self._part = 0
        self._fresh = False
        self._before: Before | None = None
        self._adopted = 0  # offers that were there, but not of the feed
        self.moved = False  # whether offers came, came back or were missed

    async def run(self, stream: AsyncIterator[Layout | Chunk | End]) -> End:
        """Until the file ends, after `prepare`. What was committed stays when it does not (F-074)."""
        async for frame in stream:
            if isinstance(frame, End):
                await self._close(frame.unique)
                return frame
            if isinstance(frame, Chunk):
                await self._chunk(frame)
                if self._progress is not None:
                    await self._progress(self.totals)
        raise RuntimeError("the reader said nothing of an end")

    def remembered(self, end: End) -> list[bytes]:
        usable = self._whole and end.salt != ""
        return list(memory.parts_of(self._entries, end.doubled)) if usable else []

    async def prepare(self) -> bool:
        """Whether the source has no offers yet. A retry begins anew: what an earlier attempt saw may not be in the
        file any more."""
        register(self._conn)
        await self._conn.execute(STAGE)
        for table in ("feed_run_seen", "affiliate_feed_run_errors"):
            await self._conn.execute(f"DELETE FROM {table} WHERE run_id = %s", (self._target.run_id,))
        found = await self._conn.execute(
            "SELECT FROM source_products WHERE source_id = %s LIMIT 1", (self._target.source_id,)
        )
        self._fresh = await found.fetchone() is None
        return self._fresh

    async def look_before(self, made_at: datetime | None) -> list[int]:
        """Counts what is there, and returns the offers that were changed after `made_at`. In one go, while the file is
        opened: afterwards the run would have to look at each offer again to know how many it did not see."""
        if self._fresh:
            self._before = Before({}, 0)
            return []
        given = {"source_id": self._target.source_id, "made_at": made_at}
        rows = await (await self._conn.execute(BEFORE, given)).fetchall()
        self._before = Before({run: plain for run, plain, *_ in rows if run is not None}, sum(row[2] for row in rows))
        return [offer for *_, changed in rows for offer in changed or ()]

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
        if self._part in ANALYSE_AT and done["created"] and chunk.added is None:
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
                if chunk.added is not None:  # somebody else adds offers to this source: the next attempt compares
                    raise Transient("offers of this source appeared while it was loaded", code="NOT_ALONE") from None
        raise AssertionError("the last try returns or raises")

    async def _committed(self, chunk: Chunk) -> dict[str, Any]:
        async with self._conn.transaction():
            done = await self._loaded(chunk) if chunk.count else _NOTHING
            loaded = Ids.within(done["entries"], 0, memory.STORED_BYTES)
            seen = Ids(loaded + Ids.within(chunk.known, memory.KEY_BYTES, memory.ENTRY_BYTES))
            if seen:
                await self._conn.execute(_SEEN, (self._target.run_id, self._part, seen))
            await self._report(chunk.errors)
        self._part += 1
        return done

    async def _loaded(self, chunk: Chunk) -> dict[str, Any]:
        if chunk.added is not None:
            return await self._added(chunk, chunk.added)
        await self._stage(chunk)
        async with self._conn.cursor(row_factory=dict_row, binary=True) as cursor:
            await cursor.execute(CHUNK, msgspec.structs.asdict(self._target))
            done = await cursor.fetchone()
        assert done is not None
        await self._rows.after(Ids.within(done["entries"][: SHOWN * memory.STORED_BYTES], 0, memory.STORED_BYTES))
        return done

    async def _stage(self, chunk: Chunk) -> None:
        await self._conn.execute(_PLANS)
        await self._copy("feed_stage", chunk.rows)
        await self._rows.before()

    async def _added(self, chunk: Chunk, added: Additions) -> dict[str, Any]:
        """Ids are taken first, then every table is copied: no row of a new offer is looked for or compared."""
        if self._rows.wanted:
            await self._stage(chunk)
        cursor = await self._conn.execute(RESERVE, {"count": chunk.count}, binary=True)
        row = await cursor.fetchone()
        assert row is not None
        entries, offers, prices = row[0], Ids.within(row[0], 0, memory.STORED_BYTES).numbers(), Ids(row[1]).numbers()
        attributes = ", attributes" if added.with_attributes else ""
        copying = f"COPY source_products ({_OFFERS}{attributes}) FROM STDIN"
        async with self._conn.cursor().copy(copying) as copy:
            await copy.write(added.offers % offers)
            # The server has work: meanwhile the rest is written out for it.
            tables = _following(added, self._target.run_id, offers, prices)
        for table, lines in tables.items():
            await self._copy(table, lines)
        await self._rows.after(Ids.within(entries[: SHOWN * memory.STORED_BYTES], 0, memory.STORED_BYTES))
        return {"entries": entries, "created": chunk.count, "updated": 0, "adopted": 0,
                "prices": chunk.count}  # fmt: skip

    async def _copy(self, table: str, rows: bytes) -> None:
        async with self._conn.cursor().copy(f"COPY {table} FROM STDIN") as copy:
            await copy.write(rows)

    def _count(self, chunk: Chunk, done: dict[str, Any]) -> None:
        t = self.totals
        t.rows_read = chunk.read
        t.rows_parsed += chunk.parsed
        t.products_upserted += chunk.count + len(chunk.known) // memory.ENTRY_BYTES
        t.products_created += done["created"]
        t.products_updated += done["updated"]
        self._adopted += done["adopted"]
        t.prices_written += done["prices"]
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

    async def _close(self, seen: int) -> None:
        """Who was missed has to be looked for only if there are more offers in step than the file has: after those
        that came back, every offer it has is one of them."""
        given = msgspec.structs.asdict(self._target)
        async with self._conn.transaction():
            back = await self._conn.execute(BACK, given)
            missed = not self._fresh and await self._in_step(given) != seen
            if missed:
                await self._conn.execute(MISSED, given)
            await self._conn.execute(CLOSE, given)
        self.moved = missed or back.rowcount > 0 or self.totals.products_created > 0
        if missed:
            self._before = None

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


_NOTHING: dict[str, Any] = {"entries": b"", "created": 0, "updated": 0, "adopted": 0, "prices": 0}


def _following(added: Additions, run_id: int, offers: Sequence[int], prices: Sequence[int]) -> dict[str, bytes]:
    """The lines of the tables that come after the offers."""
    tables: dict[str, bytes] = {}
    if any(added.coded):
        identified = tuple(compress(offers, added.coded))
        tables["source_product_identifiers (source_product_id, type, value)"] = added.identifiers % identified
    both = tuple(chain.from_iterable(zip(prices, offers, strict=True)))
    run = f"AFFILIATE_FEED\t{run_id}".encode()
    tables[f"prices (ingestion_run_type, affiliate_feed_run_id, id, source_product_id, {_PRICES})"] = (
        _each(added.prices, run) % both
    )
    tables[f"latest_prices (scraped, ingestion_run_type, price_id, source_product_id, {_PRICES})"] = (
        _each(added.prices, b"f\tAFFILIATE_FEED") % both
    )
    return tables


def _each(lines: bytes, given: bytes) -> bytes:
    """Each line with what is the same in all, and with places for two ids."""
    before = given + b"\t%d\t%d\t"
    return before + lines[:-1].replace(b"\n", b"\n" + before) + b"\n"
