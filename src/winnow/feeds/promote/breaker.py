"""Gates that hold a run for approval, as pure functions (F-042, F-043, F-085 … F-087)."""

from __future__ import annotations

from enum import StrEnum

import msgspec

URL_HASH_SHARE, URL_HASH_MAX_COUNT = 0.5, 1_000  # F-042: more than either blocks
SPIKE_SHARE, SPIKE_MIN_COUNT, SPIKE_MAX_COUNT = 0.30, 10, 500  # F-086

JUMP_SHARE, JUMP_MIN_COUNT = 0.5, 3  # more than half of the prices a file can be compared by, and not one or two


class Block(StrEnum):
    SPIKE = "SPIKE_THRESHOLD_EXCEEDED"
    URL_HASH = "DATA_QUALITY_URL_HASH_SPIKE"
    PRICES = "PRICE_JUMP"


class PromotionCounts(msgspec.Struct, frozen=True, kw_only=True):
    """`active`: activated and not expired before this run; `seen`: those of them the run saw (F-084). `compared`:
    offers that were there before, `jumps`: those whose price is several times the price before, or a fraction of it."""

    active: int
    seen: int
    upserted: int
    url_hash: int
    jumps: int = 0
    compared: int = 0

    @property
    def would_expire(self) -> int:
        return max(0, self.active - self.seen)

    @property
    def expire_share(self) -> float:
        return self.would_expire / self.active if self.active else 0.0

    @property
    def url_hash_share(self) -> float:
        return self.url_hash / self.upserted if self.upserted else 0.0

    @property
    def jump_share(self) -> float:
        return self.jumps / self.compared if self.compared > 0 else 0.0


def block(counts: PromotionCounts) -> Block | None:
    """The URL gate is looked at first, and its reason wins when both trip (FN-19)."""
    if counts.url_hash_share > URL_HASH_SHARE or counts.url_hash > URL_HASH_MAX_COUNT:
        return Block.URL_HASH
    if counts.would_expire >= SPIKE_MAX_COUNT:
        return Block.SPIKE
    if counts.expire_share > SPIKE_SHARE and counts.would_expire >= SPIKE_MIN_COUNT:
        return Block.SPIKE
    if counts.jumps >= JUMP_MIN_COUNT and counts.jump_share > JUMP_SHARE:
        return Block.PRICES
    return None
