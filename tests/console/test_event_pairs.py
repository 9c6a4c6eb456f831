"""Pairs of events that may be one: shown side by side, decided one by one or several at once."""

from __future__ import annotations

from playwright.async_api import expect

from tests.console.calendar import event
from tests.console.conftest import Opened, Served, check_accessible, demoted, no_sideways_scroll, shot
from tests.console.stage import expect_notice, press, source

FACTS = '{"reason": "some words agree", "overlap": 0.4, "cosine": 0.81}'


async def pair(served: Served, name: str) -> tuple[int, int, int]:
    low = await event(served, source(served, name), f"Jazz @ {name}")
    high = await event(served, source(served, f"{name}-hall"), f"Jazz at {name}", event_time="TBD")
    made = served.sql(
        "INSERT INTO event_doubts (low_id, high_id, score, facts) VALUES (%s, %s, 0.4, %s) RETURNING id",
        low, high, FACTS,
    )  # fmt: skip
    return int(made[0][0]), low, high


async def test_e073_doubtful_pairs_wait_for_a_person(open_as: Opened, served: Served) -> None:
    _, low, _ = await pair(served, "one")
    page = await open_as("operator", "/event-pairs")
    line = page.locator("tbody tr").filter(has_text="Jazz @ one")
    await expect(line).to_contain_text("Jazz at one")
    await expect(line).to_contain_text("hour not known")
    await expect(line).to_contain_text("40% of the words agree, titles alike by 81%")
    await check_accessible(page)
    await shot(page, "event-pairs")
    await line.get_by_role("button", name="One event").click()
    await expect_notice(page, "1 pair decided: one event.")
    await expect(line).to_have_count(0)
    assert served.sql("SELECT merged_into FROM events WHERE title = 'Jazz at one'") == [(low,)]
    assert served.audited("event.doubt_decided")[-1][0] == "user:operator"


async def test_several_pairs_are_told_apart_at_once(open_as: Opened, served: Served) -> None:
    numbers = [(await pair(served, name))[0] for name in ("two", "three")]
    page = await open_as("operator", "/event-pairs")
    await press(page, "Two events each")
    await expect_notice(page, "Select pairs in the list first.")
    for number in numbers:
        await page.get_by_role("checkbox", name=f"pair {number}").check()
    await page.get_by_label("Reason").fill("two nights")
    await page.get_by_label("Reason").press("Tab")
    await press(page, "Two events each")
    await expect_notice(page, "2 pairs decided: two events.")
    decided = "SELECT status, decided_by FROM event_doubts WHERE id = ANY(%s)"
    assert served.sql(decided, numbers) == [("distinct", "user:operator")] * 2
    reasons = "SELECT DISTINCT reason FROM audit_log WHERE action = 'event.doubt_decided' AND object_id = ANY(%s)"
    assert served.sql(reasons, [str(number) for number in numbers]) == [("two nights",)]


async def test_what_was_decided_is_listed_and_not_decided_again(open_as: Opened, served: Served) -> None:
    number, _, _ = await pair(served, "late")
    page = await open_as("operator", "/event-pairs")
    served.sql(
        "UPDATE event_doubts SET status = 'distinct', decided_by = 'ann', decided_at = now() WHERE id = %s", number
    )
    await page.locator("tbody tr").filter(has_text="Jazz @ late").get_by_role("button", name="One event").click()
    await expect_notice(page, "was decided already, by ann")
    await page.get_by_label("State").select_option("distinct")
    line = page.locator("tbody tr").filter(has_text="Jazz @ late")
    await expect(line).to_contain_text("ann")
    await expect(line.get_by_role("button")).to_have_count(0)


async def test_who_may_only_look_decides_no_pair(open_as: Opened, served: Served) -> None:
    await pair(served, "viewed")
    page = await open_as("viewer", "/event-pairs", narrow=True)
    await expect(page.locator("tbody tr").filter(has_text="viewed")).to_have_count(1)
    await expect(page.get_by_role("button", name="One event")).to_have_count(0)
    await no_sideways_scroll(page)
    await shot(page, "event-pairs-narrow")
    page = await open_as("operator", "/event-pairs")
    with demoted(served, "operator", "viewer"):
        line = page.locator("tbody tr").filter(has_text="viewed")
        await line.get_by_role("button", name="Two events").click()
        await expect_notice(page, "This needs the role operator")
