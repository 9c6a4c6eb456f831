"""Archived pages as a web archive (WARC 1.1): a resource record each, with a metadata record of how it was fetched.

The headers of answers are not kept, so these are no response records: nothing is made up. Pages whose body was erased
or is gone by the rules of retention are left out.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from io import BytesIO
from typing import Any
from uuid import UUID

import msgspec
import orjson
from psycopg.rows import class_row

from winnow import __version__
from winnow.db.engine import Connection, Database
from winnow.errors import ArchiveError, NotFound
from winnow.fetch.archive.archive import Archive
from winnow.publish.exports.arrow_batches import require
from winnow.publish.exports.text_files import Counted

BATCH = 100
_PAGES = """
SELECT id, url, final_url, content_hash, content_type, charset, status_code, etag, last_modified, fetcher_used,
       fetch_duration_ms, decision, created_at
FROM pages
WHERE content_hash IS NOT NULL AND body_deleted_at IS NULL AND outcome = 'ok'
    AND (created_at, id) > (%(at)s, %(after)s) AND created_at < %(until)s
    AND (%(source_id)s::bigint IS NULL OR source_id = %(source_id)s)
ORDER BY created_at, id LIMIT %(limit)s
"""


class ArchivedPage(msgspec.Struct, frozen=True):
    id: UUID
    url: str
    final_url: str
    content_hash: str
    content_type: str | None
    charset: str | None
    status_code: int | None
    etag: str | None
    last_modified: str | None
    fetcher_used: str
    fetch_duration_ms: int
    decision: dict[str, Any]
    created_at: datetime

    @property
    def media_type(self) -> str:
        kind = self.content_type or "application/octet-stream"
        return f"{kind}; charset={self.charset}" if self.charset and kind.startswith("text/") else kind


async def stream_warc(
    database: Database,
    archive: Archive,
    counted: Counted,
    *,
    since: datetime,
    until: datetime,
    source_id: int | None = None,
) -> AsyncGenerator[bytes]:
    """Gzipped record by record, oldest page first."""
    out = BytesIO()
    writer = require("warcio.warcwriter", extra="warc").WARCWriter(out, gzip=True, warc_version="1.1")
    info = {"software": f"Winnow {__version__}", "format": "WARC File Format 1.1"}
    writer.write_record(writer.create_warcinfo_record("winnow.warc.gz", info))
    async for page in _pages(database, since, until, source_id):
        try:
            body = await archive.get(page.content_hash)
        except (ArchiveError, NotFound):  # erased meanwhile, or lost: the keeper of the archive reports that
            continue
        _write(writer, page, body)
        counted.rows += 1
        yield _taken(out)
    yield _taken(out)


async def _pages(
    database: Database, since: datetime, until: datetime, source_id: int | None
) -> AsyncGenerator[ArchivedPage]:
    at, after = since, UUID(int=0)
    while True:
        async with database.connection() as conn:
            found = await _batch(conn, {"at": at, "after": after, "until": until, "source_id": source_id})
        for page in found:
            yield page
        if len(found) < BATCH:
            return
        at, after = found[-1].created_at, found[-1].id


async def _batch(conn: Connection, given: dict[str, Any]) -> list[ArchivedPage]:
    async with conn.cursor(row_factory=class_row(ArchivedPage)) as cursor:
        await cursor.execute(_PAGES, {**given, "limit": BATCH})
        return await cursor.fetchall()


def _write(writer: Any, page: ArchivedPage, body: bytes) -> None:
    moment = page.created_at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    record_id = f"<urn:uuid:{page.id}>"
    headers = {"WARC-Date": moment, "WARC-Record-ID": record_id}
    writer.write_record(
        writer.create_warc_record(
            page.final_url, "resource", payload=BytesIO(body), warc_content_type=page.media_type,
            warc_headers_dict=headers,
        )
    )  # fmt: skip
    names = ("url", "status_code", "etag", "last_modified", "fetcher_used", "fetch_duration_ms", "decision")
    how = orjson.dumps({name: getattr(page, name) for name in names}, default=str)
    writer.write_record(
        writer.create_warc_record(
            page.final_url, "metadata", payload=BytesIO(how), warc_content_type="application/json",
            warc_headers_dict={"WARC-Date": moment, "WARC-Refers-To": record_id},
        )
    )  # fmt: skip


def _taken(out: BytesIO) -> bytes:
    """What was written so far; the buffer is empty afterwards."""
    data = out.getvalue()
    out.seek(0)
    out.truncate()
    return data
