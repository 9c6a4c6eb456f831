"""Sources in the console: paused, resumed, changed and approved, each with its trace."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.console import stage as make
from tests.console.conftest import Opened, Served, check_accessible, demoted, no_sideways_scroll, shot
from tests.console.stage import expect_notice, press, redrawing

# sources


async def test_a_source_is_paused_and_resumed_with_a_question_and_a_trace(open_as: Opened, served: Served) -> None:
    source = make.source(served, "pausing")
    page = await open_as("operator", "/sources?q=pausing")
    await page.get_by_role("button", name="Pause pausing").click()
    await expect(page.get_by_role("dialog")).to_contain_text("Nothing of this source is scheduled")
    await page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert served.sql("SELECT paused FROM sources WHERE id = %s", source) == [(False,)]
    await page.get_by_role("button", name="Pause pausing").click()
    await page.get_by_role("dialog").get_by_role("button", name="Pause it").click()
    await expect_notice(page, "The source is paused.")
    await expect(page.locator("tbody tr").first).to_contain_text("Paused")
    assert served.sql("SELECT paused FROM sources WHERE id = %s", source) == [(True,)]
    await page.get_by_role("button", name="Resume pausing").click()
    await expect_notice(page, "The source is resumed.")
    assert [str(source)] == [thing for _, thing, _ in served.audited("source.paused")]
    assert [str(source)] == [thing for _, thing, _ in served.audited("source.resumed")]


async def test_a_sources_cadence_trust_and_compliance_are_changed(open_as: Opened, served: Served) -> None:
    source = make.source(served, "changing")
    make.target(served, source)
    page = await open_as("admin", f"/sources/{source}")
    visits = page.locator("section", has=page.get_by_role("heading", name="Visits"))
    await visits.get_by_label("Priority").fill("7")
    await visits.get_by_label("Cron schedule").fill("every day")
    await visits.get_by_label("Cron schedule").press("Tab")
    await expect(visits.get_by_role("alert").filter(has_text="five fields")).to_be_visible()
    await visits.get_by_label("Cron schedule").fill("15 */6 * * *")
    await visits.get_by_label("Cron schedule").press("Tab")
    await expect(visits.locator(".w-times li")).to_have_count(5)
    async with redrawing(page):
        await visits.get_by_role("button", name="Save").click()
        await expect_notice(page, "Saved.")
    trust = page.locator("section", has=page.get_by_role("heading", name="Trust and visibility"))
    await trust.get_by_label("Prices of this source").select_option("ELIGIBLE")
    await trust.get_by_label("Hide offers not seen for").fill("72")
    async with redrawing(page):
        await trust.get_by_role("button", name="Save").click()
        await page.get_by_role("dialog").get_by_role("button", name="Change limits").click()
        await expect_notice(page, "Saved: its prices are shown.")
    async with redrawing(page):
        await press(page, "Record a review", sure="Record a review")
        await expect_notice(page, "The review is recorded.")
    await expect(page.get_by_role("button", name="Withdraw the approval")).to_be_visible()
    await press(page, "Visit all now")
    await expect_notice(page, "pages to visit: 1.")
    columns = "priority, schedule, tos_approved_by, visibility_status, expiry_hours"
    assert served.sql(
        f"SELECT {columns} FROM sources s JOIN source_trust_config t ON t.source_id = s.id WHERE s.id = %s", source
    ) == [(7, "15 */6 * * *", "user:admin", "ELIGIBLE", 72)]
    for action in ("source.updated", "source.trust_changed", "run.started"):
        assert served.audited(action), action
    await check_accessible(page)
    await shot(page, "source")


@pytest.mark.parametrize("narrow", [False, True])
async def test_how_a_source_is_read_is_changed_on_its_page(open_as: Opened, served: Served, narrow: bool) -> None:
    source = make.source(served, f"reading-{narrow}")
    page = await open_as("operator", f"/sources/{source}", narrow=narrow)
    reading = page.locator("section", has=page.get_by_role("heading", name="Reading"))
    await reading.get_by_label("Currency").fill("sek")
    await reading.get_by_label("Take pages that say nothing").check()
    async with redrawing(page):
        await reading.get_by_role("button", name="Save").click()
        await expect_notice(page, "Saved: the next visits read it so.")
    stored = "SELECT scrape_config FROM sources WHERE id = %s"
    assert served.sql(stored, source) == [({"currency": "SEK", "assumeInStock": True},)]
    await expect(reading.get_by_label("Currency")).to_have_value("SEK")
    await check_accessible(page)
    await no_sideways_scroll(page)
    await shot(page, f"source-reading-{'narrow' if narrow else 'wide'}")
    await reading.get_by_label("Currency").fill("")
    await reading.get_by_label("Take pages that say nothing").uncheck()
    async with redrawing(page):
        await reading.get_by_role("button", name="Save").click()
        await expect_notice(page, "Saved: the next visits read it so.")
    assert served.sql(stored, source) == [({},)]


async def test_e097_how_an_agenda_is_read_is_changed_on_its_page(open_as: Opened, served: Served) -> None:
    source = make.source(served, "agenda-kroon")
    served.sql("UPDATE sources SET kind = 'event' WHERE id = %s RETURNING id", source)
    page = await open_as("operator", f"/sources/{source}")
    agenda = page.locator("section", has=page.get_by_role("heading", name="Agenda"))
    await agenda.get_by_label("Depth of a run").select_option("deep")
    await agenda.get_by_label("Visit the page of every event").check()
    await agenda.get_by_label("Look for feeds").check()
    await agenda.get_by_label("Time zone").fill("Europe/Amsterdam")
    await agenda.get_by_label("Latitude").fill("52.01")
    await agenda.get_by_label("Longitude").fill("4.36")
    async with redrawing(page):
        await agenda.get_by_role("button", name="Save agenda").click()
        await expect_notice(page, "Saved.")
    stored = "SELECT tier, deep_scrape_enabled, tier_config, timezone, default_latitude FROM sources WHERE id = %s"
    assert served.sql(stored, source) == [("deep", True, {"feedGuessing": True}, "Europe/Amsterdam", 52.01)]


async def test_an_approval_is_withdrawn_robots_is_switched_and_a_source_paused_on_its_page(
    open_as: Opened, served: Served
) -> None:
    source = make.source(served, "withdrawn")
    served.sql("UPDATE sources SET tos_reviewed_at = now(), tos_approved_by = 'ada' WHERE id = %s", source)
    stored = "SELECT tos_reviewed_at, tos_approved_by, robots_compliant, paused FROM sources WHERE id = %s"
    page = await open_as("admin", f"/sources/{source}")
    async with redrawing(page):
        await press(page, "Withdraw the approval", sure="Withdraw the approval")
        await expect_notice(page, "The approval is withdrawn.")
    await expect(page.get_by_role("button", name="Record a review")).to_be_visible()
    record = page.locator("section", has=page.get_by_role("heading", name="Compliance record"))
    await record.get_by_label("Allowed by robots.txt").uncheck()
    async with redrawing(page):
        await record.get_by_role("button", name="Save").click()
        await expect_notice(page, "Saved.")
    await expect(record).to_contain_text("blocks every page of this source")
    assert served.sql(stored, source) == [(None, None, False, False)]
    async with redrawing(page):
        await press(page, "Pause", sure="Pause it")
    assert served.sql(stored, source)[0][3] is True
    async with redrawing(page):
        await press(page, "Resume")
    assert served.sql(stored, source)[0][3] is False
    changed = [after for _, thing, after in served.audited("source.updated") if thing == str(source)]
    assert [set(after) for after in changed] == [{"tos_reviewed_at", "tos_approved_by"}, {"robots_compliant"}]
    with demoted(served, "admin", "operator"):
        await record.get_by_role("button", name="Save").click()
        await expect_notice(page, "This needs the role admin; you are operator.")
        await press(page, "Record a review", sure="Record a review")
        await expect_notice(page, "This needs the role admin; you are operator.")
    assert served.sql(stored, source) == [(None, None, False, False)]


async def test_what_consumers_see_is_the_admins_decision(open_as: Opened, served: Served) -> None:
    source = make.source(served, "not-yours")
    page = await open_as("operator", f"/sources/{source}")
    await expect(page.get_by_role("button", name="Record a review")).to_be_disabled()
    admin = await open_as("admin", f"/sources/{source}")
    await admin.get_by_label("Prices of this source").select_option("ELIGIBLE")
    with demoted(served, "admin", "operator"):
        trust = admin.locator("section", has=admin.get_by_role("heading", name="Trust and visibility"))
        await trust.get_by_role("button", name="Save").click()
        await admin.get_by_role("dialog").get_by_role("button", name="Change limits").click()
        await expect_notice(admin, "This needs the role admin; you are operator.")
    hidden = "SELECT visibility_status FROM source_trust_config WHERE source_id = %s"
    assert served.sql(hidden, source) == [("INELIGIBLE",)]
