"""Daily runs in the console: listed, one with its sources, and started by a person."""

from __future__ import annotations

from playwright.async_api import expect

from tests.console.conftest import Opened, Served, check_accessible, no_sideways_scroll, shot
from tests.console.stage import expect_notice, press, source

SUMMARY = '{"events_inserted": 12, "events_updated": 3, "events_skipped": 40, "errors": 1, "dlq_items_added": 1}'


async def test_e081_a_day_has_one_summary_and_names_its_sources(open_as: Opened, served: Served) -> None:
    own = source(served, "kade")
    run = served.sql(
        "INSERT INTO daily_runs (run_id, day, trigger, status, workers, completed_at, summary) "
        "VALUES (gen_random_uuid(), '2026-05-01', 'SCHEDULED', 'COMPLETED', 1, now(), %s) RETURNING id", SUMMARY,
    )[0][0]  # fmt: skip
    served.sql(
        "INSERT INTO daily_run_sources (daily_run_id, source_id, position, priority_score, state, reason) "
        "VALUES (%s, %s, 1, 4.5, 'left_out', 'circuit_open')", run, own,
    )  # fmt: skip
    failed = served.sql(
        "INSERT INTO scrape_runs (source_id, adapter_id, trigger, status, urls_attempted, urls_failed, completed_at) "
        "VALUES (%s, 'event', 'MANUAL', 'FAILED', 1, 1, now()) RETURNING id", own,
    )[0][0]  # fmt: skip
    served.sql(
        "INSERT INTO daily_run_sources (daily_run_id, source_id, position, priority_score, state, scrape_run_id) "
        "VALUES (%s, %s, 2, 4.0, 'started', %s)", run, source(served, "kelder"), failed,
    )  # fmt: skip
    page = await open_as("viewer", "/days")
    await expect(page.locator("tbody tr")).to_contain_text("12")
    await expect(page.get_by_role("button", name="Visit all now")).to_be_disabled()
    await check_accessible(page)
    await page.get_by_role("link", name="2026-05-01").click()
    await expect(page.locator(".w-figure", has_text="New events")).to_contain_text("12")
    await expect(page.locator("tbody tr", has_text="kade")).to_contain_text("Circuit open")
    await expect(page.locator("tbody tr", has_text="kelder")).to_contain_text("Failed")
    await check_accessible(page)
    await shot(page, "day")
    page = await open_as("viewer", f"/days/{run}", narrow=True)
    await no_sideways_scroll(page)
    await shot(page, "day-narrow")


async def test_e024_a_person_starts_a_daily_run(open_as: Opened, served: Served) -> None:
    page = await open_as("operator", "/days")
    await press(page, "Visit all now")
    await expect_notice(page, "has begun.")
    assert served.sql("SELECT trigger, requested_by FROM daily_runs WHERE trigger = 'MANUAL'") == [
        ("MANUAL", "user:operator")
    ]
