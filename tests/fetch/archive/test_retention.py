"""How long bodies are kept (C-049): shared ones until the last page lets go, needed ones whatever their age."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.fetch.archive.archived_pages import age_files, page, stored
from winnow.db.engine import Connection, Database
from winnow.fetch.archive import retention
from winnow.fetch.archive.archive import Archive
from winnow.fetch.archive.retention import RetentionRules

RULES = RetentionRules(bodies=90, personal=30, rows=365)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    opened = Archive(None, tmp_path / "pages")
    yield opened
    opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "pages"


async def expire(conn: Connection, archive: Archive) -> tuple[int, int, int]:
    done = await retention.expire(conn, archive, RULES)
    return done.expired, done.deleted, done.rows


async def there(archive: Archive) -> set[str]:
    return {name for prefix in range(256) for name in await archive.names(f"{prefix:02x}")}


async def test_old_bodies_go_and_young_ones_stay(database: Database, archive: Archive, folder: Path):
    old, young = await stored(archive, "old"), await stored(archive, "young")
    age_files(folder)
    async with database.connection() as conn:
        await page(conn, old, 91)
        await page(conn, young, 89)
        assert await expire(conn, archive) == (1, 1, 0)
        assert await there(archive) == {young}
        assert await expire(conn, archive) == (0, 0, 0)


async def test_a_shared_body_goes_with_the_last_page_that_names_it(database: Database, archive: Archive, folder: Path):
    body = await stored(archive, "shared")
    age_files(folder)
    async with database.connection() as conn:
        await page(conn, body, 200)
        last = await page(conn, body, 1)
        assert await expire(conn, archive) == (1, 0, 0)
        await conn.execute("UPDATE pages SET created_at = now() - interval '100 days' WHERE id = %s", (last,))
        assert await expire(conn, archive) == (1, 1, 0)
        assert await there(archive) == set()


async def test_a_body_somebody_just_asked_for_stays(database: Database, archive: Archive, folder: Path):
    """Its row may be about to be committed."""
    body = await stored(archive, "again")
    age_files(folder)
    async with database.connection() as conn:
        await page(conn, body, 200)
        assert await stored(archive, "again") == body
        assert await expire(conn, archive) == (1, 0, 0)
        assert await archive.get(body) == b"again"
        age_files(folder)
        assert await retention.sweep(conn, archive, body[:2]) == 1


async def test_what_is_needed_stays_whatever_its_age(database: Database, archive: Archive, folder: Path):
    last, running, held = [await stored(archive, name) for name in ("last", "running", "held")]
    age_files(folder)
    async with database.connection() as conn:
        await conn.execute("INSERT INTO retailers (name) VALUES ('r')")
        await conn.execute("INSERT INTO sources (name, url, domain, retailer_id) VALUES ('s', 'u', 'd', 1)")
        last_page = await page(conn, last, 400, target_id=1, source_id=1)
        await conn.execute(
            "INSERT INTO scrape_targets (url, canonical_url, url_hash, domain, source_id, adapter_id, last_page_id) "
            "VALUES ('u', 'u', repeat('a', 64), 'd', 1, 'generic', %s)",
            (last_page,),
        )
        task = uuid4()
        await conn.execute(
            "INSERT INTO tasks (id, url, lane, origin, producer) VALUES (%s, 'u', 'd', 'o', 'prices')", (task,)
        )
        await page(conn, running, 400, task_id=task)
        held_page = await page(conn, held, 400, target_id=1)
        await conn.execute(
            "INSERT INTO quarantine (page_id, target_id, reason, payload) VALUES (%s, 1, 'DRIFT_DETECTED', '{}')",
            (held_page,),
        )
        assert await expire(conn, archive) == (0, 0, 0)
        await conn.execute("UPDATE quarantine SET resolution = 'reject', resolved_at = now(), resolved_by = 'x'")
        assert await expire(conn, archive) == (1, 1, 1), "the row is older than rows are kept"
        assert await there(archive) == {last, running}


async def test_pages_about_people_go_sooner(database: Database, archive: Archive, folder: Path):
    person, shop = await stored(archive, "person"), await stored(archive, "shop")
    age_files(folder)
    async with database.connection() as conn:
        await conn.execute("INSERT INTO sources (name, url, domain, kind) VALUES ('s', 'u', 'd', 'profile')")
        await page(conn, person, 31, source_id=1)
        await page(conn, shop, 31)
        assert await expire(conn, archive) == (1, 1, 0)
        assert await there(archive) == {shop}


async def test_rows_outlive_their_bodies_and_then_go(database: Database, archive: Archive):
    async with database.connection() as conn:
        await page(conn, None, 366, outcome="timeout")
        await page(conn, None, 364, outcome="timeout")
        assert await expire(conn, archive) == (0, 0, 1)


async def test_a_sweep_removes_bodies_without_a_row_and_images_keep_theirs(
    database: Database, archive: Archive, folder: Path
):
    orphan, picture, known = [await stored(archive, name) for name in ("orphan", "picture", "known")]
    async with database.connection() as conn:
        await page(conn, known, 1)
        await conn.execute("INSERT INTO retailers (name) VALUES ('r')")
        await conn.execute("INSERT INTO sources (name, url, domain, retailer_id) VALUES ('s', 'u', 'd', 1)")
        await conn.execute(
            "INSERT INTO source_products (source_id, identity_type, identity_value, title, url) "
            "VALUES (1, 'SKU', 'x', 't', 'u')"
        )
        await conn.execute("INSERT INTO images (product_id, image_url, content_hash) VALUES (1, 'u', %s)", (picture,))
        assert sum([await retention.sweep(conn, archive, name[:2]) for name in (orphan, picture, known)]) == 0
        age_files(folder)
        assert sum([await retention.sweep(conn, archive, name[:2]) for name in (orphan, picture, known)]) == 1
    assert await there(archive) == {picture, known}
