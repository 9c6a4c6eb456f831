"""Pages as wholes: one that its kind does not believe waits with all its records, as one entry (DESIGN §11.31)."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import msgspec

from winnow.db.engine import Connection
from winnow.judge import quarantine
from winnow.judge.quarantine import HeldPage
from winnow.judge.verdict import Decision, Verdict
from winnow.kinds.kind import digest
from winnow.kinds.writers.writer import PageRead, writer_of
from winnow.normalise.urls import url_hash
from winnow.run.commit.storing import Outcomes, is_on_demand, ref_of
from winnow.run.visit import Visit


async def hold(conn: Connection, visits: Sequence[Visit]) -> dict[UUID, Verdict]:
    """The verdicts on pages that are held, by task. None of their records is stored; they wait in quarantine."""
    held: dict[UUID, Verdict] = {}
    entries: list[HeldPage] = []
    for pages in _by_writer(visits).values():
        kind = pages[0][0].kind
        assert kind is not None
        held |= await writer_of(kind).read_pages(conn, [page for _, page in pages])
        entries += [_entry(visit, page, held[visit.task.id]) for visit, page in pages if visit.task.id in held]
    await quarantine.hold_pages(conn, entries)
    return held


async def stored(conn: Connection, visits: Sequence[Visit], outcomes: Outcomes) -> None:
    for pages in _by_writer(visits).values():
        kind = pages[0][0].kind
        assert kind is not None
        await writer_of(kind).pages_stored(conn, [page for _, page in pages], outcomes.refs)
        read = [(visit.task.source_id or 0, _key(page)) for visit, page in pages if page.records]
        await quarantine.supersede_pages(conn, read)


def _by_writer(visits: Sequence[Visit]) -> dict[str, list[tuple[Visit, PageRead]]]:
    """Pages that were read for their source, an empty one as well."""
    found: dict[str, list[tuple[Visit, PageRead]]] = {}
    for visit in visits:
        ended = visit.ending is not None and visit.ending.final
        read = visit.assessment
        if not ended or read is None or read.failure is not None or visit.kind is None or not visit.kind.holds_pages:
            continue
        if not is_on_demand(visit) and visit.task.source_id is not None:
            page = PageRead(ref_of(visit), [*read.records, *read.deferred], read.cut)
            found.setdefault(visit.kind.writer, []).append((visit, page))
    return found


def _entry(visit: Visit, page: PageRead, verdict: Verdict) -> HeldPage:
    records = [
        {
            "key": judged.key,
            "draft": judged.draft,
            "payload": judged.data,
            "provenance": judged.content.provenance,
            "confidence": judged.content.confidence,
        }
        for judged in page.records
        if judged.verdict.decision is Decision.ACCEPT
    ]
    origin = page.visit
    content = digest(msgspec.json.encode([one["payload"] for one in records]))
    return HeldPage(
        key=_key(page),
        task_id=origin.task_id,
        source_id=visit.task.source_id or 0,
        run_id=origin.run_id,
        target_id=origin.target_id,
        page_id=origin.page_id,
        kind=origin.kind,
        url=origin.url,
        adapter_id=origin.adapter_id,
        adapter_version=origin.adapter_version,
        verdict=verdict,
        payload={"digest": content, "cut": page.cut, "records": records},
    )


def _key(page: PageRead) -> str:
    return f"page:{url_hash(page.visit.url)}"
