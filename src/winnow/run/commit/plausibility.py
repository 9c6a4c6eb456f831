"""Second thoughts about accepted offers, once their own history is known: it lives in the database, not where pages
are read. Nothing is asked for offers whose price moved plausibly, which is nearly all of them."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from winnow.db.engine import Connection
from winnow.judge import sightings
from winnow.judge.gates import is_plausible, judge_offer
from winnow.judge.verdict import Decision, Verdict
from winnow.store.offers import Accepted, Previous

CONFIRM_AFTER_SECONDS = 900.0  # soon enough to be of use, late enough for a glitch of the shop to be over


async def doubts(conn: Connection, batch: Sequence[Accepted], known: Sequence[Previous]) -> dict[UUID, Verdict]:
    """The verdicts on those that are held after all. Their offers are locked, so `known` cannot change meanwhile."""
    strange = [(accepted, changed) for accepted, last in zip(batch, known, strict=True)
               if (changed := _changed(accepted, last)) is not None]  # fmt: skip
    if not strange:
        return {}
    histories = await sightings.histories(conn, [changed for _, changed in strange])
    verdicts = {
        accepted.task_id: judge_offer(accepted.offer, None, history)
        for (accepted, _), history in zip(strange, histories, strict=True)
    }
    return {task_id: verdict for task_id, verdict in verdicts.items() if verdict.decision is not Decision.ACCEPT}


def _changed(accepted: Accepted, known: Previous) -> sightings.Changed | None:
    price, last = accepted.offer.price, known.price
    if price is None or last is None or known.priced_at is None or is_plausible(price, last):
        return None
    return sightings.Changed(
        task_id=accepted.task_id,
        target_id=accepted.target_id,
        source_id=accepted.source_id,
        adapter_id=accepted.offer.adapter_id,
        last=last,
        since=known.priced_at,
    )
