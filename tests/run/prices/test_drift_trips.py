"""Drift, auto-disable and recovery on a real database, from pages to alerts (P-083 … P-091, P-099, P-103, P-107)."""

from __future__ import annotations

import pytest

from tests.run.scripted_site import Site, product
from winnow.actions import adapters as adapter_actions
from winnow.actions import runs as run_actions
from winnow.errors import Conflict
from winnow.run.scheduler import Scheduler
from winnow.run.upkeep import Upkeep
from winnow.schedule import runs
from winnow.schedule.queue.task import Trigger

PAGES = 22
BROKEN = "<!doctype html><html><body><div class='x1'>Loading our new shop, please wait a moment…</div></body></html>"
STATUS = (
    "SELECT enabled, disabled_reason, disabled_by, consecutive_failed_batches, close_monitoring "
    "FROM scrape_adapter_status WHERE adapter_id = %s"
)
ALERTS = "SELECT severity, code, occurrences, resolved_at IS NULL FROM alerts ORDER BY code"


@pytest.fixture
def shop(site: Site, watch, start, work, database, settings, rows):
    """A shop of 22 pages; `visit` fetches all of them in one run and looks at the run afterwards."""

    class Shop:
        source = 0

        def says(self, page) -> list[str]:
            return [site.says(f"/p/{n}", page(n)) for n in range(PAGES)]

        def works(self) -> list[str]:
            return self.says(lambda n: product(name=f"Shoe {n}", sku=f"S{n}", price=f"{10 + n}.00"))

        def breaks(self) -> None:
            self.says(lambda n: BROKEN)

        async def visit(self) -> int:
            if not self.source:
                self.source = await watch(self.works())
            run_id = await start(self.source)
            await work()
            assert await Upkeep(database, settings).check_drift() == 1
            return run_id

    return Shop()


async def test_p107_drift_is_caught_the_adapter_disabled_and_its_recovery_seen(shop, rows, database, settings):
    await shop.visit()
    standing = f"generic@{shop.source}"
    assert await rows(ALERTS) == []
    shop.breaks()
    first = await shop.visit()
    assert await rows(STATUS, standing) == [(True, None, None, 1, False)]
    assert await rows("SELECT status, failure_rate::int FROM scrape_runs WHERE id = %s", first) == [("QUARANTINED", 1)]
    ((code, reason),) = await rows("SELECT error_code, error_message FROM scrape_runs WHERE id = %s", first)
    assert code == "DRIFT_DETECTED"
    assert "URLs failed in one run" in reason, "the run says why it is quarantined"
    second = await shop.visit()
    assert await rows(STATUS, standing) == [(False, "DRIFT_DETECTED", "drift", 2, False)]
    assert await rows(ALERTS) == [
        ("P1", "adapter_disabled", 1, True),
        ("P2", "failure_rate", 2, True),
        ("P2", "no_offers", 2, True),
    ]
    told = await rows("SELECT payload ->> 'code' FROM outbox WHERE topic = 'alert.opened' ORDER BY id")
    assert sorted(told) == ["adapter_disabled", "failure_rate", "no_offers"], "each once"
    assert await rows("SELECT count(*)::int FROM prices") == [PAGES], "nothing of the broken pages was stored"

    async with database.transaction() as conn:
        refused = await runs.start(conn, shop.source, Trigger.MANUAL, settings.schedule)
    assert (refused.run_id, refused.reason) == (None, "adapter_disabled")
    await rows("UPDATE scrape_targets SET next_crawl_at = now()")
    assert (await Scheduler(database, settings).tick()).accepted == 0, "P-087: nothing is scheduled either"

    shop.works()
    async with database.transaction() as conn:
        assert await adapter_actions.enable(conn, "anna", standing, "template mended")
    assert await rows(STATUS, standing) == [(True, None, None, 0, True)]
    assert not [open_ for *_, open_ in await rows(ALERTS) if open_]
    third = await shop.visit()
    assert await rows("SELECT close_monitoring, status FROM scrape_runs WHERE id = %s", third) == [(True, "SUCCESS")]
    assert await rows(STATUS, standing) == [(True, None, None, 0, False)]
    assert await rows("SELECT payload ->> 'run_id' FROM outbox WHERE topic = 'adapter.recovered'") == [str(third)]
    audited = "SELECT action, actor, reason FROM audit_log WHERE object_type = 'adapter' ORDER BY id"
    assert await rows(audited) == [("adapter.disabled", "drift", None), ("adapter.enabled", "anna", "template mended")]
    assert second > first


async def test_p084_one_bad_shop_does_not_stop_the_others_of_a_shared_adapter(
    shop, other_site: Site, watch, start, work, rows
):
    await shop.visit()
    shop.breaks()
    await shop.visit()
    await shop.visit()
    fine = await watch([other_site.says("/p", product())])
    await start(fine)
    await work()
    assert await rows("SELECT status FROM scrape_runs WHERE source_id = %s", fine) == ["SUCCESS"]
    assert await rows("SELECT count(*)::int FROM scrape_adapter_status WHERE adapter_id = 'generic'") == [0]


async def test_p086_a_zero_price_is_held_and_alerts(site: Site, watch, start, work, rows, database, settings):
    source = await watch([site.says("/p", product(price="0.00"))])
    await start(source)
    await work()
    await Upkeep(database, settings).check_drift()
    assert await rows(ALERTS) == [("P2", "zero_price", 1, True)]
    assert await rows("SELECT reason FROM quarantine") == ["ZERO_PRICE_EXTRACTED"]
    assert await rows("SELECT enabled FROM scrape_adapter_status") == [True]


