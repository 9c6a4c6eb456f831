"""A shop with a feed for tests: a catalogue in a folder, runs of it, and what the database says afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from winnow.db.engine import Connection, Database
from winnow.feeds import admin
from winnow.feeds.attempt import AttemptResult, FinishedFeedRun, Means, Notice, attempt
from winnow.feeds.read.child import Prepare
from winnow.feeds.read.reading import Assignment
from winnow.feeds.read.reading_child import frames
from winnow.feeds.runs import FeedJob
from winnow.feeds.transport.transport import Reach
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard

HEADER = "CatalogItemId,SKU,Name,Url,Price,Currency,StockAvailability"
FILE = "catalogue.csv"


def row(n: int, price: str = "10.00", stock: str = "Y", name: str | None = None) -> str:
    return f"item-{n},sku-{n},{name or f'Thing {n}'},https://shop.test/p/{n},{price},USD,{stock}"


async def read_here(prepare: Prepare) -> AsyncIterator[Any]:
    """The reader without its process: starting one takes a second on a busy machine."""
    assignment, dirty = [told async for told in prepare()]
    assert isinstance(assignment, Assignment)
    assert isinstance(dirty, frozenset)
    for frame in frames(assignment, lambda: dirty):
        if isinstance(frame, Exception):
            raise frame
        yield frame


class Shop:
    def __init__(self, database: Database, folder: Path, read: Any = read_here) -> None:
        self.database, self.folder = database, folder
        self.feed_id = 0
        self.source_id = 0
        self.notices: list[Notice] = []
        self.endings: list[tuple[int, str]] = []
        folder.mkdir(parents=True, exist_ok=True)
        self.means = Means(
            database=database,
            reach=Reach(guard=EgressGuard(AllowList([])), folder=folder),
            secret=self._no_secret,
            folder=folder / "work",
            notify=self._tell,
            on_finished=self._announce,
            chunk_rows=500,
            read=read,
        )

    async def _no_secret(self, _: object) -> str | None:
        return None

    async def _tell(self, _: Connection, notice: Notice) -> None:
        self.notices.append(notice)

    async def _announce(self, _: Connection, ending: FinishedFeedRun) -> None:
        self.endings.append((ending.run_id, ending.ended.status))

    async def open(self, *, enabled: bool = True, **values: Any) -> int:
        async with self.database.transaction() as conn:
            retailer = await self.one(conn, "INSERT INTO retailers (name) VALUES ('Shop') RETURNING id")
            self.source_id = await self.one(
                conn,
                "INSERT INTO sources (name, url, domain, retailer_id, source_kind, is_display_primary)"
                " VALUES ('shop', 'https://shop.test', 'shop.test', %s, 'AFFILIATE_FEED', true) RETURNING id",
                retailer,
            )
            given = {"transport": "FILE", "path": FILE, "schedule_frequency_hours": 24, **values}
            admin.check(given, allow_plain_ftp=True, confirmed_insecure=True)
            feed = await admin.add(conn, "ada", self.source_id, given)
            self.feed_id = feed.id
            if enabled:
                await admin.enable(conn, "ada", feed.id)
        return self.feed_id

    def write(self, rows: Iterable[str], header: str = HEADER) -> None:
        (self.folder / FILE).write_text("\n".join([header, *rows]) + "\n")

    async def run(self, *, trigger: str = "SCHEDULED", number: int = 1, job: FeedJob | None = None) -> AttemptResult:
        return await attempt(self.means, job or FeedJob(feed_id=self.feed_id, trigger=trigger), number, self.remember)

    async def remember(self, _: Connection, __: Mapping[str, Any]) -> None:
        return None

    async def load(self, rows: Iterable[str]) -> dict[str, Any]:
        """Writes the file, runs the feed, and returns the run."""
        self.write(rows)
        outcome = await self.run()
        assert outcome.run_id is not None, outcome
        return await self.run_row(outcome.run_id)

    async def run_row(self, run_id: int) -> dict[str, Any]:
        found = await self.rows("SELECT to_jsonb(r) FROM affiliate_feed_runs AS r WHERE id = %s", run_id)
        return dict(found[0][0])

    async def feed_row(self) -> dict[str, Any]:
        found = await self.rows("SELECT to_jsonb(f) FROM affiliate_feeds AS f WHERE id = %s", self.feed_id)
        return dict(found[0][0])

    async def rows(self, query: str, *given: Any) -> list[tuple[Any, ...]]:
        async with self.database.connection() as conn:
            return await (await conn.execute(query, given)).fetchall()

    async def value(self, query: str, *given: Any) -> Any:
        async with self.database.connection() as conn:
            return await self.one(conn, query, *given)

    async def one(self, conn: Connection, query: str, *given: Any) -> Any:
        row = await (await conn.execute(query, given)).fetchone()
        return row[0] if row else None

    async def active(self) -> list[str]:
        """Titles of what consumers see."""
        return [title for (title,) in await self.rows("SELECT title FROM consumer_offers ORDER BY source_product_id")]

    async def later(self, hours: float) -> None:
        """Everything the feed ever did moves into the past."""
        async with self.database.transaction() as conn:
            for table, columns in MOMENTS.items():
                moved = ", ".join(f"{c} = {c} - make_interval(secs => {hours * 3600})" for c in columns)
                if table == "prices":
                    await conn.execute("ALTER TABLE prices DISABLE TRIGGER prices_append_only")
                await conn.execute(f"UPDATE {table} SET {moved}")
                if table == "prices":
                    await conn.execute("ALTER TABLE prices ENABLE TRIGGER prices_append_only")
            await conn.execute("DELETE FROM feed_row_memory")


MOMENTS = {
    "affiliate_feeds": ("promoted_at", "current_seen_at"),
    "affiliate_feed_runs": ("started_at", "finished_at"),
    "source_product_presence": ("last_seen_at", "last_seen_success_at"),
    "prices": ("created_at",),
    "latest_prices": ("created_at",),
}


def replaced(job: FeedJob, **values: Any) -> FeedJob:
    return msgspec.structs.replace(job, **values)
