"""A person's decision about held records. What is accepted goes through the same writer as what a worker accepts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from winnow.db.engine import Connection, Database
from winnow.errors import Conflict, InvalidInput, WinnowError
from winnow.judge import quarantine
from winnow.judge.gates import judge_offer
from winnow.judge.quarantine import Held
from winnow.judge.verdict import Decision
from winnow.normalise.money.currencies import exponent
from winnow.normalise.record import Money, Offer
from winnow.observe import audit
from winnow.run.commit import announce
from winnow.sources import sources, visited
from winnow.store import offers

STORABLE = ("offer", "product")  # kinds whose record is an offer of a source
MOST_DIGITS = 20  # of an amount a person writes

_TARGET = "SELECT canonical_url, source_id, source_product_id FROM scrape_targets WHERE id = %s FOR SHARE"


class Refused(msgspec.Struct, frozen=True):
    """One of several that could not be decided, and why."""

    id: int
    code: str
    message: str


class Reviewed(msgspec.Struct, frozen=True):
    done: list[int]
    refused: list[Refused]


async def accept(
    conn: Connection, actor: str, entry_id: int, *, note: str | None = None, price: Money | None = None
) -> None:
    """`price` replaces what was read, where that is no price at all or a wrong one; the record says so."""
    held = await quarantine.take(conn, entry_id)
    offer = _storable(held, price)
    linked = await _unchanged_target(conn, held, offer)
    written = await _stored(conn, held, offer, linked)
    resolution = "accept" if price is None else "corrected"
    await quarantine.resolve(conn, held, resolution, actor, note)
    if held.target_id is not None and held.task_id is not None and price is None:
        await visited.accepted(conn, held.target_id, held.task_id)
    after = {"source_product_id": written.product_id, "price": None if offer.price is None else offer.price.minor,
             "currency": None if offer.price is None else offer.price.currency}  # fmt: skip
    action = "quarantine.accepted" if price is None else "quarantine.corrected"
    await audit.record(conn, actor, action, "quarantine", held.id, after=after, reason=note)


async def reject(conn: Connection, actor: str, entry_id: int, *, note: str | None = None) -> None:
    """It stays where it is, for ever; the price it names is not believed if it is seen again."""
    held = await quarantine.take(conn, entry_id)
    await quarantine.resolve(conn, held, "reject", actor, note)
    await audit.record(conn, actor, "quarantine.rejected", "quarantine", held.id, reason=note)


async def annotate(conn: Connection, actor: str, entry_id: int, note: str) -> None:
    before = await quarantine.annotate(conn, entry_id, note)
    await audit.record(conn, actor, "quarantine.noted", "quarantine", entry_id, {"note": before}, {"note": note})


async def each(
    database: Database, ids: Sequence[int], decide: Callable[[Connection, int], Awaitable[None]]
) -> Reviewed:
    """Many, each in a transaction of its own: one that is refused does not hold up the others."""
    done: list[int] = []
    refused: list[Refused] = []
    for entry_id in dict.fromkeys(ids):
        try:
            async with database.transaction() as conn:
                await decide(conn, entry_id)
        except WinnowError as why:
            refused.append(Refused(entry_id, why.code, str(why)))
        else:
            done.append(entry_id)
    return Reviewed(done, refused)


def _storable(held: Held, price: Money | None) -> Offer:
    if held.kind not in STORABLE:
        raise InvalidInput(
            f"entry {held.id} is held as {held.kind}, which nothing stores from here: it can only be rejected"
        )
    if held.source_id is None or held.task_id is None:
        raise InvalidInput(f"entry {held.id} belongs to no source: it can only be rejected")
    try:
        offer = msgspec.convert(held.payload, Offer)
    except msgspec.ValidationError as wrong:
        raise InvalidInput(f"entry {held.id} was written by another version and cannot be read: {wrong}") from None
    offer = _as_accepted(offer if price is None else _corrected(offer, price))
    verdict = judge_offer(offer)
    if verdict.decision is not Decision.ACCEPT:
        why = verdict.findings[0]
        hint = "; give the right price to accept it" if price is None and verdict.decision is Decision.HOLD else ""
        raise InvalidInput(f"entry {held.id} cannot be stored: {why.reason} {why.details}".rstrip() + hint)
    return offer


def _as_accepted(offer: Offer) -> Offer:
    """Whoever accepts it has looked at the page: stock that data and page disagree about is taken as it was read."""
    others = {field: problem for field, problem in offer.problems.items() if field != "availability"}
    return msgspec.structs.replace(offer, problems=others)


def _corrected(offer: Offer, price: Money) -> Offer:
    others = {field: problem for field, problem in offer.problems.items() if field != "price"}
    listed = offer.list_price if offer.list_price and offer.list_price.currency == price.currency else None
    return msgspec.structs.replace(offer, price=price, problems=others, list_price=listed)


async def _unchanged_target(conn: Connection, held: Held, offer: Offer) -> int | None:
    """The offer the target refreshes, if it names one. A target that is gone, or is another page now, is no longer
    what was held."""
    if held.target_id is None:
        await sources.get(conn, held.source_id or 0)
        return None
    row: Any = await (await conn.execute(_TARGET, (held.target_id,))).fetchone()
    if row is None:
        raise Conflict(f"the target of entry {held.id} was removed", existing="target_removed")
    canonical, source_id, linked = row
    if canonical != offer.canonical_url or source_id != held.source_id:
        raise Conflict(f"the target of entry {held.id} is another page now: {canonical}", existing="target_changed")
    return None if linked is None else int(linked)


async def _stored(conn: Connection, held: Held, offer: Offer, linked: int | None) -> offers.Written:
    assert held.source_id is not None
    assert held.task_id is not None
    accepted = offers.Accepted(
        offer=offer,
        source_id=held.source_id,
        task_id=held.task_id,
        page_id=held.page_id,
        run_id=held.run_id,
        target_id=held.target_id,
        linked=linked,
    )
    (known,) = await offers.lock(conn, [accepted])
    if known.priced_at is not None and known.priced_at > held.created_at:
        raise Conflict(f"a newer price than that of entry {held.id} was accepted since", existing="newer_price")
    (written,) = await offers.write(conn, [accepted], [known])
    if written.duplicate:
        raise Conflict(f"the run of entry {held.id} has a price of this offer already", existing="duplicate")
    await announce.changed(conn, [written])
    return written


def given_price(text: str, currency: str | None) -> Money:
    """A decimal text as a person writes it; more digits than the currency has are an error, not rounded away."""
    if currency is None:
        raise InvalidInput("the currency was not read either: name it", field="currency")
    try:
        minor = Decimal(text).scaleb(exponent(currency))
        whole = int(minor) if minor.is_finite() and abs(minor) < 10**MOST_DIGITS else None
    except (InvalidOperation, ValueError):
        whole = None
    if whole is None or whole != minor:
        raise InvalidInput(f"{text!r} is not an amount of {currency}", field="price")
    return Money(whole, currency)
