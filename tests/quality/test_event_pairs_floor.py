"""Events of two sources merged by rules. Precision counts first: a wrong merge hides an event (DESIGN §11.30)."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.quality.event_pairs import Pair, pairs
from winnow.store.events.matching.decision import Match, decide

MIN_PAIRS, PRECISION, RECALL = 200, 0.99, 0.85


def outcomes() -> list[tuple[Pair, Match]]:
    return [(pair, decide(pair.left, pair.right).outcome) for pair in pairs()]


def test_e073_merges_by_rules_are_right_and_enough() -> None:
    found = outcomes()
    assert len(found) >= MIN_PAIRS
    merged = [pair for pair, outcome in found if outcome is Match.MERGE]
    wrong = [pair for pair in merged if not pair.same]
    same = [pair for pair, _ in found if pair.same]
    missed = Counter(pair.sort for pair, outcome in found if pair.same and outcome is not Match.MERGE)
    assert 1 - len(wrong) / len(merged) >= PRECISION, [(p.sort, p.left.title, p.right.title) for p in wrong]
    assert sum(pair.same for pair in merged) / len(same) >= RECALL, missed


def test_a_decision_does_not_depend_on_which_side_is_first() -> None:
    for pair in pairs():
        assert decide(pair.left, pair.right).outcome is decide(pair.right, pair.left).outcome, pair


@pytest.mark.parametrize("cosine", [0.0, 0.99, 1.0])
def test_e073_vectors_alone_merge_nothing(cosine: float) -> None:
    """Second nights, other hours, towns and acts stay two whatever a model says of their titles."""
    sure = ("second night", "matinee and evening", "two towns", "another act", "second show", "festival day")
    for pair in pairs():
        if pair.sort in sure:
            found = decide(pair.left, pair.right, lambda a, b: cosine)
            assert found.outcome is not Match.MERGE, pair
