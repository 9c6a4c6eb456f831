"""Events of two sources merged by rules. Precision counts first: a wrong merge hides an event (DESIGN §11.30)."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.quality.event_pairs import audited, held_out, labelled, pairs, side
from winnow.store.events.matching.decision import Match, Similarity, decide

MIN_PAIRS, PRECISION, RECALL = 200, 0.99, 0.85


# Made from patterns, so that every pattern meets a dozen names; and written one by one.
SETS = {"patterns": pairs, "labelled": labelled, "held out": held_out, "audited": audited}


@pytest.mark.parametrize("name", SETS)
def test_e073_merges_by_rules_are_right_and_enough(name: str) -> None:
    found = [(pair, decide(pair.left, pair.right).outcome) for pair in SETS[name]()]
    assert len(found) >= MIN_PAIRS
    merged = [pair for pair, outcome in found if outcome is Match.MERGE]
    wrong = [pair for pair in merged if not pair.same]
    same = [pair for pair, _ in found if pair.same]
    missed = Counter(pair.sort for pair, outcome in found if pair.same and outcome is not Match.MERGE)
    assert 1 - len(wrong) / len(merged) >= PRECISION, [(p.sort, p.left.title, p.right.title) for p in wrong]
    assert sum(pair.same for pair in merged) / len(same) >= RECALL, missed


def test_a_decision_does_not_depend_on_which_side_is_first() -> None:
    for pair in [*pairs(), *labelled(), *held_out(), *audited()]:
        assert decide(pair.left, pair.right).outcome is decide(pair.right, pair.left).outcome, pair


def test_no_labelled_pair_is_written_twice() -> None:
    found = [(pair.left, pair.right) for pair in [*labelled(), *held_out(), *audited()]]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("cosine", [0.0, 0.99, 1.0])
def test_e073_vectors_alone_merge_nothing(cosine: float) -> None:
    """Second nights, other hours, towns and acts stay two whatever a model says of their titles."""
    sure = ("second night", "matinee and evening", "two towns", "another act", "second show", "festival day")
    for pair in pairs():
        if pair.sort in sure:
            found = decide(pair.left, pair.right, lambda a, b: Similarity(cosine))
            assert found.outcome is not Match.MERGE, pair


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Kobalt", "Backstage bij Kobalt"),
        ("Cursus Italiaans", "Cursus Italiaans koken"),
        ("Finale Popprijs", "Halve finale Popprijs"),
        ("Waterfestival - vrijdag", "Waterfestival - zaterdag"),
        ("Avondwandeling", "Ochtendwandeling"),
        ("Wolkenjagers", "Wolkenjagers: kinderworkshop"),
    ],
)
def test_e073_a_title_that_another_one_contains_is_not_enough(left: str, right: str) -> None:
    assert decide(side(1, left), side(2, right)).outcome is not Match.MERGE


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Kobalt", "Film: Kobalt"),
        ("Bevrijdingsfeest", "Bevrijdingsfeest op de Neude"),
        ("Duo Kersen", "Lunchconcert Duo Kersen"),
        ("Big Band Noord", "Big Band Noord o.l.v. Piet Halm"),
        ("Müller Trio", "Mueller Trio"),
        ("Kinderboekenmarkt Griftpark", "Children's book market Griftpark"),
    ],
)
def test_e073_a_title_with_a_part_for_the_other_one_is_merged(left: str, right: str) -> None:
    assert decide(side(1, left), side(2, right)).outcome is Match.MERGE
