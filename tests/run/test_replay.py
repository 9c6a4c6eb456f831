"""Stored pages through a candidate, and a candidate beside the live adapter: what would it change (C-069)?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.run.scripted_site import Site
from winnow.actions import replays as work
from winnow.errors import Conflict, InvalidInput, NotFound
from winnow.kinds.adapters import choose, registry
from winnow.run.commit import shadow
from winnow.run.worker import assembled

LIVE = """
id = "shop"
version = "1.0.0"
domain = "shop.example"
currency = "USD"
[fields]
title = "h1"
price = ".price"
availability = ".stock"
sku = ".sku"
"""
# Reads the brand as well, and the wrong price on pages that show one per metre.
NEXT = LIVE.replace("1.0.0", "1.1.0").replace('".price"', '[".per", ".price"]') + 'brand = ".brand"\n'


def page(n: int, per: str = "") -> str:
    """The last ones say nothing about stock."""
    stock = "" if n >= 5 else '<p class="stock">In stock</p>'
    return (
        f'<html lang="en"><body><h1>Rope {n}</h1><p class="price">${10 + n}.00</p>{per}<p class="sku">R{n}</p>'
        f'<p class="brand">Harrow</p>{stock}</body></html>'
    )


@pytest.fixture
def settings(settings, tmp_path: Path):
    """With an adapter of the operator's own, and a candidate for it."""
    folder = tmp_path / "adapters/shop"
    folder.mkdir(parents=True)
    (folder / "live.toml").write_text(LIVE)
    (folder / "next.toml").write_text(NEXT)
    return replace(settings, run=settings.run.model_copy(update={"adapters_dir": folder.parent}))


@pytest.fixture
async def visited(site: Site, watch, start, work, rows):
    """Six pages read by the live adapter: one that the candidate reads wrongly, one without a stock signal."""
    pers = {2: '<p class="per">$0.50</p>'}
    urls = [site.says(f"/p/{n}", page(n, pers.get(n, ""))) for n in range(6)]
    source = await watch(urls, adapter="shop")
    await start(source)
    await work()
    assert await rows("SELECT count(*)::int FROM prices") == [5]
    return source


@pytest.fixture
def candidate(settings):
    return choose(registry(settings.run.adapters_dir), "shop", "new")


async def replayed(database, settings, order):
    replay_id = await work.begin(database, "anna", order)
    return replay_id, await work.run(database, settings, replay_id, order)


async def test_c069_a_replay_shows_what_a_candidate_would_change(database, settings, visited, candidate, rows):
    order = work.Order(candidate=candidate, live="1.0.0")
    replay_id, report = await replayed(database, settings, order)
    assert (report.pages, report.missing, report.same) == (6, 0, 0)
    assert (report.changed, report.gained, report.lost) == (2, 4, 0), "the wrong price, and the page without stock"
    assert report.fields["brand"].found == 6
    price = report.fields["price"]
    assert (price.same, price.changed) == (5, 1)
    assert [(e.before, e.after) for e in price.examples] == [("12.00 USD", "0.50 USD")]
    assert report.fields["title"].same == 6
    stored = await rows("SELECT mode, status, pages, same, changed, gained, lost FROM replays WHERE id = %s", replay_id)
    assert stored == [("stored", "done", 6, 0, 2, 4, 0)]
    kept = "SELECT field, before #>> '{}', after #>> '{}' FROM replay_differences WHERE field = 'price'"
    assert await rows(kept) == [("price", "12.00 USD", "0.50 USD")]
    assert await rows("SELECT count(*)::int FROM prices") == [5], "nothing was stored as truth"
    assert await rows("SELECT count(*)::int FROM records") == [6]


async def test_the_live_version_reads_its_own_pages_the_same(database, settings, visited):
    live = choose(registry(settings.run.adapters_dir), "shop")
    _, report = await replayed(database, settings, work.Order(candidate=live, live=live.version))
    assert (report.pages, report.same, report.regressions) == (6, 6, 0)


async def test_a_candidate_given_as_a_file_that_is_registered_nowhere(database, settings, visited, tmp_path: Path):
    """A page that is no longer accepted is lost; one that fails says why."""
    file = tmp_path / "draft.toml"
    file.write_text(LIVE.replace("1.0.0", "2.0.0").replace('"h1"', '"h2"'))
    order = work.Order(candidate=choose(registry(), str(file)), live="1.0.0", file=str(file), source_id=visited)
    _, report = await replayed(database, settings, order)
    assert (report.lost, report.changed) == (5, 1)
    assert report.became == {"accept -> failure": 5, "reject -> failure": 1}
    assert report.fields["price"].lost == 6


