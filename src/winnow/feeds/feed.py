"""A feed as the rest of `feeds/` sees it: its row, with the name of its source."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row

from winnow.db.engine import Database
from winnow.errors import Conflict, NotFound
from winnow.feeds.read.layout import MAX_ROWS, ParseSettings
from winnow.feeds.run_result import RunResult, result_sql
from winnow.feeds.transport.remote import Remote

Connection = AsyncConnection[Any]

# The advisory locks of feeds have a range of their own above the other users' two-part keys (DESIGN §11.21); inside
# it the key is feed_lock_id and nothing else (F-008, F-056).
LOCK_RANGE = 0x57_46 << 44
BESIDE_RANGE = 0x57_47 << 44  # the same key for the second connection of a run (`beside`)
MAX_FILE_BYTES = 500 * 1000 * 1000  # F-072
LARGEST_ID = (1 << 63) - 1
# Where the file is and what its records mean: with another one of these, nothing is known about the file any more.
READING = ("transport", "host", "port", "path", "username", "network", "format", "encoding", "delimiter",
           "default_currency", "column_overrides", "url_template", "update_mode", "url_normalization_mode")  # fmt: skip

_COLUMNS = f"""
f.id, f.source_id, s.name, s.retailer_id, f.network, f.status, f.schedule_frequency_hours, f.schedule_cron,
f.next_run_at,
f.expiry_hours, f.heartbeat_hours, f.consecutive_failures, f.last_run_at, f.manual_run_pending,
f.manual_run_requested_at, f.transport, f.host, f.port, f.path, f.username, f.host_key_fingerprint,
f.secret_ciphertext, f.secret_key_id, f.secret_version, f.format, f.encoding, f.delimiter, f.default_currency,
f.column_overrides, f.url_template, f.update_mode,
f.last_remote_mtime, f.last_remote_size, f.last_content_hash, f.max_file_size_bytes,
f.max_row_count, f.feed_lock_id, f.current_seen_at, f.current_seen_run_id, f.promoted_at, f.promoted_run_id,
f.loaded_run_id,
f.refresh_unchanged, f.keep_files, f.url_normalization_mode, f.status_reason, s.is_display_primary,
(SELECT {result_sql("r")} FROM affiliate_feed_runs AS r
 WHERE r.feed_id = f.id ORDER BY r.id DESC LIMIT 1) AS last_run_status,
(SELECT r.id FROM affiliate_feed_runs AS r
 WHERE r.feed_id = f.id AND {result_sql("r")} = '{RunResult.AWAITING_APPROVAL}'
 ORDER BY r.id DESC LIMIT 1) AS waiting_run_id
