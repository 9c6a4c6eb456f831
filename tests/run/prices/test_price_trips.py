"""What one visit leaves behind, row by row of the list: order, failures, drops, holds, valid offers (P-003 … P-080)."""

from __future__ import annotations

import pytest
from psycopg import errors

from tests.run.scripted_site import Site, microdata, product
from winnow.judge.verdict import Hold, Reject
from winnow.normalise.record import Availability
from winnow.observe import metrics

BROKEN = "<!doctype html><html><body><div>We are rebuilding our shop, please come back later today.</div></body></html>"
RUN = (
    "SELECT urls_failed, offers_extracted, offers_valid, offers_dropped, offers_quarantined, oos_no_price_count "
    "FROM scrape_runs ORDER BY id DESC LIMIT 1"
)
TARGET = "SELECT last_status, consecutive_failures, last_scraped_at IS NOT NULL FROM scrape_targets"


@pytest.fixture
def visited(site: Site, watch, start, work):
    """One page, visited once."""

    async def visit(body: str, **answer) -> int:
        source = await watch([site.says("/p", body, **answer)])
        run_id = await start(source)
        await work()
        return run_id

    return visit


def test_p013_the_reasons_of_a_drop_are_these_and_no_others():
    assert {r.value for r in Reject} == {
        "MISSING_REQUIRED_FIELD", "INVALID_PRICE", "INVALID_URL", "DUPLICATE_WITHIN_RUN", "BLOCKED_BY_ROBOTS_TXT",
        "OOS_NO_PRICE", "UNKNOWN_AVAILABILITY",
    }  # fmt: skip


def test_p014_the_reasons_of_a_hold_are_those_of_the_list_and_the_one_of_the_history():
    listed = {
        "VALIDATION_FAILED", "DRIFT_DETECTED", "SELECTOR_FAILURE", "NORMALIZATION_FAILED", "ZERO_PRICE_EXTRACTED",
        "AMBIGUOUS_PRICE",
    }  # fmt: skip
    assert {h.value for h in Hold} == {*listed, "IMPLAUSIBLE_PRICE"}


def test_p009_availability_has_four_values():
    assert {a.value for a in Availability} == {"IN_STOCK", "OUT_OF_STOCK", "BACKORDER", "UNKNOWN"}


async def test_p014_a_held_offer_goes_to_quarantine_with_everything_that_was_read(visited, rows):
    run = await visited(product(price="0.00", sku="A1"))
    entry = "SELECT reason, run_id, target_id, payload ->> 'title', payload #>> '{identity,value}' FROM quarantine"
    assert await rows(entry) == [("ZERO_PRICE_EXTRACTED", run, 1, "Red Shoe", "A1")]


async def test_p003_p076_robots_is_asked_before_the_page_and_nothing_is_written_before_the_verdict(
    site: Site, visited, rows
):
    await visited(product())
    assert [seen.path for seen in site.log] == ["/robots.txt", "/p"]
    order = (
        "SELECT p.created_at <= r.created_at, p.id = r.page_id, r.verdict FROM pages AS p JOIN records AS r "
        "ON r.task_id = p.task_id WHERE p.url LIKE '%%/p'"
    )
    assert await rows(order) == [(True, True, "accept")]


async def test_p004_p079_a_valid_offer_becomes_offer_identifiers_price_and_a_wish_to_be_resolved(visited, rows):
    await visited(product(sku="A1", mpn="M-1", gtin13="4006381333931"))
    offer = "SELECT identity_key, title, resolve_requested_at IS NOT NULL FROM source_products"
    assert await rows(offer) == [("SKU:A1", "Red Shoe", True)]
    found = await rows("SELECT type, value FROM source_product_identifiers ORDER BY type")
    assert ("GTIN", "4006381333931") in found
    assert ("SKU", "A1") in found
    price = "SELECT amount_minor, currency, ingestion_run_type, ingestion_run_id FROM prices"
    assert await rows(price) == [(1_999, "USD", "SCRAPE", 1)]


async def test_p079_a_valid_offer_resets_the_failures_of_its_target(visited, rows, start, work):
    await visited(product())
    await rows("UPDATE scrape_targets SET consecutive_failures = 3, content_hash = NULL")
    await start(1)
    await work()
    assert await rows("SELECT consecutive_failures FROM scrape_targets") == [0]


async def test_p005_what_is_ambiguous_fails_closed_and_history_cannot_be_changed(visited, rows):
    await visited(product(price="19.99").replace('"price": "19.99"', '"price": "from 19.99"'))
    assert await rows("SELECT count(*)::int FROM prices") == [0]
    await rows(
        "INSERT INTO source_products (source_id, identity_type, identity_value, title, url, url_hash, domain) "
        "VALUES (1, 'SKU', 'x', 't', 'https://x', repeat('a', 64), 'x')"
    )
    await rows(
        "INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, observed_at) "
        "SELECT id, 100, 'USD', 'IN_STOCK', true, now() FROM source_products"
    )
    for statement in ("UPDATE prices SET amount_minor = 1", "DELETE FROM prices", "TRUNCATE prices CASCADE"):
        with pytest.raises(errors.RestrictViolation, match="append-only"):
            await rows(statement)


