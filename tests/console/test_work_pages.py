"""Overview, runs, one task, quarantine: over a shop that a real worker visited."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from functools import partial

import pytest
from playwright.async_api import expect

from tests.console.conftest import (
    Opened,
    Served,
    Watched,
    check_accessible,
    demoted,
    no_sideways_scroll,
    settled,
    shared,
    shot,
)
from tests.console.shop import Visited, visit_shop
from tests.console.stage import expect_notice, press
from winnow.fetch.failure import FailureCode
from winnow.run import closing
from winnow.schedule import runs
from winnow.schedule.queue.task import Trigger
from winnow.settings import load

# The second visit finds a price of zero, one that fell too far, and a page that is gone.
STRANGE = {"Kettle": "0.00", "Lamp": "9.00", "Rug": "5.00", "Chair": "8.00", "Clock": "gone"}


@shared(scope="module")
async def visited(served: Served) -> AsyncIterator[Visited]:
    yield await visit_shop(served, {}, STRANGE)


async def test_the_overview_says_what_is_there(open_as: Opened, visited: Visited):
    for narrow in (False, True):
        page = await open_as("viewer", narrow=narrow)
        await expect(page.get_by_role("link", name=re.compile("Held for review 4"))).to_be_visible()
        await expect(page.get_by_role("region", name="Freshness by source")).to_contain_text("100 % of")
        await check_accessible(page)
        await no_sideways_scroll(page)
        await shot(page, f"overview-full-{'390' if narrow else '1280'}")


async def test_the_overview_is_live(open_as: Opened, visited: Visited, served: Served):
    page = await open_as("viewer")
    served.sql(
        "INSERT INTO alerts (severity, code, dedupe_key, title) VALUES ('P1', 'drift_detected', 'k', 'It drifts')"
    )
    await expect(page.get_by_text("It drifts")).to_be_visible()  # without a reload
    await shot(page, "overview-alert")


async def test_runs_and_what_became_of_each_task(open_as: Opened, visited: Visited):
    page = await open_as("viewer", f"/runs?source_id={visited.source_id}")
    await check_accessible(page)
    await shot(page, "runs")
    named = page.get_by_label("Source")
    await named.fill("nobody")
    await named.press("Enter")
    await expect(page.get_by_text("There is no source 'nobody'.")).to_be_visible()
    await expect(page.locator("datalist option")).to_have_count(1)
    await named.fill(await page.locator("datalist option").get_attribute("value") or "")
    await named.press("Enter")
    await page.get_by_text("ago").or_(page.get_by_text("now", exact=True)).first.hover()
    here = re.compile(r"\d UTC = .* here$")  # by the clock of this machine
    await expect(page.locator("[data-local]")).to_have_attribute("title", here)
    await page.get_by_role("link", name=f"Run {visited.run_ids[1]}").click()
    await settled(page)
    await expect(page.locator(".w-figure", has_text="Held")).to_contain_text("4")
    await page.get_by_label("Outcome").select_option("held")
    await expect(page.locator("tbody tr")).to_have_count(4)
    await check_accessible(page)
    await no_sideways_scroll(page)
    await shot(page, "run")
    await page.get_by_role("link", name="lamp").click()
    await settled(page)
    await expect(page.get_by_text("Implausible price").or_(page.get_by_text("IMPLAUSIBLE_PRICE")).first).to_be_visible()
    await expect(page.get_by_role("region", name="Values of the draft")).to_contain_text("json_ld")
    await check_accessible(page)
    await shot(page, "task")


async def test_a_source_says_when_it_last_went_well(open_as: Opened, visited: Visited):
    page = await open_as("viewer", "/sources")
    await expect(page.locator("tbody td[data-label='Last good run']")).to_have_text(re.compile("ago|now"))


async def entry(served: Served, name: str) -> int:
    found = served.sql("SELECT id FROM quarantine WHERE payload ->> 'title' = %s ORDER BY id DESC LIMIT 1", name)
    return int(found[0][0])


def resolution(served: Served, entry_id: int) -> tuple[str | None, str | None]:
    return served.sql("SELECT resolution, resolved_by FROM quarantine WHERE id = %s", entry_id)[0]  # type: ignore[return-value]


async def test_a_held_record_is_shown_beside_the_last_accepted_one(open_as: Opened, visited: Visited, served: Served):
    page = await open_as("viewer", f"/quarantine/{await entry(served, 'Lamp')}")
    compared = page.get_by_role("region", name="Comparison")
    await expect(compared.locator("tr", has_text="Price").first).to_contain_text("9.00 USD")
    await expect(compared.locator("tr", has_text="Price").first).to_contain_text("100.00 USD")
    await expect(compared.locator("mark").first).to_have_text("9.00 USD")
    await expect(page.locator(".w-evidence mark").first).to_have_text("9.00")  # where it stands on the page
    for label in ("Accept", "Reject", "Save note"):
        await expect(page.get_by_role("button", name=label, exact=True)).to_be_disabled()
    await check_accessible(page)
    await no_sideways_scroll(page)
    await shot(page, "quarantine-entry")


@pytest.mark.parametrize("label", ["Accept", "Reject", "Save note"])
async def test_a_viewer_decides_nothing(open_as: Opened, visited: Visited, served: Served, label: str):
    """The buttons are grey for a viewer; and whoever became one while the page was open is refused as well."""
    lamp = await entry(served, "Lamp")
    page = await open_as("operator", f"/quarantine/{lamp}")
    await page.get_by_label("Note").fill("a note")
    with demoted(served, "operator", "viewer"):
        await page.get_by_role("button", name=label, exact=True).click()
        await expect(page.get_by_text("This needs the role operator; you are viewer")).to_be_visible()
    assert resolution(served, lamp) == (None, None)
    assert served.sql("SELECT note FROM quarantine WHERE id = %s", lamp) == [(None,)]


async def test_a_viewer_decides_nothing_about_several(open_as: Opened, visited: Visited, served: Served):
    page = await open_as("viewer", "/quarantine")
    await expect(page.locator("tbody tr").first).to_be_visible()
    await expect(page.get_by_role("checkbox")).to_have_count(0)
    await expect(page.get_by_role("button", name="Accept all that match")).to_have_count(0)
    theirs = await open_as("operator", "/quarantine")
    for verb in ("Accept", "Reject"):
        await theirs.get_by_role("button", name=f"{verb} all that match").click()
        with demoted(served, "operator", "viewer"):
            await theirs.get_by_role("dialog").get_by_role("button", name=re.compile(verb)).click()
            refusal = theirs.get_by_text("This needs the role operator; you are viewer")
            await expect(refusal.first).to_be_visible()
        await theirs.get_by_role("button", name="Close").first.click()
        await expect(refusal).to_have_count(0)
    assert served.sql("SELECT count(*) FROM quarantine WHERE resolution IN ('accept', 'reject')") == [(0,)]


async def test_a_note_is_kept(open_as: Opened, visited: Visited, served: Served):
    rug = await entry(served, "Rug")
    page = await open_as("operator", f"/quarantine/{rug}")
    await page.get_by_label("Note").fill("ask the shop")
    await page.get_by_role("button", name="Save note").click()
    await expect(page.get_by_text("The note is saved.")).to_be_visible()
    assert served.sql("SELECT note FROM quarantine WHERE id = %s", rug) == [("ask the shop",)]
    assert ("user:operator", str(rug)) in [row[:2] for row in served.audited("quarantine.noted")]


@shared()
async def under_way(served: Served, visited: Visited) -> AsyncIterator[int]:
    """A run whose tasks wait in the queue: no worker is there."""
    settings = load()
    async with served.database() as database, database.transaction() as conn:
        started = await runs.start(conn, visited.source_id, Trigger.MANUAL, settings.schedule)
    assert started.run_id is not None
    yield started.run_id
    async with served.database() as database, database.transaction() as conn:
        await closing.withdraw(conn, FailureCode.CANCELLED, run_id=started.run_id)


async def test_a_run_under_way_is_shown_and_cancelled_by_an_operator(open_as: Opened, under_way: int, served: Served):
    page = await open_as("viewer")
    await expect(page.get_by_role("region", name="Runs under way")).to_contain_text(f"run {under_way}")
    await expect(page.get_by_role("region", name="Queue by domain")).to_contain_text("6")
    theirs = await open_as("viewer", f"/runs/{under_way}")
    await expect(theirs.get_by_role("button", name="Cancel the run")).to_be_disabled()
    mine = await open_as("operator", f"/runs/{under_way}")
    await mine.get_by_role("button", name="Cancel the run").click()
    dialog = mine.get_by_role("dialog")
    await expect(dialog).to_contain_text("Queued tasks are removed")
    with demoted(served, "operator", "viewer"):
        await dialog.get_by_role("button", name="Cancel the run").click()
        await expect(mine.get_by_text("This needs the role operator")).to_be_visible()
    assert served.sql("SELECT status FROM scrape_runs WHERE id = %s", under_way) == [("RUNNING",)]
    await mine.get_by_role("button", name="Cancel the run").click()
    await dialog.get_by_role("button", name="Cancel the run").click()
    await expect(mine.get_by_text("6 queued tasks removed")).to_be_visible()
    assert served.sql("SELECT count(*) FROM tasks WHERE run_id = %s AND status = 'queued'", under_way) == [(0,)]
    assert ("user:operator", str(under_way)) in [row[:2] for row in served.audited("run.cancelled")]


async def test_a_run_is_cancelled_from_the_list(open_as: Opened, under_way: int, served: Served):
    page = await open_as("operator", "/runs?status=RUNNING")
    await page.get_by_role("button", name=f"Cancel run {under_way}").click()
    await page.get_by_role("dialog").get_by_role("button", name="Cancel the run").click()
    await expect(page.get_by_text(f"Run {under_way} is cancelled")).to_be_visible()
    await expect(page.get_by_text("No runs")).to_be_visible()


async def test_a_waiting_task_is_cancelled_by_an_operator(open_as: Opened, under_way: int, served: Served):
    task = served.sql("SELECT id FROM tasks WHERE run_id = %s ORDER BY id LIMIT 1", under_way)[0][0]
    theirs = await open_as("viewer", f"/tasks/{task}")
    await expect(theirs.get_by_role("button", name="Cancel the task")).to_be_disabled()
    page = await open_as("operator", f"/tasks/{task}")
    await page.get_by_role("button", name="Cancel the task").click()
    await page.get_by_role("dialog").get_by_role("button", name="Cancel the task").click()
    await expect(page.locator(".w-facts").first).to_contain_text("Cancelled")
    assert served.sql("SELECT status FROM tasks WHERE id = %s", task) == [("cancelled",)]


async def test_text_of_a_site_is_never_markup(open_as: Opened, visited: Visited, served: Served, watched: Watched):
    task = served.sql("SELECT task_id FROM records WHERE payload ->> 'title' = 'Shelf' ORDER BY id LIMIT 1")[0][0]
    hostile = "<img src=x onerror=document.title='run'><script>document.title='run'</script>{{ 7*7 }}"
    served.sql("UPDATE records SET payload = jsonb_set(payload, '{title}', to_jsonb(%s::text)) WHERE task_id = %s",
               hostile, task)  # fmt: skip
    served.sql("UPDATE drafts SET values = jsonb_set(values, '{title,0,raw}', to_jsonb(%s::text)) WHERE task_id = %s",
               hostile, task)  # fmt: skip
    page = await open_as("viewer", f"/tasks/{task}")
    await expect(page.get_by_text(hostile).first).to_be_visible()
    assert await page.title() == "Task · Winnow"
    held = await entry(served, "Lamp")
    served.sql(
        "UPDATE quarantine SET payload = jsonb_set(payload, '{title}', to_jsonb(%s::text)) WHERE id = %s", hostile, held
    )
    try:
        await page.goto(f"{served.url}/quarantine")
        await expect(page.get_by_role("link", name=hostile)).to_be_visible()
        assert await page.title() == "Quarantine · Winnow"
    finally:
        served.sql("UPDATE quarantine SET payload = jsonb_set(payload, '{title}', '\"Lamp\"') WHERE id = %s", held)


async def test_an_operator_accepts_a_held_record(open_as: Opened, visited: Visited, served: Served):
    lamp = await entry(served, "Lamp")
    page = await open_as("operator", f"/quarantine/{lamp}")
    await page.get_by_label("Note").fill("a real sale")
    await page.get_by_role("button", name="Accept", exact=True).click()
    await expect(page).to_have_url(re.compile("/console/quarantine$"))
    assert resolution(served, lamp) == ("accept", "user:operator")
    assert ("user:operator", str(lamp)) in [row[:2] for row in served.audited("quarantine.accepted")]


async def test_a_misread_price_is_put_right(open_as: Opened, visited: Visited, served: Served):
    kettle = await entry(served, "Kettle")
    page = await open_as("operator", f"/quarantine/{kettle}")
    await page.get_by_role("button", name="Accept", exact=True).click()
    await expect(page.get_by_text("cannot be stored")).to_be_visible()  # a price of zero is no price
    assert resolution(served, kettle) == (None, None)
    await page.get_by_label("Correct price").fill("89.50")
    await page.get_by_role("button", name="Accept", exact=True).click()
    await expect(page).to_have_url(re.compile("/console/quarantine$"))
    assert resolution(served, kettle) == ("corrected", "user:operator")
    assert served.sql("SELECT amount_minor FROM prices ORDER BY id DESC LIMIT 1") == [(8_950,)]


async def test_several_are_decided_at_once_after_a_question(open_as: Opened, visited: Visited, served: Served):
    chair, rug = await entry(served, "Chair"), await entry(served, "Rug")
    page = await open_as("operator", "/quarantine")
    await page.get_by_role("button", name="Reject selected").click()
    await expect(page.get_by_text("Select records in the list first")).to_be_visible()
    for name in (chair, rug):
        await page.get_by_label(f"Select record {name}").check()
    await check_accessible(page)
    await shot(page, "quarantine")
    await page.get_by_role("button", name="Reject selected").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("Reject 2 records?")
    await check_accessible(page)
    await shot(page, "quarantine-confirm")
    await dialog.get_by_role("button", name="Cancel").click()
    assert resolution(served, rug) == (None, None)
    await page.get_by_role("button", name="Reject selected").click()
    await page.get_by_role("dialog").get_by_role("button", name="Reject 2 records").click()
    await expect(page.get_by_text("2 rejected.")).to_be_visible()
    assert resolution(served, chair) == resolution(served, rug) == ("reject", "user:operator")


async def test_all_that_match_the_ticked_and_one_are_decided(
    open_as: Opened, visited: Visited, served: Served, request: pytest.FixtureRequest
):
    chair, rug = await entry(served, "Chair"), await entry(served, "Rug")
    reopen = "UPDATE quarantine SET resolution = NULL, resolved_by = NULL, resolved_at = NULL WHERE id = ANY(%s)"
    served.sql(reopen, [chair, rug])
    aside = """UPDATE quarantine SET resolution = 'superseded', resolved_by = 'system', resolved_at = now()
               WHERE resolution IS NULL AND NOT id = ANY(%s) RETURNING id"""
    request.addfinalizer(partial(served.sql, reopen, [row[0] for row in served.sql(aside, [chair, rug])]))
    page = await open_as("operator", "/quarantine")
    await press(page, "Reject all that match", sure="Reject 2 records")
    await expect_notice(page, "2 rejected.")
    served.sql(reopen, [chair, rug])
    page = await open_as("operator", f"/quarantine/{rug}")
    await press(page, "Reject")
    await expect(page).to_have_url(re.compile("/console/quarantine$"))
    await settled(page)
    await page.get_by_label(f"Select record {chair}").check()
    await press(page, "Accept selected", sure="Accept 1 record")
    await expect_notice(page, "1 accepted.")
    assert resolution(served, rug) == ("reject", "user:operator")
    served.sql(reopen, [rug])
    await press(page, "Accept all that match", sure="Accept 1 record")
    await expect_notice(page, "1 accepted.")
    assert resolution(served, chair) == resolution(served, rug) == ("accept", "user:operator")
    assert {str(chair), str(rug)} <= {thing for _, thing, _ in served.audited("quarantine.accepted")}
