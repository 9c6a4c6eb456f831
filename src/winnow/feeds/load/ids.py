"""Many ids at once, as bytes: a list of 5 000 numbers costs more to be turned into an array than to be stored."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from psycopg import AsyncConnection
from psycopg.adapt import Dumper
from psycopg.postgres import types
from psycopg.pq import Format

ID_BYTES = 8  # bigint, as PostgreSQL sends it
_BIGINT = types["int8"]
_HEADER = struct.Struct(">iiIii")  # dimensions, whether there are NULLs, type, length, lower bound
_NONE = struct.Struct(">iiI")  # an empty array has no dimension
_ELEMENT = 4 + ID_BYTES  # its length stands before each


class IdArray(bytes):
    """Ids one after the other; a bigint[] to the database."""

    @classmethod
    def within(cls, rows: bytes, at: int, step: int) -> IdArray:
        """The ids that stand at `at` in rows of `step` bytes each."""
        found = bytearray(len(rows) // step * ID_BYTES)
        for n in range(ID_BYTES):
            found[n::ID_BYTES] = rows[at + n :: step]
        return cls(found)

    @classmethod
    def of(cls, numbers: Sequence[int]) -> IdArray:
        return cls(struct.pack(f">{len(numbers)}q", *numbers))

    def each_with(self, what: bytes) -> bytes:
        """Eight bytes more behind each."""
        made = bytearray(2 * len(self))
        for n in range(ID_BYTES):
            made[n :: 2 * ID_BYTES] = self[n::ID_BYTES]
            made[ID_BYTES + n :: 2 * ID_BYTES] = what[n : n + 1] * (len(self) // ID_BYTES)
        return bytes(made)

    def numbers(self) -> tuple[int, ...]:
        return struct.unpack(f">{len(self) // ID_BYTES}q", self)


class _ArrayDumper(Dumper):
    format = Format.BINARY
    oid = _BIGINT.array_oid

    def dump(self, obj: IdArray) -> bytes:
        if not obj:
            return _NONE.pack(0, 0, _BIGINT.oid)
        count = len(obj) // ID_BYTES
        elements = bytearray(count * _ELEMENT)
        elements[3::_ELEMENT] = bytes([ID_BYTES]) * count
        for n in range(ID_BYTES):
            elements[4 + n :: _ELEMENT] = obj[n::ID_BYTES]
        return _HEADER.pack(1, 0, _BIGINT.oid, count, 1) + bytes(elements)


def register(conn: AsyncConnection[Any]) -> None:
    conn.adapters.register_dumper(IdArray, _ArrayDumper)
