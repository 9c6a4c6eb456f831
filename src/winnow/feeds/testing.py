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
from winnow.feeds.read.layout import Layout, ParseSettings
from winnow.feeds.read.parse import FileReading, parse
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
    notices = _notices(path, settings)
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
        warnings=[*notices, *(_problem_fields(w) for w in batch.warnings[:MAX_ROWS_RETURNED])],
    )


def _notices(path: Path, settings: ParseSettings) -> list[dict[str, Any]]:
    """Warnings about the whole file: what is assumed because it names no currency, no id or no known stock."""
    found = _first_batch(path, settings)
    if found is None or not len(found[0].rows):
        return []
    batch, layout = found
    rows = len(batch.rows)
    assumed = _assumed_currencies(path, settings, batch)
    unknown = sum(1 for row in batch.rows if not row.stock_known)
    notices = []
    if assumed:
        message = f"{assumed} of {rows} rows name no currency: {settings.default_currency} is assumed"
        notices.append(_notice("ASSUMED_CURRENCY", f"{message}; set it with `--currency`"))
    if not {"item_id", "sku"} & layout.mapped.keys():
        message = "no column holds an id: offers are told apart by their addresses; name one with `--column sku=COLUMN`"
        notices.append(_notice("NO_ID_COLUMN", message))
    if unknown:
        column = ", ".join(layout.mapped.get("stock", ())) or "no column"
        message = f"the stock of {unknown} of {rows} rows is not known ({column}): they count as in stock"
        notices.append(_notice("UNKNOWN_STOCK", message))
    return notices


def _first_batch(path: Path, settings: ParseSettings) -> tuple[Batch, Layout] | None:
    """The rows that a test reads; None where the file cannot be read, which the test itself reports."""
    try:
        with path.open("rb") as file:
            reading = parse(file, settings)
            return next((batch for batch in reading if batch.read), EMPTY_BATCH), reading.layout
    except FeedFailure:
        return None


def _assumed_currencies(path: Path, settings: ParseSettings, batch: Batch) -> int:
    """Rows whose currency changes with the default were not stated by the file."""
    other = "EUR" if settings.default_currency != "EUR" else "USD"
    again = _first_batch(path, msgspec.structs.replace(settings, default_currency=other))
    stated = {row.row_number: row.currency for row in again[0].rows} if again else {}
    return sum(1 for row in batch.rows if stated.get(row.row_number, other) != row.currency)


def _notice(code: str, message: str) -> dict[str, Any]:
    return {"row_number": None, "code": code, "message": message}


def _failure_after_rows(reading: FileReading) -> FeedFailure | None:
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
