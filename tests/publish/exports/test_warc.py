"""Web archives of stored pages, opened with warcio."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import orjson
import pytest
from psycopg.types.json import Jsonb
from warcio.archiveiterator import ArchiveIterator

from tests.publish.exports.conftest import Rows
from winnow.actions.erasure import erase
from winnow.db.engine import Database
from winnow.errors import ConfigError
from winnow.fetch.archive.archive import Archive
from winnow.publish.exports.text_files import Counted
from winnow.publish.exports.warc import BATCH, stream_warc
from winnow.publish.exports.window import BEGINNING


@pytest.fixture
async def archive(tmp_path: Path) -> AsyncIterator[Archive]:
    opened = Archive(None, tmp_path / "pages")
    yield opened
    opened.close()


async def add_page(rows: Rows, archive: Archive, url: str, body: bytes, seconds: int = 0) -> None:
    stored = await archive.put(body)
    await rows(
        "INSERT INTO pages (id, url, final_url, outcome, status_code, content_type, charset, content_hash, "
        "stored_bytes, fetch_duration_ms, etag, decision, created_at) VALUES (%s, %s, %s, 'ok', 200, 'text/html', "
        "'utf-8', %s, 1, 12, '\"v1\"', %s, timestamptz '2026-03-01T12:00:00Z' + %s * interval '1 second')",
        uuid4(), url, url, stored.hash, Jsonb({"lane": "shop.test"}), seconds,
    )  # fmt: skip


async def written(database: Database, archive: Archive) -> list[tuple[str, str, bytes, str]]:
    """(type, target, content, date) of each record."""
    counted = Counted()
    chunks = stream_warc(database, archive, counted, since=BEGINNING, until=datetime.now(UTC))
    data = b"".join([chunk async for chunk in chunks])
    return [
        (
            record.rec_type,
            record.rec_headers.get_header("WARC-Target-URI"),
            record.content_stream().read(),
            record.rec_headers.get_header("WARC-Date"),
        )
        for record in ArchiveIterator(io.BytesIO(data), check_digests="raise")
    ]


async def test_pages_are_resources_with_how_they_were_fetched(database: Database, rows: Rows, archive: Archive) -> None:
    url, body = "https://shop.test/ü?a=1", "<html>Ünï</html>".encode()
    await add_page(rows, archive, url, body)
    info, page, how = await written(database, archive)
    assert info[0] == "warcinfo"
    assert b"Winnow" in info[2]
    assert (page[0], page[2]) == ("resource", body)
    assert page[3] == "2026-03-01T12:00:00.000000Z"
    facts = orjson.loads(how[2])
    assert (how[0], facts["status_code"], facts["etag"], facts["decision"]) == (
        "metadata", 200, '"v1"', {"lane": "shop.test"},
    )  # fmt: skip


async def test_erased_pages_are_absent(database: Database, rows: Rows, archive: Archive) -> None:
    await add_page(rows, archive, "https://shop.test/kept", b"kept")
    await add_page(rows, archive, "https://shop.test/erased", b"a secret")
    await erase(database, archive, "https://shop.test/erased", "ada")
    found = await written(database, archive)
    assert [content for kind, _, content, _ in found if kind == "resource"] == [b"kept"]
    assert not any(b"secret" in content or "erased" in (target or "") for _, target, content, _ in found)


async def test_more_than_one_batch_and_a_body_that_is_gone(database: Database, rows: Rows, archive: Archive) -> None:
    for n in range(BATCH + 3):
        await add_page(rows, archive, f"https://shop.test/{n}", f"page {n}".encode(), seconds=n // 7)
    await rows("UPDATE pages SET content_hash = repeat('0', 64) WHERE url = 'https://shop.test/5'")
    kinds = [kind for kind, *_ in await written(database, archive)]
    assert kinds.count("resource") == BATCH + 2


async def test_without_the_extra_one_line_says_what_to_install(
    database: Database, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "warcio.warcwriter", None)
    with pytest.raises(ConfigError, match=r"needs warcio.*pip install 'winnow\[warc\]'"):
        await written(database, archive)
