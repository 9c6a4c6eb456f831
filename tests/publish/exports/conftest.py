"""A small store with offers, prices and events, and exports of it read back."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pyarrow.parquet as pq
import pytest

from winnow.db.engine import Database
from winnow.publish.exports.datasets import Audience, find
from winnow.publish.exports.files import stream
from winnow.publish.exports.selection import Asked, Selection
from winnow.publish.exports.text_files import Counted, Format

Rows = Callable[..., Awaitable[list[Any]]]


@pytest.fixture
def rows(database: Database) -> Rows:
    async def fetch(query: str, *given: object) -> list[Any]:
        async with database.connection() as conn:
            found = await conn.execute(query, given)
            return [row[0] if len(row) == 1 else row for row in await found.fetchall()] if found.description else []

    return fetch


async def select(database: Database, dataset: str, audience: Audience = Audience.OPERATOR, **asked: Any) -> Selection:
    async with database.connection() as conn:
        return await Asked(dataset=find(dataset), audience=audience, **asked).open(conn)


async def exported(
    database: Database, dataset: str, format: Format, audience: Audience = Audience.OPERATOR, *, raw: bool = False,
    **asked: Any,
) -> list[dict[str, Any]]:  # fmt: skip
    selection = await select(database, dataset, audience, **asked)
    return parse(await content(database, selection, format, raw=raw), format)


async def content(database: Database, selection: Selection, format: Format, *, raw: bool = False) -> bytes:
    return b"".join([chunk async for chunk in stream(database, selection, format, Counted(), raw=raw)])


def parse(data: bytes, format: Format) -> list[dict[str, Any]]:
    if format is Format.PARQUET:
        return list(pq.read_table(io.BytesIO(data)).to_pylist())
    if format is Format.JSONL:
        return [json.loads(line) for line in data.split(b"\n") if line]
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))
