"""A page that has not changed is not read again, and still looks healthy (DESIGN §11.17)."""

from __future__ import annotations

from tests.run.scripted_site import Site, product

RUN = (
    "SELECT status, urls_succeeded, urls_unchanged, urls_failed, offers_extracted, offers_valid, offers_dropped, "
    "offers_quarantined FROM scrape_runs ORDER BY id DESC LIMIT 1"
)


async def test_the_same_page_counts_as_it_was_judged_and_is_not_read_again(site: Site, watch, start, work, rows):
    """One answers 304 to its ETag, one sends the same bytes again."""
    urls = [site.says("/etag", product(sku="1"), ETag='"v1"'), site.says("/plain", product(sku="2"))]
    source = await watch(urls)
    await start(source)
    await work()
    await rows(
        "UPDATE source_product_presence SET last_seen_success_at = now() - interval '9 hours', last_seen_at = now()"
    )
    await rows("UPDATE scrape_targets SET consecutive_failures = 3")
    await start(source)
    await work()
    assert [seen.headers.get("If-None-Match") for seen in site.log if seen.path == "/etag"] == [None, '"v1"']
    assert await rows(RUN) == [("SUCCESS", 2, 2, 0, 2, 2, 0, 0)]
    assert await rows("SELECT yield_rate::int, failure_rate::int FROM scrape_runs ORDER BY id DESC LIMIT 1") == [(1, 0)]
    assert await rows("SELECT count(*)::int, count(DISTINCT task_id)::int FROM drafts") == [(2, 2)], "read once each"
    assert await rows("SELECT count(*)::int FROM prices") == [2]
    assert (
        await rows("SELECT last_seen_success_at > now() - interval '1 minute' FROM source_product_presence")
        == [True] * 2
    )
    assert (
        await rows("SELECT consecutive_failures, unchanged_count, last_status FROM scrape_targets")
        == [(0, 1, "unchanged")] * 2
    )
    assert await rows("SELECT status_code FROM pages WHERE url LIKE '%%/etag' ORDER BY created_at") == [200, 304]


async def test_f044_once_a_day_an_unchanged_page_leaves_a_price(site: Site, watch, start, work, rows):
    source = await watch([site.says("/p", product())])
    await start(source)
    await work()
    await rows("ALTER TABLE prices DISABLE TRIGGER USER")  # time passes
    await rows("UPDATE prices SET created_at = created_at - interval '25 hours'")
    await rows("UPDATE latest_prices SET created_at = created_at - interval '25 hours'")
    await rows("ALTER TABLE prices ENABLE TRIGGER USER")
    for _ in range(2):
        await start(source)
        await work()
    assert await rows("SELECT amount_minor, ingestion_run_id FROM prices ORDER BY id") == [(1999, 1), (1999, 2)]


async def test_a_page_that_was_not_accepted_is_read_again_and_its_reason_counts_again(
    site: Site, watch, start, work, rows
):
    """Held: a person may have changed the rules. Rejected: UNKNOWN stock is a failure each time (P-090, PN-06)."""
    urls = [
        site.says("/held", product(price="0.00"), ETag='"h"'),
        site.says("/no-stock", product(stock=None), ETag='"n"'),
    ]
    source = await watch(urls)
    for visit in (1, 2):
        await start(source)
        await work()
        assert await rows(RUN) == [("SUCCESS", 2, 0, 0, 2, 0, 1, 1)]
        found = (
            "SELECT zero_price_count, unknown_availability_count, failure_rate::float8 FROM scrape_runs WHERE id = %s"
        )
        assert await rows(found, visit) == [(1, 1, 0.5)]
    assert [seen.headers.get("If-None-Match") for seen in site.log if seen.path != "/robots.txt"] == [None] * 4
    failures = "SELECT consecutive_failures FROM scrape_targets ORDER BY url"
    assert await rows(failures) == [0, 2]
    assert await rows("SELECT count(*)::int FROM quarantine") == [1], "the same record waits once"


async def test_another_adapter_version_reads_the_same_page_again(site: Site, watch, start, work, rows):
    source = await watch([site.says("/p", product(), ETag='"v1"')])
    await start(source)
    await work()
    await rows("UPDATE scrape_targets SET last_adapter_version = '0.9.0'")
    await start(source)
    await work()
    assert await rows("SELECT outcome FROM tasks") == ["accepted", "accepted"]
    assert [seen.headers.get("If-None-Match") for seen in site.log if seen.path == "/p"] == [None, None]
    assert await rows("SELECT count(*)::int FROM prices") == [2]


async def test_a_changed_page_is_read_and_the_change_is_told(site: Site, watch, start, work, rows):
    source = await watch([site.says("/p", product(price="10.00"), ETag='"v1"')])
    await start(source)
    await work()
    site.says("/p", product(price="12.50"), ETag='"v2"')
    await start(source)
    await work()
    assert await rows("SELECT amount_minor FROM prices ORDER BY id") == [1000, 1250]
    told = "SELECT payload -> 'before' ->> 'minor', payload -> 'after' ->> 'minor' FROM outbox"
    assert await rows(f"{told} WHERE topic = 'price.changed' ORDER BY id") == [(None, "1000"), ("1000", "1250")]


async def test_an_unchanged_page_speaks_for_the_offer_it_shows_now(site: Site, watch, start, work, rows):
    """The URL showed A-1, now it shows B-2; only B-2 is there still. And an offer a target refreshes is its own."""
    source = await watch([site.says("/p", product(sku="A-1")), site.says("/linked", product(sku="C-3"))])
    await start(source)
    await work()
    await rows("UPDATE source_products SET url_hash = repeat('0', 64) WHERE identity_value = 'C-3'")
    await rows(
        "UPDATE scrape_targets AS t SET source_product_id = p.id FROM source_products AS p "
        "WHERE p.identity_value = 'C-3' AND t.url LIKE '%%/linked'"
    )
    site.says("/p", product(sku="B-2"))
    await start(source)
    await work()
    await rows("UPDATE source_product_presence SET last_seen_success_at = last_seen_success_at - interval '9 hours'")
    await start(source)
    await work()
    seen = (
        "SELECT p.identity_value, s.last_seen_success_at > now() - interval '1 hour' FROM source_product_presence AS s "
        "JOIN source_products AS p ON p.id = s.source_product_id ORDER BY 1"
    )
    assert await rows(seen) == [("A-1", False), ("B-2", True), ("C-3", True)]
