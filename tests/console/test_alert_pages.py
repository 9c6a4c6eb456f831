"""Alerts and dead letters: looked at, decided about, one and many; by those who may."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.console.conftest import (
    Opened,
    Served,
    Watched,
    check_accessible,
    demoted,
    no_sideways_scroll,
    settled,
    shot,
)
from tests.console.stage import expect_notice, press

LETTER = """
INSERT INTO dead_letters (task_id, stage, error_type, error_message, error_stack, payload, next_retry_at)
SELECT gen_random_uuid(), 'fetch', %s, 'no answer within 30 s <b>bold</b>', 'Traceback: here', jsonb_build_object(
    'producer', 'prices', 'kind', 'offer', 'url', 'https://shop.example.com/p/' || n, 'origin', 'https://shop.example.com',
    'lane', 'shop.example.com', 'source_id', NULL, 'target_id', NULL, 'job_id', NULL, 'adapter_id', NULL,
    'trigger', 'SCHEDULED', 'page_id', NULL, 'payload', '{}'::jsonb), now() + interval '1 hour'
FROM generate_series(1, %s) AS n
"""
ALERT = (
    "INSERT INTO alerts (severity, code, dedupe_key, title, details) VALUES (%s, %s, %s, %s, %s::jsonb) RETURNING id"
)


def alerted(
    served: Served, severity: str = "P1", code: str = "adapter_disabled", key: str = "", details: str = "{}"
) -> int:
    key = key or f"{code}:{severity}"
    return int(served.sql(ALERT, severity, code, key, f"{key} needs somebody <script>", details)[0][0])


@pytest.fixture(autouse=True)
def clean(served: Served) -> None:
    served.sql("DELETE FROM alerts")
    served.sql("DELETE FROM tasks")
    served.sql("DELETE FROM lanes")
    served.sql("DELETE FROM dead_letters")


async def tick(page: Page, name: str) -> None:
    await page.get_by_role("checkbox", name=f"Select {name}", exact=True).check()


async def test_without_alerts_the_page_says_what_would_be_here(open_as: Opened):
    page = await open_as("viewer", "/alerts")
    await expect(page.get_by_role("heading", name="No open alerts")).to_be_visible()
    await check_accessible(page)


async def test_an_alert_is_acknowledged_silenced_and_resolved(open_as: Opened, served: Served):
    first, second = alerted(served), alerted(served, "P2", "dead_letters", details='{"waiting": 120, "source_id": 1}')
    page = await open_as("operator", "/alerts")
    await check_accessible(page)
    await shot(page, "alerts")
    await page.get_by_role("button", name=f"Acknowledge alert {first}").click()
    await expect(page.get_by_role("row", name="adapter_disabled")).to_contain_text("by user:operator")
    await tick(page, f"alert {second}")
    await page.get_by_role("button", name="Silence selected").click()
    await expect(page.get_by_role("row", name="dead_letters")).to_contain_text("Silenced")
    assert served.sql("SELECT silenced_until > now() + interval '7 hours' FROM alerts WHERE id = %s", second) == [
        (True,)
    ]
    await page.get_by_role("button", name=f"Resolve alert {first}").click()
    await expect(page.get_by_role("row", name="adapter_disabled")).to_have_count(0)
    for action in ("alerts.acknowledged", "alerts.silenced", "alerts.resolved"):
        assert [entry[0] for entry in served.audited(action)] == ["user:operator"], action


async def test_many_alerts_are_acknowledged_and_resolved_at_once(open_as: Opened, served: Served):
    for n in range(3):
        alerted(served, "P3", "stale_targets", key=f"key {n}")
    page = await open_as("operator", "/alerts")
    await page.get_by_role("button", name="Acknowledge selected").click()
    await expect(page.get_by_text("Select at least one alert first.")).to_be_visible()
    await page.get_by_role("checkbox", name="Select all rows shown").check()
    await page.get_by_role("button", name="Acknowledge selected").click()
    await expect(page.get_by_role("cell", name="by user:operator")).to_have_count(3)
    await page.get_by_role("button", name="Resolve selected").click()
    await expect(page.get_by_role("heading", name="No open alerts")).to_be_visible()
    assert served.sql("SELECT DISTINCT resolved_by FROM alerts") == [("user:operator",)]


async def test_one_alert_shows_its_details_and_where_to_look(open_as: Opened, served: Served):
    one = alerted(served, details='{"feed_id": 7, "error": "no <file>"}')
    page = await open_as("operator", f"/alerts/{one}")
    await expect(page.get_by_text("no <file>")).to_be_visible()
    await expect(page.get_by_role("link", name="Feed 7")).to_have_attribute("href", "/console/feeds/7")
    await check_accessible(page)
    await shot(page, "alert")
    with demoted(served, "operator", "viewer"):
        for label in ("Silence", "Acknowledge", "Resolve"):
            await press(page, label)
            await expect_notice(page, "This needs the role operator")
    assert served.sql("SELECT silenced_until, acknowledged_by, resolved_by FROM alerts") == [(None, None, None)]
    await page.get_by_label("Silence for").select_option("168")
    await press(page, "Silence")
    await expect(page.locator("dd", has_text="Silenced")).to_be_visible()
    await settled(page)
    await press(page, "Acknowledge")
    await expect(page.locator("dd", has_text="user:operator")).to_be_visible()
    await settled(page)
    week = "SELECT silenced_until > now() + interval '6 days', acknowledged_by FROM alerts WHERE id = %s"
    assert served.sql(week, one) == [(True, "user:operator")]
    for action in ("alerts.silenced", "alerts.acknowledged"):
        assert ("user:operator", str(one)) in [entry[:2] for entry in served.audited(action)], action
    await press(page, "Resolve")
    await expect(page.get_by_role("button", name="Resolve")).to_have_count(0)
    assert served.sql("SELECT resolved_by FROM alerts WHERE id = %s", one) == [("user:operator",)]


async def test_who_may_not_cannot_and_is_told(open_as: Opened, served: Served):
    one = alerted(served)
    page = await open_as("viewer", "/alerts")
    await expect(page.get_by_role("button", name="Resolve selected")).to_be_disabled()
    await expect(page.get_by_role("button", name=f"Resolve alert {one}")).to_have_count(0)
    page = await open_as("operator", "/alerts")
    with demoted(served, "operator", "viewer"):
        await page.get_by_role("button", name=f"Resolve alert {one}").click()
        await expect(page.get_by_text("This needs the role operator")).to_be_visible()
    assert served.sql("SELECT resolved_at FROM alerts") == [(None,)]


async def test_alerts_on_a_telephone(open_as: Opened, served: Served):
    alerted(served, details='{"domain": "shop.example.com"}')
    page = await open_as("operator", "/alerts", narrow=True, dark=True)
    await no_sideways_scroll(page)
    await check_accessible(page)
    await shot(page, "alerts-390")


async def test_dead_letters_are_retried_and_discarded(open_as: Opened, served: Served):
    served.sql(LETTER, "timeout", 3)
    ids = [row[0] for row in served.sql("SELECT id FROM dead_letters ORDER BY id")]
    page = await open_as("operator", "/dead-letters")
    await expect(page.locator("tbody tr")).to_have_count(3)
    await check_accessible(page)
    await shot(page, "dead-letters")
    await page.get_by_role("button", name=f"Retry dead letter {ids[0]}").click()
    await expect(page.locator("tbody tr")).to_have_count(2)
    assert served.sql("SELECT url FROM tasks") == [("https://shop.example.com/p/1",)]
    await page.get_by_role("button", name=f"Discard dead letter {ids[1]}").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("It will not be retried")
    await dialog.get_by_role("button", name="Cancel").click()
    assert served.sql("SELECT status FROM dead_letters WHERE id = %s", ids[1]) == [("pending",)]
    await page.get_by_role("button", name=f"Discard dead letter {ids[1]}").click()
    await dialog.get_by_role("button", name="Discard").click()
    await expect(page.locator("tbody tr")).to_have_count(1)
    assert served.sql("SELECT status FROM dead_letters ORDER BY id") == [("retrying",), ("discarded",), ("pending",)]
    for action in ("dead_letters.retried", "dead_letters.discarded"):
        assert [entry[0] for entry in served.audited(action)] == ["user:operator"], action


async def test_many_dead_letters_at_once_follow_the_filter(open_as: Opened, served: Served):
    served.sql(LETTER, "timeout", 30)
    served.sql(LETTER, "too_large", 2)
    page = await open_as("operator", "/dead-letters")
    await page.get_by_role("combobox", name="Why").select_option("too_large")
    await expect(page.locator("tbody tr")).to_have_count(2)
    await page.get_by_label("Note for discarded letters").fill("such pages are never products")
    await page.get_by_role("button", name="Discard all that match").click()
    await page.get_by_role("dialog").get_by_role("button", name="Discard all").click()
    await expect(page.get_by_role("heading", name="No dead letters")).to_be_visible()
    found = served.sql(
        "SELECT error_type, resolution_notes, count(*)::int FROM dead_letters WHERE status = 'discarded' GROUP BY 1, 2"
    )
    assert found == [("too_large", "such pages are never products", 2)]
    await page.get_by_role("combobox", name="Why").select_option("")
    await page.get_by_role("checkbox", name="Select all rows shown").check()
    await page.get_by_role("button", name="Retry selected").click()
    await expect(page.locator("tbody tr")).to_have_count(5)
    assert served.sql("SELECT count(*)::int FROM tasks") == [(25,)]


async def test_selected_ones_are_discarded_and_all_others_retried(open_as: Opened, served: Served):
    served.sql(LETTER, "timeout", 4)
    ids = [row[0] for row in served.sql("SELECT id FROM dead_letters ORDER BY id")]
    page = await open_as("operator", "/dead-letters")
    await tick(page, f"dead letter {ids[0]}")
    await page.get_by_role("button", name="Discard selected").click()
    await page.get_by_role("dialog").get_by_role("button", name="Discard").click()
    await expect(page.locator("tbody tr")).to_have_count(3)
    await page.get_by_role("button", name="Retry all that match").click()
    await page.get_by_role("dialog").get_by_role("button", name="Retry all").click()
    await expect(page.get_by_role("heading", name="No dead letters")).to_be_visible()
    statuses = served.sql("SELECT status FROM dead_letters ORDER BY id")
    assert statuses == [("discarded",), ("retrying",), ("retrying",), ("retrying",)]


async def test_one_dead_letter_is_looked_at_as_text_and_discarded_with_a_note(open_as: Opened, served: Served):
    served.sql(LETTER, "timeout", 1)
    [(one,)] = served.sql("SELECT id FROM dead_letters")
    page = await open_as("operator", f"/dead-letters/{one}")
    await expect(page.get_by_text("no answer within 30 s <b>bold</b>")).to_be_visible()
    await expect(page.get_by_text("Traceback: here")).to_be_visible()
    await check_accessible(page)
    await shot(page, "dead-letter")
    await page.get_by_label("Note").fill("gone for good")
    await page.get_by_role("button", name="Discard").click()
    await page.get_by_role("dialog").get_by_role("button", name="Discard").click()
    await expect(page.get_by_text("gone for good")).to_be_visible()
    assert served.sql("SELECT status, resolution_notes FROM dead_letters") == [("discarded", "gone for good")]
    served.sql(LETTER, "timeout", 1)
    [(other,)] = served.sql("SELECT max(id) FROM dead_letters")
    page = await open_as("operator", f"/dead-letters/{other}")
    await press(page, "Retry now")
    await expect(page.get_by_role("button", name="Retry now")).to_have_count(0)
    assert served.sql("SELECT status FROM dead_letters WHERE id = %s", other) == [("retrying",)]


async def test_dead_letters_for_who_may_only_look(open_as: Opened, served: Served):
    served.sql(LETTER, "timeout", 1)
    [(one,)] = served.sql("SELECT id FROM dead_letters")
    page = await open_as("viewer", "/dead-letters", narrow=True)
    for name in ("Retry selected", "Discard selected", "Retry all that match", "Discard all that match"):
        await expect(page.get_by_role("button", name=name)).to_be_disabled()
    await expect(page.get_by_role("button", name=f"Retry dead letter {one}")).to_have_count(0)
    await no_sideways_scroll(page)
    await check_accessible(page)
    await shot(page, "dead-letters-390")
    page = await open_as("operator", f"/dead-letters/{one}")
    with demoted(served, "operator", "viewer"):
        await page.get_by_role("button", name="Retry now").click()
        await expect(page.get_by_text("This needs the role operator")).to_be_visible()
    assert served.sql("SELECT status FROM dead_letters") == [("pending",)]


async def test_what_is_not_there_says_so(open_as: Opened, watched: Watched):
    watched.forgiven.append("404")  # the answer is one, and says so
    for path in ("/alerts/999", "/dead-letters/999", "/deliveries/999", "/webhooks/999", "/feeds/999", "/feed-runs/999",
                 "/jobs/00000000-0000-7000-8000-000000000000", "/jobs/nonsense",
        "/alerts/99999999999999999999999"):  # fmt: skip
        page = await open_as("viewer", path)
        await expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
