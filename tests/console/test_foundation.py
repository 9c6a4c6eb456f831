"""Login, sessions, roles and the layout around every page (DESIGN §8, §11.22)."""

from __future__ import annotations

import re

from playwright.async_api import BrowserContext, expect

from tests.console.conftest import (
    PASSWORD,
    Opened,
    Served,
    check_accessible,
    no_sideways_scroll,
    shot,
)


async def test_without_a_session_every_page_leads_to_the_login(served: Served, stranger: BrowserContext):
    page = await stranger.new_page()
    await page.goto(f"{served.url}/account?x=1")
    await expect(page).to_have_url(re.compile(r"/console/login\?next="))
    await check_accessible(page)
    await shot(page, "login")


async def test_after_the_login_one_is_where_one_wanted_to_be(served: Served, stranger: BrowserContext, people: None):
    page = await stranger.new_page()
    await page.goto(f"{served.url}/account")
    await page.get_by_label("Name").fill("viewer")
    await page.get_by_label("Password").fill(PASSWORD)
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(f"{served.url}/account")
    await expect(page.get_by_role("heading", name="Your account")).to_be_visible()


async def test_the_layout_is_accessible_in_both_themes_and_widths(open_as: Opened):
    for narrow in (False, True):
        for dark in (False, True):
            page = await open_as("admin", narrow=narrow, dark=dark)
            await check_accessible(page)
            await no_sideways_scroll(page)
            await shot(page, f"overview-{'390' if narrow else '1280'}-{'dark' if dark else 'light'}")


async def test_a_list_is_paged_by_the_server(open_as: Opened, served: Served):
    served.sql(
        "INSERT INTO audit_log (actor, action, object_type, object_id) "
        "SELECT 'tests', 'target.added', 'target', n::text FROM generate_series(1, 60) n"
    )
    page = await open_as("viewer", "/audit")
    await page.get_by_label("Object type").fill("target")
    await page.keyboard.press("Enter")
    rows = page.locator("tbody tr")
    await expect(rows.first).to_contain_text("target 60")
    await expect(rows).to_have_count(25)
    await page.get_by_role("button", name="Next").click()
    await expect(rows.first).to_contain_text("target 35")
    await page.get_by_role("button", name="Next").click()
    await expect(rows).to_have_count(10)
    await expect(page.get_by_role("button", name="Next")).to_be_disabled()
    await page.get_by_role("button", name="Back").click()
    await expect(rows.first).to_contain_text("target 35")
    await check_accessible(page)
    await shot(page, "audit")


async def test_a_session_that_was_ended_elsewhere_ends_the_open_page(open_as: Opened, served: Served):
    page = await open_as("viewer", "/audit")
    served.sql("UPDATE user_sessions SET ended_at = now()")
    await page.get_by_label("Who").fill("x")
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile("/console/login"))
