"""Everything about a batch of visits, in one transaction: settle first, with the fence; store only what
was still ours; free the domain slots last, so that they are locked as briefly as possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import msgspec

from winnow.db.engine import Connection
from winnow.extract import drafts
from winnow.fetch import pages
from winnow.fetch.failure import FailureCode
from winnow.judge import quarantine, records, replays
from winnow.judge.verdict import Decision, Finding, Reject, Verdict
from winnow.publish import alerts, watches
from winnow.publish.alerts import Alert
from winnow.run import closing, endings, image_tasks
from winnow.run.commit import accounts, announce, circuit_alerts, health, shadow
from winnow.run.commit import results as results_module
from winnow.run.commit.plausibility import doubts
from winnow.run.commit.results import KEEP_SECONDS
from winnow.run.endings import OF_DECISION
from winnow.run.visit import Ending, Visit
from winnow.schedule import circuits, runs, source_circuits
from winnow.schedule.circuit import Rules
from winnow.schedule.queue import dead_letters, queue
from winnow.schedule.queue.dead_letters import LETTER_KEY
from winnow.schedule.queue.task import Producer, Status
from winnow.sources import learnt, visited
from winnow.store import enrichment, images, offers

# Verdicts that only the database could give: the offer was seen in this run already, or its price is implausible.
Revised = dict[UUID, Verdict]
_DUPLICATE = Verdict(Decision.REJECT, [Finding("duplicate", Reject.DUPLICATE_WITHIN_RUN)])


@dataclass(slots=True)
class Written:
    """What a commit did: the tasks that were still ours, and the runs it completed."""

    settled: set[object] = field(default_factory=set)
    completed: list[runs.CountedRun] = field(default_factory=list)
    revised: Revised = field(default_factory=dict)


async def persist(conn: Connection, batch: Sequence[Visit], stored: Mapping[object, int], circuit: Rules) -> Written:
    settlements = [visit.settlement() for visit in batch]
    settled = await queue.settle(conn, settlements)
    ours = [visit for visit in batch if visit.task.id in settled]
    await pages.write(conn, [p for visit in ours if (p := _page(visit, stored)) is not None])
    revised = await _store_offers(conn, ours)
    await offers.seen_again(conn, [s for visit in ours if (s := _seen_again(visit)) is not None])
    await images.write(conn, [f for visit in ours if (f := image_tasks.fetched(visit)) is not None])
    await drafts.write(conn, [r for visit in ours if (r := _reading(visit)) is not None])
    judged = [j for visit in ours if (j := _judged(visit, revised)) is not None]
    await quarantine.supersede(conn, _settled_holds(ours, judged))
    await records.write(conn, judged)
    await enrichment.write(
        conn, [x for visit in ours if (x := results_module.result_of(visit)) is not None], KEEP_SECONDS
    )
    ended = [(visit, end_of(visit, revised)) for visit in ours if visit.ending is not None and visit.ending.final]
    await visited.record(conn, [v for visit, end in ended if (v := accounts.visited(visit, end)) is not None])
    await watches.out_of_stock(conn, [t for visit, end in ended if (t := accounts.sold_out(visit, end)) is not None])
    await _bury(conn, ended)
    await replays.add(conn, [c for visit in ours if (c := shadow.compared(visit)) is not None])
    await learnt.fetchers(conn, [w for visit, end in ended if (w := accounts.learnt(visit, end)) is not None])
    await _flag(conn, ended)
    await _tell_quota(conn, ended)
    completed = await closing.settle(conn, ended)
    healths = [h for visit, end in ended if (h := health.of_source(visit, end)) is not None]
    sources_turned = await source_circuits.record(conn, healths)
    turned = await circuits.record(conn, [answer for visit in ours for answer in health.of_domain(visit)], circuit)
    await circuit_alerts.tell(conn, turned, sources_turned)
    await queue.free(conn, settlements, settled)
    await circuits.steer(conn, turned)
    return Written(set(settled), completed, revised)


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


async def _store_offers(conn: Connection, ours: Sequence[Visit]) -> Revised:
    """Accepted offers become truth, unless their own history speaks against it or this run had them already (P-026);
    returns the tasks for which that is so."""
    accepted = [visit for visit in ours if _offers(visit)]
    batch = [_accepted(visit) for visit in accepted]
    known = await offers.lock(conn, batch)
    revised = await doubts(conn, batch, known)
    kept = [n for n, offer in enumerate(batch) if offer.task_id not in revised]
    written = await offers.write(conn, [batch[n] for n in kept], [known[n] for n in kept])
    await images.want(conn, image_tasks.wanted(written, {visit.task.id for visit in accepted if visit.wants_picture}))
    await announce.changed(conn, written)
    revised |= {w.accepted.task_id: _DUPLICATE for w in written if w.duplicate}
    await queue.reword(conn, {task: (OF_DECISION[v.decision], v.reason or "") for task, v in revised.items()})
    return revised


def _offers(visit: Visit) -> bool:
    """What the scraping service read is a result, not an offer."""
    accepted = visit.ending is not None and visit.ending.outcome == endings.ACCEPTED
    return accepted and (visit.assessment is None or visit.assessment.read is None)


def _accepted(visit: Visit) -> offers.Accepted:
    task, assessment = visit.task, visit.assessment
    if assessment is None or assessment.offer is None or task.source_id is None:
        raise RuntimeError(f"task {task.id} was accepted without an offer or a source")
    return offers.Accepted(
        offer=assessment.offer,
        source_id=task.source_id,
        task_id=task.id,
        page_id=visit.page_id,
        run_id=task.run_id,
        target_id=task.target_id,
        linked=visit.brief.linked,
        seen_at=visit.cached,
    )


def _seen_again(visit: Visit) -> offers.SeenAgain | None:
    task = visit.task
    if not visit.unchanged or visit.brief.last_verdict != Decision.ACCEPT or task.source_id is None:
        return None
    return offers.SeenAgain(
        source_id=task.source_id,
        url=task.url,
        linked=visit.brief.linked,
        run_id=task.run_id,
        task_id=task.id,
        page_id=visit.page_id,
    )


def end_of(visit: Visit, revised: Revised) -> Ending:
    assert visit.ending is not None
    verdict = revised.get(visit.task.id)
    if verdict is None:
        return visit.ending
    details = "; ".join(finding.details for finding in verdict.findings if finding.details)
    return msgspec.structs.replace(
        visit.ending, outcome=OF_DECISION[verdict.decision], reason=verdict.reason, error=details or None
    )


def _settled_holds(ours: Sequence[Visit], judged: Sequence[records.Judged]) -> list[tuple[int, Decision]]:
    """Targets whose last page was held and whose new one says something about the offer again."""
    held = {visit.task.id for visit in ours if visit.brief.last_verdict == Decision.HOLD}
    telling = (j for j in judged if j.task_id in held and j.verdict.decision is not Decision.REJECT)
    return [(j.target_id, j.verdict.decision) for j in telling if j.target_id is not None]


def _reading(visit: Visit) -> drafts.Reading | None:
    found = visit.assessment
    if found is None or visit.task.producer == Producer.ENRICHMENT:  # personal data stays in one place
        return None
    task = visit.task
    return drafts.Reading(
        task_id=task.id,
        source_id=task.source_id,
        page_id=visit.page_id,
        run_id=task.run_id,
        job_id=task.job_id,
        kind=task.kind,
        drafts=found.drafts,
        strategy=found.strategy,
        trace=found.trace,
        failure=found.failure,
        duration_ms=visit.extract_ms,
        adapter_id=task.adapter_id,
        adapter_version=visit.adapter_version,
    )


def _judged(visit: Visit, revised: Revised) -> records.Judged | None:
    found = visit.assessment
    if found is None or found.offer is None or found.verdict is None:
        return None
    task = visit.task
    return records.Judged(
        offer=found.offer,
        verdict=revised.get(task.id, found.verdict),
        task_id=task.id,
        run_id=task.run_id,
        source_id=task.source_id,
        target_id=task.target_id,
        page_id=visit.page_id,
        kind=task.kind,
    )


async def _bury(conn: Connection, ended: Sequence[tuple[Visit, Ending]]) -> None:
    """Failures for good become letters; a retried letter whose task ended well is resolved."""
    await dead_letters.write(conn, [x for visit, end in ended if (x := accounts.letter(visit, end)) is not None])
    retried = [
        (visit.task.payload or {})[LETTER_KEY]
        for visit, end in ended
        if end.status is Status.DONE and LETTER_KEY in (visit.task.payload or {})
    ]
    await dead_letters.resolve(conn, retried)


async def _tell_quota(conn: Connection, ended: Sequence[tuple[Visit, Ending]]) -> None:
    """E-043: whoever pays the scraping API is told, whether older pages helped out or not."""
    spent = [visit for visit, end in ended if visit.cached is not None or end.reason == FailureCode.API_QUOTA]
    if spent:
        helped = sum(visit.cached is not None for visit in spent)
        details = {"tasks": len(spent), "older_pages_used": helped}
        title = FailureCode.API_QUOTA.meaning.sentence
        await alerts.open_alert(
            conn, Alert(severity=alerts.SLACK, code="api_quota", key="scraping_api:quota", title=title, details=details)
        )  # fmt: skip


async def _flag(conn: Connection, ended: Sequence[tuple[Visit, Ending]]) -> None:
    """E-041 … E-043: a person has to look at the source; told once, until somebody has."""
    reviews = {r.source_id: r for visit, end in ended if (r := accounts.review(visit, end))}
    for found in await learnt.flag(conn, reviews):
        details = {"source_id": found.source_id, "reason": found.reason}
        title = f"source {found.source_id}: {found.reason}"
        await alerts.open_alert(
            conn, Alert(severity=alerts.SLACK, code="source_needs_review", key=f"source:{found.source_id}:review",
                        title=title, details=details)
        )  # fmt: skip
