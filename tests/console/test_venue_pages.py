"""Venues in the console: found, corrected, merged and separated, with what follows for their events."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.console.calendar import event
from tests.console.conftest import Opened, Served, check_accessible, no_sideways_scroll, settled, shot
from tests.console.stage import expect_notice, press, source


def venue(served: Served, name: str, *, at: tuple[float, float] | None = None) -> int:
    latitude, longitude = at or (None, None)
    origin, precision = (None, None) if at is None else ("stated", "exact")
    made = served.sql(
        "INSERT INTO venues (name, name_key, town, town_key, country, latitude, longitude, coordinates_from, "
        "precision) VALUES (%s, %s, 'Delft', 'delft', 'NL', %s, %s, %s, %s) RETURNING id",
        name, name.lower(), latitude, longitude, origin, precision,
    )[0][0]  # fmt: skip
    served.sql("INSERT INTO venue_aliases (alias_key, town_key, venue_id) VALUES (%s, 'delft', %s)", name.lower(), made)
    return int(made)


async def with_event(served: Served, name: str) -> tuple[int, int]:
    number = venue(served, name, at=(52.0116, 4.3571))
    more = {"venue_id": number, "venue_name": name, "venue_key": name.lower(), "town_key": "delft"}
    return number, await event(served, source(served, name.lower()), f"Jazz at {name}", **more)


async def reloaded(page: Page) -> None:
    await page.wait_for_event("load")
    await settled(page)


@pytest.mark.parametrize("narrow", [False, True])
async def test_e062_venues_are_listed_with_where_their_coordinates_come_from(
    open_as: Opened, served: Served, narrow: bool
) -> None:
    number, _ = await with_event(served, f"Listed{narrow}")
    venue(served, f"Listed{narrow} nowhere")
    page = await open_as("viewer", f"/venues?q=listed{narrow}", narrow=narrow)
    await expect(page.locator("tbody tr")).to_have_count(2)
    await expect(page.locator("tbody tr").nth(0)).to_contain_text("stated by a page, exact")
    await expect(page.locator("tbody tr").nth(1)).to_contain_text("Not known")
    await no_sideways_scroll(page)
    await check_accessible(page)
    await shot(page, f"venues-{narrow}")
    await page.get_by_label("State").select_option("located")
    await expect(page.locator("tbody tr")).to_have_count(1)
    await page.get_by_role("link", name=f"Listed{narrow}").first.click()
    await expect(page).to_have_url(f"{served.url}/venues/{number}")
    await expect(page.get_by_role("link", name=f"Jazz at Listed{narrow}", exact=True)).to_be_visible()
    await expect(page.get_by_role("button", name="Correct")).to_have_count(0)
    await no_sideways_scroll(page)
    await check_accessible(page)
    await shot(page, f"venue-{narrow}")


async def test_a_venue_is_corrected_and_its_events_move(open_as: Opened, served: Served) -> None:
    number, event_id = await with_event(served, "Moving")
    page = await open_as("operator", f"/venues/{number}")
    await page.get_by_label("Name").fill("Moving House")
    await page.get_by_label("Latitude").fill("52.5")
    await page.get_by_label("Longitude").fill("4.9")
    await page.get_by_label("Reason").fill("it moved")
    await press(page, "Correct")
    await expect_notice(page, "Corrected: latitude, longitude, name.")
    await reloaded(page)
    await expect(page.get_by_text("set by a person, exact")).to_be_visible()
    await shot(page, "venue-corrected")
    assert served.sql("SELECT latitude, longitude, sequence FROM events WHERE id = %s", event_id) == [(52.5, 4.9, 1)]
    assert served.sql("SELECT cause FROM event_changes WHERE event_id = %s", event_id) == [("located",)]
    assert served.sql("SELECT venue_name FROM shown_events WHERE id = %s", event_id) == [("Moving House",)]
    assert served.audited("venue.corrected") == [("user:operator", str(number), {
        "latitude": 52.5, "longitude": 4.9, "name": "Moving House"
    })]  # fmt: skip


@pytest.mark.parametrize(
    ("label", "text", "message"),
    [
        ("Name", " ", "A venue has a name"),
        ("Latitude", "91", "These are no coordinates"),
        ("Latitude", "", "are numbers of degrees, and go together"),
        ("Country", "Netherlands", "is written as its two letters"),
        ("Street", "", "Nothing is different"),
    ],
)
async def test_a_correction_of_a_venue_that_makes_no_sense_is_refused(
    open_as: Opened, served: Served, label: str, text: str, message: str
) -> None:
    known = served.sql("SELECT id FROM venues WHERE name = 'Stays'")
    number = known[0][0] if known else venue(served, "Stays", at=(52.0, 4.0))
    page = await open_as("operator", f"/venues/{number}")
    await page.get_by_label(label).fill(text)
    await press(page, "Correct")
    await expect_notice(page, message)
    stored = "SELECT name, latitude, country, updated_at = created_at FROM venues WHERE id = %s"
    assert served.sql(stored, number) == [("Stays", 52.0, "NL", True)]


async def test_venues_are_merged_and_separated(open_as: Opened, served: Served) -> None:
    number, event_id = await with_event(served, "Kade hall")
    other = venue(served, "De Kade")
    page = await open_as("operator", f"/venues/{number}")
    await page.get_by_label("Number of the other venue").fill(str(other))
    await press(page, "Merge", sure="Merge")
    await expect_notice(page, f"It is part of venue {other} now.")
    await reloaded(page)
    assert served.sql("SELECT venue_id FROM events WHERE id = %s", event_id) == [(other,)]
    await page.get_by_role("link", name=f"Part of venue {other}").click()
    await expect(page.get_by_text(f"kade hall (delft, of venue {number})")).to_be_visible()
    await page.get_by_role("link", name=f"Venue {number}: Kade hall").click()
    await press(page, "Separate")
    await expect_notice(page, "It is a venue of its own again.")
    await reloaded(page)
    assert served.sql("SELECT venue_id FROM events WHERE id = %s", event_id) == [(number,)]
