"""Everything about a batch of visits, in one transaction: settle first, with the fence; store only what
was still ours; free the domain slots last, so that they are locked as briefly as possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from winnow.db.engine import Connection
from winnow.extract import drafts
from winnow.fetch import pages
from winnow.fetch.failure import FailureCode
from winnow.judge import replays
from winnow.judge.verdict import Decision
from winnow.kinds.kind import Kind
from winnow.kinds.writers import results
from winnow.kinds.writers.writer import Statement, writer_of
from winnow.publish import alerts
from winnow.publish.alerts import Alert
from winnow.run import closing, image_tasks
from winnow.run.commit import accounts, choice_alerts, circuit_alerts, health, shadow, unavailability, whole_pages
from winnow.run.commit.storing import (
    Changed,
    Outcomes,
    is_on_demand,
    is_personal,
    items_of,
    ref_of,
    store,
    store_carefully,
)
from winnow.run.crawl import found_targets, variants
from winnow.run.endings import of_verdicts
from winnow.run.visit import Ending, Visit
from winnow.schedule import circuits, failed_attempts, follow_ups, runs, source_circuits
from winnow.schedule.circuit import CircuitRules
from winnow.schedule.follow_ups import LinkCounts
from winnow.schedule.queue import dead_letters, queue
from winnow.schedule.queue.dead_letters import LETTER_KEY
from winnow.schedule.queue.task import Status
from winnow.sources import learnt, methods, visited
from winnow.store import images

Ended = Sequence[tuple[Visit, Ending]]


@dataclass(slots=True)
class PersistedVisits:
    """What a commit did: the tasks that were still ours, how each ended, and the runs it completed."""

    settled: set[object] = field(default_factory=set)
    completed: list[runs.CountedRun] = field(default_factory=list)
    ends: dict[UUID, Ending] = field(default_factory=dict)


async def persist(
    conn: Connection,
    batch: Sequence[Visit],
    stored: Mapping[object, int],
    circuit: CircuitRules,
    *,
    careful: bool = False,
) -> PersistedVisits:
    """`careful`: a record that cannot be stored costs itself, under savepoints of its own."""
    settlements = [visit.settlement() for visit in batch]
    settled = await queue.settle(conn, settlements)
    ours = await found_targets.with_targets(conn, [visit for visit in batch if visit.task.id in settled])
    await pages.write(conn, [p for visit in ours if (p := _page(visit, stored)) is not None])
    outcomes, same = await _store_records(conn, ours, careful)
    ended = [(visit, end_of(visit, outcomes)) for visit in ours if visit.ending is not None and visit.ending.final]
    await queue.reword(conn, [_reworded(visit, end) for visit, end in ended if end != visit.ending])
    await images.write(conn, [f for visit in ours if (f := image_tasks.fetched(visit)) is not None])
    links = await follow_ups.plan(
        conn, [link for visit, end in ended for link in accounts.found_links(visit, end).links]
    )
    await variants.record(conn, ended, links)
    await visited.record(conn, [v for visit, end in ended if (v := accounts.visited(visit, end, outcomes)) is not None])
    await _unavailable(conn, ended, outcomes)
    await _write_dead_letters(conn, ended, outcomes)
    await _record_failures(conn, ours, ended)
    await replays.add(conn, [c for visit in ours if (c := shadow.compared(visit)) is not None])
    await learnt.fetchers(conn, [w for visit, end in ended if (w := accounts.learned_tier(visit, end)) is not None])
    await _learn_methods(conn, ended)
    await _flag(conn, ended)
    await choice_alerts.notify(conn, [visit for visit, _ in ended])
    await _alert_quota(conn, ended)
    completed = await closing.settle(conn, ended, _tallies(ended, outcomes, same, links))
    healths = [h for visit, end in ended if (h := health.of_source(visit, end)) is not None]
    sources_turned = await source_circuits.record(conn, healths)
    turned = await circuits.record(conn, [answer for visit in ours for answer in health.of_domain(visit)], circuit)
    await circuit_alerts.notify(conn, turned, sources_turned)
    await queue.free(conn, settlements, settled)
    await circuits.apply_to_lanes(conn, turned)
    return PersistedVisits(set(settled), completed, {visit.task.id: end for visit, end in ended})


async def _store_records(conn: Connection, ours: Sequence[Visit], careful: bool) -> tuple[Outcomes, dict[UUID, int]]:
    """Store every record of the batch; return also how many of each task did not change."""
    held = await whole_pages.hold(conn, ours)
    items = [(visit, item) for visit in ours for item in items_of(visit)]
    believed = [(visit, item) for visit, item in items if visit.task.id not in held]
    outcomes, changed = await (store_carefully if careful else store)(conn, believed)
    outcomes.revised |= {item.id: held[visit.task.id] for visit, item in items if visit.task.id in held}
    await whole_pages.stored(conn, [visit for visit in ours if visit.task.id not in held], outcomes)
    await _seen_again(conn, [v for v in ours if v.unchanged and v.brief.last_verdict == Decision.ACCEPT])
    await drafts.write(conn, [r for visit in ours if (r := _reading(visit, changed)) is not None])
    answers = [(ref_of(visit), visit.assessment.records) for visit in ours if is_on_demand(visit) and visit.assessment]
    await results.write_answers(conn, answers)
    same = Counter(item.visit.task_id for visit, item in believed if item.id not in changed and not is_personal(visit))
    return outcomes, dict(same)


async def _seen_again(conn: Connection, unchanged: Sequence[Visit]) -> None:
    by_writer: dict[str, list[Visit]] = {}
    for visit in unchanged:
        if visit.kind is not None:
            by_writer.setdefault(visit.kind.writer, []).append(visit)
    for visits in by_writer.values():
        assert visits[0].kind is not None
        await writer_of(visits[0].kind).seen_again(conn, [ref_of(visit) for visit in visits])


async def _unavailable(conn: Connection, ended: Ended, outcomes: Outcomes) -> None:
    by_writer: dict[str, tuple[Kind, list[Statement]]] = {}
    for visit, end in ended:
        if visit.kind is not None and (stated := unavailability.statements(visit, end, outcomes)):
            by_writer.setdefault(visit.kind.writer, (visit.kind, []))[1].extend(stated)
    for kind, stated in by_writer.values():
        await writer_of(kind).unavailable(conn, stated)


async def checkpoint(conn: Connection, visit: Visit, stored_bytes: int | None) -> None:
    if visit.page_id is None or visit.fetch is None:
        return
    if await queue.checkpoint(conn, [(visit.task, visit.page_id)]):
        await pages.write(conn, [_new_page(visit, stored_bytes)])


def _page(visit: Visit, stored: Mapping[object, int]) -> pages.NewPage | None:
    if visit.fetch is None or visit.page_id is None or visit.checkpointed:
        return None
    return _new_page(visit, stored.get(visit.task.id))


def _new_page(visit: Visit, stored_bytes: int | None) -> pages.NewPage:
    assert visit.fetch is not None
    assert visit.page_id is not None
    return pages.NewPage(
        id=visit.page_id,
        task_id=visit.task.id,
        result=visit.fetch,
        decision=visit.why,
        source_id=visit.task.source_id,
        target_id=visit.task.target_id,
        stored_bytes=stored_bytes,
        fetcher_used=visit.plan.way,
        is_failover=visit.plan.failover,
        screenshot_hash=visit.screenshot_hash,
    )


def end_of(visit: Visit, outcomes: Outcomes) -> Ending:
    """How the visit ended, after its records were stored."""
    assert visit.ending is not None
    items = items_of(visit)
    if not any(item.id in outcomes.revised for item in items):
        return visit.ending
    return of_verdicts([outcomes.verdict(item) for item in items])


def _reworded(visit: Visit, end: Ending) -> queue.Reworded:
    counts = end.counts
    return queue.Reworded(visit.task.id, end.outcome, end.reason, counts.accepted, counts.held, counts.rejected)


def _reading(visit: Visit, changed: Changed) -> drafts.PageReading | None:
    """What was read of the page; drafts only of what says something new, and of no personal kind."""
    found = visit.assessment
    if found is None:
        return None
    task = visit.task
    on_demand = is_on_demand(visit)
    new = [d for n, d in enumerate(found.drafts) if on_demand or (task.id, n) in changed]
    return drafts.PageReading(
        task_id=task.id,
        source_id=task.source_id,
        page_id=visit.page_id,
        run_id=task.run_id,
        job_id=task.job_id,
        kind=task.kind,
        drafts=[] if is_personal(visit) else new,
        found=len(found.records),
        cut=found.cut,
        strategy=found.strategy,
        trace=found.trace,
        failure=found.failure,
        duration_ms=visit.extract_ms,
        adapter_id=task.adapter_id,
        adapter_version=visit.adapter_version,
    )


async def _write_dead_letters(conn: Connection, ended: Ended, outcomes: Outcomes) -> None:
    """Failures for good become letters, and so does a record that could not be stored; a retried letter whose task
    ended well is resolved."""
    letters = [x for visit, end in ended if (x := accounts.dead_letter(visit, end)) is not None]
    letters += [x for visit, _ in ended for x in accounts.record_letters(visit, outcomes)]
    await dead_letters.write(conn, letters)
    retried = [
        (visit.task.payload or {})[LETTER_KEY]
        for visit, end in ended
        if end.status is Status.DONE and LETTER_KEY in (visit.task.payload or {})
    ]
    await dead_letters.resolve(conn, retried)


async def _record_failures(conn: Connection, ours: Sequence[Visit], ended: Ended) -> None:
    again = [(visit, visit.ending) for visit in ours if visit.ending is not None and not visit.ending.final]
    failed = [f for visit, end in [*again, *ended] if (f := accounts.failed_attempt(visit, end)) is not None]
    await failed_attempts.record(conn, failed)


async def _alert_quota(conn: Connection, ended: Ended) -> None:
    """Alert that the quota of the scraping API is used up, whether cached pages helped out or not (E-043)."""
    spent = [visit for visit, end in ended if visit.cached is not None or end.reason == FailureCode.API_QUOTA]
    if spent:
        helped = sum(visit.cached is not None for visit in spent)
        details = {"tasks": len(spent), "older_pages_used": helped}
        title = FailureCode.API_QUOTA.meaning.sentence
        await alerts.open_alert(
            conn, Alert(severity=alerts.SLACK, code="api_quota", key="scraping_api:quota", title=title, details=details)
        )  # fmt: skip


async def _learn_methods(conn: Connection, ended: Ended) -> None:
    """Remember which reading won (E-053), and that an agenda which could not be read can be read again (E-058)."""
    wins = [won for visit, end in ended if (won := accounts.won(visit, end)) is not None]
    await methods.record_wins(conn, wins)
    healed = await learnt.unflag(conn, [won.source_id for won in wins], accounts.BROKEN_AGENDA)
    await alerts.resolve(conn, "reader", keys=[review_key(source_id) for source_id in healed])


def review_key(source_id: int) -> str:
    return f"source:{source_id}:review"


async def _flag(conn: Connection, ended: Ended) -> None:
    """Flag the source for review and alert once until it was reviewed (E-041 … E-043)."""
    reviews = {r.source_id: r for visit, end in ended if (r := accounts.review(visit, end))}
    for found in await learnt.flag(conn, reviews):
        details = {"source_id": found.source_id, "reason": found.reason}
        title = f"source {found.source_id}: {found.reason}"
        await alerts.open_alert(
            conn, Alert(severity=alerts.SLACK, code="source_needs_review", key=review_key(found.source_id),
                        title=title, details=details)
        )  # fmt: skip


def _tallies(
    ended: Ended, outcomes: Outcomes, same: Mapping[UUID, int], links: Mapping[int, LinkCounts]
) -> dict[int, runs.Tally]:
    tallies: dict[int, runs.Tally] = {}
    for visit, end in ended:
        if visit.task.run_id is not None:
            verdicts = [outcomes.verdict(item) for item in items_of(visit)]
            own = tallies.setdefault(visit.task.run_id, runs.Tally())
            accounts.count_records(visit, end, verdicts, own)
            own.same += same.get(visit.task.id, 0)
            own.gauges.update(outcomes.counters[item.id] for item in items_of(visit) if item.id in outcomes.counters)
    for run_id, counts in links.items():
        accounts.tally_links(counts, tallies[run_id])
    return tallies
