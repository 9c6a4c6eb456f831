"""CSV and JSON lines, straight from COPY: a row at a time, whatever the number of rows."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from enum import StrEnum

from winnow.db.engine import Connection, Database
from winnow.publish.exports import selection as statements
from winnow.publish.exports.selection import Selection

CHUNK_BYTES = 64 * 1024


class Format(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"


MEDIA_TYPES = {
    Format.CSV: "text/csv; charset=utf-8",
    Format.JSONL: "application/x-ndjson",
    Format.PARQUET: "application/vnd.apache.parquet",
}


class Counted:
    """How many rows were written so far."""

    def __init__(self) -> None:
        self.rows = 0


async def stream_csv(
    database: Database, selection: Selection, counted: Counted, *, raw: bool = False
) -> AsyncGenerator[bytes]:
    """With a line of headings. Closing it early ends the query."""
    async with database.dedicated() as conn:
        rows = await statements.as_text_rows(conn, selection, raw=raw)
        yield (",".join(column.name for column in selection.columns) + "\n").encode()
        async for chunk in _copied(conn, f"COPY ({rows}) TO STDOUT (FORMAT csv)", counted, lambda row: row):
            yield chunk


async def stream_jsonl(database: Database, selection: Selection, counted: Counted) -> AsyncGenerator[bytes]:
    async with database.dedicated() as conn:
        rows = await statements.as_json_rows(conn, selection)
        async for chunk in _copied(conn, f"COPY ({rows}) TO STDOUT", counted, _unescaped):
            yield chunk


def _unescaped(row: bytes) -> bytes:
    """COPY doubles every backslash; JSON has no other character that it would escape."""
    return row.replace(b"\\\\", b"\\")


async def _copied(
    conn: Connection, statement: str, counted: Counted, decode: Callable[[bytes], bytes]
) -> AsyncGenerator[bytes]:
    kept: list[bytes] = []
    size = 0
    async with conn.transaction():
        await conn.execute("SET TRANSACTION READ ONLY")
        await conn.execute("SET LOCAL TIME ZONE 'UTC'")
        async with conn.cursor().copy(statement) as copy:
            async for row in copy:
                kept.append(decode(bytes(row)))
                size += len(row)
                counted.rows += 1
                if size >= CHUNK_BYTES:
                    yield b"".join(kept)
                    kept, size = [], 0
    if kept:
        yield b"".join(kept)
