"""What a record is remembered by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b

DIGEST_BYTES = 16  # two different records of one feed share a digest once in 10**26 loads
SEPARATOR = "\x1f"  # the unit separator: cells of a text file hold none

Memory = Callable[[bytes], bool]  # whether a record with this digest need not be read again


def digest(cells: Sequence[str]) -> bytes:
    told = SEPARATOR.join(cells)
    if told.count(SEPARATOR) >= len(cells):  # some do after all: told apart another way
        told = repr(cells)
    return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()
