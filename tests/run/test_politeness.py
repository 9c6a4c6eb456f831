"""Politeness as the sites see it: two worker processes, one ledger (P-040, P-042, P-109, property 22)."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from tests.chaos.crowd import running, settled
from tests.run.scripted_site import Site, product
from tests.waiting import LIMIT, until
from winnow.actions import sources as source_actions

SPACING = 2.0  # P-042: 0.5 requests a second, 2 s apart, for a domain nobody said anything about
TOKENS = 5  # … in any second, for the one in the middle
# The sites run in this process: when it stands still, one request is noted late and the next one in time. Whoever does
# not keep the pace sends both at once. tests/chaos/politeness.py measures to the hundredth of a second.
SEEN_LATE = 0.5


async def test_p040_p042_pn14_two_processes_keep_every_domains_pace_and_none_delays_another(
    site: Site, other_site: Site, watch, start, rows, database, database_url, settings
):
    slow, fast, middle = site, other_site, await Site().start()
    pages = {slow: 2, fast: 80, middle: 24}
    for shop, n in pages.items():
        urls = [shop.says(f"/p/{k}", product(sku=f"{k}")) for k in range(n)]
        await start(await watch(urls, rate={slow: None, middle: TOKENS}.get(shop, 10_000)))
    await rows("UPDATE lanes SET held_until = 'infinity' WHERE lane = %s", slow.domain)
    folder = settings.db.folder
    async with running("worker", database_url, folder), running("worker", database_url, folder):
        # no head-of-line blocking: the others are through while one of them may not be asked at all
        await until(partial(rows, "SELECT 1 FROM tasks GROUP BY status HAVING status = 'done' AND count(*) = 104"))
        assert slow.log == []
        await rows("UPDATE lanes SET held_until = NULL, slot_at = '-infinity', turn_at = '-infinity' WHERE lane = %s",
                   slow.domain)  # fmt: skip
        await settled(database, LIMIT)
    await middle.stop()

    assert await rows("SELECT outcome, count(*)::int FROM tasks GROUP BY 1") == [("accepted", sum(pages.values()))]
    assert {shop.domain: len(shop.log) for shop in pages} == {shop.domain: n + 1 for shop, n in pages.items()}

    gaps = [later - earlier for earlier, later in pairwise(slow.times())]
    assert min(gaps) >= SPACING * SEEN_LATE, f"two requests {min(gaps):.3f} s apart"
    times = middle.times()
    spans = [over - first for first, over in zip(times, times[TOKENS:], strict=False)]
    assert min(spans) >= 1.0 * SEEN_LATE, f"{TOKENS + 1} requests within {min(spans):.3f} s"


async def test_a_worker_that_ends_when_nothing_is_left_does_not_wait_for_what_is_paused(
    site: Site, other_site: Site, watch, start, work, rows, database
):
    """C-003: tasks of a paused source, and of a paused domain, wait for a person."""
    source = await watch([site.says("/p", product())])
    await start(source)
    await start(await watch([other_site.says("/p", product())]))
    async with database.transaction() as conn:
        await source_actions.pause(conn, "test", source, True)
        await conn.execute("UPDATE lanes SET paused = true WHERE lane = %s", (other_site.domain,))
    await work()
    assert await rows("SELECT status FROM tasks") == ["queued", "queued"]
    assert site.asked("/p") + other_site.asked("/p") == 0
