"""Stores results of the scraping service, one row per task, with their verdict (S-013, S-016)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from winnow.db.engine import Connection
from winnow.judge.verdict import Decision, best_of
from winnow.kinds.assess import Judged
from winnow.kinds.results import null_reasons
from winnow.kinds.writers.writer import Item, Stored, VisitRef, Writer
from winnow.normalise.urls import url_hash
from winnow.store import enrichment
from winnow.store.enrichment import StoredResult

KEEP_SECONDS = 30 * 86_400.0  # DESIGN §11.26: personal data is kept no longer than a month


class ResultsWriter(Writer):
    async def write(self, conn: Connection, items: Sequence[Item]) -> list[Stored]:
        by_visit: dict[object, list[Item]] = {}
        for item in items:
            by_visit.setdefault(item.visit.task_id, []).append(item)
        rows = [result_of(own[0].visit, [item.judged for item in own]) for own in by_visit.values()]
        await enrichment.write(conn, rows, KEEP_SECONDS)
        return [Stored(item) for item in items]


async def write_answers(conn: Connection, answers: Sequence[tuple[VisitRef, Sequence[Judged]]]) -> None:
    """What callers of the scraping service asked for, whatever the verdict: they see it with the result."""
    await enrichment.write(conn, [result_of(visit, judged) for visit, judged in answers if judged], KEEP_SECONDS)


def result_of(visit: VisitRef, records: Sequence[Judged]) -> StoredResult:
    """The first record with the best verdict, and the other accepted ones beside it."""
    best = best_of([one.verdict for one in records])
    first = next(one for one in records if one.verdict is best)
    further = [one.data for one in records if one is not first and one.verdict.decision is Decision.ACCEPT]
    asked: dict[str, Any] = visit.asked
    return StoredResult(
        task_id=visit.task_id,
        job_id=visit.job_id,
        kind=visit.kind,
        target_type=visit.target_type or visit.kind,
        version=visit.adapter_version or "",
        workspace_id=asked.get("workspace_id"),
        target_url=visit.url,
        url_hash=url_hash(visit.url),
        requested_fields=asked.get("requested_fields"),
        data=first.data,
        further=further,
        problems=null_reasons(first.data, first.content.problems),
        provenance=dict(first.content.provenance),
        verdict=first.verdict.decision,
        reasons=[str(finding.reason) for finding in first.verdict.findings],
        page_id=visit.page_id,
    )
