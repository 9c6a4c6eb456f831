"""Feeds in the console: added, tested, run, held back, approved, taken back; by those who may (F-105 … F-107)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.console.conftest import (
    Opened,
    Served,
    Watched,
    becomes,
    check_accessible,
    demoted,
    no_sideways_scroll,
    shared,
    shot,
)
from tests.feeds.shop import FILE, HEADER, row
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.feeds.settings import FeedSettings
from winnow.fetch.settings import BrowserSettings
from winnow.run.worker import assembled
from winnow.settings import Settings, load

SECRET = "correct-horse-battery"
LAST = """
SELECT status, expiry_blocked, expiry_approved_by, invalidated_by FROM affiliate_feed_runs ORDER BY id DESC LIMIT 1
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("catalogues")


@pytest.fixture(scope="module")
def more_environment(folder: Path) -> dict[str, str]:
    return {"WINNOW_FEED_FOLDER": str(folder)}


def catalogue(folder: Path, *rows: str) -> None:
    (folder / FILE).write_text("\n".join([HEADER, *rows]) + "\n")


@shared(scope="module")
async def database(served: Served) -> AsyncIterator[Database]:
    async with served.database() as opened:
        yield opened


@pytest.fixture(scope="module")
def settings(served: Served, folder: Path) -> Settings:
    stored = DatabaseSettings(database_url=served.database_url, data_dir=served.data_dir, database_wait_seconds=60)
    return replace(
        load(), db=stored, feeds=FeedSettings(feed_folder=folder), browser=BrowserSettings(browser_fallback=False)
    )


async def work(database: Database, settings: Settings) -> None:
    """What is queued is done, as `winnow worker` does it."""
    async with assembled(database, settings) as worker:
        await worker.run(until_empty=True)


@shared(scope="module")
async def feed(served: Served, database: Database, settings: Settings, folder: Path) -> int:
    """Forty offers, activated; then a file with half of them, which is held back."""
    from winnow.actions import feeds
    from winnow.actions.parts import assemble

    setup = assemble(database, settings).feed_setup
    values = {
        "name": "Outdoor shop", "url": "https://shop.example.com", "retailer": "Outdoor", "transport": "FILE",
        "path": FILE,
        "schedule_frequency_hours": 24, "expiry_hours": 24, "display_primary": True, "password": SECRET,
    }  # fmt: skip
    async with database.transaction() as conn:
        made = await feeds.add(conn, "ada", setup, values)
        await feeds.enable(conn, "ada", made.id, acknowledged=False)
    for n in (40, 20):
        catalogue(folder, *(row(k, name=f"Tent <x{k}>") for k in range(n)), "item-x,,,https://shop.test/p/x,,USD,Y")
        async with database.transaction() as conn:
            await feeds.run_now(conn, "ada", made.id)
        await work(database, settings)
    return made.id


async def test_without_feeds_the_page_says_what_to_do(open_as: Opened):
    page = await open_as("admin", "/feeds")
    await expect(page.get_by_role("heading", name="No feeds yet")).to_be_visible()
    await check_accessible(page)
    await shot(page, "feeds-empty")


async def test_f002_f093_a_feed_is_added_with_warnings_and_its_password_never_comes_back(
    open_as: Opened, served: Served
):
    page = await open_as("admin", "/feeds/new")
    await check_accessible(page)
    await expect(page.get_by_text("It has no schedule")).to_be_visible()
    await page.get_by_role("combobox", name="Transport").select_option("FTP")
    await expect(page.get_by_text("FTP is not encrypted")).to_be_visible()
    await expect(page.get_by_text("I understand FTP is insecure")).to_be_visible()
    await page.get_by_role("combobox", name="Transport").select_option("SFTP")
    await page.get_by_role("combobox", name="Schedule").select_option("24")
    await page.get_by_label("Offers expire after (hours)").fill("12")
    await page.get_by_label("Name", exact=True).fill("Camp shop")
    await expect(page.get_by_text("between two runs everything would expire")).to_be_visible()
    await shot(page, "feed-new")
    await page.get_by_label("Shop URL").fill("https://camp.example.com")
    await page.get_by_role("textbox", name="Retailer").fill("Camp")
    await page.get_by_label("Server").fill("sftp.network.example")
    await page.get_by_role("textbox", name="Password").fill(SECRET)
    await page.get_by_role("button", name="Add the feed").click()
    await expect(page.locator(".w-field-error", has_text="path must name the file")).to_be_visible()
    assert served.sql("SELECT count(*)::int FROM affiliate_feeds") == [(0,)]
    await page.get_by_label("File", exact=True).fill("/out/catalogue.csv.gz")
    await page.get_by_role("button", name="Add the feed").click()
    await expect(page.get_by_role("heading", name="Camp shop", exact=True)).to_be_visible()
    await expect(page.get_by_text("stored encrypted")).to_be_visible()
    [(one, sealed)] = served.sql("SELECT id, secret_ciphertext IS NOT NULL FROM affiliate_feeds")
    assert sealed
    for path in (f"/feeds/{one}", f"/feeds/{one}/edit"):
        page = await open_as("admin", path)
        await expect(page.get_by_text("stored encrypted")).to_be_visible()
        assert SECRET not in await page.content()
    assert [entry[0] for entry in served.audited("FEED_CREATED")] == ["user:admin"]


