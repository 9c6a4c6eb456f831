"""Events in the console: the list with its filters and its map, on a wide and on a narrow screen."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.console.calendar import event, in_days, town
from tests.console.conftest import Opened, Served, check_accessible, no_sideways_scroll, shot
from tests.console.stage import source


async def titles(page: Page) -> list[str]:
    return [text.strip() for text in await page.locator("tbody td:nth-child(2)").all_inner_texts()]


async def test_e114_events_to_come_are_listed_with_day_place_and_state(open_as: Opened, served: Served) -> None:
    await town(served, "listing")
    page = await open_as("viewer", "/events?q=listing")
    await expect(page.locator("tbody tr")).to_have_count(3)
    assert await titles(page) == ["Prints of listing <b>x</b>", "Jazz of listing", "Play of listing"]
    await expect(page.locator("tbody tr").nth(0)).to_contain_text("hour not known")
    await expect(page.locator("tbody tr").nth(1)).to_contain_text("Sold out")
    await expect(page.locator("tbody tr").nth(2)).to_contain_text("Cancelled")
    await check_accessible(page)
    await shot(page, "events")


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("place=Delft", ["Jazz"]),
        ("place=Delft&within=50000&category=theatre", []),
        ("place=52.5168, 6.083&within=1000", ["Play"]),
        ("category=arts", ["Prints"]),
        ("event_status=cancelled", ["Play"]),
        ("state=hidden", ["Spam"]),
        ("state=published", ["Prints", "Nowhere", "Jazz", "Play"]),
        ("from={-2}&until={-1}", ["Prints", "Yesterday"]),
        ("until={3}", ["Prints", "Jazz"]),
        ("from={4}", ["Prints", "Play"]),
        ("source_id=other", []),
    ],
)
async def test_events_are_filtered_by_the_address(
    open_as: Opened, served: Served, filtered: int, query: str, wanted: list[str]
) -> None:
    for days in (-2, -1, 3, 4):
        query = query.replace(f"{{{days}}}", str(in_days(days).date()))
    page = await open_as("viewer", f"/events?q=filtered&{query}")
    if not wanted:
        await expect(page.get_by_text("No events here")).to_be_visible()
    await expect(page.locator("tbody tr")).to_have_count(len(wanted))
    assert [title.split()[0] for title in await titles(page)] == wanted


@pytest.fixture(scope="module")
def _sources(served: Served) -> int:
    return source(served, "other")


@pytest.fixture
async def filtered(served: Served, _sources: int) -> int:
    known = served.sql("SELECT id FROM sources WHERE name = 'filtered'")
    return int(known[0][0]) if known else (await town(served, "filtered"))[0]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("place=Atlantis", "No one Dutch town or postcode is called"),
        ("place=95, 400", "is no place on earth"),
        ("q=!!!", "a letter or a digit"),
        ("source_id=nobody", "nobody"),
    ],
)
async def test_a_filter_that_means_nothing_is_explained(open_as: Opened, query: str, message: str) -> None:
    page = await open_as("viewer", f"/events?{query}")
    await expect(page.get_by_role("alert").filter(has_text=message).first).to_be_visible()


async def test_a_dot_of_the_map_leads_to_the_events_of_its_place(open_as: Opened, served: Served) -> None:
    _, (jazz, *_) = await town(served, "mapped")
    page = await open_as("viewer", "/events?q=mapped")
    assert await page.locator(".w-map-dot").count() == 3
    await expect(page.get_by_role("link", name="De Kade: Jazz of mapped")).to_have_attribute(
        "href", f"{served.url.removeprefix(served.url.split('/console')[0])}/events/{jazz}"
    )
    await event(served, source(served, "mapped-too"), "Blues of mapped")
    await page.reload()
    dot = page.get_by_role("link", name="De Kade: 2 events")
    await dot.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Place", exact=True)).to_have_value("52.012, 4.357")
    await expect(page.locator("tbody")).to_contain_text("Blues of mapped")


@pytest.mark.parametrize("dark", [False, True])
async def test_the_events_fit_a_telephone(open_as: Opened, served: Served, dark: bool) -> None:
    await town(served, f"narrow-{dark}")
    page = await open_as("viewer", f"/events?q=narrow-{dark}", narrow=True, dark=dark)
    await expect(page.locator("tbody tr")).to_have_count(3)
    await no_sideways_scroll(page)
    await check_accessible(page)
    await shot(page, f"events-narrow-{'dark' if dark else 'light'}")
