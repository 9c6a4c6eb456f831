"""Publishes changes of an offer's price or stock, in the transaction of the change (R-02)."""

from __future__ import annotations

from collections.abc import Sequence

from winnow.db.engine import Connection
from winnow.normalise.record import Availability, Money
from winnow.normalise.urls import clickable_url
from winnow.publish import outbox, watches
from winnow.store import offers
from winnow.store.unavailable import ChangedOffer

PRICE_CHANGED = "price.changed"
BACK_IN_STOCK = "offer.back_in_stock"
OUT_OF_STOCK = "offer.out_of_stock"


async def publish_changes(conn: Connection, written: Sequence[offers.WrittenOffer]) -> None:
    """Publish price and stock changes and evaluate watches for appended prices; duplicates were published before."""
    new = [w for w in written if not w.duplicate]
    moved = [w for w in new if w.changed]
    unpriced = [w for w in new if not w.accepted.offer.enters_history and w.says_new]
    stock = [m for w in [*moved, *unpriced] if (m := stock_changed(w)) is not None]
    await outbox.put(conn, [*map(price_changed, moved), *stock])
    priced = [w for w in new if w.accepted.offer.enters_history]
    if seen := [_seen(w) for w in priced if w.accepted.target_id is not None]:
        await watches.evaluate(conn, seen)
    await watches.out_of_stock(conn, [w.accepted.target_id for w in unpriced if _is_lost(w) and w.accepted.target_id])


def _is_lost(written: offers.WrittenOffer) -> bool:
    return written.accepted.offer.availability == Availability.OUT_OF_STOCK


async def publish_out_of_stock(conn: Connection, changed: Sequence[ChangedOffer]) -> None:
    """Publish offers whose page or server stated without a price that they cannot be bought any more."""
    lost = [c for c in changed if c.availability == Availability.OUT_OF_STOCK != c.availability_before]
    await outbox.put(conn, [outbox.Message(OUT_OF_STOCK, f"offer:{c.product_id}", _stated(c)) for c in lost])


def _stated(changed: ChangedOffer) -> dict[str, object]:
    return {
        "source_product_id": changed.product_id,
        "target_id": changed.target_id,
        "url": changed.url,
        "title": changed.title,
        "before": _money(changed.price),
        "after": None,
        "availability_before": changed.availability_before,
        "availability": changed.availability,
        "observed_at": changed.observed_at.isoformat(),
    }


def stock_changed(written: offers.WrittenOffer) -> outbox.Message | None:
    """An offer that was there before and can be bought again, or no longer."""
    before, now = written.previous_availability, written.accepted.offer.availability
    if (
        before is None
        or now == Availability.UNKNOWN
        or (before == Availability.IN_STOCK) == (now == Availability.IN_STOCK)
    ):
        return None
    key, body = f"offer:{written.product_id}", _message(written)
    if now == Availability.IN_STOCK:
        return outbox.Message(BACK_IN_STOCK, key, body)
    return outbox.Message(OUT_OF_STOCK, key, body)


def change_messages(offer_id: int, body: dict[str, object], *, was: bool, now: bool) -> list[outbox.Message]:
    """Messages about an offer whose price or stock changed. `was`, `now`: whether it was and is in stock."""
    key = f"offer:{offer_id}"
    made = [outbox.Message(PRICE_CHANGED, key, body)]
    if now and not was:
        made.append(outbox.Message(BACK_IN_STOCK, key, body))
    elif was and not now:
        made.append(outbox.Message(OUT_OF_STOCK, key, body))
    return made


def _seen(written: offers.WrittenOffer) -> watches.Seen:
    offer, target_id = written.accepted.offer, written.accepted.target_id
    assert target_id is not None
    assert offer.price is not None
    return watches.Seen(
        target_id=target_id,
        product_id=written.product_id,
        title=offer.title or "",
        url=clickable_url(offer.url),
        price=offer.price,
        availability=offer.availability,
        observed_at=offer.observed_at,
        before=written.previous,
        changed=written.changed and written.previous is not None,
    )


def price_changed(written: offers.WrittenOffer) -> outbox.Message:
    return outbox.Message(PRICE_CHANGED, f"offer:{written.product_id}", _message(written))


def _message(written: offers.WrittenOffer) -> dict[str, object]:
    offer = written.accepted.offer
    return {
        "source_product_id": written.product_id,
        "target_id": written.accepted.target_id,
        "url": clickable_url(offer.url),
        "title": offer.title,
        "before": _money(written.previous),
        "after": _money(offer.price),
        "availability_before": written.previous_availability,
        "availability": offer.availability,
        "observed_at": offer.observed_at.isoformat(),
    }


def _money(money: Money | None) -> dict[str, object] | None:
    return None if money is None else {"minor": money.minor, "currency": money.currency}
