"""A price is compared with the offer's own history: held, not believed, until a second visit confirms it."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import web

from tests.run.scripted_site import Site, product
from tests.waiting import LIMIT

PRICES = "SELECT amount_minor FROM prices ORDER BY id"
HELD = "SELECT reason, resolution, (payload #>> '{price,minor}')::int FROM quarantine ORDER BY id"
TASK = "SELECT outcome, reason FROM tasks ORDER BY created_at DESC, finished_at DESC LIMIT 1"


@pytest.fixture
def visits(site: Site, watch, start, work):
    """Visits one page with these prices one after the other."""
    source: list[int] = []

    async def run(*prices: str, **more) -> int:
        for price in prices:
            url = site.says("/p", product(price=price, **more))
            if not source:
                source.append(await watch([url]))
            run_id = await start(source[0])
            await work()
        return run_id

    return run


async def test_a_drop_of_60_percent_is_held_and_the_last_price_stands(visits, rows):
    run = await visits("100.00", "40.00")
    assert await rows(PRICES) == [10_000]
    assert await rows(HELD) == [("IMPLAUSIBLE_PRICE", None, 4_000)]
    assert await rows("SELECT outcome, reason FROM tasks WHERE run_id = %s", run) == [("held", "IMPLAUSIBLE_PRICE")]
    counted = "SELECT status, urls_succeeded, offers_valid, offers_quarantined FROM scrape_runs WHERE id = %s"
    assert await rows(counted, run) == [("SUCCESS", 1, 0, 1)]
    assert await rows("SELECT last_verdict, last_status FROM scrape_targets") == [("hold", "held:IMPLAUSIBLE_PRICE")]
    assert await rows("SELECT verdict, status FROM records ORDER BY id") == [
        ("accept", "persisted"),
        ("hold", "pending"),
    ]
    assert await rows("SELECT count(*)::int FROM outbox WHERE topic = 'price.changed'") == [1]


async def test_a_second_visit_that_sees_it_again_confirms_it(visits, rows):
    await visits("100.00", "40.00", "40.00")
    assert await rows(PRICES) == [10_000, 4_000]
    assert await rows(HELD) == [("IMPLAUSIBLE_PRICE", "superseded", 4_000)]
    assert await rows("SELECT resolved_by, note FROM quarantine") == [("winnow", "a newer page was accepted")]


async def test_another_strange_price_does_not_confirm_the_first(visits, rows):
    await visits("100.00", "40.00", "30.00", "40.00")
    assert await rows(PRICES) == [10_000]
    assert await rows(HELD) == [
        ("IMPLAUSIBLE_PRICE", "superseded", 4_000),
        ("IMPLAUSIBLE_PRICE", "superseded", 3_000),
        ("IMPLAUSIBLE_PRICE", None, 4_000),
    ]


async def test_a_glitch_that_is_over_leaves_nothing_to_do(visits, rows):
    await visits("100.00", "2.00", "99.00")
    assert await rows(PRICES) == [10_000, 9_900]
    assert await rows(HELD) == [("IMPLAUSIBLE_PRICE", "superseded", 200)]


async def test_an_implausible_rise_is_held_too(visits, rows):
    await visits("10.00", "25.00")
    assert await rows(PRICES) == [1_000]


async def test_another_currency_is_held(site: Site, watch, start, work, rows):
    source = await watch([site.says("/p", product())])
    await start(source)
    await work()
    site.says("/p", product().replace("USD", "EUR"))
    await start(source)
    await work()
    assert await rows(PRICES) == [1_999]
    assert await rows(HELD) == [("IMPLAUSIBLE_PRICE", None, 1_999)]


async def test_what_is_out_of_stock_and_back_again_is_no_reason_to_doubt(visits, rows):
    await visits("100.00")
    await visits("99.00", stock="OutOfStock")
    await visits("98.00")
    assert await rows(PRICES) == [10_000, 9_900, 9_800]


async def test_a_price_a_person_rejected_is_not_confirmed(visits, rows):
    await visits("100.00", "40.00")
    await rows("UPDATE quarantine SET resolution = 'reject', resolved_at = now(), resolved_by = 'anna'")
    await visits("40.00", "40.00")
    assert await rows(PRICES) == [10_000]
    assert [row[1] for row in await rows(HELD)] == ["reject", None]


async def test_the_confirming_visit_is_scheduled_soon_unless_only_people_visit(visits, rows):
    await visits("100.00")
    await rows("UPDATE scrape_targets SET schedule = '0 0 1 1 *', next_crawl_at = now() + interval '90 days'")
    await visits("40.00")
    soon = "SELECT next_crawl_at BETWEEN now() + interval '10 minutes' AND now() + interval '15 minutes' "
    assert await rows(f"{soon} FROM scrape_targets") == [True]
    await rows("UPDATE scrape_targets SET schedule = NULL, next_crawl_at = NULL")
    await visits("30.00")
    assert await rows("SELECT next_crawl_at IS NULL FROM scrape_targets") == [True]


async def test_when_most_of_a_source_changes_at_once_seeing_it_twice_proves_nothing(
    site: Site, watch, start, work, rows
):
    """A redesign that shows the price of one round reads the same wrong value at every visit."""
    pages = [f"/p/{n}" for n in range(24)]

    def says(price: str) -> list[str]:
        return [
            site.says(path, product(name=path, price=price, sku=path.strip("/").replace("/", ""))) for path in pages
        ]

    source = await watch(says("100.00"))
    for price in ("100.00", "2.00", "2.00"):
        says(price)
        await start(source)
        await work()
    assert await rows("SELECT DISTINCT amount_minor FROM prices") == [10_000]
    assert await rows("SELECT count(*)::int FROM quarantine WHERE resolved_at IS NULL") == [24]
    assert "DRIFT_DETECTED" in await rows("SELECT DISTINCT reason FROM quarantine WHERE resolved_at IS NULL")


async def test_two_visits_of_one_offer_at_once_agree_on_its_last_price(site: Site, database, watch, start, work, rows):
    """Two targets of one offer, visited at the same moment by two workers: each is judged by what the other left."""
    urls = [site.says(f"/{n}", product(price="100.00", sku="same")) for n in "ab"]
    source = await watch(urls)
    await start(source)
    await work()
    both = asyncio.Barrier(2)

    async def answer(_: web.Request) -> web.Response:
        async with asyncio.timeout(LIMIT):
            await both.wait()
        return web.Response(text=product(price="40.00", sku="same"), content_type="text/html")

    for n in "ab":
        site.does(f"/{n}", answer)
    await start(source)
    await asyncio.gather(work(), work())
    assert await rows("SELECT DISTINCT amount_minor FROM prices") == [10_000]
    assert await rows("SELECT count(*)::int FROM quarantine WHERE resolved_at IS NULL") == [2]


async def test_while_the_adapter_is_suspected_of_drift_a_second_sighting_proves_nothing(visits, rows):
    await visits("100.00", "40.00")
    await rows(
        "INSERT INTO scrape_adapter_status (adapter_id, consecutive_failed_batches) "
        "SELECT 'generic@' || id, 1 FROM sources"
    )
    await visits("40.00")
    assert await rows(PRICES) == [10_000]
    assert (await rows(HELD))[-1] == ("DRIFT_DETECTED", None, 4_000)
    await rows("UPDATE scrape_adapter_status SET consecutive_failed_batches = 0")
    await visits("40.00")
    assert await rows(PRICES) == [10_000, 4_000]
