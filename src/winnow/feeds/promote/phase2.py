"""Phase 2: decides whether a run is promoted, and promotes it (F-083 … F-088). Runs inside the caller's transaction."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
import structlog

from winnow.db.sql import load
from winnow.feeds.feed import Connection, Feed
from winnow.feeds.promote.breaker import SPIKE_MAX_COUNT, SPIKE_SHARE, Block, PromotionCounts, block

if TYPE_CHECKING:
    from winnow.feeds.load.load import Totals  # the readers of catalogues, a quarter of a second

log = structlog.get_logger(__name__)

BREAKER = "circuit_breaker"  # F-120
COUNTS = load("feeds/promote/promote_counts.sql")
COUNTS_PLAIN = load("feeds/promote/promote_counts_plain.sql")
PROMOTE = load("feeds/promote/promote.sql")
# An unchanged file says what it said before: what was activated by its own run is there still. A run that waits for
# a person's approval is not activated this way.
_REFRESH = """
UPDATE affiliate_feeds SET promoted_at = clock_timestamp(), current_seen_at = clock_timestamp(), stale_alerted_at = NULL
WHERE id = %s AND promoted_run_id = current_seen_run_id
"""


class PromotionDecision(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a run may be promoted, as of `t0`."""

    t0: datetime
    counts: PromotionCounts
    blocked: Block | None

    def values(self) -> dict[str, Any]:
        """The run's columns (F-015); what was blocked expires nothing."""
        return {
            "active": self.counts.active,
            "seen": self.counts.seen,
            "would_expire": self.counts.would_expire,
            "expired": 0 if self.blocked else self.counts.would_expire,
            "blocked_reason": None if self.blocked is None else str(self.blocked),
        }

    def details(self) -> dict[str, Any]:
        return {
            "would_expire_count": self.counts.would_expire,
            "expire_percent": round(100 * self.counts.expire_share, 1),
            "url_hash_fallback_count": self.counts.url_hash,
            "url_hash_percent": round(100 * self.counts.url_hash_share, 1),
            "active_count_before": self.counts.active,
            "price_jump_count": self.counts.jumps,
            "price_jump_percent": round(100 * self.counts.jump_share, 1),
        }


async def decide(
    conn: Connection, feed: Feed, totals: Totals, plain: Mapping[int, int] | None = None
) -> PromotionDecision:
    """One moment and one window for everything (F-083). `plain`: offers without a row of presence, by the run since
    which they are in step; None: they have to be counted."""
    row = await (await conn.execute("SELECT clock_timestamp(), expiry_hours FROM affiliate_feeds WHERE id = %s",
                                    (feed.id,))).fetchone()  # fmt: skip
    assert row is not None
    t0, expiry_hours = row
    log.info("CIRCUIT_BREAKER_START", stage="circuit_breaker", t0=t0.isoformat(), expiry_hours=expiry_hours)
    given = {"t0": t0, "expiry_hours": expiry_hours, "source_id": feed.source_id}
    if plain is None:
        asked = await conn.execute(COUNTS, given)
    else:
        asked = await conn.execute(COUNTS_PLAIN, {**given, "runs": list(plain), "plain": list(plain.values())})
    found = await asked.fetchone()
    assert found is not None
    counts = PromotionCounts(active=int(found[0]), seen=int(found[1]), upserted=totals.products_upserted,
                    url_hash=totals.url_hash_fallback_count, jumps=totals.price_jump_count,
                    compared=totals.products_upserted - totals.products_created)  # fmt: skip
    blocked = block(counts)
    _log_decision(counts, blocked)
    return PromotionDecision(t0=t0, counts=counts, blocked=blocked)


async def activate(conn: Connection, feed_id: int, run_id: int, decided: PromotionDecision, totals: Totals) -> None:
    """Promotes a run that no gate held."""
    began = time.monotonic()
    await promote(conn, feed_id, run_id, decided.t0, totals.products_upserted)
    log.info("PROMOTE_COMPLETE", stage="promote", promote_rows_updated=totals.products_upserted,
             products_expired=decided.counts.would_expire,
             duration_ms=round((time.monotonic() - began) * 1000))  # fmt: skip


async def promote(conn: Connection, feed_id: int, run_id: int, t0: object, promoted: int) -> None:
    log.info("PROMOTE_START", stage="promote", products_to_promote=promoted)
    given = {"feed_id": feed_id, "run_id": run_id, "t0": t0, "promoted": promoted}
    done = await conn.execute(PROMOTE, given)
    if done.rowcount != 1:
        raise RuntimeError(f"run {run_id} is not what feed {feed_id} saw last")


async def refresh(conn: Connection, feed_id: int) -> None:
    await conn.execute(_REFRESH, (feed_id,))


def _log_decision(counts: PromotionCounts, blocked: Block | None) -> None:
    gone, percent = counts.would_expire, round(100 * counts.expire_share, 1)
    log.debug("CIRCUIT_BREAKER_COUNTS", stage=BREAKER, active_count_before=counts.active,
              seen_success_count=counts.seen, would_expire_count=gone, expire_percent=percent)  # fmt: skip
    if counts.seen > counts.active:
        log.warning("CIRCUIT_BREAKER_NEGATIVE_EXPIRE_COUNT", stage=BREAKER, active_count_before=counts.active,
                    seen_success_count=counts.seen, raw_expire_count=counts.active - counts.seen)  # fmt: skip
    if blocked is None:
        log.info("CIRCUIT_BREAKER_PASSED", stage=BREAKER, would_expire_count=gone, expire_percent=percent,
                 percent_threshold=100 * SPIKE_SHARE, count_threshold=SPIKE_MAX_COUNT)  # fmt: skip
    elif blocked is Block.PRICES:
        log.warning("PRICE_JUMP", stage=BREAKER, price_jump_count=counts.jumps,
                    price_jump_percent=round(100 * counts.jump_share, 1))  # fmt: skip
    elif blocked is Block.URL_HASH:
        log.warning("DATA_QUALITY_URL_HASH_SPIKE", stage=BREAKER, url_hash_fallback_count=counts.url_hash,
                    url_hash_percent=round(100 * counts.url_hash_share, 1))  # fmt: skip
    else:
        log.warning(
            "CIRCUIT_BREAKER_TRIPPED",
            stage=BREAKER,
            reason=str(blocked),
            would_expire_count=gone,
            expire_percent=percent,
            percent_threshold=100 * SPIKE_SHARE,
            count_threshold=SPIKE_MAX_COUNT,
        )
