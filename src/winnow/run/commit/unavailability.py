"""Which records a visit states to be unavailable: sold out, gone, or forbidden to read (DESIGN §11.33). Pure."""

from __future__ import annotations

from winnow.fetch.failure import FailureCode
from winnow.fetch.meaning import Outcome
from winnow.judge.verdict import Reject
from winnow.kinds.writers.writer import Item, Statement
from winnow.run import endings
from winnow.run.admission.robots import UNREACHABLE
from winnow.run.commit.storing import Outcomes, is_on_demand, items_of, ref_of
from winnow.run.visit import Ending, Visit
from winnow.schedule.queue.task import Status
from winnow.store.unavailable import UnavailableReason

_ROBOTS_UNREACHABLE = str(UNREACHABLE.why["robots"])


def statements(visit: Visit, end: Ending, outcomes: Outcomes) -> list[Statement]:
    """A page that says sold out counts at once; 404, 410 and refusals only when the visit before ended so too. A list
    of products speaks for those it names, so the end of the list itself says nothing about them."""
    if visit.task.source_id is None or is_on_demand(visit):
        return []
    items = items_of(visit)
    if items:
        sold_out = [item for item in items if outcomes.verdict(item).reason == Reject.OOS_NO_PRICE]
        return [_of_record(item, whole=len(items) == 1) for item in sold_out]
    reason = _of_page(visit, end)
    return [] if reason is None or visit.brief.last_accepted > 1 else [Statement(visit=ref_of(visit), reason=reason)]


def first_absence(visit: Visit, end: Ending) -> bool:
    """Whether a page that was there before is missing for the first time: a second visit soon confirms it."""
    return is_absent(end) and not visit.brief.was_gone and visit.brief.last_accepted > 0


def is_absent(end: Ending) -> bool:
    """Whether the server answered 404 or 410."""
    return end.status is Status.FAILED and isinstance(end.reason, FailureCode) and end.reason.meaning.absent


def _of_record(item: Item, *, whole: bool) -> Statement:
    return Statement(visit=item.visit, reason=UnavailableReason.SOLD_OUT, key=item.judged.key, whole=whole)


def _of_page(visit: Visit, end: Ending) -> UnavailableReason | None:
    if end.reason == Reject.OOS_NO_PRICE:
        return UnavailableReason.SOLD_OUT
    if is_absent(end) and visit.brief.was_gone:
        return UnavailableReason.GONE
    if end.outcome == endings.ROBOTS_BLOCKED:
        return None if end.error == _ROBOTS_UNREACHABLE else UnavailableReason.FORBIDDEN
    refused = end.status is Status.FAILED and end.outcome == Outcome.BLOCKED
    return UnavailableReason.FORBIDDEN if refused and visit.brief.was_refused else None