async def test_pages_missing_from_the_archive_are_counted_and_the_others_read(
    database, settings, visited, candidate, rows
):
    await rows("UPDATE pages SET body_deleted_at = now() WHERE url LIKE '%%/p/0'")
    (lost,) = await rows("SELECT content_hash FROM pages WHERE url LIKE '%%/p/1'")
    (body,) = (settings.db.folder / "pages").rglob(f"{lost}.zst")
    body.unlink()
    replay_id, report = await replayed(database, settings, work.Order(candidate=candidate, live="1.0.0"))
    assert (report.pages, report.missing) == (4, 2)
    assert await rows("SELECT error_message FROM replays WHERE id = %s", replay_id) == [
        "2 pages were not in the archive"
    ]


async def test_the_newest_pages_come_first_and_the_scope_holds(
    database, settings, visited, candidate, rows, monkeypatch
):
    monkeypatch.setattr(work, "BATCH", 2)
    _, report = await replayed(database, settings, work.Order(candidate=candidate, live="1.0.0", limit=5))
    assert report.pages == 5
    _, report = await replayed(database, settings, work.Order(candidate=candidate, live="1.0.0", source_id=visited + 1))
    assert report.pages == 0
    (now,) = await rows("SELECT now() + interval '1 minute'")
    _, report = await replayed(database, settings, work.Order(candidate=candidate, live="1.0.0", since=now))
    assert report.pages == 0


async def test_a_replay_that_fails_says_so_and_one_whose_process_died_is_given_up(
    database, settings, visited, candidate, rows, monkeypatch
):
    order = work.Order(candidate=candidate, live="1.0.0")
    replay_id = await work.begin(database, "anna", order)
    with monkeypatch.context() as patched:
        patched.setattr(work, "facts_of", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            await work.run(database, settings, replay_id, order)
    assert await rows("SELECT status, error_message FROM replays") == [
        ("failed", "ZeroDivisionError: division by zero")
    ]
    await work.begin(database, "anna", order)
    await rows("UPDATE replays SET created_at = now() - interval '2 hours' WHERE status = 'running'")
    async with database.transaction() as conn:
        assert await work.replays.abandon_lost(conn) == 1


# shadow


async def test_c069_a_shadow_runs_beside_the_live_adapter_and_stores_nothing(
    database, settings, site: Site, watch, start, rows
):
    known = registry(settings.run.adapters_dir)
    async with database.transaction() as conn:
        shadow_id = await shadow.start(conn, "anna", known, "shop", "new")
    urls = [site.says(f"/p/{n}", page(n, '<p class="per">$0.50</p>' if n == 2 else "")) for n in range(5)]
    source = await watch(urls, adapter="shop")
    for _ in range(2):  # the second time the pages are unchanged: nothing is read, so nothing is compared
        await start(source)
        async with assembled(database, settings) as worker:
            await worker.run(until_empty=True)
    counted = "SELECT pages, same, changed, gained, lost, status FROM replays WHERE id = %s"
    assert await rows(counted, shadow_id) == [(5, 0, 1, 4, 0, "running")]
    assert await rows("SELECT amount_minor FROM prices ORDER BY amount_minor") == [1000, 1100, 1200, 1300, 1400]
    assert await rows("SELECT DISTINCT adapter_version FROM records") == ["1.0.0"]
    assert await rows("SELECT count(*)::int FROM replay_differences WHERE field = 'brand'") == [5]

    async with database.transaction() as conn:
        assert await shadow.stop(conn, "anna", "shop") == shadow_id
    site.says("/p/0", page(0).replace("10.00", "11.00"))
    await start(source)
    async with assembled(database, settings) as worker:
        await worker.run(until_empty=True)
    assert await rows(counted, shadow_id) == [(5, 0, 1, 4, 0, "done")]
    audited = await rows("SELECT action FROM audit_log WHERE object_type = 'replay' ORDER BY id")
    assert audited == ["shadow.started", "shadow.stopped"]


async def test_one_shadow_at_a_time_and_never_the_live_version(database, settings):
    known = registry(settings.run.adapters_dir)
    async with database.transaction() as conn:
        await shadow.start(conn, "anna", known, "shop", "1.1.0")
    with pytest.raises(Conflict, match="has a shadow already"):
        async with database.transaction() as conn:
            await shadow.start(conn, "anna", known, "shop", "1.1.0")
    async with database.transaction() as conn:
        with pytest.raises(InvalidInput):
            await shadow.start(conn, "anna", known, "shop", "1.0.0")
        with pytest.raises(InvalidInput):
            await shadow.start(conn, "anna", known, "generic", "new")
        with pytest.raises(NotFound):
            await shadow.stop(conn, "anna", "generic")


async def test_a_candidate_a_worker_does_not_have_is_left_out(database, settings, site: Site, watch, start, rows):
    known = registry(settings.run.adapters_dir)
    async with database.transaction() as conn:
        await shadow.start(conn, "anna", known, "shop", "new")
    source = await watch([site.says("/p/0", page(0))], adapter="shop")
    (settings.run.adapters_dir / "shop/next.toml").unlink()
    await start(source)
    async with assembled(database, settings) as worker:
        await worker.run(until_empty=True)
    assert await rows("SELECT pages FROM replays") == [0]
    assert await rows("SELECT amount_minor FROM prices") == [1000]
