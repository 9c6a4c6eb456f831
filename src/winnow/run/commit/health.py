"""What a visit says about the health of its domain and of its source. Pure, table-tested.

A domain is healthy when it answers: a 404 is an answer. A source is healthy when its pages can be used.
"""

from __future__ import annotations

from winnow.fetch.meaning import Fault
from winnow.fetch.outcome import FetchResult, Outcome
from winnow.judge.verdict import Reject
from winnow.run import endings
from winnow.run.commit import accounts
from winnow.run.visit import Ending, Visit
from winnow.schedule.circuits import CircuitAnswer
from winnow.schedule.source_circuits import VisitEnd
from winnow.sources.domain import domain_of

PICTURE = "image"
_TOO_MANY_REQUESTS = 429
_HEALTHY = {Fault.DOMAIN: False, Fault.PAGE: True}  # with any other fault, the domain was not asked


def is_healthy(result: FetchResult) -> bool | None:
    """S-063: timeouts, broken connections, 5xx, 429 and blocks are failures. None: no answer was asked for."""
    if result.error_class is None:
        return True
    healthy, status = _HEALTHY.get(result.error_class.meaning.fault), result.status_code or 0
    if healthy and result.outcome is Outcome.ERROR and (status >= 500 or status == _TOO_MANY_REQUESTS):
        return False  # what came with an error of the server ended the fetch before its status did
    return healthy


def of_domain(visit: Visit) -> list[CircuitAnswer]:
    """Judge the domain of a visit. Where a redirect led to another domain, the first one has answered and the last
    one is judged."""
    result, task = visit.fetch, visit.task
    if result is None:
        return []
    healthy = is_healthy(result)
    last = domain_of(result.final_url) if result.redirects else task.lane
    if last == task.lane:
        return [] if healthy is None else [CircuitAnswer(task.lane, healthy, task.granted_at)]
    answers = [CircuitAnswer(task.lane, True, task.granted_at)]
    return answers if healthy is None else [*answers, CircuitAnswer(last, healthy)]


def of_source(visit: Visit, end: Ending) -> VisitEnd | None:
    """Failures are what PN-06 counts for a target; a page that could be read is a success, whatever it says. An offer
    page that arrived but cannot be read is a matter of the adapter: two batches of those disable it (P-084), which
    could not happen if the first one already stopped the scheduling of its source."""
    task = visit.task
    blames = visit.kind is not None and visit.kind.blames_adapter
    if task.kind == PICTURE or visit.brief.crawl_scope is not None:  # says nothing about the pages of the source
        return None
    if blames and (end.outcome == endings.EXTRACT_FAILED or end.reason == Reject.UNKNOWN_AVAILABILITY):
        return None
    failed = accounts.failure_of(end)
    read = failed is False or end.outcome == endings.HELD or end.reason == Reject.OOS_NO_PRICE
    if task.source_id is None or not (failed or read):
        return None
    return VisitEnd(task.source_id, not failed, task.granted_at, task.run_id)
