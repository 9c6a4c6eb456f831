"""Candidates of discovery: shown with why they are proposed, accepted and rejected by a person."""

from __future__ import annotations

from playwright.async_api import expect

from tests.console.conftest import Opened, Served, check_accessible, no_sideways_scroll, shot
from tests.console.stage import expect_notice, press


def candidate(served: Served, name: str) -> tuple[int, int]:
    url, domain = f"https://{name}.example.org/agenda", f"{name}.example.org"
    source = served.sql(
        "INSERT INTO sources (name, url, domain, kind, enabled) VALUES (%s, %s, %s, 'event', false) RETURNING id",
        name, url, domain,
    )[0][0]  # fmt: skip
    made = served.sql(
        "INSERT INTO discovery_candidates (url, url_hash, domain, title, found_by, found_at, status, source_id, "
        "events, confidence, judged_by) "
        "VALUES (%s, encode(sha256(%s), 'hex'), %s, %s, 'link', 'https://town.example.org/', 'pending', %s, 12, 0.8, "
        "'rules') RETURNING id",
        url, url.encode(), domain, f"Agenda of {name}", source,
    )[0][0]  # fmt: skip
    return int(made), int(source)


async def test_e018_a_candidate_is_accepted_and_its_source_is_enabled(open_as: Opened, served: Served) -> None:
    _, source = candidate(served, "accepting")
    page = await open_as("operator", "/discovery")
    line = page.locator("tbody tr").filter(has_text="Agenda of accepting")
    await expect(line).to_contain_text("80 % by rules")
    await check_accessible(page)
    await shot(page, "discovery")
    await line.get_by_role("button", name="Accept https").click()
    await expect_notice(page, "1 candidate accepted: the daily run visits them.")
    await expect(line).to_have_count(0)
    assert served.sql("SELECT enabled FROM sources WHERE id = %s", source) == [(True,)]
    assert served.sql("SELECT url FROM scrape_targets WHERE source_id = %s", source) == [
        ("https://accepting.example.org/agenda",)
    ]
    assert served.audited("source.candidate_accepted")[0][0] == "user:operator"


async def test_several_candidates_are_rejected_with_a_reason(open_as: Opened, served: Served) -> None:
    names = ("fair", "archive")
    made = [candidate(served, name) for name in names]
    page = await open_as("operator", "/discovery")
    await press(page, "Reject selected")
    await expect_notice(page, "Select candidates in the list first.")
    for name in names:
        await page.get_by_role("checkbox", name=f"https://{name}.example.org/agenda").check()
    await page.get_by_label("Reason").fill("of last year")
    await page.get_by_label("Reason").press("Tab")
    await press(page, "Reject selected", sure="Reject 2 candidates")
    await expect_notice(page, "2 candidates rejected.")
    assert served.sql("SELECT count(*) FROM sources WHERE id = ANY(%s)", [source for _, source in made]) == [(0,)]
    await page.get_by_label("State").select_option("rejected")
    await expect(page.locator("tbody tr").filter(has_text="Agenda of fair")).to_contain_text("of last year")


async def test_who_may_only_look_decides_about_no_candidate(open_as: Opened, served: Served) -> None:
    candidate(served, "viewing")
    page = await open_as("viewer", "/discovery", narrow=True)
    await expect(page.locator("tbody tr").filter(has_text="viewing")).to_have_count(1)
    await expect(page.get_by_role("button", name="Accept")).to_have_count(0)
    await no_sideways_scroll(page)
    await shot(page, "discovery-narrow")
