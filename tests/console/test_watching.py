"""Sources, targets, watching a page with a preview, importing many: every change, who may make it, and its trace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.async_api import expect

from tests.console import stage as make
from tests.console.conftest import Opened, Served, check_accessible, demoted, no_sideways_scroll, settled, shot
from tests.console.stage import expect_notice, press, redrawing


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), make.Shop)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def more_environment(shop: str) -> dict[str, str]:
    return {
        "WINNOW_EGRESS_ALLOW": shop,
        "SCRAPER_RATE_LIMIT_TOKENS": "100",
        "SCRAPER_RATE_LIMIT_INTERVAL_SECONDS": "1",
    }


async def test_with_nothing_watched_the_lists_say_what_to_do_next(open_as: Opened, served: Served) -> None:
    page = await open_as("viewer", "/sources")
    await expect(page.get_by_text("No sources yet")).to_be_visible()
    await expect(page.get_by_role("link", name="Watch a page").last).to_have_attribute("href", "/console/add")
    await page.goto(f"{served.url}/targets")
    await expect(page.get_by_text("No targets here")).to_be_visible()


# watching one page


async def test_a_page_is_shown_as_it_would_be_read_and_then_watched(open_as: Opened, served: Served, shop: str) -> None:
    page = await open_as("operator", "/add")
    await page.get_by_label("URL").fill(f"http://{shop}/p/1")
    await press(page, "Preview")
    await expect(page.get_by_text("This would be stored as a price.")).to_be_visible()
    await expect(page.get_by_text("19.99 USD")).to_be_visible()
    await expect(page.get_by_text("Hammer <b>XL</b>")).to_be_visible()  # text of a page is never markup of ours
    assert await page.locator("main b").count() == 0
    assert served.sql("SELECT count(*) FROM sources") == [(0,)]  # nothing is saved by looking
    await check_accessible(page)
    await shot(page, "add-preview")
    await page.get_by_role("combobox", name=re.compile("^Visited")).select_option("cron")
    await page.get_by_role("textbox", name="Cron schedule").fill("0 6 31 2 *")
    await page.get_by_role("textbox", name="Cron schedule").press("Tab")
    await expect(page.get_by_text("never fires")).to_be_visible()
    await page.get_by_role("textbox", name="Cron schedule").fill("0 6 * * *")
    await page.get_by_role("textbox", name="Cron schedule").press("Tab")
    await expect(page.locator(".w-times li")).to_have_count(5)
    await expect(page.locator(".w-times li").first).to_contain_text("06:00 UTC (in")
    await page.get_by_label("Priority").fill("3")
    await press(page, "Watch this page")
    await expect(page).to_have_url(re.compile(r"/targets/\d+$"))
    stored = "SELECT schedule, priority FROM scrape_targets"
    assert served.sql(stored) == [("0 6 * * *", 3)]
    assert len(served.audited("target.added")) == 1
    await page.goto(f"{served.url}/add?url=http://{shop}/p/1")
    await settled(page)
    await press(page, "Preview")
    await expect(page.get_by_text("This page is already watched.")).to_be_visible()


async def test_what_robots_forbids_and_what_says_nothing_is_told_so(open_as: Opened, shop: str) -> None:
    page = await open_as("operator", f"/add?url=http://{shop}/private/1")
    await press(page, "Preview")
    await expect(page.get_by_text("Nothing was read")).to_be_visible()
    await expect(page.get_by_text("disallow: /private").first).to_be_visible()
    await page.get_by_label("URL").fill(f"http://{shop}/about")
    await press(page, "Preview")
    await expect(page.get_by_text("No values found")).to_be_visible()
    await page.get_by_label("URL").fill("http://169.254.169.254/latest")
    await press(page, "Preview")
    await expect(page.locator(".q-notification.bg-negative").first).to_be_visible()


@pytest.mark.parametrize("narrow", [False, True])
async def test_the_price_is_picked_by_clicking_it_on_the_page(
    open_as: Opened, served: Served, shop: str, narrow: bool
) -> None:
    url = f"http://{shop}/p/club-{narrow}"
    page = await open_as("operator", f"/add?url={url}", narrow=narrow)
    await press(page, "Preview")
    await expect(page.get_by_text("19.99 USD")).to_be_visible()
    await press(page, "Show the amounts of the page")
    await expect(page.locator(".w-place")).to_have_text(["$19.99", "$17.49"])
    await expect(page.locator(".w-place-before")).to_have_text(["Hammer Price", "With the club"])
    await page.get_by_role("button", name="$17.49").click()
    await expect(page.get_by_text("This would be stored as a price.")).to_be_visible()
    await expect(page.get_by_text("17.49 USD")).to_be_visible()
    await expect(page.get_by_text("19.99 USD")).to_have_count(0)
    await check_accessible(page)
    await no_sideways_scroll(page)
    await shot(page, f"add-picker-{'narrow' if narrow else 'wide'}")
    await press(page, "Watch this page")
    await expect(page).to_have_url(re.compile(r"/targets/\d+$"))
    await expect(page.get_by_label("CSS selector of the price")).not_to_have_value("")
    ((choice,),) = served.sql("SELECT choice FROM scrape_targets WHERE url = %s", url)
    assert list(choice) == ["selector"]
    await page.get_by_label("CSS selector of the price").fill("")
    await page.get_by_label("Size").fill("XL")
    await press(page, "Save choice")
    await expect_notice(page, "Saved. The next visit reads it.")
    assert served.sql("SELECT choice FROM scrape_targets WHERE url = %s", url) == [({"size": "XL"},)]
    await shot(page, f"target-choice-{'narrow' if narrow else 'wide'}")


# many at once


async def test_an_import_names_every_row_it_did_not_take(open_as: Opened, served: Served, tmp_path: Path) -> None:
    page = await open_as("operator", "/import")
    await press(page, "Import")
    await expect_notice(page, "Paste lines or choose a file first.")
    lines = "url,every\nhttps://bulk-import.com/p/1,4h\nhttps://bulk-import.com/p/1,4h\nftp://x/1,4h\nhttps://bulk-import.com/p/2,never"
    await page.get_by_label("Paste lines here").fill(lines)
    await press(page, "Import")
    await expect_notice(page, "Targets added: 1.")
    rows = page.locator("tbody tr")
    await expect(rows).to_have_count(3)
    await expect(rows.nth(0)).to_contain_text("the same page as line 2")
    await expect(rows.nth(1)).to_contain_text("Refused")
    await expect(rows.nth(2)).to_contain_text("not an interval")
    await check_accessible(page)
    await shot(page, "import-report")
    file = tmp_path / "targets.csv"
    file.write_text("url\n" + "\n".join(f"https://bulk-import.com/q/{n}" for n in range(30)))
    async with page.expect_file_chooser() as chosen:
        await press(page, "Choose a file instead")
    await (await chosen.value).set_files(file)
    await expect(page.get_by_text("is ready to be imported")).to_be_visible()
    await press(page, "Import")
    await expect_notice(page, "Targets added: 30.")
    await expect(page.get_by_text("All rows were added")).to_be_visible()
    assert served.sql("SELECT count(*) FROM scrape_targets WHERE domain = 'bulk-import.com'") == [(31,)]
    assert len(served.audited("targets.imported")) == 2


# targets


async def test_chosen_targets_are_paused_resumed_tried_again_and_removed(open_as: Opened, served: Served) -> None:
    source = make.source(served, "several")
    ids = [make.target(served, source, f"p/{n}") for n in range(3)]
    served.sql("UPDATE scrape_targets SET status = 'BROKEN' WHERE id = %s", ids[2])
    page = await open_as("operator", f"/targets?source_id={source}")
    rows, status = page.locator("tbody tr"), "SELECT status FROM scrape_targets WHERE source_id = %s ORDER BY id"
    await expect(rows).to_have_count(3)
    await press(page, "Pause")
    await expect_notice(page, "Select at least one target first.")
    await page.get_by_role("checkbox", name="Select all rows shown").check()
    await press(page, "Pause")
    await expect_notice(page, "3 of 3 paused.")
    assert served.sql(status, source) == [("PAUSED",)] * 3
    await expect(rows.filter(has_text="Paused")).to_have_count(3)
    await press(page, "Resume")
    await expect_notice(page, "3 of 3 resumed.")
    await expect(rows.filter(has_text="Active")).to_have_count(3)
    served.sql("UPDATE scrape_targets SET status = 'STALE' WHERE id = %s", ids[2])
    await press(page, "Try again")
    await expect_notice(page, "1 of 3 made due again.")
    await press(page, "Remove", sure="Remove")
    await expect_notice(page, "3 of 3 removed.")
    await expect(page.get_by_text("No targets here")).to_be_visible()
    assert served.sql(status, source) == []
    for action, n in (("target.paused", 3), ("target.resumed", 3), ("target.requeued", 1), ("target.removed", 3)):
        assert len([a for a in served.audited(action) if int(a[1]) in ids]) == n, action


async def test_one_target_gets_another_cadence_is_visited_and_removed(open_as: Opened, served: Served) -> None:
    source = make.source(served, "single")
    target = make.target(served, source)
    page = await open_as("operator", f"/targets/{target}")
    await expect(page.get_by_text("Not visited yet")).to_be_visible()
    await page.get_by_role("combobox", name=re.compile("^Visited")).select_option("12h")
    await page.get_by_label("Notes").fill("a <i>note</i>")
    async with redrawing(page):
        await press(page, "Save")
        await expect_notice(page, "Saved.")
    stored = "SELECT schedule, crawl_frequency = interval '12 hours', notes FROM scrape_targets WHERE id = %s"
    assert served.sql(stored, target) == [(None, True, "a <i>note</i>")]
    async with redrawing(page):
        await press(page, "Visit now")
        await expect_notice(page, "has started.")
    async with redrawing(page):
        await press(page, "Pause")
        await expect_notice(page, "1 of 1 paused.")
    await check_accessible(page)
    async with redrawing(page):
        await press(page, "Resume")
        await expect_notice(page, "1 of 1 resumed.")
    await press(page, "Remove", sure="Remove")
    await expect(page).to_have_url(f"{served.url}/targets")
    assert served.sql("SELECT count(*) FROM scrape_targets WHERE id = %s", target) == [(0,)]


# who may


async def test_a_viewer_sees_everything_and_can_press_nothing(open_as: Opened, served: Served) -> None:
    source = make.source(served, "looking")
    target = make.target(served, source)
    page = await open_as("viewer", f"/sources/{source}")
    for name in ("Pause", "Visit all now", "Record a review"):
        await expect(page.get_by_role("button", name=name, exact=True)).to_be_disabled()
    for button in await page.get_by_role("button", name="Save", exact=True).all():
        await expect(button).to_be_disabled()
    await page.goto(f"{served.url}/targets/{target}")
    for name in ("Pause", "Visit now", "Remove", "Save"):
        await expect(page.get_by_role("button", name=name, exact=True)).to_be_disabled()
    await expect(page.get_by_role("button", name="Add this rule")).to_have_count(0)
    await page.goto(f"{served.url}/sources?q=looking")
    await expect(page.locator("tbody tr")).to_have_count(1)
    await expect(page.get_by_role("button", name="Pause looking")).to_have_count(0)


async def test_pages_that_only_change_things_are_closed_to_viewers(open_as: Opened, served: Served) -> None:
    page = await open_as("viewer", "/sources")
    for path in ("/add", "/import"):
        answer = await page.request.get(served.url + path)
        assert answer.status == 403, path
    await page.goto(f"{served.url}/targets")
    await expect(page.locator("h1")).to_have_text("Targets")


@pytest.mark.parametrize("change", ["Pause", "Visit now", "Save"])
async def test_a_role_taken_away_counts_at_once(open_as: Opened, served: Served, change: str) -> None:
    source = make.source(served, f"demoted-{change.split()[0].lower()}")
    target = make.target(served, source)
    page = await open_as("operator", f"/targets/{target}")
    await page.get_by_label("Notes").fill("mine")
    before = served.sql("SELECT count(*) FROM audit_log")
    with demoted(served, "operator", "viewer"):
        await press(page, change)
        await expect_notice(page, "This needs the role operator; you are viewer.")
    assert served.sql("SELECT status, notes FROM scrape_targets WHERE id = %s", target) == [("ACTIVE", None)]
    assert served.sql("SELECT count(*) FROM audit_log") == before


@pytest.mark.slow
@pytest.mark.parametrize("narrow", [False, True])
async def test_every_page_fits_and_is_accessible(open_as: Opened, served: Served, narrow: bool) -> None:
    source = make.source(served, f"wide-{narrow}".lower())
    target = make.target(served, source, "p/a-very-long-address/that-goes-on/and-on/with-a-name-and-a-number-123456789")
    page = await open_as("admin", narrow=narrow, dark=narrow)
    for path in ("/sources", f"/sources/{source}", "/targets", f"/targets/{target}", "/add", "/import"):
        await page.goto(served.url + path)
        await settled(page)
        await expect(page.locator("h1")).to_be_visible()
        await check_accessible(page)
        await no_sideways_scroll(page)
        await shot(page, f"watching{path.replace('/', '-')}-{'390' if narrow else '1280'}")
