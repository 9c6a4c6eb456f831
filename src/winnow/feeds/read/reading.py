"""Reads a catalogue file for loading: rows -> chunks, ready to be copied into the tables.

Runs in a process of its own (read/reading_child.py): a file of 500 000 rows is seconds of work, and a worker's loop
has leases to keep meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from winnow.feeds.failures import BadFile, FeedFailure, UniqueProductLimitExceeded
from winnow.feeds.read import row as codes
from winnow.feeds.read import sale_dates
from winnow.feeds.read.identity import URL_HASH, resolve_all, url_hashes
from winnow.feeds.read.late import LateRows
from winnow.feeds.read.layout import Layout, ParseSettings
from winnow.feeds.read.memory import ENTRY_BYTES, FALLBACK, STOCK_UNKNOWN, Recall
from winnow.feeds.read.parse import parse
from winnow.feeds.read.row import Batch, RowError, Rows
from winnow.feeds.read.staging import Additions, HeldRow, Holding, Lines, additions, staged

READER = "9"  # raise it when the same record comes to mean something else, or is remembered by something else
SAMPLED = 3  # rows of a chunk that are logged
MAX_ERRORS, MAX_NOTES = 1_000, 100  # rows that are kept of a run with their errors (F-019); the counters count all
FIRST_ROWS = (
    1_000  # of the first chunk: the database has nothing to do before it comes; each next one has twice as many
)
KNOWN_AT_ONCE = 50_000  # known records in a chunk: nothing is loaded for them
_FLAGS = [bytes((flags,)) for flags in range((FALLBACK | STOCK_UNKNOWN) + 1)]


class Assignment(msgspec.Struct, frozen=True, kw_only=True):
    """The file that the child reads, and the settings of its feed. `seed` is that of the digests in `memory`, a file of
    entries; `due_before`: prices older than this are due again. `fresh`: the source has no offers yet, so that every
    first row of an identity is a new one."""

    path: str
    settings: ParseSettings
    chunk_rows: int
    source_id: int
    run_id: int
    fresh: bool = False
    lowercase_path: bool = False
    salt: str = ""
    seed: int = 0
    memory: str | None = None
    due_before: bytes = b""


Dirty = Callable[[], frozenset[bytes]]  # offers of the memory that were changed since; asked once, when it is read


class Sampled(NamedTuple):
    """How a row became an offer (F-124)."""

    row_number: int
    identity: tuple[str, str]
    alternates: dict[str, str | None]


class Chunk(msgspec.Struct, kw_only=True):
    """Rows as COPY reads them, and what there is to say about the records since the last chunk.

    `added`: all of them are new offers; then `rows`, for the staging table, has the first few, for the log. `keys`:
    digest and identity of each row, 24 bytes; `known`: whole entries of records that need no loading. `late`: its
    offers are those of earlier chunks, and were counted there. `sampled` and `by_url` are for the log: the first rows,
    and the first that have no id (number, address, hash).
    """

    rows: bytes = b""
    added: Additions | None = None
    count: int = 0
    late: bool = False
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


class EndOfFile(msgspec.Struct, kw_only=True):
    """`salt` is empty when nothing of this file may be remembered."""

    salt: str
    doubled: set[bytes]
    unique: int
    removed: list[tuple[str, str]] = []  # kind and value of the identities that rows say are to be removed


def salt_of(assignment: Assignment, layout: Layout) -> str:
    """Of another file, other settings or another seed nothing is known. The seed is read out of it again."""
    facts = (READER, assignment.lowercase_path, layout.header, msgspec.structs.replace(assignment.settings, now=None))
    digest = blake2b(repr(facts).encode("utf-8", "replace"), digest_size=16).hexdigest()
    return f"{digest}-{assignment.seed:x}"


class CatalogueReader:
    def __init__(self, assignment: Assignment, dirty: Dirty = frozenset) -> None:
        self.assignment, self.dirty = assignment, dirty
        self.recall = Recall(assignment.seed)
        self.seen: set[bytes] = set()
        self.doubled: set[bytes] = set()
        self.removed: dict[bytes, tuple[int, tuple[str, str]]] = {}  # with the number of the row
        self.samples = 0
        self.notes = 0  # apart: ten thousand notes must not hide the one row that was not used
        self.late = LateRows()
        self.most = min(FIRST_ROWS, assignment.chunk_rows)  # rows of the chunk at hand
        self._begin(0)

    def _begin(self, read: int) -> None:
        self.chunk = Chunk(read=read)
        self.held = Lines()
        self.dropped: set[int] = set()  # of those held: rows that a later one of the same identity has beaten (F-049)
        self.places: dict[bytes, int] | None = None  # where an identity is held; not looked for until one comes twice

    @property
    def count(self) -> int:
        return len(self.held) - len(self.dropped)

    def chunks(self) -> Iterator[Layout | Chunk | EndOfFile]:
        """First the layout, then chunks, then the end. Limits and broken files raise where they are met."""
        with Path(self.assignment.path).open("rb") as file, self.late:
            reading = parse(file, self.assignment.settings, self.recall)
            salt = salt_of(self.assignment, reading.layout)
            self._learn(salt)
            yield reading.layout
            try:
                for batch in reading:
                    yield from self._batch(batch)
            except FeedFailure:  # what stood before it is loaded and reported (F-074); nothing of it is activated
                yield self._written(new=self.assignment.fresh)
                raise
            yield self._written(new=self.assignment.fresh)
            yield from self._late_chunks(self.chunk.read)
        if (
            not self.seen and not self.removed
        ):  # an empty shop looks the same as a broken export: nothing is taken off the shelf (F-002)
            facts = f"none of its {self.chunk.read} rows can be used"
            raise BadFile(facts, code="NO_USABLE_ROWS", hint="`winnow feed errors RUN` says why")
        remembers = sale_dates.ROLES.isdisjoint(reading.layout.mapped)
        removed = [identity for _, identity in self.removed.values()]
        yield EndOfFile(salt=salt if remembers else "", doubled=self.doubled, unique=len(self.seen), removed=removed)

    def _learn(self, salt: str) -> None:
        if self.assignment.memory is None or salt != self.assignment.salt:
            return
        with Path(self.assignment.memory).open("rb") as file:
            parts = iter(lambda: file.read(ENTRY_BYTES * 25_000), b"")
            self.recall.learn(parts, self.assignment.due_before)
        self.recall.forget(self.dirty())

    def _batch(self, batch: Batch) -> Iterator[Chunk]:
        self.chunk.read = batch.read
        if batch.removed:
            self._remove(batch)
        beaten = self._known(batch.known, wanted=bool(batch.rows))
        self._report(batch.errors, batch.warnings)
        if batch.rows:
            found = self._looked_up(batch.rows, batch.digests)
            self._offer_again(batch.rows.columns[0], found.bare)
            yield from self._rows(found, batch.read, beaten)
        if len(self.chunk.known) >= KNOWN_AT_ONCE * ENTRY_BYTES:
            yield self._written(new=self.assignment.fresh)
            self._begin(batch.read)

    def _remove(self, batch: Batch) -> None:
        """The last row of an identity decides: one below it offers it again (`_offer_again`)."""
        hashed = url_hashes([one.url for one in batch.removed], lowercase_path=self.assignment.lowercase_path)
        kinds, values = resolve_all([one.item_id for one in batch.removed], [one.sku for one in batch.removed], hashed)
        bare = self.recall.digests.of_identities(kinds, values)
        for who, one, kind, value in zip(bare, batch.removed, kinds, values, strict=True):
            self.removed[who] = (one.row_number, (kind, value))
        self.chunk.parsed += len(batch.removed)

    def _offer_again(self, numbers: Iterable[int], identities: Iterable[bytes]) -> None:
        for number, who in zip(numbers, identities, strict=True) if self.removed else ():
            if who in self.removed and self.removed[who][0] < number:
                del self.removed[who]

    def _rows(self, found: Holding, read: int, beaten: dict[bytes, int]) -> Iterator[Chunk]:
        lines, taken = Lines.of(found), 0
        while taken < len(lines):
            end = min(len(lines), taken + self.most - self.count)
            self._take(found, lines, range(taken, end), beaten)
            taken = end
            if self.count >= self.most:
                yield self._written(new=self.assignment.fresh)
                self.most = min(2 * self.most, self.assignment.chunk_rows)
                self._begin(read)

    def _late_chunks(self, read: int) -> Iterator[Chunk]:
        """Of offers that an earlier chunk has brought: these are not new in any load."""
        late = self.late.last_ones()
        while held := list(islice(late, self.assignment.chunk_rows)):
            self._begin(read)
            found = Holding.of(held)
            self._hold(found, Lines.of(found), range(len(held)))
            self.chunk.late = True
            yield self._written(new=False)

    def _known(self, known: list[tuple[int, bytes]], *, wanted: bool) -> dict[bytes, int]:
        """Returns, where wanted, the rows they stand in: a row before one of them is not the last of its identity."""
        entries = self.recall.entries
        whole = [(key, entries[key]) for _, key in known]
        identities = [entry[1:8] for _, entry in whole]
        self._offer_again([number for number, _ in known], identities)
        self.chunk.parsed += len(known)
        beaten = {who: number for (number, _), who in zip(known, identities, strict=True)} if wanted else {}
        if not self._are_new(identities):
            whole = [one for one, who in zip(whole, identities, strict=True) if self._first(who)]
        self.chunk.known += b"".join([part for one in whole for part in one])
        for flags in [entry[0] for _, entry in whole if entry[0]]:
            self.chunk.fallbacks += flags & FALLBACK
            self.chunk.unknown_stock += (flags & STOCK_UNKNOWN) >> 1
        return beaten

    def _are_new(self, identities: Sequence[bytes]) -> bool:
        """Whether none of them was seen before; then they are from now on."""
        distinct = set(identities)
        if len(distinct) != len(identities) or not self.seen.isdisjoint(distinct):
            return False
        self.seen |= distinct
        return True

    def _first(self, identity: bytes) -> bool:
        if identity in self.seen:
            self.chunk.duplicates += 1
            self.doubled.add(identity)
            return False
        self.seen.add(identity)
        return True

    def _report(self, errors: list[RowError], warnings: list[RowError]) -> None:
        self.chunk.rejected += len(errors)
        kept, noted = errors[: MAX_ERRORS - self.samples], warnings[: MAX_NOTES - self.notes]
        self.samples, self.notes = self.samples + len(kept), self.notes + len(noted)
        self.chunk.errors += [*kept, *noted]

    def _looked_up(self, rows: Rows, digests: list[bytes]) -> Holding:
        _, item_id, sku, _, url, _, _, _, _, _, stock_known, *_ = rows.columns
        hashed = url_hashes(url, lowercase_path=self.assignment.lowercase_path)
        kinds, values = resolve_all(item_id, sku, hashed)
        flags = [_FLAGS[0]] * len(rows)
        if URL_HASH in kinds or not all(stock_known):
            facts = zip(kinds, stock_known, strict=True)
            flags = [_FLAGS[FALLBACK * (kind == URL_HASH) | STOCK_UNKNOWN * (not known)] for kind, known in facts]
        digests = digests or [b""] * len(rows)
        bare = self.recall.digests.of_identities(kinds, values)
        return Holding(rows, digests, flags, bare, kinds, values, hashed)

    def _take(self, found: Holding, lines: Lines, places: range, beaten: dict[bytes, int]) -> None:
        bare = found.bare[places.start : places.stop]
        fits = len(self.seen) + len(bare) <= self.assignment.settings.max_rows
        if fits and self._are_new(bare):
            if self.places is not None:
                self.places.update(zip(bare, count(len(self.held))))
            self._count(found.flags[places.start : places.stop])
            if self.recall.entries:
                self.recall.loaded.update(bare)
            self._hold(found, lines, places)
        else:
            for n in places:
                self._add(found, lines, n, beaten)
        self.chunk.parsed += len(places)

    def _hold(self, found: Holding, lines: Lines, places: range) -> None:
        self.held.extend(lines.piece(places.start, places.stop))
        samples = self.chunk.sampled
        samples += [_sampled(found.one(n)) for n in places[: SAMPLED - len(samples)]]
        if URL_HASH in found.kind:
            self._sample_urls(found, places)

    def _sample_urls(self, found: Holding, places: range) -> None:
        samples = self.chunk.by_url
        without_id = islice((n for n in places if found.kind[n] == URL_HASH), SAMPLED - len(samples))
        samples += [(one.row.row_number, one.row.url, one.url_hash) for one in map(found.one, without_id)]

    def _count(self, flags: Sequence[bytes]) -> None:
        facts = b"".join(flags)
        both = facts.count(FALLBACK | STOCK_UNKNOWN)
        self.chunk.fallbacks += facts.count(FALLBACK) + both
        self.chunk.unknown_stock += facts.count(STOCK_UNKNOWN) + both

    def _add(self, found: Holding, lines: Lines, n: int, beaten: dict[bytes, int]) -> None:
        bare = found.bare[n]
        if self.places is None:
            self.places = dict(zip(self.held.bare, count()))
        if self._first(bare):
            self._count([found.flags[n]])
            if len(self.seen) > self.assignment.settings.max_rows:
                raise UniqueProductLimitExceeded(len(self.seen), self.assignment.settings.max_rows)
        else:
            before = self.places.get(bare)
            self._double(found.one(n), before)
            if beaten.get(bare, 0) > lines.number[n]:
                return
            if before is None:
                self.recall.loaded.add(bare)
                self.late.keep(found.one(n))
                return
            self.dropped.add(before)  # the last row wins, and takes the last place (F-049)
        self.recall.loaded.add(bare)
        self.places[bare] = len(self.held)
        self._hold(found, lines, range(n, n + 1))

    def _double(self, one: HeldRow, before: int | None) -> None:
        if self.notes < MAX_NOTES:
            self.notes += 1
            where = "an earlier row" if before is None else f"row {self.held.number[before]}"
            message = f"{one.kind} {one.value} stands in {where} too; this one is used"
            self.chunk.errors.append(RowError(one.row.row_number, codes.DUPLICATE_ROW_SAME_IDENTITY, message, {}))

    def _written(self, *, new: bool) -> Chunk:
        held, chunk = self.held.without(self.dropped), self.chunk
        chunk.count = len(held)
        if held and new:
            chunk.added = additions(held, self.assignment.source_id, self.assignment.run_id)
        if held:
            chunk.rows = staged(held.piece(0, SAMPLED) if new else held)
        chunk.keys = held.keys()
        return chunk


def _sampled(one: HeldRow) -> Sampled:
    alternates = {"item_id": one.row.item_id, "sku": one.row.sku, "url_hash": one.url_hash}
    return Sampled(one.row.row_number, (one.kind, one.value), alternates)