async def test_p088_five_failures_in_a_row_break_a_target_and_a_recheck_brings_it_back(
    site: Site, watch, start, work, rows, database, settings
):
    source = await watch([site.says("/p", BROKEN)])
    for _ in range(5):
        assert await rows("SELECT status FROM scrape_targets") == ["ACTIVE"]
        await start(source)
        await work()
    assert await rows("SELECT status, consecutive_failures FROM scrape_targets") == [("BROKEN", 5)]
    scheduler = Scheduler(database, settings)
    await rows("UPDATE scrape_targets SET next_crawl_at = now()")
    assert (await scheduler.tick()).accepted == 0
    await rows("UPDATE scrape_targets SET last_scraped_at = now() - interval '8 days'")
    site.says("/p", product())
    await scheduler.recheck()
    await work()
    assert await rows("SELECT status, consecutive_failures FROM scrape_targets") == [("ACTIVE", 0)]
    assert await rows("SELECT trigger FROM scrape_runs ORDER BY id DESC LIMIT 1") == ["RECHECK"]


async def test_p089_pages_out_of_stock_without_a_price_never_look_like_drift(shop, rows):
    await shop.visit()
    shop.says(lambda n: product(name=f"Shoe {n}", sku=f"S{n}", price=None, stock="OutOfStock"))
    for _ in range(3):
        run = await shop.visit()
    counted = "SELECT status, oos_no_price_count, urls_failed, failure_rate::int FROM scrape_runs WHERE id = %s"
    assert await rows(counted, run) == [("SUCCESS", PAGES, 0, 0)]
    assert await rows(ALERTS) == []


async def test_p090_unknown_availability_counts_toward_drift(shop, rows):
    await shop.visit()
    shop.says(lambda n: product(name=f"Shoe {n}", sku=f"S{n}", stock=None))
    await shop.visit()
    await shop.visit()
    assert await rows("SELECT count(*)::int FROM records WHERE reasons[1] = 'UNKNOWN_AVAILABILITY'") == [PAGES], (
        "the same again is counted, not written"
    )
    assert await rows(STATUS, f"generic@{shop.source}") == [(False, "DRIFT_DETECTED", "drift", 2, False)]


async def test_p091_the_baseline_is_kept_and_runs_of_another_week_are_not_in_it(shop, rows):
    baseline = "SELECT baseline_sample_size, baseline_failure_rate::float8, baseline_yield_rate::float8 "
    for n in range(1, 4):
        await shop.visit()
        assert await rows(f"{baseline} FROM scrape_adapter_status") == [(n, 0.0, 1.0)]
    await rows("UPDATE scrape_runs SET started_at = now() - interval '8 days' WHERE id < 3")
    await shop.visit()
    assert await rows(f"{baseline} FROM scrape_adapter_status") == [(2, 0.0, 1.0)]


async def test_each_run_is_looked_at_once_and_old_ones_are_history(shop, rows, database, settings):
    await shop.visit()
    assert await Upkeep(database, settings).check_drift() == 0
    await rows(
        "UPDATE scrape_runs SET drift_checked_at = NULL, completed_at = now() - interval '3 days', urls_failed = 22"
    )
    assert await Upkeep(database, settings).check_drift() == 1
    assert await rows(ALERTS) == []


async def test_p099_pn13_the_four_alerts_have_their_severities(shop, rows, database, settings):
    """Adapter disabled P1; failure rate P2; queue rejections P2; stale targets P3."""
    await shop.visit()
    shop.breaks()
    await shop.visit()
    await shop.visit()
    await rows("UPDATE scrape_targets SET next_crawl_at = now(), adapter_id = 'generic', status = 'ACTIVE'")
    await rows("DELETE FROM scrape_adapter_status")
    tight = settings.schedule.model_copy(update={"queue_total": 1})
    scheduler = Scheduler(database, settings)
    scheduler._settings = tight
    assert (await scheduler.tick()).rejected > 1
    await rows(
        "INSERT INTO scrape_targets (url, canonical_url, url_hash, domain, source_id, adapter_id, status) "
        "SELECT u, u, encode(sha256(u::bytea), 'hex'), 'x', %s, 'generic', 'STALE' "
        "FROM (SELECT 'https://x/' || n AS u FROM generate_series(1, 101) AS n) AS t",
        shop.source,
    )
    await Upkeep(database, settings).make_stale()
    found = {code: severity for severity, code, *_ in await rows(ALERTS)}
    wanted = {"adapter_disabled": "P1", "failure_rate": "P2", "queue_rejections": "P2", "stale_targets": "P3"}
    assert wanted.items() <= found.items()


async def test_p103_a_sites_own_adapter_waits_until_its_terms_were_reviewed(
    site: Site, watch, rows, database, settings
):
    source = await watch([site.says("/p", product())], adapter="sgammo")
    scheduler = Scheduler(database, settings)
    scheduler._gated = ["sgammo"]
    assert (await scheduler.tick()).accepted == 0
    async with database.transaction() as conn:
        with pytest.raises(Conflict, match="terms were not reviewed"):
            await run_actions.start(conn, "anna", source, settings.schedule, gated=["sgammo"])
    await rows("UPDATE sources SET tos_reviewed_at = now(), tos_approved_by = 'anna'")
    assert (await scheduler.tick()).accepted == 1
