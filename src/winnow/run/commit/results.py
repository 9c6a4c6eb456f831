"""What the scraping service keeps of a visit: the result of its target type with the verdict on it."""

from __future__ import annotations

from typing import Any

from winnow.judge.verdict import Decision
from winnow.normalise.urls import url_hash
from winnow.run.visit import Visit
from winnow.store.enrichment import Result

KEEP_SECONDS = 30 * 86_400.0  # DESIGN §11.26: personal data is kept no longer than a month


def result_of(visit: Visit) -> Result | None:
    """None: no page of a target type was read."""
    read = None if visit.assessment is None else visit.assessment.read
    if read is None or not read.results:
        return None
    first, *more = read.results
    task, asked = visit.task, visit.task.payload or {}
    return Result(
        task_id=task.id,
        job_id=task.job_id,
        kind=task.kind,
        target_type=read.target_type,
        version=read.version,
        workspace_id=asked.get("workspace_id"),
        target_url=task.url,
        url_hash=url_hash(task.url),
        requested_fields=asked.get("requested_fields"),
        data=first.data,
        further=[other.data for other in more if other.verdict.decision is Decision.ACCEPT],
        problems={name: _plain(trouble) for name, trouble in first.problems.items()},
        provenance=dict(first.provenance),
        verdict=first.verdict.decision,
        reasons=[str(finding.reason) for finding in first.verdict.findings],
        page_id=visit.page_id,
    )


def _plain(trouble: Any) -> str:
    return str(getattr(trouble, "why", trouble))
