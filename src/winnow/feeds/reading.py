"""Reads a catalogue file for loading: rows -> chunks, ready to be copied into the staging table.

Runs in a process of its own (feeds/reading_child.py): a file of 500 000 rows is seconds of work, and a worker's loop
has leases to keep meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from winnow.feeds import row as codes
from winnow.feeds.failures import BadFile, FeedFailure, UniqueProductLimitExceeded
from winnow.feeds.identity import URL_HASH, resolve, url_hash, without_tracking
from winnow.feeds.late import Late, LateRows
from winnow.feeds.layout import Layout, ParseSettings
from winnow.feeds.memory import FALLBACK, STOCK_UNKNOWN, Recall, identity_digest
from winnow.feeds.parse import parse
from winnow.feeds.row import Row, RowError
from winnow.feeds.signature import signature
from winnow.normalise.currencies import exponent

READER = "1"  # raise it when the same record comes to mean something else
SAMPLED = 3  # rows of a chunk shown in the log
MOST_SAMPLES = 100  # error rows kept of a run (F-019); the counters count all
KNOWN_AT_ONCE = 50_000  # known records in a chunk: nothing is loaded for them


class Assignment(msgspec.Struct, frozen=True, kw_only=True):
    """What the child is to read. `memory` is a file of entries; `due_before`: prices older than this are due again."""

    path: str
    settings: ParseSettings
    chunk_rows: int
    lowercase_path: bool = False
    salt: str = ""
    memory: str | None = None
    dirty: frozenset[bytes] = frozenset()
    due_before: bytes = b""


class Sampled(NamedTuple):
    """How a row became an offer (F-124)."""

    row_number: int
    identity: tuple[str, str]
    alternates: dict[str, str | None]


class Chunk(msgspec.Struct, kw_only=True):
    """Rows for the staging table as COPY reads them, and what there is to say about the records since the last chunk.

    `keys`: digest and identity of each row, 24 bytes; `known`: whole entries of records that need no loading.
    `sampled` and `by_url` are for the log: the first rows, and the first that have no id (number, address, hash).
    """

    rows: bytes = b""
    count: int = 0
    keys: bytes = b""
    known: bytes = b""
    read: int = 0
    parsed: int = 0
    rejected: int = 0
    duplicates: int = 0
    fallbacks: int = 0
    unknown_stock: int = 0
    errors: list[RowError] = []
    sampled: list[Sampled] = []
    by_url: list[tuple[int, str, str]] = []


class End(msgspec.Struct, kw_only=True):
    """`salt` is empty when nothing of this file may be remembered."""

    salt: str
    doubled: set[bytes]
    unique: int


def salt_of(assignment: Assignment, layout: Layout) -> str:
    told = (READER, assignment.lowercase_path, layout.header, msgspec.structs.replace(assignment.settings, now=None))
    return blake2b(repr(told).encode("utf-8", "replace"), digest_size=16).hexdigest()


# Identity -> the last row that has it, the record's digest, the identity's, and the hash of its address.
Rows = dict[tuple[str, str], tuple[Row, bytes, bytes, str]]


class Reader:
    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.recall = Recall()
        self.seen: set[bytes] = set()
        self.doubled: set[bytes] = set()
        self.samples = 0
        self.layout: Layout | None = None
        self.late = LateRows()

    def chunks(self) -> Iterator[Layout | Chunk | End]:
        """First the layout, then chunks, then the end. Limits and broken files raise where they are met."""
        with Path(self.assignment.path).open("rb") as file, self.late:
            reading = parse(file, self.assignment.settings, self.recall)
            salt = salt_of(self.assignment, reading.layout)
            self._learn(salt)
            yield reading.layout
            chunk = Chunk()
            rows: Rows = {}
            try:
                for batch in reading:
                    chunk.read = batch.read
                    beaten = self._known(chunk, batch.known, wanted=bool(batch.rows))
                    self._report(chunk, batch.errors, batch.warnings)
                    for row, key in zip(batch.rows, batch.digests or [b""] * len(batch.rows), strict=True):
                        self._add(chunk, rows, row, key, beaten)
                        if len(rows) >= self.assignment.chunk_rows:
                            yield self._written(chunk, rows)
                            chunk, rows = Chunk(read=batch.read), {}
                    if len(chunk.known) >= KNOWN_AT_ONCE * 40:
                        yield self._written(chunk, rows)
                        chunk, rows = Chunk(read=batch.read), {}
            except FeedFailure:  # what stood before it is loaded and reported (F-074); nothing of it is activated
                yield self._written(chunk, rows)
                raise
            yield self._written(chunk, rows)
            yield from self._late_chunks(chunk.read)
        if not self.seen:  # an empty shop looks the same as a broken export: nothing is taken off the shelf (F-002)
            raise BadFile(f"none of its {chunk.read} rows can be used", code="NO_USABLE_ROWS")
        remembers = "sale_dates" not in reading.layout.mapped
        yield End(salt=salt if remembers else "", doubled=self.doubled, unique=len(self.seen))

    def _learn(self, salt: str) -> None:
        if self.assignment.memory is None or salt != self.assignment.salt:
            return
        with Path(self.assignment.memory).open("rb") as file:
            parts = iter(lambda: file.read(40 * 25_000), b"")
            self.recall.learn(parts, self.assignment.dirty, self.assignment.due_before)

    def _known(self, chunk: Chunk, known: list[tuple[int, bytes]], *, wanted: bool) -> dict[bytes, int]:
        """Returns, where wanted, the rows they stand in: a row before one of them is not the last of its identity."""
        entries = self.recall.entries
        found = []
        for _, digest in known:
            entry = entries[digest]
            if self._first(chunk, entry[1:8]):
                flags = entry[0]
                if flags:
                    chunk.fallbacks += flags & FALLBACK
                    chunk.unknown_stock += (flags & STOCK_UNKNOWN) >> 1
                found.append(digest + entry)
        chunk.known += b"".join(found)
        chunk.parsed += len(known)
        return {entries[digest][1:8]: number for number, digest in known} if wanted else {}

    def _first(self, chunk: Chunk, identity: bytes) -> bool:
        if identity in self.seen:
            chunk.duplicates += 1
            self.doubled.add(identity)
            return False
        self.seen.add(identity)
        return True

    def _report(self, chunk: Chunk, errors: list[RowError], warnings: list[RowError]) -> None:
        chunk.rejected += len(errors)
        for error in (*errors, *warnings)[: max(0, MOST_SAMPLES - self.samples)]:
            self.samples += 1
            chunk.errors.append(error)

    def _add(self, chunk: Chunk, rows: Rows, row: Row, key: bytes, beaten: dict[bytes, int]) -> None:
        hashed = url_hash(row.url, lowercase_path=self.assignment.lowercase_path)
        identity = resolve(row.item_id, row.sku, hashed)
        fallback, unknown = identity[0] == URL_HASH, not row.stock_known
        short = identity_digest(*identity, fallback=fallback, stock_unknown=unknown)
        bare = short[1:]
        chunk.parsed += 1
        if bare not in self.seen:
            self.seen.add(bare)
            chunk.fallbacks += fallback
            chunk.unknown_stock += unknown
            if len(self.seen) > self.assignment.settings.max_rows:
                raise UniqueProductLimitExceeded(len(self.seen), self.assignment.settings.max_rows)
        else:
            self._first(chunk, bare)
            known = rows.get(identity)
            self._double(chunk, row, identity, known and known[0])
            if beaten.get(bare, 0) > row.row_number:
                return
            if rows.pop(identity, None) is None:  # the last row wins, and takes the last place (F-049)
                self.recall.loaded.add(bare)
                self.late.keep(Late(identity, row, key, short, hashed))
                return
        self.recall.loaded.add(bare)
        rows[identity] = (row, key, short, hashed)

    def _late_chunks(self, read: int) -> Iterator[Chunk]:
        rows: Rows = {}
        for late in self.late.last_ones():
            rows[late.identity] = (late.row, late.digest, late.short, late.hashed)
            if len(rows) >= self.assignment.chunk_rows:
                yield self._written(Chunk(read=read), rows)
                rows = {}
        if rows:
            yield self._written(Chunk(read=read), rows)

    def _double(self, chunk: Chunk, row: Row, identity: tuple[str, str], before: Row | None) -> None:
        if self.samples < MOST_SAMPLES:
            self.samples += 1
            where = "an earlier row" if before is None else f"row {before.row_number}"
            message = f"{identity[0]} {identity[1]} stands in {where} too; this one is used"
            chunk.errors.append(RowError(row.row_number, codes.DUPLICATE_ROW_SAME_IDENTITY, message, {}))

    def _written(self, chunk: Chunk, rows: Rows) -> Chunk:
        chunk.rows = copied(list(_staged(rows)))
        chunk.count = len(rows)
        chunk.sampled = [_sampled(identity, *told) for identity, told in islice(rows.items(), SAMPLED)]
        if chunk.fallbacks:
            urls = ((row, hashed) for (kind, _), (row, _, _, hashed) in rows.items() if kind == URL_HASH)
            chunk.by_url = [(row.row_number, row.url, hashed) for row, hashed in islice(urls, SAMPLED)]
        if all(key for _, key, _, _ in rows.values()):
            chunk.keys = b"".join([key + short for _, key, short, _ in rows.values()])
        return chunk


def _sampled(identity: tuple[str, str], row: Row, _: bytes, __: bytes, hashed: str) -> Sampled:
    return Sampled(row.row_number, identity, {"item_id": row.item_id, "sku": row.sku, "url_hash": hashed})


def _staged(rows: Rows) -> Iterator[tuple[str | None, ...]]:
    """In the order of load_stage.sql."""
    for n, ((kind, value), (row, _, _, hashed)) in enumerate(rows.items()):
        (_, item_id, sku, name, url, tracking_url, price, list_price, currency, in_stock, _, gtin, mpn, brand,
         image_url, category, description, condition) = row  # fmt: skip
        yield (
            str(n), kind, value, name, without_tracking(url), image_url, brand, description, category, condition, sku,
            mpn, item_id, hashed, tracking_url, gtin, str(price), currency, str(exponent(currency)),
            None if list_price is None else str(list_price), "t" if in_stock else "f",
            signature(price, currency, list_price, in_stock),
        )  # fmt: skip


def copied(table: list[tuple[str | None, ...]]) -> bytes:
    """The rows as COPY's text format. Control characters stand in for its signs until everything else is escaped:
    a dozen passes over one long string instead of a look at every character of every cell."""
    cells = [[_NULL if cell is None else cell for cell in row] for row in table]
    text = "".join([_CELL.join(row) + _ROW for row in cells])
    wide = len(table[0]) if table else 1
    empty = sum([row.count(_NULL) for row in cells])
    expected = (len(table) * (wide - 1), len(table), empty, 0)
    if (text.count(_CELL), text.count(_ROW), text.count(_NULL), text.count("\0")) != expected:
        text = "".join([_CELL.join([cell.translate(_CLEAN) if cell != _NULL else cell for cell in row]) + _ROW
                        for row in cells])  # fmt: skip
    for sign, escaped in _ESCAPES:
        text = text.replace(sign, escaped)
    return text.encode("utf-8", "replace")


_NULL, _ROW, _CELL = "\x1d", "\x1e", "\x1f"
_CLEAN = dict.fromkeys(map(ord, "\x00\x1d\x1e\x1f"))
_ESCAPES = (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"),
            (_CELL, "\t"), (_ROW, "\n"), (_NULL, "\\N"))  # fmt: skip
