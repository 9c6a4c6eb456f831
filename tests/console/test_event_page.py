"""One event in the console: its values with their origin, and what a person decides about it."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.console.calendar import event, in_days
from tests.console.conftest import Opened, Served, Watched, check_accessible, demoted, no_sideways_scroll, settled, shot
from tests.console.stage import expect_notice, press, source

PROVENANCE = (
    '{"title": "json_ld $.name", "start": "json_ld $.startDate", "venue_name": "dom .venue", "status_page": null}'
)


async def jazz(served: Served, name: str) -> int:
    return await event(
        served, source(served, name), f"Jazz of {name}", provenance=PROVENANCE,
        description="An evening.\nWith <b>sax</b>.",
        url=f"https://{name}.test/e/1", price_low_minor=1250, price_high_minor=1750, currency="EUR",
        structured_location='{"street": "Kade 1", "city": "Delft"}', starts_at=in_days(2), performers=["Ann", "Bo"],
    )  # fmt: skip


async def pair(served: Served, name: str) -> tuple[int, int]:
    return await jazz(served, name), await event(served, source(served, f"{name}-hall"), f"Jazz at {name}")


async def reloaded(page: Page) -> None:
    """After an act the page is loaded again, once its notice could be read."""
    await page.wait_for_event("load")
    await settled(page)


@pytest.mark.parametrize("narrow", [False, True])
async def test_e113_every_value_of_an_event_says_where_it_was_read(
    open_as: Opened, served: Served, narrow: bool
) -> None:
    event_id = await jazz(served, f"values-{narrow}")
    page = await open_as("viewer", f"/events/{event_id}", narrow=narrow)
    await expect(page.locator("h1")).to_have_text(f"Jazz of values-{narrow}")
    for label, shown, origin in (
        ("Title", f"Jazz of values-{narrow}", "json_ld $.name"),
        ("Begins", "20:30 Europe/Amsterdam", "json_ld $.startDate"),
        ("Venue", "De Kade", "dom .venue"),
        ("Address", "Kade 1, Delft", "derived"),
        ("Price", "12.50 EUR – 17.50 EUR", "derived"),
    ):
        line = page.locator("tr", has=page.get_by_role("rowheader", name=label, exact=True))
        await expect(line).to_contain_text(shown)
        await expect(line).to_contain_text(origin)
    await expect(page.get_by_text("Not stated: ends, doors, sold out")).to_be_visible()
    await expect(page.get_by_text("With <b>sax</b>.")).to_be_visible()
    await expect(page.get_by_role("link", name="Its page")).to_have_attribute("rel", "noopener noreferrer")
    await expect(page.get_by_role("heading", name="Correct", exact=True)).to_have_count(0)
    await no_sideways_scroll(page)
    await check_accessible(page)
    await shot(page, f"event-{'narrow' if narrow else 'wide'}")


async def test_an_address_that_is_no_page_is_no_link(open_as: Opened, served: Served) -> None:
    event_id = await event(served, source(served, "scheme"), "Jazz", url="javascript:alert(1)")
    page = await open_as("viewer", f"/events/{event_id}")
    await expect(page.get_by_role("rowheader", name="Its page")).to_be_visible()
    await expect(page.get_by_role("link", name="Its page")).to_have_count(0)


async def test_an_event_that_does_not_exist_is_said_so(open_as: Opened, watched: Watched) -> None:
    watched.forgiven.append("404")
    page = await open_as("viewer", "/events/999999")
    await expect(page.get_by_text("There is no event 999999")).to_be_visible()


async def test_an_event_is_hidden_and_restored_with_a_trace(open_as: Opened, served: Served) -> None:
    event_id = await jazz(served, "hiding")
    page = await open_as("operator", f"/events/{event_id}")
    await press(page, "Hide", sure="Hide it")
    await expect_notice(page, "Hidden.")
    await reloaded(page)
    await press(page, "Restore")
    await expect_notice(page, "Shown again.")
    await reloaded(page)
    history = page.locator("section", has=page.get_by_role("heading", name="History"))
    await expect(history.locator("tbody tr")).to_have_count(2)
    decided = page.locator("section", has=page.get_by_role("heading", name="Decisions by people"))
    await expect(decided.locator("tbody tr").first).to_contain_text("user:operator")
    for action in ("event.hidden", "event.restored"):
        assert [str(event_id)] == [thing for _, thing, _ in served.audited(action)]


async def test_e073_two_events_are_merged_and_separated_by_a_person(open_as: Opened, served: Served) -> None:
    kept, other = await pair(served, "merging")
    page = await open_as("operator", f"/events/{other}")
    await page.get_by_text("Merge with another event").click()
    await page.get_by_label("Number of the other event").fill(str(kept))
    await press(page, "Merge", sure="Merge")
    await expect_notice(page, f"Event {other} is shown as event {kept}.")
    await reloaded(page)
    await page.get_by_role("link", name=f"Shown as event {kept}").click()
    await expect(page.locator("h1")).to_have_text("Jazz of merging")
    listings = page.locator("section", has=page.get_by_role("heading", name="Listings"))
    await expect(listings.locator("tbody tr")).to_have_count(2)
    await check_accessible(page)
    await shot(page, "event-merged")
    await listings.get_by_role("button", name="Separate").click()
    await page.get_by_role("dialog").get_by_role("button", name="Separate").click()
    await expect_notice(page, f"Event {other} is shown on its own again.")
    await reloaded(page)
    await expect(listings.locator("tbody tr")).to_have_count(1)
    merges = page.locator("section", has=page.get_by_role("heading", name="Merges"))
    await expect(merges.locator("tbody tr")).to_contain_text("by user:operator")
    assert served.sql("SELECT merged_into FROM events WHERE id = %s", other) == [(None,)]


@pytest.mark.parametrize("number", ["", "0", "999999"])
async def test_a_merge_with_nothing_is_refused(open_as: Opened, served: Served, number: str) -> None:
    event_id = await jazz(served, f"alone-{number or 'empty'}")
    page = await open_as("operator", f"/events/{event_id}")
    await page.get_by_text("Merge with another event").click()
    await page.get_by_label("Number of the other event").fill(number)
    await press(page, "Merge", sure="Merge")
    await expect_notice(page, "There is no event" if number else "name the other event".capitalize())


async def test_what_a_person_corrects_is_marked_as_theirs(open_as: Opened, served: Served) -> None:
    event_id = await jazz(served, "correcting")
    page = await open_as("operator", f"/events/{event_id}")
    form = page.locator("section", has=page.get_by_role("heading", name="Correct", exact=True))
    await form.get_by_label("Title").fill("Jazz in the rain")
    await form.get_by_label("Category").select_option("festival")
    await form.get_by_label("Latitude").fill("52.1")
    await form.get_by_label("Reason").fill("they called")
    await form.get_by_role("button", name="Correct").click()
    await expect_notice(page, "Corrected: category, latitude, title.")
    await reloaded(page)
    await expect(page.locator("h1")).to_have_text("Jazz in the rain")
    await expect(page.get_by_text("corrected by a person").first).to_be_visible()
    columns = "title, category, latitude, longitude, organiser, description"
    assert served.sql(f"SELECT {columns} FROM events WHERE id = %s", event_id) == [
        ("Jazz in the rain", "festival", 52.1, 4.3571, None, "An evening.\nWith <b>sax</b>.")
    ]
    reasons = served.sql("SELECT reason FROM audit_log WHERE action = 'event.corrected'")
    assert reasons == [("they called",)]
    await shot(page, "event-corrected")


@pytest.mark.parametrize(
    ("label", "text", "message"),
    [
        ("Title", " ", "An event has a title"),
        ("Latitude", "95", "These are no coordinates"),
        ("Organiser", "", "Nothing is different"),
    ],
)
async def test_a_correction_that_makes_no_sense_is_refused(
    open_as: Opened, served: Served, label: str, text: str, message: str
) -> None:
    event_id = await jazz(served, f"nonsense-{label.lower()}")
    page = await open_as("operator", f"/events/{event_id}")
    form = page.locator("section", has=page.get_by_role("heading", name="Correct", exact=True))
    await form.get_by_label(label).fill(text)
    await form.get_by_role("button", name="Correct").click()
    await expect_notice(page, message)
    assert served.sql("SELECT corrections FROM events WHERE id = %s", event_id) == [({},)]


async def test_who_may_only_look_decides_nothing(open_as: Opened, served: Served) -> None:
    event_id = await jazz(served, "looking")
    page = await open_as("viewer", f"/events/{event_id}")
    await expect(page.get_by_role("button", name="Hide")).to_be_disabled()
    await expect(page.get_by_text("Merge with another event")).to_have_count(0)
    page = await open_as("operator", f"/events/{event_id}")
    with demoted(served, "operator", "viewer"):
        await press(page, "Hide", sure="Hide it")
        await expect_notice(page, "This needs the role operator")
    assert served.sql("SELECT status FROM events WHERE id = %s", event_id) == [("published",)]
