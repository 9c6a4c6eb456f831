"""What a finished visit adds to its run, to its target and to the dead letters. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from winnow.extract.draft import Role
from winnow.fetch import failure as failures
from winnow.fetch import tiers
from winnow.fetch.meaning import Fault
from winnow.judge.verdict import Hold, RecordFault, Reject, Verdict
from winnow.kinds.writers.events import SKIPPED
from winnow.kinds.writers.plausibility import CONFIRM_AFTER_SECONDS
from winnow.run import endings
from winnow.run.commit.storing import Outcomes, items_of
from winnow.run.commit.unavailability import first_absence
from winnow.run.endings import OF_DECISION
from winnow.run.visit import NO_LINKS, Ending, FoundLinks, Visit
from winnow.schedule.failed_attempts import FailedAttempt
from winnow.schedule.follow_ups import LinkCounts
from winnow.schedule.queue.dead_letters import LETTER_KEY, Letter, payload_of
from winnow.schedule.queue.task import Producer, Stage, Status
from winnow.schedule.runs import Tally
from winnow.sources.learnt import Review, Works
from winnow.sources.methods import MethodWin
from winnow.sources.visited import Visited

BROKEN_AGENDA = "no event was found on its page, and the page does not say that there is none"
DECISION_OF = {outcome: decision for decision, outcome in OF_DECISION.items()}


def count_records(visit: Visit, end: Ending, verdicts: Sequence[Verdict], into: Tally) -> None:
    """P-077 … P-081. An unchanged page carries its last counts into the counters (DESIGN §11.17)."""
    into.attempted += 1
    into.bytes += len((visit.fetch and visit.fetch.body) or b"")
    tally_links(LinkCounts(cut_by=Counter(found_links(visit, end).left_out)), into)
    if end.outcome == endings.ROBOTS_BLOCKED:
        into.robots_blocked += 1
        into.dropped += 1
    elif end.status is Status.FAILED and visit.task.role == Role.IMAGE:
        into.neutral += 1  # a picture that cannot be had says nothing about the adapter
        into.gauges["images_failed"] += 1
    elif end.status is Status.FAILED:
        into.failed += 1
    else:
        into.succeeded += 1
        _tally_records(visit, end, verdicts, into)


def found_links(visit: Visit, end: Ending) -> FoundLinks:
    """Where the page leads to: nowhere unless it was read and ended well."""
    return visit.leads if end.status is Status.DONE and visit.assessment is not None else NO_LINKS


def tally_links(counts: LinkCounts, into: Tally) -> None:
    """Of the links found, each is waiting, queued or cut."""
    cut = counts.cut_by.total()
    into.links_found += counts.waiting + cut
    into.links_waiting += counts.waiting
    into.links_cut += cut
    into.links_cut_by.update(counts.cut_by)


def _tally_records(visit: Visit, end: Ending, verdicts: Sequence[Verdict], into: Tally) -> None:
    """Records are counted each, rates are of pages. What says nothing about the adapter is neutral: pages that say
    themselves that they are empty, that have links only, and further pages of a list."""
    if end.reason == Reject.OOS_NO_PRICE:
        into.oos += 1
        return
    counts = end.counts
    if visit.unchanged or end.outcome == endings.CACHED:
        into.unchanged += 1
        counts = visit.brief.last_counts
        if visit.task.kind == "event" and counts.accepted:
            into.gauges[SKIPPED] += counts.accepted
    into.empty += end.outcome == endings.EMPTY
    into.neutral += is_neutral(visit, end)
    into.yielding += counts.accepted > 0 and not is_neutral(visit, end)
    into.extracted += counts.accepted + counts.held + counts.rejected
    into.valid += counts.accepted
    into.quarantined += counts.held
    into.dropped += counts.rejected
    into.unknown_availability += end.reason == Reject.UNKNOWN_AVAILABILITY
    into.cut += 0 if visit.assessment is None else visit.assessment.cut
    into.gauges.update(_gauges(visit, verdicts))


def is_neutral(visit: Visit, end: Ending) -> bool:
    return end.outcome in (endings.EMPTY, endings.FOLLOWED) or visit.task.role in (Role.NEXT_PAGE, Role.IMAGE)


def _gauges(visit: Visit, verdicts: Sequence[Verdict]) -> Counter[str]:
    return Counter() if visit.kind is None else Counter(name for v in verdicts for name in visit.kind.gauges(v))


def failure_of(end: Ending) -> bool | None:
    """PN-06: fetch and extraction failures and unknown stock count, a valid offer resets; what is our own fault says
    nothing about the URL, and neither does the rest."""
    if end.outcome in (endings.ACCEPTED, endings.UNCHANGED, endings.EMPTY, endings.FOLLOWED):
        return False
    if end.status is Status.FAILED:
        failure = failures.of_task(end.outcome, end.reason)
        return None if failure is not None and failure.meaning.fault is Fault.OURS else True
    return True if end.reason == Reject.UNKNOWN_AVAILABILITY else None


def says_new(visit: Visit, end: Ending, outcomes: Outcomes) -> bool | None:
    """Whether what the page says has changed since it was read last; None where that is not known (C-020)."""
    if end.outcome == endings.UNCHANGED:
        return False
    found = [outcomes.says_new[item.id] for item in items_of(visit) if item.id in outcomes.says_new]
    return any(found) if found and end.outcome == endings.ACCEPTED else None


def visited(visit: Visit, end: Ending, outcomes: Outcomes) -> Visited | None:
    if visit.task.target_id is None:
        return None
    result = visit.fetch
    judged = visit.assessment is not None and bool(visit.assessment.records)
    fresh = judged and result is not None and result.content_hash is not None
    status = end.outcome if end.reason is None else f"{end.outcome}:{end.reason}"
    return Visited(
        target_id=visit.task.target_id,
        task_id=visit.task.id,
        page_id=visit.page_id,
        status=status,
        error=end.error,
        failure=failure_of(end),
        verdict=DECISION_OF[end.outcome] if judged else None,
        says_new=says_new(visit, end, outcomes),
        accepted=end.counts.accepted,
        held=end.counts.held,
        rejected=end.counts.rejected,
        adapter_version=visit.adapter_version if judged else None,
        fresh=fresh,
        etag=result.etag if result else None,
        last_modified=result.last_modified if result else None,
        content_hash=result.content_hash if result else None,
        unchanged=visit.unchanged,
        not_modified=result is not None and result.not_modified,
        full_fetch=result is not None and result.content_hash is not None,
        again_in_seconds=CONFIRM_AFTER_SECONDS if _needs_confirmation(visit, end) else None,
    )


def _needs_confirmation(visit: Visit, end: Ending) -> bool:
    """An implausible price and the first 404 of a page are looked at again soon."""
    return end.reason == Hold.IMPLAUSIBLE_PRICE or first_absence(visit, end)


def learned_tier(visit: Visit, end: Ending) -> Works | None:
    """E-036: the way that brought a page that could be read."""
    source_id, read = visit.task.source_id, end.status is Status.DONE and end.outcome != endings.ROBOTS_BLOCKED
    if source_id is None or not read or visit.fetch is None:
        return None
    way = tiers.way_to_remember(visit.plan.known, visit.plan.way, visit.plan.ladder)
    return None if way is None else Works(source_id, way)


def won(visit: Visit, end: Ending) -> MethodWin | None:
    """E-053: the way in which an agenda was read that a person or the schedule asked for. One that only names its feeds
    is read by them."""
    found, task = visit.assessment, visit.task
    if found is None or found.strategy is None or task.kind != "event" or task.source_id is None or task.follow_up:
        return None
    if end.status is not Status.DONE or not (found.records or end.outcome == endings.FOLLOWED):
        return None
    selectors = None if found.selectors is None else msgspec.to_builtins(found.selectors)
    return MethodWin(task.source_id, found.strategy, found.cms, selectors)


def review(visit: Visit, end: Ending) -> Review | None:
    """Why a person has to look at the source: a domain that moved, a certificate, an account; another attempt would
    not help (E-041, E-042, E-043)."""
    source_id = visit.task.source_id
    if source_id is not None and _is_broken_agenda(visit, end):
        return Review(source_id, BROKEN_AGENDA)
    failure = failures.find(end.reason) if end.status is Status.FAILED else None
    if source_id is None or failure is None or failure.meaning.review is None:
        return None
    return Review(source_id, failure.meaning.review)


def _is_broken_agenda(visit: Visit, end: Ending) -> bool:
    """E-057: an agenda without events that does not say so itself. Further pages and details say nothing about it."""
    asked = visit.task.producer == Producer.EVENTS and not visit.task.follow_up
    return (
        asked and visit.task.kind == "event" and end.status is Status.FAILED and end.outcome == endings.EXTRACT_FAILED
    )


def dead_letter(visit: Visit, end: Ending) -> Letter | None:
    """Of a failure for good, and of every failed retry of a letter: that one is not over."""
    task = visit.task
    retried_from = (task.payload or {}).get(LETTER_KEY)
    if not end.dead and not (retried_from and end.status is Status.FAILED):
        return None
    return Letter(
        task_id=task.id,
        source_id=task.source_id,
        run_id=task.run_id,
        stage=end.stage,
        error_type=end.reason or end.outcome,
        error_message=end.error,
        error_stack=end.stack,
        payload=payload_of(task, None if end.stage is Stage.FETCH else visit.page_id),
        retried_from=retried_from,
    )


def failed_attempt(visit: Visit, end: Ending) -> FailedAttempt | None:
    """Describe an attempt that failed, whether it is repeated or not (E-006). What waits for its turn, was not
    wanted any more or is expected (P-030) is no failure."""
    found = failures.of_task(end.outcome, end.reason)
    kind = None if found is None else found.meaning.kind
    failed = end.status is Status.FAILED or (end.status is Status.QUEUED and not end.refund)
    rejected = end.outcome == endings.REJECTED and end.reason != Reject.OOS_NO_PRICE
    if kind is None or not (failed or rejected):
        return None
    return FailedAttempt(
        task_id=visit.task.id,
        source_id=visit.task.source_id,
        stage=end.stage if failed else Stage.PERSIST,
        error_class=kind,
        error_type=end.reason or end.outcome,
        error_message=end.error,
        stack_trace=end.stack,
    )


def record_letters(visit: Visit, outcomes: Outcomes) -> list[Letter]:
    """One for each record that the database refused: the page itself ended well."""
    task = visit.task
    return [
        Letter(
            task_id=task.id,
            source_id=task.source_id,
            run_id=task.run_id,
            stage=Stage.PERSIST,
            error_type=RecordFault.UNSTORABLE,
            error_message=outcomes.errors[item.id],
            error_stack=None,
            payload=payload_of(task, visit.page_id) | {"record_key": item.judged.key},
            retried_from=None,
        )
        for item in items_of(visit)
        if item.id in outcomes.errors
    ]
