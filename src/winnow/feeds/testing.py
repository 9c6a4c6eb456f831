"""A test of a feed: its first rows, read but not written (F-107, FN-11)."""

from __future__ import annotations

import asyncio
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from winnow.feeds import feed as feeds
from winnow.feeds.attempt import Means
from winnow.feeds.failures import FeedFailure
from winnow.feeds.feed import Feed
from winnow.feeds.read.layout import ParseSettings
from winnow.feeds.read.parse import Reading, parse
from winnow.feeds.read.row import Batch, Rows

FIRST_ROWS, SHOWN_ROWS = 100, 10  # F-107
NOTHING = Batch(Rows(), [], [], 0, [], [])


class TestResult(msgspec.Struct, kw_only=True):
    success: bool
    rows_detected: int = 0
    format_detected: str | None = None
    encoding_detected: str | None = None
    columns_detected: dict[str, str] = {}
    rows: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    warnings: list[dict[str, Any]] = []
    host_key_fingerprint: str | None = None
    error: str | None = None
    error_code: str | None = None
    hint: str | None = None


async def test(means: Means, feed_id: int) -> TestResult:
    async with means.database.connection() as conn:
        feed = await feeds.get(conn, feed_id)
    means.folder.mkdir(parents=True, exist_ok=True)
    # Whatever it leaves, half a file of a server that died included, goes with the folder.
    with tempfile.TemporaryDirectory(dir=means.folder, prefix=f"feed-{feed.id}-test-") as folder:
        try:
            return await _tested(means, feed, Path(folder) / "file")
        except FeedFailure as failure:
            hint = failure.advice(feed.id)
            return TestResult(success=False, error=str(failure), error_code=failure.code, hint=hint)


async def _tested(means: Means, feed: Feed, path: Path) -> TestResult:
    got = await means.download(feed.remote(await means.secret(feed)), means.reach, path)
    settings = msgspec.structs.replace(feed.parse_settings(datetime.now(UTC)), batch_rows=FIRST_ROWS)
    result = await asyncio.to_thread(_first, path, settings, feed.id)
    result.host_key_fingerprint = got.stat.host_key_fingerprint
    return result


def _first(path: Path, settings: ParseSettings, feed_id: int) -> TestResult:
    with path.open("rb") as file:
        reading = parse(file, settings)
        batch = next((batch for batch in reading if batch.read), NOTHING)
        broken = _after(reading) if batch.read < FIRST_ROWS else None
    rows, errors = batch.rows[:FIRST_ROWS], batch.errors[:FIRST_ROWS]
    told = None if batch.read else "there are no rows below the header"
    return TestResult(
        success=bool(rows) and not errors and broken is None,
        error=str(broken) if broken else told,
        error_code=broken.code if broken else None,
        hint=broken.advice(feed_id) if broken else None,
        rows_detected=min(batch.read, FIRST_ROWS),
        format_detected=reading.layout.format,
        encoding_detected=reading.layout.encoding,
        columns_detected={role: ", ".join(names) for role, names in reading.layout.mapped.items()},
        rows=[_shown(row) for row in rows[:SHOWN_ROWS]],
        errors=[_error(e) for e in errors[:SHOWN_ROWS]],
        warnings=[_error(w) for w in batch.warnings[:SHOWN_ROWS]],
    )


def _after(reading: Reading) -> FeedFailure | None:
    """What is wrong with a short file behind its rows: that it was cut off, for one."""
    try:
        for _ in reading:
            pass
    except FeedFailure as failure:
        return failure
    return None


def _shown(row: Any) -> dict[str, Any]:
    return {"item_id": row.item_id, "sku": row.sku, "title": row.name, "price_minor": row.price,
            "currency": row.currency, "url": row.url, "in_stock": row.in_stock, "gtin": row.gtin}  # fmt: skip


def _error(error: Any) -> dict[str, Any]:
    return {"row_number": error.row_number, "code": error.code, "message": error.message}
