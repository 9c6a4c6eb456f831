"""A person's decision about held records. What is accepted goes through the same writer as what a worker accepts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from winnow.db.engine import Connection, Database
from winnow.errors import Conflict, InvalidInput, WinnowError
from winnow.judge import quarantine
from winnow.judge.quarantine import HeldEntry
from winnow.judge.verdict import Decision, Verdict
from winnow.kinds.assess import Judged
from winnow.kinds.kind import Content, Kind, Payload, digest
from winnow.kinds.registry import all_kinds
from winnow.kinds.writers import held_pages
from winnow.kinds.writers.writer import Item, Stored, VisitRef, writer_of
from winnow.normalise.money.currencies import exponent
from winnow.normalise.record import Money
from winnow.normalise.urls import canonical_url
from winnow.observe import audit
from winnow.sources import sources, visited

MAX_DIGITS = 20  # of an amount a person writes

_TARGET = """
SELECT canonical_url, source_id, source_product_id, last_accepted + last_held + last_rejected > 1
FROM scrape_targets WHERE id = %s FOR SHARE
"""


class RefusedEntry(msgspec.Struct, frozen=True):
    """One of several that could not be decided, and why."""

    id: int
    code: str
    message: str


class Reviewed(msgspec.Struct, frozen=True):
    done: list[int]
    refused: list[RefusedEntry]


async def accept(
    conn: Connection, actor: str, entry_id: int, *, note: str | None = None, price: Money | None = None
) -> None:
    """Stores a held record as its kind is stored. `price` replaces what was read, where that is no price at all or a
    wrong one; the record says so."""
    held = await quarantine.take(conn, entry_id)
    kind = _kind_of(held)
    if held.scope == "page":
        await _accept_page(conn, actor, held, kind, note)
        return
    payload = _corrected(held, kind, price)
    item = await _item(conn, held, kind, payload)
    stored = await _store(conn, held, kind, item)
    resolution = "accept" if price is None else "corrected"
    await quarantine.resolve(conn, held, resolution, actor, note)
    if held.target_id is not None and held.task_id is not None and price is None:
        await visited.accepted(conn, held.target_id, held.task_id)
    action = "quarantine.accepted" if price is None else "quarantine.corrected"
    await audit.record(conn, actor, action, "quarantine", held.id, after=_audited(held, payload, stored), reason=note)


async def _accept_page(conn: Connection, actor: str, held: HeldEntry, kind: Kind, note: str | None) -> None:
    stored = await held_pages.store(conn, held, kind)
    await quarantine.resolve(conn, held, "accept", actor, note)
    after = {"record_key": held.record_key, "records": stored}
    await audit.record(conn, actor, "quarantine.accepted", "quarantine", held.id, after=after, reason=note)


async def reject(conn: Connection, actor: str, entry_id: int, *, note: str | None = None) -> None:
    """The entry is kept for ever, and its price is not accepted when it is seen again."""
    held = await quarantine.take(conn, entry_id)
    await quarantine.resolve(conn, held, "reject", actor, note)
    await audit.record(conn, actor, "quarantine.rejected", "quarantine", held.id, reason=note)


async def annotate(conn: Connection, actor: str, entry_id: int, note: str) -> None:
    before = await quarantine.annotate(conn, entry_id, note)
    await audit.record(conn, actor, "quarantine.noted", "quarantine", entry_id, {"note": before}, {"note": note})


async def decide_each(
    database: Database, ids: Sequence[int], decide: Callable[[Connection, int], Awaitable[None]]
) -> Reviewed:
    """Many, each in a transaction of its own: one that is refused does not hold up the others."""
    done: list[int] = []
    refused: list[RefusedEntry] = []
    for entry_id in dict.fromkeys(ids):
        try:
            async with database.transaction() as conn:
                await decide(conn, entry_id)
        except WinnowError as why:
            refused.append(RefusedEntry(entry_id, why.code, str(why)))
        else:
            done.append(entry_id)
    return Reviewed(done, refused)


def _kind_of(held: HeldEntry) -> Kind:
    kind = all_kinds().of_task(held.kind, held.adapter_id or "")
    if kind is None:
        raise InvalidInput(f"entry {held.id} is held as {held.kind}, which is not registered: it can only be rejected")
    if held.source_id is None or held.task_id is None:
        raise InvalidInput(f"entry {held.id} belongs to no source: it can only be rejected")
    return kind


def _corrected(held: HeldEntry, kind: Kind, price: Money | None) -> Payload:
    """Check the corrected record with the gates that need no history."""
    try:
        payload = kind.corrected(held.payload, {} if price is None else {"price": price})
    except InvalidInput as wrong:
        raise InvalidInput(f"entry {held.id}: {wrong}") from None
    verdict = None if kind.judge_stored is None else kind.judge_stored(payload, None)
    if verdict is not None and verdict.decision is not Decision.ACCEPT:
        why = verdict.findings[0]
        hint = "; give the right price to accept it" if price is None and verdict.decision is Decision.HOLD else ""
        raise InvalidInput(f"entry {held.id} cannot be stored: {why.reason} {why.details}".rstrip() + hint)
    return payload


async def _item(conn: Connection, held: HeldEntry, kind: Kind, payload: Payload) -> Item:
    assert held.task_id is not None
    visit = VisitRef(
        task_id=held.task_id,
        kind=held.kind,
        url=_page_url(held),
        source_id=held.source_id,
        run_id=held.run_id,
        target_id=held.target_id,
        page_id=held.page_id,
        adapter_id=held.adapter_id,
        adapter_version=held.adapter_version,
        target_type=kind.target_type,
        linked=await _unchanged_target(conn, held),
    )
    encoded = msgspec.json.encode(payload)
    content = Content(payload=encoded, digest=digest(encoded))
    return Item(visit, Judged(key=held.record_key, draft=0, verdict=Verdict(Decision.ACCEPT), content=content))


def _page_url(held: HeldEntry) -> str:
    """The page it was read on; of an entry that does not say, what the record says."""
    return held.url or str(held.payload.get("url") or "")


async def _unchanged_target(conn: Connection, held: HeldEntry) -> int | None:
    """The offer the target refreshes, if it names one. A target that is gone, or is another page now, is no longer
    what was held."""
    if held.target_id is None:
        await sources.get(conn, held.source_id or 0)
        return None
    row: Any = await (await conn.execute(_TARGET, (held.target_id,))).fetchone()
    if row is None:
        raise Conflict(f"the target of entry {held.id} was removed", existing="target_removed")
    canonical, source_id, linked, several = row
    if canonical != canonical_url(_page_url(held)) or source_id != held.source_id:
        raise Conflict(f"the target of entry {held.id} is another page now: {canonical}", existing="target_changed")
    return None if linked is None or several else int(linked)


async def _store(conn: Connection, held: HeldEntry, kind: Kind, item: Item) -> Stored:
    try:
        return await writer_of(kind).accept(conn, item, held.created_at)
    except Conflict as newer:
        raise Conflict(f"entry {held.id}: {newer}", existing=newer.existing) from None


def _audited(held: HeldEntry, payload: Payload, stored: Stored) -> dict[str, Any]:
    price = payload.get("price") or {}
    return {"record_key": held.record_key, "source_product_id": stored.ref,
            "price": price.get("minor"), "currency": price.get("currency")}  # fmt: skip


def parse_price(text: str, currency: str | None) -> Money:
    """A decimal text as a person writes it; more digits than the currency has are an error, not rounded away."""
    if currency is None:
        raise InvalidInput("the currency was not read either: name it", field="currency")
    try:
        minor = Decimal(text).scaleb(exponent(currency))
        whole = int(minor) if minor.is_finite() and abs(minor) < 10**MAX_DIGITS else None
    except (InvalidOperation, ValueError):
        whole = None
    if whole is None or whole != minor:
        raise InvalidInput(f"{text!r} is not an amount of {currency}", field="price")
    return Money(whole, currency)
