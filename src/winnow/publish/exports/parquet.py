"""Parquet files. Their end names everything before it: a file that broke off has none and cannot be taken for whole."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator
from queue import Full, Queue
from typing import Any

from winnow.db.engine import Database
from winnow.publish.exports import selection as statements
from winnow.publish.exports.arrow_batches import read_batches, require, schema_of
from winnow.publish.exports.selection import Selection
from winnow.publish.exports.text_files import Counted

ROWS_PER_GROUP = 64 * 1024
READ_AHEAD = 1  # batches waiting while one is written
WAITING_CHUNKS = 8
POLL_SECONDS = 0.2


class Abandoned(Exception):
    """Nobody reads the export any more."""


async def stream_parquet(database: Database, selection: Selection, counted: Counted) -> AsyncGenerator[bytes]:
    """Written by a thread, which waits for whoever reads."""
    require("pyarrow.parquet")
    async with database.connection() as conn:
        statement = await statements.as_typed_rows(conn, selection)
    pipe = _Pipe(asyncio.get_running_loop())
    given = (database.url, statement, selection, pipe, counted)
    writer = threading.Thread(target=_write, args=given, name="export-writer", daemon=True)
    writer.start()
    try:
        while (chunk := await pipe.read()) is not None:
            yield chunk
    finally:
        pipe.abandon()


def _write(conninfo: str, statement: str, selection: Selection, pipe: _Pipe, counted: Counted) -> None:
    error: BaseException | None = None
    try:
        with read_batches(conninfo, statement, selection) as batches:
            write_file(batches, selection, pipe, counted)
    except Abandoned:
        return
    except BaseException as caught:  # noqa: BLE001 - raised again where the chunks are read
        error = caught
    with contextlib.suppress(Abandoned):
        pipe.end(error)


def write_file(batches: Any, selection: Selection, out: Any, counted: Counted) -> None:
    pa, pq = require("pyarrow"), require("pyarrow.parquet")
    schema = schema_of(selection.columns)
    with _ReadAhead(batches) as ready, pq.ParquetWriter(pa.PythonFile(out, "w"), schema, compression="zstd") as writer:
        for group in _groups(ready, schema):
            writer.write_table(group, row_group_size=ROWS_PER_GROUP)
            counted.rows += group.num_rows


def _groups(batches: Any, schema: Any) -> Any:
    """Batches gathered to row groups of a useful size."""
    pa = require("pyarrow")
    kept: list[Any] = []
    rows = 0
    for batch in batches:
        kept.append(batch)
        rows += batch.num_rows
        if rows >= ROWS_PER_GROUP:
            yield pa.Table.from_batches(kept, schema)
            kept, rows = [], 0
    if kept:
        yield pa.Table.from_batches(kept, schema)


class _ReadAhead:
    """Reads in a thread of its own while the batches before are written."""

    def __init__(self, batches: Any) -> None:
        self._batches = batches
        self._ready: Queue[Any] = Queue(READ_AHEAD)
        self._stopped = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._read, name="export-reader", daemon=True)

    def __enter__(self) -> _ReadAhead:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def __iter__(self) -> Any:
        while (batch := self._ready.get()) is not None:
            yield batch
        if self._error is not None:
            raise self._error

    def _read(self) -> None:
        try:
            for batch in self._batches:
                if not self._put(batch):
                    return
        except BaseException as error:  # noqa: BLE001 - raised again where the batches are written
            self._error = error
        self._put(None)

    def _put(self, batch: Any) -> bool:
        while not self._stopped.is_set():
            try:
                self._ready.put(batch, timeout=POLL_SECONDS)
            except Full:
                continue
            return True
        return False


class _Pipe:
    """A file that a thread writes and a coroutine reads, a few chunks behind."""

    closed = False

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._chunks: asyncio.Queue[bytes | BaseException | None] = asyncio.Queue(WAITING_CHUNKS)
        self._abandoned = threading.Event()

    def write(self, data: Any) -> int:
        chunk = bytes(data)
        if chunk:
            self._put(chunk)
        return len(chunk)

    def flush(self) -> None:
        """Nothing is kept back."""

    def close(self) -> None:
        """Arrow closes what it writes to; `end` says when all of it is there."""

    def end(self, error: BaseException | None) -> None:
        self._put(error)

    async def read(self) -> bytes | None:
        found = await self._chunks.get()
        if isinstance(found, BaseException):
            raise found
        return found

    def abandon(self) -> None:
        self._abandoned.set()

    def _put(self, item: bytes | BaseException | None) -> None:
        if self._abandoned.is_set():
            raise Abandoned
        waiting = asyncio.run_coroutine_threadsafe(self._chunks.put(item), self._loop)
        while True:
            try:
                return waiting.result(POLL_SECONDS)
            except TimeoutError:
                if self._abandoned.is_set() and waiting.cancel():
                    raise Abandoned from None
