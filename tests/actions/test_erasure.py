"""DESIGN §11.26: what is known of a person's page can be erased at once, and of nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.fetch.archive.archived_pages import age_files, page, stored
from winnow.actions.erasure import Erased, erase
from winnow.db.engine import Connection, Database
from winnow.errors import NotFound, UrlRefused
from winnow.fetch.archive.archive import Archive
from winnow.normalise.urls import url_hash
from winnow.store import enrichment
from winnow.store.enrichment import StoredResult

ANNA, BERT = "https://people.example.com/in/anna", "https://people.example.com/in/bert"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    opened = Archive(None, tmp_path / "pages")
    yield opened
    opened.close()


async def result(conn: Connection, url: str, page_id: UUID) -> UUID:
    made = StoredResult(
        task_id=uuid4(), job_id=None, kind="profile", target_type="linkedin_profile", version="1", workspace_id=None,
        target_url=url, url_hash=url_hash(url), requested_fields=None, data={"name": "A person"}, further=[],
        problems={}, provenance={}, verdict="accept", reasons=[], page_id=page_id,
    )  # fmt: skip
    await enrichment.write(conn, [made], 3600)
    return made.task_id


async def row(conn: Connection, task_id: UUID) -> Any:
    asked = await conn.execute("SELECT data, erased_at IS NULL FROM enrichment_results WHERE task_id = %s", (task_id,))
    return await asked.fetchone()


async def test_results_and_pages_of_an_address_are_erased_and_others_stay(
    database: Database, archive: Archive, tmp_path: Path
) -> None:
    hers, failed, his, both = [await stored(archive, text) for text in ("anna", "a wall", "bert", "one text")]
    age_files(tmp_path / "pages")
    async with database.connection() as conn:
        first = await result(conn, ANNA, await page(conn, hers, 1, url=ANNA + "?utm_source=x"))
        second = await result(conn, ANNA + "/", await page(conn, both, 1, url=ANNA))
        await page(conn, failed, 1, url=ANNA)  # of an attempt that gave no result
        kept = await result(conn, BERT, await page(conn, his, 1, url=BERT))
        await page(conn, both, 1, url=BERT)
    done = await erase(database, archive, ANNA, "a test")
    assert done == Erased(results=2, pages=3, bodies=2)
    async with database.connection() as conn:
        assert [await row(conn, task) for task in (first, second, kept)] == [
            (None, False), (None, False), ({"name": "A person"}, True),
        ]  # fmt: skip
        said = await conn.execute("SELECT actor, object_id, after FROM audit_log WHERE action = 'pages.erased'")
        assert await said.fetchall() == [("a test", url_hash(ANNA), {"results": 2, "pages": 3})]
    for gone in (hers, failed):
        with pytest.raises(NotFound):
            await archive.get(gone)
    assert [await archive.get(name) for name in (his, both)] == [b"bert", b"one text"]


async def test_erasing_twice_or_nothing_is_fine(database: Database, archive: Archive) -> None:
    assert await erase(database, archive, ANNA, "a test") == Erased(results=0, pages=0, bodies=0)
    assert await erase(database, archive, ANNA, "a test") == Erased(results=0, pages=0, bodies=0)


async def test_what_is_no_address_is_refused(database: Database, archive: Archive) -> None:
    with pytest.raises(UrlRefused):
        await erase(database, archive, "anna", "a test")
