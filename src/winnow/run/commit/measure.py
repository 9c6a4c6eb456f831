"""What a settled visit adds to the metrics (P-095 … P-098)."""

from __future__ import annotations

from winnow.judge.counts import VerdictCounts
from winnow.judge.verdict import Decision
from winnow.observe import metrics
from winnow.run import endings
from winnow.run.visit import Ending, Visit
from winnow.schedule.queue.task import Claimed, Stage, Status


def measure(visit: Visit, end: Ending) -> None:
    """`end` is how the visit was settled, which storing it may have changed."""
    if visit.fetch is not None:
        metrics.fetched(visit.plan.way, visit.fetch.outcome)
        _waited(visit.task)
    if not end.final:
        return
    adapter, source = visit.task.adapter_id or "", str(visit.task.source_id or "")
    status = visit.fetch.outcome if visit.fetch is not None else end.outcome
    metrics.visited(adapter, source, status, visit.fetch.duration_ms if visit.fetch is not None else 0)
    if end.status is Status.FAILED:
        metrics.failed(adapter, source, end.reason or end.outcome)
        return
    if end.outcome == endings.ROBOTS_BLOCKED:
        metrics.dropped(adapter, source, end.reason or "")
        return
    found = len(visit.assessment.records) if visit.assessment is not None else 0
    metrics.succeeded(adapter, source, found, visit.extract_ms if visit.assessment is not None else None)
    _measure_records(visit, end, adapter, source)


def _measure_records(visit: Visit, end: Ending, adapter: str, source: str) -> None:
    """Each record by its verdict; a page that was rejected without a record counts as one."""
    if end.counts == VerdictCounts() and end.outcome == endings.REJECTED:
        metrics.dropped(adapter, source, end.reason or "")
    if end.counts.accepted:
        metrics.valid(adapter, source, end.counts.accepted)
    if end.counts.held:
        metrics.quarantined(adapter, source, _reason(visit, Decision.HOLD, end), end.counts.held)
    if end.counts.rejected:
        metrics.dropped(adapter, source, _reason(visit, Decision.REJECT, end), end.counts.rejected)


def _reason(visit: Visit, decision: Decision, end: Ending) -> str:
    """The first reason of this decision; the ending's own where storing gave it."""
    verdicts = [] if visit.assessment is None else [judged.verdict for judged in visit.assessment.records]
    return next((v.reason for v in verdicts if v.decision is decision and v.reason), None) or end.reason or ""


def _waited(task: Claimed) -> None:
    """Measure how long a first attempt waited (P-098); a later one has also waited for its retry. Of sources only:
    each domain that callers of the scraping service send would become a series of its own."""
    if task.queued_at is not None and task.attempts == 1 and task.source_id is not None and task.stage == Stage.FETCH:
        metrics.rate_limit_wait(task.lane, (task.granted_at - task.queued_at).total_seconds() * 1000)