"""


class Feed(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    source_id: int
    name: str
    retailer_id: int | None
    network: str
    status: str
    schedule_frequency_hours: int | None
    schedule_cron: str | None
    next_run_at: datetime | None
    expiry_hours: int
    heartbeat_hours: int
    consecutive_failures: int
    last_run_at: datetime | None
    manual_run_pending: bool
    manual_run_requested_at: datetime | None
    transport: str
    host: str | None
    port: int | None
    path: str | None
    username: str | None
    host_key_fingerprint: str | None
    secret_ciphertext: bytes | None
    secret_key_id: str | None
    secret_version: int
    format: str
    encoding: str | None
    delimiter: str | None
    default_currency: str
    column_overrides: dict[str, Any]
    url_template: str | None
    update_mode: str
    last_remote_mtime: datetime | None
    last_remote_size: int | None
    last_content_hash: str | None
    max_file_size_bytes: int | None
    max_row_count: int | None
    feed_lock_id: int
    current_seen_at: datetime | None
    current_seen_run_id: int | None
    promoted_at: datetime | None
    promoted_run_id: int | None
    loaded_run_id: int | None
    refresh_unchanged: bool
    keep_files: bool
    url_normalization_mode: str
    status_reason: str | None
    is_display_primary: bool
    last_run_status: str | None
    waiting_run_id: int | None

    def __repr__(self) -> str:
        """F-101: no log line and no traceback shows the sealed secret."""
        return f"Feed(id={self.id}, name={self.name!r}, transport={self.transport}, status={self.status})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("id", self.id), ("name", self.name)]

    @property
    def max_bytes(self) -> int:
        return self.max_file_size_bytes or MAX_FILE_BYTES

    @property
    def goes_stale_at(self) -> datetime | None:
        """When the offers that are in step with it expire, unless a run comes first (F-029, FN-07)."""
        return None if self.promoted_at is None else self.promoted_at + timedelta(hours=self.expiry_hours)

    @property
    def reading(self) -> dict[str, Any]:
        """As it was when somebody looked: two that differ are two files, as far as anybody knows."""
        return {name: getattr(self, name) for name in (*READING, "host_key_fingerprint")}

    def parse_settings(self, now: datetime | None) -> ParseSettings:
        """CSV is what every feed is declared as unless somebody says otherwise; whether it is, the file shows."""
        return ParseSettings(
            network=self.network,
            format=None if self.format == "CSV" else self.format,
            encoding=self.encoding,
            delimiter=self.delimiter,
            columns={str(k): str(v) for k, v in self.column_overrides.items()},
            default_currency=self.default_currency,
            url_template=self.url_template,
            now=now,
            max_rows=self.max_row_count or MAX_ROWS,
        )

    def remote(self, secret: str | None) -> Remote:
        return Remote(
            transport=self.transport,
            path=self.path or "",
            host=self.host,
            port=self.port,
            username=self.username,
            secret=secret,
            host_key_fingerprint=self.host_key_fingerprint,
            max_bytes=self.max_bytes,
        )


async def get(conn: Connection, feed_id: int, *, lock: bool = False) -> Feed:
    found = await _select(conn, "f.id = %s" + (" FOR UPDATE OF f" if lock else ""), (min(feed_id, LARGEST_ID),))
    if not found:
        raise NotFound(f"there is no feed {feed_id}")
    return found[0]


async def find(conn: Connection, which: str) -> Feed:
    """By id or by the name of its source."""
    wanted = which.strip()
    if wanted.isascii() and wanted.isdigit() and len(wanted) < 20:
        return await get(conn, int(wanted))
    found = await _select(conn, "s.name = %s", (wanted,))
    if len(found) > 1:
        raise Conflict(f"{wanted!r} means {len(found)} feeds: name one by its id", existing=str(found[0].id))
    if not found:
        raise NotFound(f"there is no feed {wanted!r}")
    return found[0]


async def listed(conn: Connection, after: int = 0, limit: int = 100) -> list[Feed]:
    return await _select(conn, "f.id > %s ORDER BY f.id LIMIT %s", (after, limit))


async def try_lock(conn: Connection, feed: Feed) -> bool:
    """Only when no earlier holder's second connection is at work either: where a process was killed, the server may
    see the end of the one before that of the other."""
    if not await _locked(conn, "pg_try_advisory_lock", LOCK_RANGE + feed.feed_lock_id):
        return False
    if await _locked(conn, "pg_try_advisory_xact_lock", BESIDE_RANGE + feed.feed_lock_id):  # given back at once
        return True
    await unlock(conn, feed)
    return False


async def try_transaction_lock(conn: Connection, feed: Feed) -> bool:
    """The feed's lock until the caller's transaction ends; False while a run holds it."""
    ranges = (LOCK_RANGE, BESIDE_RANGE)
    return all([await _locked(conn, "pg_try_advisory_xact_lock", start + feed.feed_lock_id) for start in ranges])


async def unlock(conn: Connection, feed: Feed) -> None:
    await _locked(conn, "pg_advisory_unlock", LOCK_RANGE + feed.feed_lock_id)


@asynccontextmanager
async def open_second_connection(database: Database, feed: Feed) -> AsyncIterator[Connection | None]:
    """A second connection for whoever holds the feed's lock. It has a lock of its own, and `try_lock` heeds both."""
    async with database.dedicated() as conn:
        got = await _locked(conn, "pg_try_advisory_lock", BESIDE_RANGE + feed.feed_lock_id)
        try:
            yield conn if got else None
        finally:
            with suppress(Exception):  # the session's end gives it back as well, a moment later
                await _locked(conn, "pg_advisory_unlock", BESIDE_RANGE + feed.feed_lock_id)


async def _locked(conn: Connection, function: str, key: int) -> bool:
    row = await (await conn.execute(f"SELECT {function}(%s)", (key,))).fetchone()
    return bool(row and row[0])


async def _select(conn: Connection, where: str, given: tuple[Any, ...]) -> list[Feed]:
    query = f"SELECT {_COLUMNS} FROM affiliate_feeds AS f JOIN sources AS s ON s.id = f.source_id WHERE {where}"
    async with conn.cursor(row_factory=class_row(Feed)) as cursor:
        await cursor.execute(query, given)
        return await cursor.fetchall()