async def test_f102_a_feed_is_changed_and_an_empty_password_keeps_the_old_one(open_as: Opened, served: Served):
    [(one, before)] = served.sql("SELECT id, secret_ciphertext FROM affiliate_feeds")
    page = await open_as("admin", f"/feeds/{one}/edit", narrow=True)
    await check_accessible(page)
    await no_sideways_scroll(page)
    await shot(page, "feed-edit-390")
    await expect(page.get_by_text("Leave blank to keep existing password")).to_be_visible()
    await expect(page.get_by_placeholder("••••••••")).to_have_value("")
    await page.get_by_label("Name", exact=True).fill("")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".w-field-error", has_text="name is needed")).to_be_visible()
    await page.get_by_label("Name", exact=True).fill("Tents and camp")
    await page.get_by_label("Shop URL").fill("https://www.tents-example.com/")
    await page.get_by_label("Offers expire after (hours)").fill("72")
    await page.get_by_label("Column mapping").fill("name = Product title")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("heading", name="Tents and camp", exact=True)).to_be_visible()
    shop = "SELECT s.name, s.url, s.domain FROM sources AS s JOIN affiliate_feeds AS f ON f.source_id = s.id"
    assert served.sql(shop) == [("Tents and camp", "https://www.tents-example.com/", "tents-example.com")]
    changed = [set(after) for actor, _, after in served.audited("source.updated") if actor == "user:admin"]
    assert changed == [{"name"}, {"url", "domain"}]
    found = served.sql("SELECT expiry_hours, column_overrides, secret_ciphertext FROM affiliate_feeds")
    assert found == [(72, {"name": "Product title"}, before)]
    assert [entry[0] for entry in served.audited("FEED_UPDATED")] == ["user:admin"]
    served.sql("DELETE FROM affiliate_feeds")


async def test_f107_a_test_run_shows_the_first_rows_and_writes_nothing(
    open_as: Opened, served: Served, feed: int, database: Database, settings: Settings
):
    page = await open_as("operator", f"/feeds/{feed}")
    await page.get_by_role("button", name="Test the feed").click()
    await expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    await work(database, settings)
    await expect(page.get_by_text("The file is readable, with errors")).to_be_visible()
    await expect(page.get_by_role("cell", name="Tent <x0>")).to_be_visible()
    await expect(page.get_by_text("10.00 USD").first).to_be_visible()
    await check_accessible(page)
    await shot(page, "feed")
    assert served.sql("SELECT count(*)::int FROM affiliate_feed_runs") == [(2,)]
    assert [entry[0] for entry in served.audited("console.feed.test")] == ["user:operator"]


async def test_f089_f106_a_run_held_back_is_seen_understood_and_approved(open_as: Opened, served: Served, feed: int):
    page = await open_as("operator", "/feeds")
    await check_accessible(page)
    await shot(page, "feeds")
    await page.get_by_role("link", name="Waits for approval").click()
    await expect(page.get_by_text("20 of 40 active offers would expire (50 %).")).to_be_visible()
    unseen = page.get_by_role("region", name="Offers missing from the run")
    await expect(unseen.locator("tbody tr")).to_have_count(10)
    await expect(unseen).to_contain_text("Tent <x20>")
    await check_accessible(page)
    await shot(page, "feed-run")
    with demoted(served, "operator", "viewer"):
        await page.get_by_role("button", name="Approve Activation").click()
        await page.get_by_role("dialog").get_by_role("button", name="Activate").click()
        await expect(page.get_by_text("This needs the role operator")).to_be_visible()
    assert served.sql(LAST) == [("SUCCEEDED", True, None, None)]
    await page.get_by_role("button", name="Approve Activation").click()
    await expect(page.get_by_role("dialog")).to_contain_text("20 offers that are active today are not among them")
    await page.get_by_role("dialog").get_by_role("button", name="Activate").click()
    await expect(page.get_by_role("button", name="Approve Activation")).to_have_count(0)
    assert served.sql(LAST) == [("SUCCEEDED", True, "user:operator", None)]
    assert [entry[0] for entry in served.audited("ACTIVATION_APPROVED")] == ["user:operator"]


async def test_f140_a_run_is_taken_back_with_a_reason(open_as: Opened, served: Served, feed: int):
    [(run,)] = served.sql("SELECT max(id) FROM affiliate_feed_runs")
    page = await open_as("viewer", f"/feed-runs/{run}", narrow=True, dark=True)
    await expect(page.get_by_role("button", name="Roll back the run")).to_be_disabled()
    await no_sideways_scroll(page)
    await check_accessible(page)
    await shot(page, "feed-run-390")
    page = await open_as("operator", f"/feed-runs/{run}")
    await page.get_by_role("button", name="Roll back the run").click()
    await page.get_by_role("dialog").get_by_role("button", name="Roll back").click()
    await expect(page.get_by_text("Enter a reason for the audit trail.")).to_be_visible()
    await page.get_by_label("Reason").fill("half of the catalogue is missing")
    await page.get_by_role("button", name="Roll back the run").click()
    await page.get_by_role("dialog").get_by_role("button", name="Roll back").click()
    await expect(page.get_by_text("Rolled back", exact=True)).to_be_visible()
    assert served.sql(LAST)[0][3] == "user:operator"
    assert [entry[0] for entry in served.audited("RUN_ROLLED_BACK")] == ["user:operator"]


