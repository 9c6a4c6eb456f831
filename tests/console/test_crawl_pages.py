"""Crawls in the console: begun, seen, paused, resumed and stopped."""

from __future__ import annotations

from playwright.async_api import expect

from tests.console.conftest import Opened, Served, check_accessible, shot


async def test_c003_an_operator_starts_pauses_and_stops_a_crawl(open_as: Opened, served: Served):
    page = await open_as("operator", "/crawls")
    await expect(page.get_by_text("No crawls")).to_be_visible()
    await page.get_by_role("link", name="Crawl a shop").click()
    await page.get_by_label("URL").fill("https://shop.example.com/")
    await page.get_by_label("Exclude").fill("/blog/\n*?color=")
    await page.get_by_label("Maximum of pages").fill("500")
    await check_accessible(page)
    await page.get_by_role("button", name="Start").click()
    await expect(page.get_by_role("heading", name="Crawl 1")).to_be_visible()
    await expect(page.get_by_text("shop.example.com, not /blog/, not *?color=")).to_be_visible()
    await check_accessible(page)
    await shot(page, "crawl")
    await page.get_by_role("button", name="Pause").click()
    await expect(page.get_by_role("button", name="Resume")).to_be_visible()
    assert served.sql("SELECT state, budget ->> 'pages' FROM crawls") == [("paused", "500")]
    await page.get_by_role("button", name="Resume").click()
    await expect(page.get_by_role("button", name="Pause")).to_be_visible()
    await page.get_by_role("button", name="Stop").click()
    await page.get_by_role("button", name="Stop it").click()
    await expect(page.get_by_role("button", name="Pause")).to_be_hidden()
    assert served.sql("SELECT state FROM crawls") == [("stopped",)]
    assert served.audited("crawl.started")
    assert served.audited("crawl.stopped")


async def test_a_viewer_sees_crawls_and_starts_none(open_as: Opened, served: Served):
    page = await open_as("viewer", "/crawls", narrow=True)
    await expect(page.get_by_role("link", name="https://shop.example.com/")).to_be_visible()
    await expect(page.get_by_role("link", name="Crawl a shop")).to_be_hidden()
    await shot(page, "crawls-narrow")
