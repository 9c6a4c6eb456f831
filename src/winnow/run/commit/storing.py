"""Stores the accepted records of a batch, each kind by its writer, and says what became of every record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import psycopg
import structlog

from winnow.db.engine import Connection
from winnow.judge import records
from winnow.judge.records import NewRecord
from winnow.judge.verdict import Decision, Finding, RecordFault, Verdict
from winnow.kinds.kind import Kind
from winnow.kinds.writers.writer import Item, ItemId, Stored, VisitRef, writer_of
from winnow.run.visit import Visit
from winnow.schedule.queue.task import Producer

log = structlog.get_logger(__name__)

UNSTORABLE = "unstorable:"  # the key of a record the database refused, before its digest


@dataclass(slots=True)
class Outcomes:
    """Results of storing: changed verdicts, the ids of stored rows, repeats, and records that could not be stored."""

    revised: dict[ItemId, Verdict] = field(default_factory=dict)
    refs: dict[ItemId, int] = field(default_factory=dict)
    duplicates: set[ItemId] = field(default_factory=set)
    fingerprints: dict[ItemId, str] = field(default_factory=dict)
    errors: dict[ItemId, str] = field(default_factory=dict)
    counters: dict[ItemId, str] = field(default_factory=dict)
    says_new: dict[ItemId, bool] = field(default_factory=dict)

    def verdict(self, item: Item) -> Verdict:
        return self.revised.get(item.id, item.judged.verdict)

    def take(self, stored: Sequence[Stored]) -> None:
        self.revised |= {s.item.id: s.revised for s in stored if s.revised is not None}
        self.refs |= {s.item.id: s.ref for s in stored if s.ref is not None}
        self.duplicates |= {s.item.id for s in stored if s.duplicate}
        self.fingerprints |= {s.item.id: s.fingerprint for s in stored if s.fingerprint is not None}
        self.counters |= {s.item.id: s.counts_as for s in stored if s.counts_as is not None}
        self.says_new |= {s.item.id: s.says_new for s in stored if s.says_new is not None}

    def add(self, other: Outcomes) -> None:
        self.revised |= other.revised
        self.refs |= other.refs
        self.duplicates |= other.duplicates
        self.fingerprints |= other.fingerprints
        self.counters |= other.counters
        self.says_new |= other.says_new

    def refuse(self, item: Item, error: Exception) -> None:
        message = f"{type(error).__name__}: {error}"[:500]
        self.errors[item.id] = message
        self.revised[item.id] = Verdict(Decision.REJECT, [Finding("store", RecordFault.UNSTORABLE, message[:200])])


def is_on_demand(visit: Visit) -> bool:
    """Whether a caller of the scraping service asked for the record, whose result goes to the caller only."""
    return visit.task.producer == Producer.ENRICHMENT


def items_of(visit: Visit) -> list[Item]:
    """The records a finished visit brings, for the store."""
    ended = visit.ending is not None and visit.ending.final
    if not ended or visit.assessment is None or is_on_demand(visit) or visit.task.source_id is None:
        return []
    if not visit.assessment.records:
        return []
    origin = ref_of(visit)
    return [Item(origin, judged) for judged in visit.assessment.records]


def ref_of(visit: Visit) -> VisitRef:
    task, brief = visit.task, visit.brief
    several = visit.assessment is not None and len(visit.assessment.records) > 1
    return VisitRef(
        task_id=task.id,
        kind=task.kind,
        url=task.url,
        source_id=task.source_id,
        run_id=task.run_id,
        job_id=task.job_id,
        target_id=task.target_id,
        page_id=visit.page_id,
        adapter_id=task.adapter_id,
        adapter_version=visit.adapter_version,
        target_type=None if visit.kind is None else visit.kind.target_type,
        asked=task.payload or {},
        linked=None if several else brief.linked,
        seen_at=visit.cached,
        wants_picture=visit.wants_picture,
        listing=brief.last_accepted > 1,
    )


Batch = Sequence[tuple[Visit, Item]]
Changed = set[ItemId]  # records that say something new and were written


async def store(conn: Connection, batch: Batch) -> tuple[Outcomes, Changed]:
    """One call of each kind's writer and one statement for the records of the whole batch."""
    outcomes = Outcomes()
    by_kind: dict[str, tuple[Kind, list[Item]]] = {}
    for visit, item in batch:
        if visit.kind is not None and item.judged.verdict.decision is Decision.ACCEPT:
            by_kind.setdefault(visit.kind.generic_adapter + visit.kind.name, (visit.kind, []))[1].append(item)
    for kind, items in by_kind.values():
        outcomes.take(await writer_of(kind).write(conn, items))
    return outcomes, await _write_records(conn, batch, outcomes)


async def store_carefully(conn: Connection, batch: Batch) -> tuple[Outcomes, Changed]:
    """One record after the other, each under a savepoint: what the database refuses costs itself alone."""
    outcomes, changed = Outcomes(), set()
    for one in batch:
        try:
            async with conn.transaction():
                own, written = await store(conn, [one])
        except (psycopg.OperationalError, psycopg.ProgrammingError):
            raise  # the database is away, or a statement of ours is wrong: no record is to blame
        except Exception as defect:
            log.exception("record_unstorable", task_id=str(one[1].visit.task_id), key=one[1].judged.key)
            outcomes.refuse(one[1], defect)
            written = await _write_records(conn, [one], outcomes)
        else:
            outcomes.add(own)
        changed |= written
    return outcomes, changed


async def _write_records(conn: Connection, batch: Batch, outcomes: Outcomes) -> Changed:
    return await records.write(conn, [record_of(v, item, outcomes) for v, item in batch if not is_personal(v)])


def is_personal(visit: Visit) -> bool:
    """DESIGN §11.26: of some kinds only the result is kept."""
    return visit.kind is not None and visit.kind.personal


def record_of(visit: Visit, item: Item, outcomes: Outcomes) -> NewRecord:
    """What could not be stored is written down without its content."""
    origin, judged, content = item.visit, item.judged, item.judged.content
    assert origin.source_id is not None
    refused = item.id in outcomes.errors
    return NewRecord(
        task_id=origin.task_id,
        n=judged.draft,
        source_id=origin.source_id,
        run_id=origin.run_id,
        target_id=origin.target_id,
        page_id=origin.page_id,
        kind=origin.kind,
        key=UNSTORABLE + content.digest if refused else judged.key,
        url=origin.url,
        payload=b"{}" if refused else content.payload,
        digest=content.digest,
        provenance={} if refused else content.provenance,
        confidence=content.confidence,
        adapter_id=origin.adapter_id,
        adapter_version=origin.adapter_version,
        observed_at=visit.observed_at,
        verdict=outcomes.verdict(item),
        ref=outcomes.refs.get(item.id),
        duplicate=item.id in outcomes.duplicates,
        fingerprint=outcomes.fingerprints.get(item.id),
    )
