"""Overview, runs, one task, quarantine: over a shop that a real worker visited."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from playwright.async_api import expect

from tests.console.conftest import (
    Opened,
    Served,
    check_accessible,
    no_sideways_scroll,
    settled,
    shared,
    shot,
)
from tests.console.shop import Visited, visit_shop

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
    page = await open_as("viewer", "/runs")
    await check_accessible(page)
    await shot(page, "runs")
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
    for label in ("Accept", "Reject", "Keep the note"):
        await expect(page.get_by_role("button", name=label, exact=True)).to_be_disabled()
    await check_accessible(page)
    await no_sideways_scroll(page)
    await shot(page, "quarantine-entry")


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
    await page.get_by_label("Right price").fill("89.50")
    await page.get_by_role("button", name="Accept", exact=True).click()
    await expect(page).to_have_url(re.compile("/console/quarantine$"))
    assert resolution(served, kettle) == ("corrected", "user:operator")
    assert served.sql("SELECT amount_minor FROM prices ORDER BY id DESC LIMIT 1") == [(8_950,)]


async def test_several_are_decided_at_once_after_a_question(open_as: Opened, visited: Visited, served: Served):
    chair, rug = await entry(served, "Chair"), await entry(served, "Rug")
    page = await open_as("operator", "/quarantine")
    await page.get_by_role("button", name="Reject ticked").click()
    await expect(page.get_by_text("Choose records first")).to_be_visible()
    for name in (chair, rug):
        await page.get_by_label(f"Select record {name}").check()
    await check_accessible(page)
    await shot(page, "quarantine")
    await page.get_by_role("button", name="Reject ticked").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("Reject 2 records?")
    await check_accessible(page)
    await shot(page, "quarantine-confirm")
    await dialog.get_by_role("button", name="Cancel").click()
    assert resolution(served, rug) == (None, None)
    await page.get_by_role("button", name="Reject ticked").click()
    await page.get_by_role("dialog").get_by_role("button", name="Reject 2 records").click()
    await expect(page.get_by_text("2 rejected.")).to_be_visible()
    assert resolution(served, chair) == resolution(served, rug) == ("reject", "user:operator")
