"""The records of the last complete load, so that an unchanged one need not be loaded again.

An entry has 40 bytes: the record's digest (16), the digest of its identity (8), its offer (8) and when that was
priced last (8, microseconds since 2000: what PostgreSQL sends). It stands for "the database says exactly what this
record says": it is used only as long as nobody changed the offer since, and until its price is due again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from struct import Struct

from winnow.feeds.read.digest import DIGEST_BYTES, Digests

ENTRY_BYTES = 40
KEY_BYTES, STORED_BYTES = 24, 16  # the digests; the offer and its moment
PART_ENTRIES = 50_000  # 2 MB a row of the table
FALLBACK, STOCK_UNKNOWN = 1, 2  # flags in the first byte of an identity: what the counters of a run need to know
_PAIR = Struct(f"{DIGEST_BYTES}s{ENTRY_BYTES - DIGEST_BYTES}s")
_PRICED = Struct(f"{ENTRY_BYTES - 8}x8s")
_EPOCH = datetime.fromisoformat("2000-01-01T00:00:00+00:00")  # PostgreSQL's


def stamp(moment: datetime) -> bytes:
    """As timestamptz_send writes it; stamps after 2000 sort as bytes."""
    return ((moment - _EPOCH) // (_EPOCH.resolution)).to_bytes(8, "big", signed=True)


class Recall:
    """Answers whether a record is known and may be skipped. Empty until `learn` is called (only for the same salt)."""

    def __init__(self, seed: int = 0) -> None:
        self.digests = Digests(seed)
        self.entries: dict[bytes, bytes] = {}
        self.loaded: set[bytes] = set()  # identities read in this run: a known record after one of them is news again

    def learn(self, parts: Iterable[bytes], due_before: bytes) -> None:
        """Without what is due. A part is taken whole where nothing in it is."""
        for part in parts:
            pairs = _PAIR.iter_unpack(part)
            if min(_PRICED.iter_unpack(part))[0] > due_before:
                self.entries.update(pairs)
            else:
                self.entries.update(pair for pair in pairs if pair[1][16:] > due_before)

    def forget(self, offers: frozenset[bytes]) -> None:
        if offers:
            self.entries = {key: entry for key, entry in self.entries.items() if entry[8:16] not in offers}

    def __call__(self, digests: Sequence[bytes]) -> list[bool]:
        if not self.entries:
            return [False] * len(digests)
        found = map(self.entries.get, digests)
        if not self.loaded:
            return [entry is not None for entry in found]
        return [entry is not None and entry[1:8] not in self.loaded for entry in found]


def entries_of(keys: bytes, stored: bytes) -> bytes:
    """Whole entries from what the reader knows of each row (24 bytes) and what the database says (16)."""
    count = len(keys) // KEY_BYTES
    made = bytearray(count * ENTRY_BYTES)
    for at in range(KEY_BYTES):
        made[at::ENTRY_BYTES] = keys[at::KEY_BYTES]
    for at in range(STORED_BYTES):
        made[KEY_BYTES + at :: ENTRY_BYTES] = stored[at::STORED_BYTES]
    return bytes(made)


def parts_of(entries: bytes | bytearray, doubled: set[bytes]) -> Iterator[bytes]:
    """Without identities the file has twice: which of its records won is not worth remembering."""
    kept = entries if not doubled else _without(entries, doubled)
    for at in range(0, len(kept), PART_ENTRIES * ENTRY_BYTES):
        yield bytes(kept[at : at + PART_ENTRIES * ENTRY_BYTES])


def _without(entries: bytes | bytearray, doubled: set[bytes]) -> bytes:
    wide, at = ENTRY_BYTES, DIGEST_BYTES + 1
    whole = bytes(entries)
    return b"".join(
        whole[n : n + wide] for n in range(0, len(whole), wide) if whole[n + at : n + at + 7] not in doubled
    )