async def test_f069_f104_f105_a_feed_is_paused_enabled_and_run(open_as: Opened, served: Served, feed: int):
    page = await open_as("operator", f"/feeds/{feed}")
    await page.get_by_role("button", name="Pause").click()
    await page.get_by_role("dialog").get_by_role("button", name="Pause").click()
    await expect(page.get_by_text("Paused by admin")).to_be_visible()
    await page.get_by_role("button", name="Resume").click()
    await page.get_by_role("button", name="Run now").click()
    await becomes(served, "SELECT status, manual_run_pending FROM affiliate_feeds", [("ENABLED", True)])
    listed = await open_as("operator", "/feeds")
    await expect(listed.get_by_role("link", name="Feeds")).to_be_visible()
    await expect(listed.get_by_role("cell", name="Run queued")).to_be_visible()
    for name in ("Feed", "State", "Last run", "Schedule", "Next run"):
        await expect(listed.get_by_role("columnheader", name=name, exact=True)).to_be_visible()
    assert [entry[0] for entry in served.audited("MANUAL_RUN_REQUESTED")][-1] == "user:operator"
    assert {entry[0] for entry in served.audited("FEED_STATUS_CHANGED")} == {"ada", "user:operator"}


async def test_f104_f110_a_disabled_feed_is_enabled_knowingly_and_shown_to_consumers(
    open_as: Opened, served: Served, feed: int
):
    served.sql("UPDATE affiliate_feeds SET status = 'DISABLED', next_run_at = NULL")
    served.sql("UPDATE sources SET is_display_primary = false")
    page = await open_as("admin", f"/feeds/{feed}")
    await page.get_by_role("button", name="Show to consumers").click()
    await expect(page.get_by_role("dialog")).to_contain_text("the source shown until now is hidden")
    await page.get_by_role("dialog").get_by_role("button", name="Show offers").click()
    await expect(page.get_by_role("button", name="Show to consumers")).to_have_count(0)
    await expect(page.get_by_text("Disabled due to repeated failures")).to_be_visible()
    await page.get_by_role("button", name="Re-enable").click()
    await expect(page.get_by_role("dialog")).to_contain_text("disabled due to repeated failures")
    await page.get_by_role("dialog").get_by_role("button", name="Re-enable").click()
    await expect(page.get_by_role("button", name="Run now")).to_be_visible()
    found = "SELECT f.status, s.is_display_primary FROM affiliate_feeds AS f JOIN sources AS s ON s.id = f.source_id"
    assert served.sql(found) == [("ENABLED", True)]
    assert [entry[0] for entry in served.audited("DISPLAY_PRIMARY_CHANGED")] == ["user:admin"]


async def test_feeds_for_who_may_only_look(open_as: Opened, served: Served, feed: int, watched: Watched):
    watched.forgiven.append("403")
    page = await open_as("viewer", f"/feeds/{feed}", narrow=True)
    for name in ("Pause", "Run now", "Test the feed"):
        await expect(page.get_by_role("button", name=name)).to_be_disabled()
    await no_sideways_scroll(page)
    await check_accessible(page)
    await shot(page, "feed-390")
    for path in ("/feeds/new", f"/feeds/{feed}/edit"):
        page = await open_as("operator", path)
        await expect(page.get_by_text("This page needs the role admin")).to_be_visible()
    page = await open_as("admin", f"/feeds/{feed}/edit")
    with demoted(served, "admin", "operator"):
        await page.get_by_label("Offers expire after (hours)").fill("100")
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_text("This needs the role admin")).to_be_visible()
    assert served.sql("SELECT expiry_hours FROM affiliate_feeds") == [(24,)]


async def test_p002_the_page_of_an_offer_of_a_feed_is_watched_from_its_page(open_as: Opened, served: Served, feed: int):
    query = "SELECT source_product_id FROM consumer_offers WHERE source_id = (SELECT source_id FROM affiliate_feeds"
    [(offer,), *_] = served.sql(f"{query} WHERE id = %s) ORDER BY 1", feed)
    page = await open_as("viewer", f"/offers/{offer}")
    await expect(page.get_by_role("button", name="Watch its page")).to_be_disabled()
    page = await open_as("operator", f"/offers/{offer}")
    await page.get_by_role("button", name="Watch its page").click()
    await expect(page.get_by_text("No page of this offer is watched.")).to_have_count(0)
    target = "SELECT source_product_id, crawl_frequency::text FROM scrape_targets WHERE source_product_id = %s"
    assert served.sql(target, offer) == [(offer, "04:00:00")]
    await expect(page.get_by_role("button", name="Add this rule")).to_be_visible()
