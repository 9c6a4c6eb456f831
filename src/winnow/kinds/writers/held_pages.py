"""A person accepts a page that was held as a whole: all its records are stored, and it is what the next one is compared
with (DESIGN §11.31)."""

from __future__ import annotations

from typing import Any

import msgspec

from winnow.db.engine import Connection
from winnow.errors import InvalidInput
from winnow.judge.quarantine import HeldEntry
from winnow.judge.verdict import Decision, Verdict
from winnow.kinds.assess import Judged
from winnow.kinds.kind import Content, Kind, digest
from winnow.kinds.writers.writer import Item, PageRead, VisitRef, writer_of

ACCEPTED = Verdict(Decision.ACCEPT)


async def store(conn: Connection, held: HeldEntry, kind: Kind) -> int:
    """How many records were stored. None is left out silently: what its writer holds on its own is an error here."""
    page = PageRead(_visit(held, kind), [_judged(record) for record in held.payload["records"]], held.payload["cut"])
    writer = writer_of(kind)
    stored = await writer.write(conn, [Item(page.visit, judged) for judged in page.records])
    refused = [one for one in stored if one.revised is not None]
    if refused and refused[0].revised is not None:
        why = refused[0].revised.findings[0].details
        raise InvalidInput(f"entry {held.id}: {len(refused)} of its records cannot be stored: {why}")
    await writer.pages_stored(conn, [page], {one.item.id: one.ref for one in stored if one.ref is not None})
    return len(stored)


def _visit(held: HeldEntry, kind: Kind) -> VisitRef:
    assert held.task_id is not None
    return VisitRef(
        task_id=held.task_id,
        kind=held.kind,
        url=held.url,
        source_id=held.source_id,
        run_id=held.run_id,
        target_id=held.target_id,
        page_id=held.page_id,
        adapter_id=held.adapter_id,
        adapter_version=held.adapter_version,
        target_type=kind.target_type,
    )


def _judged(record: dict[str, Any]) -> Judged:
    payload = msgspec.json.encode(record["payload"])
    content = Content(
        payload=payload, digest=digest(payload), provenance=record["provenance"], confidence=record["confidence"]
    )
    return Judged(key=record["key"], draft=record["draft"], verdict=ACCEPTED, content=content)
