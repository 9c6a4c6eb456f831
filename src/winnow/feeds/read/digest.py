"""Digests of records (of the line where a record has its own, else of the cells) and of identities.

The seed is drawn for each memory and kept secret: the author of a file cannot search for a line with the digest of
another. XXH3 promises no more than that, and takes a sixth of the time of a cryptographic one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec
from xxhash import xxh3_64_digest, xxh3_128_digest

from winnow.feeds.read.identity import IMPACT_ITEM_ID, SKU, URL_HASH

DIGEST_BYTES = 16  # two different records of one feed share a digest once in 10**26 loads
SEPARATOR = "\x1f"  # the unit separator: cells of a text file hold none
_KINDS = (IMPACT_ITEM_ID, SKU, URL_HASH)  # each with a seed of its own
_SEEDS = 1 << 64


class Digests(msgspec.Struct, frozen=True):
    seed: int = 0

    def of_cells(self, cells: Sequence[str]) -> bytes:
        joined = SEPARATOR.join(cells)
        if joined.count(SEPARATOR) >= len(cells):  # some cells hold the separator
            joined = repr(cells)
        return xxh3_128_digest(joined.encode("utf-8", "surrogatepass"), self.seed)

    def of_lines(self, lines: Sequence[str]) -> list[bytes]:
        """Of lines that are a record each: taken before they are taken apart, which a known one then need not be. How a
        line ends says nothing."""
        seed = self.seed
        joined = [line.rstrip("\r\n").encode("utf-8", "surrogatepass") for line in lines]
        return [xxh3_128_digest(line, seed) for line in joined]

    def of_identities(self, kinds: Sequence[str], values: Sequence[str]) -> list[bytes]:
        """Seven bytes each: one with flags goes before them (feeds/read/memory.py)."""
        seeds = {kind: (self.seed + 1 + n) % _SEEDS for n, kind in enumerate(_KINDS)}
        joined = zip(values, map(seeds.__getitem__, kinds), strict=True)
        return [xxh3_64_digest(value.encode("utf-8", "replace"), seed)[1:] for value, seed in joined]


class Memory(Protocol):
    """Says of each digest whether its record need not be read again."""

    digests: Digests

    def __call__(self, digests: Sequence[bytes]) -> list[bool]: ...