@pytest.mark.parametrize(
    ("body", "run", "target"),
    [
        pytest.param(BROKEN, (1, 0, 0, 0, 0, 0), ("extract_failed:PRICE_NOT_FOUND", 1, True), id="unreadable"),
        pytest.param(
            product(price=None, stock="OutOfStock"), (0, 0, 0, 0, 0, 1), ("rejected:OOS_NO_PRICE", 0, True), id="oos"
        ),
        pytest.param(product(stock=None), (0, 1, 0, 1, 0, 0), ("rejected:UNKNOWN_AVAILABILITY", 1, True), id="dropped"),
        pytest.param(product(price="0"), (0, 1, 0, 0, 1, 0), ("held:ZERO_PRICE_EXTRACTED", 0, True), id="held"),
        pytest.param(product(), (0, 1, 1, 0, 0, 0), ("accepted", 0, True), id="valid"),
    ],
)
async def test_p077_p078_p080_what_each_ending_adds_to_its_run_and_its_target(body, run, target, visited, rows):
    await visited(body)
    assert await rows(RUN) == [run]
    assert await rows(TARGET) == [target]
    stored = (1, 1) if run[2] else (0, 0)
    counts = "SELECT (SELECT count(*) FROM source_products)::int, (SELECT count(*) FROM prices)::int"
    assert await rows(counts) == [stored], "only a valid offer is written (P-078)"
    assert await rows("SELECT count(*)::int FROM quarantine") == [run[4]]


async def test_p063_p062_a_run_tells_how_it_went(visited, rows):
    run = await visited(microdata())
    found = await rows(
        "SELECT trigger, status, adapter_id, retailer_id IS NOT NULL, completed_at IS NOT NULL, duration_ms >= 0, "
        "failure_rate::int, yield_rate::int, drop_rate::int FROM scrape_runs WHERE id = %s",
        run,
    )
    assert found == [("MANUAL", "SUCCESS", "generic", True, True, True, 0, 1, 0)]


async def test_p068_a_task_carries_what_its_visit_needs(site: Site, watch, start, rows):
    source = await watch([site.says("/p", product())])
    run = await start(source)
    task = "SELECT target_id, url, source_id, adapter_id, run_id, rank, trigger, kind FROM tasks"
    (found,) = await rows(task)
    assert found[:5] == (1, site.url + "/p", source, "generic", run)
    assert found[6:] == ("MANUAL", "offer")


async def test_p052_a_source_that_is_not_compliant_is_not_fetched(site: Site, watch, start, work, rows):
    source = await watch([site.says("/p", product())])
    await rows("UPDATE sources SET robots_compliant = false")
    await start(source)
    await work()
    assert site.asked("/p") == 0
    assert await rows("SELECT outcome, reason FROM tasks") == [("robots_blocked", "BLOCKED_BY_ROBOTS_TXT")]


async def test_p060_the_retailer_of_a_target_is_its_sources(visited, rows):
    await visited(product())
    columns = "SELECT column_name FROM information_schema.columns WHERE table_name = 'scrape_targets'"
    assert "retailer_id" not in await rows(columns)
    same = "SELECT r.retailer_id = s.retailer_id FROM scrape_runs AS r JOIN sources AS s ON s.id = r.source_id"
    assert await rows(same) == [True]


@pytest.mark.parametrize(
    ("body", "outcome", "reason"),
    [
        (BROKEN, "extract_failed", "PRICE_NOT_FOUND"),
        (product(stock=None), "rejected", "UNKNOWN_AVAILABILITY"),
        (product(price="0.00"), "held", "ZERO_PRICE_EXTRACTED"),
    ],
)
async def test_p077_p078_what_is_not_believed_is_logged_with_its_reason(body, outcome, reason, visited, logged, rows):
    run = await visited(body)
    (line,) = [line for line in logged if line["event"] == "visit_not_stored"]
    task = str((await rows("SELECT id FROM tasks"))[0])
    assert (line["task_id"], line["run_id"], line["source_id"], line["target_id"]) == (task, run, 1, 1)
    assert (line["outcome"], line["reason"]) == (outcome, reason)


async def test_p079_what_is_believed_needs_no_line(visited, logged):
    await visited(product())
    assert not [line for line in logged if line["event"] == "visit_not_stored"]


async def test_p098_the_wait_for_the_domain_is_measured_once_for_each_task(site: Site, watch, start, work):
    source = await watch([site.says(f"/p{n}", product(sku=f"A{n}")) for n in range(3)], rate=1, concurrent=1)
    before = _waits(site)
    await start(source)
    await work()
    after = _waits(site)
    assert after["scrape_rate_limit_wait_ms_count"] - before.get("scrape_rate_limit_wait_ms_count", 0) == 3
    assert after["scrape_rate_limit_wait_ms_sum"] - before.get("scrape_rate_limit_wait_ms_sum", 0) >= 3_000  # 1 + 2 s


def _waits(site: Site) -> dict[str, float]:
    domain = {"domain": site.domain}
    data = metrics.as_data(metrics.families([]))
    names = ("scrape_rate_limit_wait_ms_count", "scrape_rate_limit_wait_ms_sum")
    return {name: s["value"] for name in names for s in data.get(name, []) if s["labels"] == domain}
