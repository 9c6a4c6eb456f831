"""Loads what changed into ClickHouse: incremental, restartable, and each row once (C-074).

Nothing here can hold up a commit: rows are read from the tables afterwards, up to a moment before which nothing can
appear any more (publish/exports/window.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Protocol

import structlog
import xxhash

from winnow.db.engine import Connection, Database
from winnow.publish.exports import selection as statements
from winnow.publish.exports import window
from winnow.publish.exports.arrow_batches import read_batches, require
from winnow.publish.exports.clickhouse import cursors, tables
from winnow.publish.exports.datasets import CHANGED_AT, DATASETS, Audience, Dataset
from winnow.publish.exports.selection import Selection
from winnow.publish.exports.window import BEGINNING, Window

log = structlog.get_logger(__name__)

BATCH_ROWS = 100_000  # ClickHouse wants few, large inserts
LOCK = 0x57434C4B  # "WCLK": one process at a time loads (DESIGN §11.21)


class Client(Protocol):
    """What is used of clickhouse-connect; the embedded engine of the tests has the same."""

    def command(self, cmd: str) -> Any: ...

    def query(self, query: str) -> Any: ...

    def insert_arrow(self, table: str, arrow_table: Any, *, settings: dict[str, Any] | None = None) -> Any: ...


class Loader:
    def __init__(self, database: Database, client: Client, destination: str, batch_rows: int = BATCH_ROWS) -> None:
        self._database, self._client, self._destination = database, client, destination
        self._batch_rows = batch_rows
        self._prepared = False

    async def run_once(self) -> dict[str, int]:
        """Load every data set up to now; the rows sent of each. Nothing while another process loads."""
        async with self._database.dedicated() as conn:
            row = await (await conn.execute("SELECT pg_try_advisory_lock(%s)", (LOCK,))).fetchone()
            if row is None or not row[0]:
                return {}
            if not self._prepared:
                await asyncio.to_thread(self._prepare)
            return {name: await self._load(conn, dataset) for name, dataset in DATASETS.items()}

    def _prepare(self) -> None:
        for statement in tables.create_statements():
            self._client.command(statement)
        there = self._client.query("SELECT table, name FROM system.columns WHERE database = currentDatabase()")
        for statement in tables.complete_statements({(row[0], row[1]) for row in there.result_rows}):
            self._client.command(statement)
        self._prepared = True

    async def _load(self, conn: Connection, dataset: Dataset) -> int:
        """The window that was begun and not finished, and then what changed since."""
        sent = 0
        if (await cursors.find(conn, self._destination, dataset.name)).until is not None:
            sent += await self._load_window(conn, dataset)
        until = await window.settled_until(conn)
        await cursors.open_window(conn, self._destination, dataset.name, until)
        return sent + await self._load_window(conn, dataset)

    async def _load_window(self, conn: Connection, dataset: Dataset) -> int:
        progress = await cursors.find(conn, self._destination, dataset.name)
        assert progress.until is not None
        chosen = Selection(
            dataset=dataset,
            audience=Audience.OPERATOR,
            window=Window(progress.since or BEGINNING, progress.until),
            after=progress.after,
        )
        statement = await statements.as_typed_rows(conn, chosen)
        sent = 0
        with read_batches(self._database.url, statement, chosen) as batches:
            ready = _in_tables(batches, self._batch_rows)
            while (table := await asyncio.to_thread(next, ready, None)) is not None:
                await asyncio.to_thread(self._send, dataset, table)
                last = table.column(dataset.key)[-1].as_py()
                await cursors.advance(conn, self._destination, dataset.name, last, table.num_rows)
                sent += table.num_rows
        await cursors.close_window(conn, self._destination, dataset.name)
        return sent

    def _send(self, dataset: Dataset, table: Any) -> None:
        """The token names the rows: the same ones sent again are dropped, others never are."""
        token = f"{dataset.name}:{_digest(dataset, table)}"
        self._client.insert_arrow(dataset.name, table, settings={"insert_deduplication_token": token})
        log.debug("clickhouse_batch_sent", dataset=dataset.name, rows=table.num_rows)


def _in_tables(batches: Iterator[Any], rows: int) -> Iterator[Any]:
    """The same rows in tables of `rows` each, and what is left."""
    pa = require("pyarrow")
    kept: list[Any] = []
    for batch in batches:
        kept.append(batch)
        if sum(b.num_rows for b in kept) >= rows:
            gathered = pa.Table.from_batches(kept)
            whole = gathered.num_rows - gathered.num_rows % rows
            for begin in range(0, whole, rows):
                yield gathered.slice(begin, rows)
            kept = gathered.slice(whole).to_batches()
    if kept:
        yield pa.Table.from_batches(kept)


def _digest(dataset: Dataset, table: Any) -> str:
    """Of which rows these are, and in which version."""
    digest = xxhash.xxh3_128()
    for name in (dataset.key, CHANGED_AT.name):
        digest.update(table.column(name).cast("int64").to_numpy().tobytes())
    return digest.hexdigest()
