"""One line for every task of the scraping service that ends, with the id of the request that asked for it (S-130), and
one for every other visit that gave nothing to believe, with the reason (P-077, P-078)."""

from __future__ import annotations

from typing import Any, Protocol
from uuid import UUID

import structlog

from winnow.run import endings
from winnow.run.visit import Ending, Visit
from winnow.schedule.queue.task import Claimed, Producer, Status

log = structlog.get_logger(__name__)

_UNBELIEVED = (endings.HELD, endings.REJECTED, endings.ROBOTS_BLOCKED)


class LoggedTask(Protocol):
    @property
    def id(self) -> UUID: ...
    @property
    def url(self) -> str: ...
    @property
    def payload(self) -> dict[str, Any] | None: ...


def settled(visit: Visit, end: Ending) -> None:
    if not end.final:
        return
    if visit.task.producer != Producer.ENRICHMENT:
        _visited(visit.task, end)
    elif end.outcome == endings.ACCEPTED:
        completed(visit)
    else:
        failed(visit.task, end.reason or end.outcome, None if visit.exit is None else visit.exit.url)


def _visited(task: Claimed, end: Ending) -> None:
    """Log a visit that gave nothing to believe. Accepted and unchanged pages need no line: the run counts them."""
    if end.status is not Status.FAILED and end.outcome not in _UNBELIEVED:
        return
    log.info(
        "visit_not_stored",
        task_id=str(task.id),
        run_id=task.run_id,
        job_id=None if task.job_id is None else str(task.job_id),
        source_id=task.source_id,
        target_id=task.target_id,
        adapter_id=task.adapter_id,
        url=task.url,
        stage=end.stage,
        outcome=end.outcome,
        reason=end.reason,
    )


def completed(visit: Visit) -> None:
    task = visit.task
    fetch_ms = 0 if visit.fetch is None else visit.fetch.duration_ms
    log.info(
        "task_completed",
        request_id=_request_id(task.payload),
        task_id=str(task.id),
        target_domain=task.lane,
        duration_ms=fetch_ms + visit.extract_ms,
        fields_extracted=_fields(visit),
    )


def failed(task: LoggedTask, reason: str, proxy: str | None = None) -> None:
    log.warning(
        "task_failed",
        request_id=_request_id(task.payload),
        task_id=str(task.id),
        target_url=task.url,
        proxy_used=proxy,
        error_reason=reason,
    )


def _fields(visit: Visit) -> list[str]:
    """Names of the fields only: their values may be personal."""
    records = [] if visit.assessment is None else visit.assessment.records
    first = records[0].data if records else {}
    return sorted(name for name, value in first.items() if value is not None)


def _request_id(payload: dict[str, Any] | None) -> str | None:
    return (payload or {}).get("request_id")
