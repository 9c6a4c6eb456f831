"""The path of a price, from its target to its history, as the list has it (P-068, P-076 … P-082, P-107 … P-110)."""

from __future__ import annotations

import asyncio
from functools import partial

from tests.run.scripted_site import Site, product
from tests.waiting import until
from winnow.run.upkeep import Upkeep


async def test_p068_p076_the_turn_then_robots_then_the_page_then_the_price(site: Site, watch, start, work, rows):
    site.says("/p", product())
    run = await start(await watch([site.url + "/p"]))
    ((payload),) = await rows(
        "SELECT target_id IS NOT NULL AND source_id IS NOT NULL AND adapter_id = 'generic' AND run_id = %s "
        "AND url = %s AND trigger = 'MANUAL' FROM tasks WHERE kind = 'offer'", run, site.url + "/p",
    )  # fmt: skip
    assert payload is True
    await work()
    assert [seen.path for seen in site.log] == ["/robots.txt", "/p"]
    (order,) = await rows(
        "SELECT t.started_at <= p.observed_at AND p.observed_at <= now() AND g.created_at <= p.created_at "
        "FROM prices p JOIN pages g ON g.id = p.page_id JOIN tasks t ON t.id = p.task_id"
    )
    assert order


async def test_p077_p078_what_is_not_valid_writes_no_offer_and_no_price(site: Site, watch, start, work, rows):
    site.says("/broken", "<html><p>" + "nothing to read here " * 50)
    site.says("/sold-out", product(price=None, stock="OutOfStock", sku="A"))
    site.says("/unknown", product(stock=None, sku="B"))
    site.says("/zero", product(price="0", sku="C"))
    await start(await watch([f"{site.url}/{p}" for p in ("broken", "sold-out", "unknown", "zero")]))
    await work()
    counters = "urls_failed, oos_no_price_count, offers_dropped, offers_quarantined, offers_valid"
    assert await rows(f"SELECT {counters} FROM scrape_runs") == [(1, 1, 1, 1, 0)]
    assert await rows("SELECT count(*) FROM prices") == [0]
    assert await rows("SELECT count(*) FROM source_products") == [0]
    failures = dict(await rows("SELECT split_part(url, '/', 4), consecutive_failures FROM scrape_targets"))
    assert failures == {"broken": 1, "sold-out": 0, "unknown": 1, "zero": 0}


async def test_p079_p080_p082_a_valid_offer_is_written_whole_and_once(
    site: Site, watch, start, work, rows, database, settings
):
    site.says("/p", product(sku="A-1", gtin13="4006381333931", mpn="GSR18V", brand="Bosch"))
    source = await watch([site.url + "/p"])
    await rows("UPDATE scrape_targets SET consecutive_failures = 3")
    run = await start(source)
    await work()
    assert await rows("SELECT type, value FROM source_product_identifiers ORDER BY 1") == [
        ("GTIN", "4006381333931"), ("MPN", "GSR18V"), ("SKU", "A-1"),
    ]  # fmt: skip
    assert await rows("SELECT ingestion_run_type, ingestion_run_id FROM prices") == [("SCRAPE", run)]
    assert await rows("SELECT observed_at < created_at FROM prices") == [True], "when the page was read, not written"
    target = "SELECT consecutive_failures, last_scraped_at IS NOT NULL, last_status FROM scrape_targets"
    assert await rows(target) == [(0, True, "accepted")]
    assert await rows("SELECT resolve_requested_at IS NOT NULL FROM source_products") == [True], "the resolver's job"
    assert await Upkeep(database, settings).resolve() == 1
    assert await rows("SELECT p.gtin, l.method FROM product_links l JOIN products p ON p.id = l.product_id") == [
        ("04006381333931", "gtin")
    ]


async def test_p061_p081_the_next_run_adds_a_price_and_no_offer(site: Site, watch, start, work, rows):
    source = await watch([site.url + "/p"])
    for price, title in (("19.99", "Red Shoe"), ("18.99", "Red shoe, new")):
        site.says("/p", product(title, price, sku="A-1"))
        await start(source)
        await work()
    assert await rows("SELECT title FROM source_products") == ["Red shoe, new"]
    assert await rows("SELECT amount_minor FROM prices ORDER BY id") == [1999, 1899]
    rates = "SELECT failure_rate::float8, drop_rate::float8, yield_rate::float8 FROM scrape_runs"
    assert await rows(rates) == [(0.0, 0.0, 1.0)] * 2


async def test_p109_a_slow_domain_holds_up_nobody(site: Site, other_site: Site, watch, start, work, rows):
    for n in range(5):
        site.says(f"/p{n}", product(sku=f"S{n}"))
        other_site.says(f"/p{n}", product(sku=f"F{n}"))
    slow = await watch([f"{site.url}/p{n}" for n in range(5)])
    fast = await watch([f"{other_site.url}/p{n}" for n in range(5)])
    await start(slow)
    await start(fast)
    await rows("UPDATE lanes SET held_until = 'infinity' WHERE lane = %s", site.domain)
    working = asyncio.create_task(work())
    stored = "SELECT 1 FROM prices p JOIN source_products o ON o.id = p.source_product_id WHERE o.source_id = %s"
    await until(partial(rows, f"{stored} HAVING count(*) = 5", fast))
    assert site.log == [], "all of the one while the other may not be asked at all"
    await rows("UPDATE lanes SET held_until = NULL, slot_at = '-infinity', turn_at = '-infinity'")
    await working
    assert len(await rows(stored, slow)) == 5


async def test_p110_other_currencies_are_stored_and_seen_once_their_source_is_eligible(
    site: Site, watch, start, work, rows
):
    source = await watch([site.url + "/p"])
    site.says("/p", product(price="1299", sku="A").replace('"USD"', '"SEK"'))
    await start(source)
    await work()
    assert await rows("SELECT amount_minor, currency FROM prices") == [(129900, "SEK")]
    assert await rows("SELECT count(*) FROM consumer_prices") == [0]
    await rows("UPDATE source_trust_config SET visibility_status = 'ELIGIBLE' WHERE source_id = %s", source)
    assert await rows("SELECT price::text, currency FROM consumer_offers") == [("1299.00", "SEK")]
