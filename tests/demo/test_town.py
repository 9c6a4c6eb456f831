"""The town of the demo: what its three agendas give to the readers, and what its two changes do."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import httpx
import msgspec
import pytest

from tests.product_pages import context, page
from winnow.demo import town
from winnow.demo.town import CANCELLED, CARRIED_OVER, CLUB, CONCERTS, OUTDOORS, PLAYS, Evening, TownHall
from winnow.judge.verdict import Decision
from winnow.kinds.assess import assess
from winnow.kinds.generic import GenericAdapter
from winnow.kinds.registry import all_kinds

EVENT = all_kinds().get("event")
TODAY = date(2026, 12, 28)  # the days of the town lie in the next year, too


def read(body: str, url: str = "http://127.0.0.1:8080/agenda") -> list[tuple[str, str, str | None]]:
    ctx = msgspec.structs.replace(context(url), timezone=town.ZONE)
    found = assess(page(body, url), GenericAdapter(EVENT), EVENT, ctx).records
    assert all(one.verdict.decision is Decision.ACCEPT for one in found)
    return [(one.data["title"], one.data["start"][:16], one.data["status"]) for one in found]


def expected(evenings: tuple[Evening, ...]) -> list[tuple[str, str, str | None]]:
    return [(evening.title, f"{evening.day(TODAY)}T{evening.hour}", None) for evening in evenings]


@pytest.mark.parametrize(
    ("render", "evenings"),
    [(town.render_list, CONCERTS), (town.render_table, PLAYS), (town.render_calendar, OUTDOORS)],
)
def test_each_agenda_is_read_to_the_last_evening(
    render: Callable[[TownHall], str], evenings: tuple[Evening, ...]
) -> None:
    assert read(render(TownHall(TODAY))) == expected(evenings)


def test_a_cancelled_evening_is_the_only_thing_that_changes() -> None:
    before = expected(PLAYS)
    after = read(town.render_table(TownHall(TODAY, cancelled=True)))
    assert [new for old, new in zip(before, after, strict=True) if old != new] == [
        (CANCELLED.title, f"{TODAY + timedelta(days=CANCELLED.after)}T{CANCELLED.hour}", "cancelled")
    ]


def test_a_redesign_leaves_less_than_half_of_the_list() -> None:
    assert read(town.render_list(TownHall(TODAY, redesigned=True))) == expected(CONCERTS[:CARRIED_OVER])
    assert len(CONCERTS) > 2 * CARRIED_OVER


async def test_the_sites_answer_and_stop() -> None:
    running = await town.start_town()
    async with httpx.AsyncClient() as client:
        answers = {name: await client.get(url) for name, url in running.agendas.items()}
        assert {name: answer.headers["content-type"].split(";")[0] for name, answer in answers.items()} == {
            CLUB: "text/html", town.THEATRE: "text/html", town.CALENDAR: "text/calendar"
        }  # fmt: skip
        await running.stop()
        with pytest.raises(httpx.ConnectError):
            await client.get(running.agendas[CLUB])
