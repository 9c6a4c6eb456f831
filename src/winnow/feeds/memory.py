"""The records of the last complete load, so that an unchanged one need not be loaded again.

An entry has 40 bytes: the record's digest (16), the digest of its identity (8), its offer (8) and when that was
priced last (8, microseconds since 2000: what PostgreSQL sends). It stands for "the database says exactly what this
record says": it is used only as long as nobody changed the offer since, and until its price is due again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from hashlib import blake2b

from winnow.feeds.digest import DIGEST_BYTES

ENTRY_BYTES = 40
PART_ENTRIES = 50_000  # 2 MB a row of the table
FALLBACK, STOCK_UNKNOWN = 1, 2  # flags in the first byte of an identity: what the counters of a run need to know
_EPOCH = datetime.fromisoformat("2000-01-01T00:00:00+00:00")  # PostgreSQL's


def identity_digest(identity_type: str, value: str, *, fallback: bool, stock_unknown: bool) -> bytes:
    flags = (FALLBACK if fallback else 0) | (STOCK_UNKNOWN if stock_unknown else 0)
    return bytes((flags,)) + blake2b(f"{identity_type}:{value}".encode(), digest_size=7).digest()


def stamp(moment: datetime) -> bytes:
    """As timestamptz_send writes it; stamps after 2000 sort as bytes."""
    return ((moment - _EPOCH) // (_EPOCH.resolution)).to_bytes(8, "big", signed=True)


class Recall:
    """What the reader asks: is this record known, and may it be skipped? Empty until it is told the salt is right."""

    def __init__(self) -> None:
        self.entries: dict[bytes, bytes] = {}
        self.loaded: set[bytes] = set()  # identities read in this run: a known record after one of them is news again

    def learn(self, parts: Iterable[bytes], dirty: frozenset[bytes], due_before: bytes) -> None:
        for part in parts:
            for at in range(0, len(part), ENTRY_BYTES):
                entry = part[at + DIGEST_BYTES : at + ENTRY_BYTES]
                if entry[16:] > due_before and entry[8:16] not in dirty:
                    self.entries[part[at : at + DIGEST_BYTES]] = entry

    def __call__(self, digest: bytes) -> bool:
        entry = self.entries.get(digest)
        return entry is not None and entry[1:8] not in self.loaded


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
