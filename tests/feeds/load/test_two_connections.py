"""A first load on two connections is as one on one: exclusive, and whole after whatever ends it (F-056, F-057, F-074)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.feeds.load.same_tables import HEADER, TABLES, again, catalogue, loads, tables
from tests.feeds.shop import FILE, Shop, read_here
from winnow.db.engine import Database
from winnow.errors import DatabaseUnavailable
from winnow.feeds import feed, upkeep
from winnow.feeds.failures import MAX_ATTEMPTS
from winnow.feeds.promote import approval
from winnow.feeds.read.child import Prepare
from winnow.feeds.read.reading import Chunk
from winnow.feeds.runs import FeedJob

HOLDERS = """
SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::bigint << 32 | objid::bigint) = %s
"""
ROWS = 700
CHUNK = 100


@pytest.fixture
async def shop(database: Database, tmp_path: Path) -> Shop:
    made = Shop(database, tmp_path / "feeds")
    await made.open()
    made.means = msgspec.structs.replace(made.means, chunk_rows=CHUNK)
    (made.folder / FILE).write_text("\n".join([HEADER, *catalogue(1, ROWS)]) + "\n", newline="")
    return made


async def keys(shop: Shop) -> tuple[int, int]:
    """Of the run's lock, and of its second connection's."""
    lock = await shop.value("SELECT feed_lock_id FROM affiliate_feeds WHERE id = %s", shop.feed_id)
    return feed.LOCK_RANGE + lock, feed.BESIDE_RANGE + lock


async def holders(shop: Shop, key: int) -> list[int]:
    return [pid for (pid,) in await shop.rows(HOLDERS, key)]


def reading(after: int, then: Any) -> Any:
    """A reader that has something happen once it has handed out `after` chunks."""

    async def read(prepare: Prepare) -> AsyncIterator[Any]:
        given = 0
        async for frame in read_here(prepare):
            yield frame
            given += isinstance(frame, Chunk)
            if isinstance(frame, Chunk) and given == after:
                await then()

    return read


async def finished(shop: Shop) -> None:
    """The next attempts of the run, as a worker makes them: the server needs a moment to see that a session ended."""
    run_id = await shop.value("SELECT id FROM affiliate_feed_runs WHERE status = 'RUNNING'")
    shop.means = msgspec.structs.replace(shop.means, read=read_here)
    while (outcome := await shop.run(job=FeedJob(feed_id=shop.feed_id, run_id=run_id), number=2)).word == "lock_busy":
        await asyncio.sleep(0.02)
    assert outcome.word == "succeeded", outcome


async def equals_an_undisturbed_load(shop: Shop) -> None:
    disturbed = await tables(shop)
    undisturbed = await loads(await again(shop), [catalogue(1, ROWS)], CHUNK)
    for name in TABLES:
        assert disturbed[name] == undisturbed[name], name


async def test_f057_both_connections_of_a_run_hold_a_lock_of_its_feed(shop: Shop) -> None:
    found: list[list[int]] = []

    async def look() -> None:
        found.extend([await holders(shop, key) for key in await keys(shop)])

    shop.means = msgspec.structs.replace(shop.means, read=reading(3, look))
    assert (await shop.run()).word == "succeeded"
    (first,), (second,) = found
    assert first != second
    assert [await holders(shop, key) for key in await keys(shop)] == [[], []]


async def test_f056_nobody_begins_while_the_second_connection_of_an_ended_run_is_at_work(shop: Shop) -> None:
    """Its process was killed: the server has seen the end of the one connection and not yet that of the other."""
    _, second = await keys(shop)
    run_id = await shop.value(
        "INSERT INTO affiliate_feed_runs (feed_id, source_id, started_at) VALUES (%s, %s, now() - interval '1 hour')"
        " RETURNING id", shop.feed_id, shop.source_id,
    )  # fmt: skip
    async with shop.database.dedicated() as conn:
        await conn.execute("SELECT pg_advisory_lock(%s)", (second,))
        assert (await shop.run()).word == "lock_busy"
        assert (await shop.run(job=FeedJob(feed_id=shop.feed_id, run_id=run_id))).word == "lock_busy"
        assert await upkeep.reap(shop.database, shop.means.notify, shop.means.on_finished) == 0
        with pytest.raises(approval.ApprovalRefused, match="under way"):
            await approval.approve(shop.database, run_id, "ada")
        await conn.execute("SELECT pg_advisory_unlock(%s)", (second,))
        assert [await holders(shop, key) for key in await keys(shop)] == [[], []]  # what was tried was given back
        assert await upkeep.reap(shop.database, shop.means.notify, shop.means.on_finished) == 1


async def test_a_load_goes_on_alone_where_the_second_lock_is_not_to_be_had(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shop.database.dedicated() as other:
        await other.execute("SELECT pg_advisory_lock(%s)", (feed.BESIDE_RANGE + 2**40,))
        locked = feed._locked

        async def elsewhere(conn: Any, function: str, key: int) -> bool:
            taken = function == "pg_try_advisory_lock" and key >= feed.BESIDE_RANGE
            return await locked(conn, function, feed.BESIDE_RANGE + 2**40 if taken else key)

        monkeypatch.setattr(feed, "_locked", elsewhere)
        assert (await shop.run()).word == "succeeded"
    monkeypatch.undo()
    await equals_an_undisturbed_load(shop)


@pytest.mark.parametrize("which", [0, 1], ids=["the_first", "the_second"])
async def test_f063_a_load_that_loses_one_of_its_connections_is_finished_by_the_next_attempt(
    shop: Shop, which: int
) -> None:
    async def cut() -> None:
        [pid] = await holders(shop, (await keys(shop))[which])
        assert await shop.value("SELECT pg_terminate_backend(%s)", pid)

    shop.means = msgspec.structs.replace(shop.means, read=reading(3, cut))
    with suppress(DatabaseUnavailable):  # a worker tries again either way
        assert (await shop.run()).word == "retry"
    assert await shop.value("SELECT count(*) FROM source_products") < ROWS - CHUNK
    await finished(shop)
    await equals_an_undisturbed_load(shop)


async def test_f063_a_cancelled_load_leaves_nobody_at_work(shop: Shop) -> None:
    reached = asyncio.Event()

    async def wait() -> None:
        reached.set()
        await asyncio.Event().wait()

    shop.means = msgspec.structs.replace(shop.means, read=reading(3, wait))
    running = asyncio.create_task(shop.run())
    await reached.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await finished(shop)
    await equals_an_undisturbed_load(shop)


async def test_f074_what_was_committed_beside_a_chunk_that_failed_is_counted(shop: Shop) -> None:
    """Somebody else's offer is in the way of one chunk; the others go on, each of them whole."""
    async with shop.database.dedicated() as other:
        async with other.transaction():
            await other.execute(
                "INSERT INTO source_products (source_id, identity_type, identity_value, title, url)"
                " VALUES (%s, 'IMPACT_ITEM_ID', 'id-150', 'theirs', 'https://shop.test/x')", (shop.source_id,)
            )  # fmt: skip
            attempted = asyncio.create_task(shop.run(number=MAX_ATTEMPTS))
            while await shop.value("SELECT count(*) FROM feed_run_seen") == 0:
                assert not attempted.done(), attempted.result()
                await asyncio.sleep(0.02)
        outcome = await attempted
    assert outcome.word == "failed"
    assert outcome.run_id is not None
    run = await shop.run_row(outcome.run_id)
    ours = await shop.value("SELECT count(*) FROM source_products WHERE created_by_run_id = %s", outcome.run_id)
    assert (run["is_partial"], run["products_upserted"], run["prices_written"]) == (True, ours, ours)
    assert await shop.value("SELECT sum(cardinality(source_product_ids)) FROM feed_run_seen") == ours
    assert (
        await shop.value("SELECT count(*) FROM prices")
        == ours
        == await shop.value("SELECT count(*) FROM latest_prices")
    )


async def test_a_feed_that_was_active_once_is_loaded_on_one_connection(shop: Shop) -> None:
    """The resolver goes through its offers by their ids: those committed later must not have lower ones."""
    await shop.rows(
        "INSERT INTO affiliate_feed_runs (feed_id, source_id, status, finished_at)"
        " VALUES (%s, %s, 'SUCCEEDED', now()) RETURNING 1", shop.feed_id, shop.source_id,
    )  # fmt: skip
    await shop.rows(
        "UPDATE affiliate_feeds SET promoted_run_id = (SELECT max(id) FROM affiliate_feed_runs) RETURNING 1"
    )
    found: list[int] = []

    async def look() -> None:
        found.extend(await holders(shop, (await keys(shop))[1]))

    shop.means = msgspec.structs.replace(shop.means, read=reading(3, look))
    assert (await shop.run()).word == "succeeded"
    assert found == []
