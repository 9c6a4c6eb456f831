"""What a record is remembered by: its line where it has one of its own, else its cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b

DIGEST_BYTES = 16  # two different records of one feed share a digest once in 10**26 loads
SEPARATOR = "\x1f"  # the unit separator: cells of a text file hold none

Memory = Callable[[Sequence[bytes]], list[bool]]  # of each digest: whether its record need not be read again


def digest(cells: Sequence[str]) -> bytes:
    told = SEPARATOR.join(cells)
    if told.count(SEPARATOR) >= len(cells):  # some do after all: told apart another way
        told = repr(cells)
    return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()


def line_digests(lines: Sequence[str]) -> list[bytes]:
    """Of lines that are a record each: taken before they are taken apart, which a known one then need not be. How a
    line ends says nothing."""
    text = "\n".join(lines)
    told = text.encode("utf-8", "surrogatepass").split(b"\n")
    if len(told) != len(lines) or "\r" in text:  # they come with their ends
        told = [line.rstrip("\r\n").encode("utf-8", "surrogatepass") for line in lines]
    return [blake2b(line, digest_size=DIGEST_BYTES).digest() for line in told]
