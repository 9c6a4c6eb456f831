"""Tests a feed: reads its first rows and writes nothing (F-107, FN-11)."""

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

FIRST_ROWS, MAX_ROWS_RETURNED = 100, 10  # F-107
EMPTY_BATCH = Batch(Rows(), [], [], 0, [], [])


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
            return await _download_and_read(means, feed, Path(folder) / "file")
        except FeedFailure as failure:
            hint = failure.advice(feed.id)
            return TestResult(success=False, error=str(failure), error_code=failure.code, hint=hint)


async def _download_and_read(means: Means, feed: Feed, path: Path) -> TestResult:
    got = await means.download(feed.remote(await means.secret(feed)), means.reach, path)
    settings = msgspec.structs.replace(feed.parse_settings(datetime.now(UTC)), batch_rows=FIRST_ROWS)
    result = await asyncio.to_thread(_read_first_rows, path, settings, feed.id)
    result.host_key_fingerprint = got.stat.host_key_fingerprint
    return result


def _read_first_rows(path: Path, settings: ParseSettings, feed_id: int) -> TestResult:
    with path.open("rb") as file:
        reading = parse(file, settings)
        batch = next((batch for batch in reading if batch.read), EMPTY_BATCH)
        broken = _failure_after_rows(reading) if batch.read < FIRST_ROWS else None
    rows, errors = batch.rows[:FIRST_ROWS], batch.errors[:FIRST_ROWS]
    message = None if batch.read else "there are no rows below the header"
    return TestResult(
        success=bool(rows) and not errors and broken is None,
        error=str(broken) if broken else message,
        error_code=broken.code if broken else None,
        hint=broken.advice(feed_id) if broken else None,
        rows_detected=min(batch.read, FIRST_ROWS),
        format_detected=reading.layout.format,
        encoding_detected=reading.layout.encoding,
        columns_detected={role: ", ".join(names) for role, names in reading.layout.mapped.items()},
        rows=[_row_fields(row) for row in rows[:MAX_ROWS_RETURNED]],
        errors=[_problem_fields(e) for e in errors[:MAX_ROWS_RETURNED]],
        warnings=[_problem_fields(w) for w in batch.warnings[:MAX_ROWS_RETURNED]],
    )


def _failure_after_rows(reading: Reading) -> FeedFailure | None:
    """The failure behind the rows of a short file, such as one that was cut off."""
    try:
        for _ in reading:
            pass
    except FeedFailure as failure:
        return failure
    return None


def _row_fields(row: Any) -> dict[str, Any]:
    return {"item_id": row.item_id, "sku": row.sku, "title": row.name, "price_minor": row.price,
            "currency": row.currency, "url": row.url, "in_stock": row.in_stock, "gtin": row.gtin}  # fmt: skip


def _problem_fields(error: Any) -> dict[str, Any]:
    return {"row_number": error.row_number, "code": error.code, "message": error.message}
