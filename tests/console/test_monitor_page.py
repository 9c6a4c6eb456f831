"""Monitors: what was unusual, accepted by those who may; and lists as CSV."""

from __future__ import annotations

import csv
import io

import pytest
from playwright.async_api import expect

from tests.cli.test_audit_commands import READING
from tests.console.conftest import Opened, Served, check_accessible, no_sideways_scroll, shot
from tests.console.stage import expect_notice


@pytest.fixture(autouse=True)
def shop(served: Served) -> None:
    served.sql("DELETE FROM monitor_readings")
    served.sql("DELETE FROM monitor_limits")
    if not served.sql("SELECT id FROM sources"):
        served.sql("INSERT INTO retailers (name) VALUES ('Shop')")
        served.sql(
            "INSERT INTO sources (name, url, domain, retailer_id) SELECT 'Shop', 'https://s.test/', 's.test', id "
            "FROM retailers"
        )
        served.sql(
            "INSERT INTO source_products (source_id, identity_type, identity_value, title, url) "
            "SELECT id, 'SKU', '1', '=1+1', 'https://s.test/1' FROM sources"
        )
        served.sql(
            "INSERT INTO invariant_checks (name, violations, examples, duration_ms) VALUES ('messages_leave', 2, "
            '\'[{"id": "7", "problem": "x waits"}]\', 3), (\'tasks_are_kept_once\', 0, \'[]\', 3)'
        )
    served.sql(READING)


async def test_c069_what_is_unusual_is_shown_and_accepted(open_as: Opened, served: Served):
    page = await open_as("operator", "/monitors")
    await expect(page.get_by_text("12 items")).to_be_visible()
    await expect(page.get_by_text("1 of 2 hold")).to_be_visible()
    await expect(page.get_by_text("7: x waits")).to_be_visible()
    await check_accessible(page)
    await shot(page, "monitors")
    narrow = await open_as("viewer", "/monitors", narrow=True)
    await no_sideways_scroll(narrow)
    await shot(narrow, "monitors-narrow")
    await expect(narrow.get_by_role("button", name="Accept as usual")).to_have_count(0)
    await page.get_by_role("button", name="Accept as usual").click()
    await expect_notice(page, "is usual from now on")
    assert served.audited("monitors.accepted")


async def test_r21_a_list_is_downloaded_as_csv(open_as: Opened, served: Served):
    page = await open_as("viewer", "/products")
    async with page.expect_download() as begun:
        await page.get_by_role("link", name="CSV").click()
    path = await (await begun.value).path()
    (row,) = csv.DictReader(io.StringIO(path.read_text(), newline=""))
    assert row["title"] == "'=1+1"
    answer = await page.request.get(f"{served.url}/exports/secrets.csv")
    assert answer.status == 404
