"""Holds accepted offers whose price is implausible against their own history, which only the database knows.

Nothing is asked for offers whose price moved plausibly, which is nearly all of them."""

from __future__ import annotations

from collections.abc import Sequence

from winnow.db.engine import Connection
from winnow.judge import sightings
from winnow.judge.gates import is_plausible, judge_offer
from winnow.judge.verdict import Decision, Verdict
from winnow.store.offers import AcceptedOffer, Previous

CONFIRM_AFTER_SECONDS = 900.0  # soon enough to be of use, late enough for a glitch of the shop to be over


async def implausible(
    conn: Connection, batch: Sequence[AcceptedOffer], known: Sequence[Previous]
) -> dict[int, Verdict]:
    """The verdicts on those that are held after all, by their position. Their offers are locked, so `known` cannot
    change meanwhile."""
    strange = {n: changed for n, (accepted, last) in enumerate(zip(batch, known, strict=True))
               if (changed := _changed(accepted, last)) is not None}  # fmt: skip
    if not strange:
        return {}
    histories = await sightings.histories(conn, list(strange.values()))
    verdicts = {n: judge_offer(batch[n].offer, None, history) for n, history in zip(strange, histories, strict=True)}
    return {n: verdict for n, verdict in verdicts.items() if verdict.decision is not Decision.ACCEPT}


def _changed(accepted: AcceptedOffer, known: Previous) -> sightings.ImplausibleOffer | None:
    price, last = accepted.offer.price, known.price
    if (
        price is None
        or not accepted.offer.enters_history
        or last is None
        or known.priced_at is None
        or is_plausible(price, last)
    ):
        return None
    return sightings.ImplausibleOffer(
        task_id=accepted.task_id,
        key=accepted.offer.identity.key,
        kind=accepted.kind,
        source_id=accepted.source_id,
        adapter_id=accepted.offer.adapter_id,
        last=last,
        since=known.priced_at,
    )
