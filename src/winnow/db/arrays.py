"""Lists of one plain type as PostgreSQL arrays, several times faster than psycopg's own way.

The pipeline sends every column of a batch as an array, some two hundred values for each page. psycopg looks at each
value three times in Python, for nesting, mixed types and the smallest integer; nearly all of our lists need none of
it. Whatever does is left to psycopg.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar
from uuid import UUID

import orjson
import psycopg
from psycopg.abc import AdaptContext, Buffer, DumperKey
from psycopg.adapt import Dumper, PyFormat
from psycopg.pq import Format
from psycopg.types.array import BaseListDumper, ListBinaryDumper
from psycopg.types.json import Jsonb

_NULL = b"\xff\xff\xff\xff"
_length = struct.Struct("!i").pack
_head = struct.Struct("!iiIii").pack  # dimensions, whether a NULL is in it, type, number, first index
_integer = struct.Struct("!iq").pack
_real = struct.Struct("!id").pack
_UUID_LENGTH = _length(16)
_EPOCH, _MICROSECOND = datetime(2000, 1, 1, tzinfo=UTC), timedelta(microseconds=1)  # PostgreSQL's
_BOOLEANS = {True: _length(1) + b"\1", False: _length(1) + b"\0"}


class FlatList(Dumper):
    """A list of values of one type, NULLs among them."""

    format = Format.BINARY
    element_oid: ClassVar[int]

    def dump(self, obj: Sequence[Any]) -> Buffer:
        parts = self.parts(obj)
        return b"".join([_head(1, None in obj, self.element_oid, len(obj), 1), *parts])

    def parts(self, obj: Sequence[Any]) -> list[bytes]:
        raise NotImplementedError


class Texts(FlatList):
    oid, element_oid = 1009, 25

    def parts(self, obj: Sequence[str | None]) -> list[bytes]:
        return [_NULL if text is None else _sized(text.encode()) for text in obj]


class Integers(FlatList):
    """All as bigint: one statement is one plan, however large the numbers of a batch are."""

    oid, element_oid = 1016, 20

    def parts(self, obj: Sequence[int | None]) -> list[bytes]:
        try:
            return [_NULL if number is None else _integer(8, number) for number in obj]
        except struct.error:
            raise psycopg.DataError("a number is out of the range of bigint") from None


class Reals(FlatList):
    oid, element_oid = 1022, 701

    def parts(self, obj: Sequence[float | None]) -> list[bytes]:
        return [_NULL if number is None else _real(8, number) for number in obj]


class Booleans(FlatList):
    oid, element_oid = 1000, 16

    def parts(self, obj: Sequence[bool | None]) -> list[bytes]:
        return [_NULL if said is None else _BOOLEANS[said] for said in obj]


class Uuids(FlatList):
    oid, element_oid = 2951, 2950

    def parts(self, obj: Sequence[UUID | None]) -> list[bytes]:
        return [_NULL if uuid is None else _UUID_LENGTH + uuid.bytes for uuid in obj]


class Moments(FlatList):
    """With a time zone each."""

    oid, element_oid = 1185, 1184

    def parts(self, obj: Sequence[datetime | None]) -> list[bytes]:
        return [_NULL if at is None else _integer(8, (at - _EPOCH) // _MICROSECOND) for at in obj]


class Nulls(Dumper):
    """Nothing but NULLs, of whatever type the statement says."""

    format = Format.TEXT

    def dump(self, obj: Sequence[None]) -> Buffer:
        return b"{" + b",".join([b"NULL"] * len(obj)) + b"}"


class Jsonbs(FlatList):
    oid, element_oid = 3807, 3802

    def parts(self, obj: Sequence[Jsonb | None]) -> list[bytes]:
        return [_NULL if json is None else _sized(b"\1" + orjson.dumps(json.obj)) for json in obj]


_FLAT: dict[type, type[FlatList]] = {
    str: Texts, int: Integers, float: Reals, bool: Booleans, UUID: Uuids, datetime: Moments, Jsonb: Jsonbs,
}  # fmt: skip


class Lists(ListBinaryDumper):
    """Chooses for each list: one of ours, or psycopg's."""

    def get_key(self, obj: list[Any], format: PyFormat) -> DumperKey:
        flat = None if self.oid else _flat(obj)
        return super().get_key(obj, format) if flat is None else (self.cls, flat)

    def upgrade(self, obj: list[Any], format: PyFormat) -> BaseListDumper:
        flat = None if self.oid else _flat(obj)
        return super().upgrade(obj, format) if flat is None else flat(self.cls, self._tx)  # type: ignore[return-value]


def register(context: AdaptContext | None = None) -> None:
    (context or psycopg).adapters.register_dumper(list, Lists)


def _flat(obj: list[Any]) -> type[FlatList | Nulls] | None:
    kinds = set(map(type, obj))
    kinds.discard(type(None))
    if not kinds:
        return Nulls if obj else None
    kind = kinds.pop()
    if kinds or (kind is datetime and any(at is not None and at.tzinfo is None for at in obj)):
        return None
    return _FLAT.get(kind)


def _sized(data: bytes) -> bytes:
    return _length(len(data)) + data
