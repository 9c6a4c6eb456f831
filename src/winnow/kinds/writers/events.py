"""Accepted events become rows of `events`, with the messages about what changed, in the transaction of the change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from winnow.db.engine import Connection
from winnow.judge import quarantine
from winnow.judge.verdict import Decision, Finding, Hold, Verdict
from winnow.kinds.assess import Judged
from winnow.kinds.writers.event_messages import messages_of
from winnow.kinds.writers.writer import Item, ItemId, PageRead, Stored, VisitRef, Writer
from winnow.normalise.urls import url_hash
from winnow.publish import outbox
from winnow.store.events import pages as event_pages
from winnow.store.events.listed import Listed
from winnow.store.events.pages import AgendaReading, Remembered
from winnow.store.events.place import key_of
from winnow.store.events.row import TBD, Accepted, split_key
from winnow.store.events.write import Written, write

INSERTED, UPDATED, SKIPPED = "events_inserted", "events_updated", "events_skipped"  # counters of a run (E-081)


class EventsWriter(Writer):
    async def write(self, conn: Connection, items: Sequence[Item]) -> list[Stored]:
        return await _write(conn, items, incomplete=False)

    async def accept(self, conn: Connection, item: Item, held_at: datetime) -> Stored:
        """A person may accept an event that has no place yet: it is stored, and shown once it has one."""
        (stored,) = await _write(conn, [item], incomplete=True)
        return stored

    async def read_pages(self, conn: Connection, pages: Sequence[PageRead]) -> dict[UUID, Verdict]:
        listing = [page for page in pages if page.records and page.visit.source_id is not None]
        readings = [reading_of(page) for page in listing]
        doubts = await event_pages.read(conn, readings)
        held = [Remembered(reading=readings[n], event_ids=[], held=True) for n in doubts]
        await event_pages.remember(conn, held)
        return {listing[n].visit.task_id: _held(why) for n, why in doubts.items()}

    async def pages_stored(self, conn: Connection, pages: Sequence[PageRead], refs: Mapping[ItemId, int]) -> None:
        read = [page for page in pages if page.visit.source_id is not None]
        await event_pages.remember(
            conn, [Remembered(reading=reading_of(page), event_ids=_ids(page, refs)) for page in read]
        )
        await quarantine.supersede(conn, [settled for page in read for settled in _dated_now(page)])

    async def seen_again(self, conn: Connection, visits: Sequence[VisitRef]) -> None:
        same = [PageRead(visit, []) for visit in visits if visit.source_id is not None]
        await event_pages.seen_again(conn, [reading_of(page) for page in same])


def _dated_now(page: PageRead) -> list[tuple[int, str, str, Decision]]:
    """Entries of events whose day could not be read: they were held under a key without one."""
    source_id, kind = page.visit.source_id or 0, page.visit.kind
    keys = {judged.key for judged in page.records}
    accepted = {split_key(one.key)[0] for one in page.records if one.verdict.decision is Decision.ACCEPT}
    return [(source_id, kind, key, Decision.ACCEPT) for key in sorted(accepted - keys)]


async def _write(conn: Connection, items: Sequence[Item], *, incomplete: bool) -> list[Stored]:
    written = await write(conn, [accepted_of(item) for item in items], incomplete=incomplete)
    await outbox.put(conn, [message for one in written for message in messages_of(one)])
    return [_stored(item, one) for item, one in zip(items, written, strict=True)]


def _stored(item: Item, written: Written) -> Stored:
    if written.lacks is not None:
        return Stored(item, revised=_verdict(written.lacks))
    print_of = written.row.get("event_fingerprint")
    return Stored(
        item, ref=written.event_id, duplicate=written.duplicate, fingerprint=print_of, counts_as=_counter(written)
    )


def _counter(written: Written) -> str:
    """E-070: inserted, updated, or skipped because nothing changed or it repeats another one."""
    return INSERTED if written.created else UPDATED if written.changes else SKIPPED


def _verdict(lacks: str) -> Verdict:
    """E-113: what cannot be shown waits with its reason, and is not padded."""
    return Verdict(Decision.HOLD, [Finding("place", Hold.VALIDATION_FAILED, lacks)])


def _held(why: str) -> Verdict:
    return Verdict(Decision.HOLD, [Finding("page", Hold.DRIFT_DETECTED, why)])


def accepted_of(item: Item) -> Accepted:
    visit, judged = item.visit, item.judged
    if visit.source_id is None:
        raise RuntimeError(f"task {visit.task_id} accepted an event without a source")
    return Accepted(
        record=_answering(judged.data, visit.url),
        key=judged.key,
        digest=judged.content.digest,
        source_id=visit.source_id,
        task_id=visit.task_id,
        page_hash=url_hash(visit.url),
        page_id=visit.page_id,
        run_id=visit.run_id,
        target_id=visit.target_id,
        provenance=judged.content.provenance,
        confidence=judged.content.confidence,
    )


def _answering(record: dict[str, Any], page_url: str) -> dict[str, Any]:
    """The addresses of a record as they answer: canonical ones say https, and a site that speaks only http has nothing
    there."""
    site = urlsplit(page_url)
    if site.scheme != "http":
        return record
    canonical, plain = f"https://{site.netloc}/", f"http://{site.netloc}/"
    given = {name: record.get(name) or "" for name in ("url", "ticket_url", "image_url")}
    there = {name: plain + url.removeprefix(canonical) for name, url in given.items() if url.startswith(canonical)}
    return record | there


def reading_of(page: PageRead) -> AgendaReading:
    visit = page.visit
    assert visit.source_id is not None
    return AgendaReading(
        source_id=visit.source_id,
        page_hash=url_hash(visit.url),
        url=visit.url,
        target_id=visit.target_id,
        run_id=visit.run_id,
        listed=[one for judged in page.records if (one := listed_of(judged)) is not None],
        undated=tuple(sorted({split_key(judged.key)[0] for judged in page.records if judged.key and not _day(judged)})),
        cut=page.cut,
    )


def _day(judged: Judged) -> str:
    return judged.data.get("event_date") or (judged.data.get("start") or "")[:10]


def listed_of(judged: Judged) -> Listed | None:
    """What a record says of its event, where it says when that is."""
    if judged.verdict.decision is Decision.REJECT:
        return None
    data, day = judged.data, _day(judged)
    if not day or not data.get("title"):
        return None
    source_key, occurrence = split_key(judged.key)
    start = data.get("start") or ""
    return Listed(
        source_key=source_key,
        occurrence=occurrence,
        title=data["title"],
        day=date.fromisoformat(day),
        hour=data.get("event_time") or (start[11:16] if len(start) > 10 else TBD),
        venue_key=key_of(data.get("venue_name") or ""),
        held=judged.verdict.decision is Decision.HOLD,
    )


def _ids(page: PageRead, refs: Mapping[ItemId, int]) -> list[int]:
    found = (refs.get((page.visit.task_id, judged.draft)) for judged in page.records)
    return sorted({ref for ref in found if ref is not None})
