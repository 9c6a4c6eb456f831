"""The gate that holds a run in which most prices jump, as a table."""

from __future__ import annotations

import pytest

from winnow.feeds.promote.breaker import Block, PromotionCounts, block

CASES = [
    # jumps, compared, expected
    (0, 40, None),
    (40, 40, Block.PRICES),
    (21, 40, Block.PRICES),
    (20, 40, None),  # half is not most
    (3, 3, Block.PRICES),
    (2, 2, None),  # one or two prices prove nothing
    (3, 0, None),  # a first load has nothing to compare with
]


@pytest.mark.parametrize(("jumps", "compared", "expected"), CASES)
def test_a_run_is_held_when_more_than_half_of_its_prices_jump(
    jumps: int, compared: int, expected: Block | None
) -> None:
    counts = PromotionCounts(
        active=compared, seen=compared, upserted=compared, url_hash=0, jumps=jumps, compared=compared
    )
    assert block(counts) is expected


def test_fn19_an_earlier_gate_names_the_reason() -> None:
    counts = PromotionCounts(active=100, seen=10, upserted=10, url_hash=0, jumps=10, compared=10)
    assert block(counts) is Block.SPIKE
