"""Accepted offers become truth: the offer, its price, its presence, its picture, and the news of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from winnow.db.engine import Connection
from winnow.errors import Conflict
from winnow.judge.verdict import Decision, Finding, Reject, Verdict
from winnow.kinds.writers.plausibility import implausible
from winnow.kinds.writers.price_messages import publish_changes, publish_out_of_stock
from winnow.kinds.writers.writer import Item, Statement, Stored, VisitRef, Writer
from winnow.normalise.record import Product
from winnow.normalise.urls import url_hash
from winnow.publish import watches
from winnow.store import images, offers, unavailable
from winnow.store.images import PageImage
from winnow.store.offers import AcceptedOffer, SeenAgain, WrittenOffer
from winnow.store.unavailable import Unavailable, UnavailableReason

PRODUCT = "product"
_DUPLICATE = Verdict(Decision.REJECT, [Finding("duplicate", Reject.DUPLICATE_WITHIN_RUN)])


class OffersWriter(Writer):
    async def write(self, conn: Connection, items: Sequence[Item]) -> list[Stored]:
        """Stores them, unless their own history speaks against it or this run had them already (P-026)."""
        batch = [accepted_of(item) for item in items]
        known = await offers.lock(conn, batch)
        doubted = await implausible(conn, batch, known)
        kept = [n for n in range(len(batch)) if n not in doubted]
        written = await offers.write(conn, [batch[n] for n in kept], [known[n] for n in kept])
        await _publish(conn, [items[n] for n in kept], written)
        stored = {n: _stored(items[n], one) for n, one in zip(kept, written, strict=True)}
        return [stored.get(n) or Stored(item, revised=doubted[n]) for n, item in enumerate(items)]

    async def accept(self, conn: Connection, item: Item, held_at: datetime) -> Stored:
        """Store an accepted record without a second sighting; a newer price is not overwritten."""
        accepted = accepted_of(item)
        (known,) = await offers.lock(conn, [accepted])
        if known.priced_at is not None and known.priced_at > held_at:
            raise Conflict("a newer price was accepted since", existing="newer_price")
        (written,) = await offers.write(conn, [accepted], [known])
        if written.duplicate:
            raise Conflict("its run has a price of this offer already", existing="duplicate")
        await publish_changes(conn, [written])
        return Stored(item, ref=written.product_id)

    async def unavailable(self, conn: Connection, statements: Sequence[Statement]) -> None:
        stated = [_unavailable(s) for s in statements if s.visit.source_id is not None]
        changed = await unavailable.record(conn, stated)
        await publish_out_of_stock(conn, changed)
        lost = [s for s in statements if s.reason is not UnavailableReason.FORBIDDEN and s.whole]
        await watches.out_of_stock(conn, [s.visit.target_id for s in lost if s.visit.target_id is not None])

    async def seen_again(self, conn: Connection, visits: Sequence[VisitRef]) -> None:
        await offers.seen_again(conn, [_seen_again(v) for v in visits if v.source_id is not None])


async def _publish(conn: Connection, items: Sequence[Item], written: Sequence[WrittenOffer]) -> None:
    await _keep_images(conn, items, written)
    await publish_changes(conn, written)


async def _keep_images(conn: Connection, items: Sequence[Item], written: Sequence[WrittenOffer]) -> None:
    """All pictures of a product that says something new; of an offer the one picture that its source wants."""
    pairs = list(zip(items, written, strict=True))
    new = [(item, w) for item, w in pairs if w.accepted.kind == PRODUCT and w.says_new is not False]
    shown = [image for item, w in new for image in _images_of(w, wanted=item.visit.wants_picture)]
    offers = [w for item, w in pairs if w.accepted.kind != PRODUCT and item.visit.wants_picture]
    single = [PageImage(product_id=w.product_id, url=url) for w in offers if (url := w.accepted.offer.image_url)]
    await images.request(conn, [*shown, *single])
    await images.keep_only(conn, [w.product_id for _, w in new if w.accepted.offer.images], shown)


def _images_of(written: WrittenOffer, *, wanted: bool) -> list[PageImage]:
    return [
        PageImage(
            product_id=written.product_id, url=i.url, alt=i.alt or None, type=i.type, position=n, wanted=wanted
        )
        for n, i in enumerate(written.accepted.offer.images)
    ]  # fmt: skip


def _stored(item: Item, written: WrittenOffer) -> Stored:
    revised = _DUPLICATE if written.duplicate else None
    return Stored(item, ref=written.product_id, revised=revised, says_new=written.says_new)


def accepted_of(item: Item) -> AcceptedOffer:
    visit = item.visit
    if visit.source_id is None:
        raise RuntimeError(f"task {visit.task_id} accepted an offer without a source")
    return AcceptedOffer(
        offer=item.judged.decode(Product),
        source_id=visit.source_id,
        kind=visit.kind,
        task_id=visit.task_id,
        page_id=visit.page_id,
        run_id=visit.run_id,
        target_id=visit.target_id,
        linked=visit.linked,
        seen_at=visit.seen_at,
    )


def _unavailable(statement: Statement) -> Unavailable:
    visit = statement.visit
    assert visit.source_id is not None
    return Unavailable(
        source_id=visit.source_id,
        target_id=visit.target_id,
        reason=statement.reason,
        linked=visit.linked if statement.whole else None,
        identity_key=statement.key,
        url_hash=url_hash(visit.url) if statement.whole else None,
    )


def _seen_again(visit: VisitRef) -> SeenAgain:
    assert visit.source_id is not None
    return SeenAgain(
        source_id=visit.source_id,
        kind=visit.kind,
        url=visit.url,
        linked=visit.linked,
        listing=visit.listing,
        target_id=visit.target_id,
        run_id=visit.run_id,
        task_id=visit.task_id,
        page_id=visit.page_id,
    )
