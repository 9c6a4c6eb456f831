"""A grant is good for 100 ms of its holder's own clock; what is late is exchanged, never used."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from winnow.errors import DatabaseUnavailable
from winnow.fetch.failure import FailureCode
from winnow.run import endings
from winnow.run.admission.grants import HOP_WAIT, Grants, Regrants
from winnow.run.brief import Brief
from winnow.run.visit import Visit
from winnow.schedule.ledger.grant import GRANT_SECONDS, Grant
from winnow.schedule.ledger.ledger import TakenGrants
from winnow.schedule.queue.task import Claimed, new_id

LANE = "shop.test"
THEN = datetime(2026, 3, 4, 12, tzinfo=UTC)


class StoppedClock:
    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


class ScriptedLedger:
    """Answers as it is told, after the seconds it takes by the clock, and notes what it was asked."""

    def __init__(self, clock: StoppedClock, *answers: TakenGrants | Exception, takes: float = 0.0) -> None:
        self.clock = clock
        self.answers = list(answers)
        self.takes = takes
        self.exchanges: list[tuple[list[Grant], int]] = []
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def exchange(self, lane: str, unused: Sequence[Grant], n: int) -> TakenGrants:
        self.exchanges.append((list(unused), n))
        await self.go_on.wait()
        self.clock.seconds += self.takes
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


def visit(grant: Grant | None) -> Visit:
    nothing = dict.fromkeys(("source_id", "target_id", "run_id", "job_id", "adapter_id", "page_id", "payload"))
    words = dict.fromkeys(("producer", "kind", "origin", "url", "stage", "trigger"), "x")
    task = Claimed(id=new_id(), fence=1, lane=LANE, granted_at=THEN, attempts=1, max_attempts=3, **nothing, **words)
    return Visit(task, Brief(id=task.id), grant)


def good(clock: StoppedClock, stamp: int = 0) -> Grant:
    return Grant(LANE, THEN, stamp, clock() + GRANT_SECONDS)


def grants(ledger: ScriptedLedger) -> Grants:
    return Grants(ledger, ledger.clock)  # type: ignore[arg-type]


async def test_a_grant_is_used_until_its_time_is_over(clock: StoppedClock):
    ledger = ScriptedLedger(clock, TakenGrants(0, 1.8))
    trip = visit(good(clock))
    ask = grants(ledger).before_sending(trip)
    clock.seconds += GRANT_SECONDS
    assert await ask() is None
    assert ledger.exchanges == []
    clock.seconds += 0.001
    refusal = await ask()
    assert refusal is not None
    assert refusal.error_class == FailureCode.GRANT_EXPIRED


async def test_a_late_grant_is_exchanged_for_one_of_now(clock: StoppedClock):
    later = datetime(2026, 3, 4, 13, tzinfo=UTC)
    ledger = ScriptedLedger(clock, TakenGrants(1, 0.0, later, 7))
    trip = visit(old := good(clock))
    ask = grants(ledger).before_sending(trip)
    clock.seconds += 5
    assert await ask() is None
    assert ledger.exchanges == [([old], 1)]
    assert trip.grant == Grant(LANE, later, 7, clock() + GRANT_SECONDS)


async def test_a_visit_without_a_grant_asks_for_one(clock: StoppedClock):
    ledger = ScriptedLedger(clock, TakenGrants(0, 1.0), TakenGrants(1, 0.0))
    trip = visit(None)
    assert await grants(ledger).before_sending(trip)() is not None, "no grant never means that it may be sent"
    assert await grants(ledger).before_sending(trip)() is None
    assert ledger.exchanges == [([], 1)] * 2


async def test_what_was_refused_is_not_given_back_a_second_time(clock: StoppedClock):
    trip = visit(Grant(LANE, THEN))
    assert await grants(ScriptedLedger(clock, TakenGrants(0, 1.8))).before_sending(trip)() is not None
    trip.ending = endings.postponed(FailureCode.GRANT_EXPIRED)
    assert trip.settlement().unused is None, "the exchange has returned it"


async def test_a_new_grant_whose_answer_took_too_long_is_not_used_and_goes_back(clock: StoppedClock):
    ledger = ScriptedLedger(clock, TakenGrants(1, 0.0, THEN, 7), takes=GRANT_SECONDS + 0.001)
    trip = visit(Grant(LANE, THEN))
    assert await grants(ledger).before_sending(trip)() is not None
    trip.ending = endings.postponed(FailureCode.GRANT_EXPIRED)
    unused = trip.settlement().unused
    assert unused is not None
    assert unused.stamp == 7


async def test_a_browser_waits_for_the_next_slot(clock: StoppedClock):
    ledger = ScriptedLedger(clock, TakenGrants(0, 0.01), TakenGrants(1, 0.0, THEN, 7))
    trip = visit(old := Grant(LANE, THEN))
    assert await grants(ledger).before_showing(trip)() is None
    assert ledger.exchanges == [([old], 1), ([], 1)], "the old one is gone with the first question"
    assert trip.grant is not None
    assert trip.grant.stamp == 7


async def test_a_browser_does_not_wait_for_ever(clock: StoppedClock):
    refusal = await grants(ScriptedLedger(clock, TakenGrants(0, HOP_WAIT + 1))).before_showing(visit(None))()
    assert refusal is not None
    assert refusal.retry_after_s == HOP_WAIT + 1


async def test_who_waits_for_one_lane_is_one_question(clock: StoppedClock):
    ledger = ScriptedLedger(clock, TakenGrants(1, 0.0, THEN), TakenGrants(2, 1.5, THEN))
    ledger.go_on.clear()
    regrants = Regrants(ledger, clock)  # type: ignore[arg-type]
    first = asyncio.create_task(regrants.ask(LANE, Grant(LANE, THEN, 1)))
    await asyncio.sleep(0)
    others = [asyncio.create_task(regrants.ask(LANE, Grant(LANE, THEN, n))) for n in (2, 3, 4)]
    await asyncio.sleep(0)
    ledger.go_on.set()
    assert (await first).grant is not None
    answers = [await other for other in others]
    assert [answer.grant is not None for answer in answers] == [True, True, False]
    assert answers[2].wait == 1.5
    assert [n for _, n in ledger.exchanges] == [1, 3]


async def test_one_who_gives_up_takes_no_answer_away_from_the_others(clock: StoppedClock):
    """A sync scrape that reaches its limit is cancelled while it waits: it may be the one that asked."""
    ledger = ScriptedLedger(clock, TakenGrants(1, 1.5, THEN, 7), TakenGrants(1, 0.0, THEN))
    ledger.go_on.clear()
    regrants = Regrants(ledger, clock)  # type: ignore[arg-type]
    impatient, patient = (asyncio.create_task(regrants.ask(LANE, None)) for _ in range(2))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    impatient.cancel()
    ledger.go_on.set()
    granted = (await patient).grant
    assert granted is not None
    assert granted.stamp == 7, "the one grant there was goes to the one who is there"
    assert (await regrants.ask(LANE, None)).grant is not None, "and the next is asked for as ever"


async def test_a_question_that_fails_fails_for_all_who_asked_it(clock: StoppedClock):
    ledger = ScriptedLedger(clock, DatabaseUnavailable("away"), TakenGrants(1, 0.0, THEN))
    ledger.go_on.clear()
    regrants = Regrants(ledger, clock)  # type: ignore[arg-type]
    asking = [asyncio.create_task(regrants.ask(LANE, None)) for _ in range(2)]
    await asyncio.sleep(0)
    ledger.go_on.set()
    assert [type(failed) for failed in await asyncio.gather(*asking, return_exceptions=True)] == [
        DatabaseUnavailable
    ] * 2
    assert (await regrants.ask(LANE, None)).grant is not None


@pytest.mark.parametrize("leave", [pickle.dumps, copy.copy])
def test_a_grant_never_leaves_its_process(leave, clock: StoppedClock):
    with pytest.raises(TypeError, match="only in the process"):
        leave(good(clock))
