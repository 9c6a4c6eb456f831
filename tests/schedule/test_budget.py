from __future__ import annotations

import msgspec
import pytest

from winnow.schedule.budget import Budget, BudgetUse, CutBy, depth_of

BUDGET = Budget(roles={"detail": 2, "next_page": 0, "item": 5}, pages=3, depth=2, seconds=60, bytes=100)
FRESH = BudgetUse(budget=BUDGET)


@pytest.mark.parametrize(
    ("used", "why"),
    [
        ({}, None),
        ({"stopping": True, "late": True}, CutBy.CANCELLED),
        ({"late": True, "bytes": 100}, CutBy.TIME),
        ({"bytes": 100}, CutBy.BYTES),
        ({"bytes": 99}, None),
        ({"queued": 3}, CutBy.PAGES),
        ({"queued": 2}, None),
    ],
)
def test_what_ends_following(used: dict, why: CutBy | None):
    assert msgspec.structs.replace(FRESH, **used).ended_by() == why


def test_only_roles_with_a_limit_are_wanted():
    assert FRESH.wanted == ["detail", "item"]


@pytest.mark.parametrize(("made", "left"), [({}, 2), ({"detail": 1, "item": 5}, 1), ({"detail": 7}, 0)])
def test_what_is_left_of_a_role(made: dict, left: int):
    assert msgspec.structs.replace(FRESH, by_role=made).remaining("detail") == left


@pytest.mark.parametrize(
    ("role", "depth", "used", "reached"),
    [
        ("detail", 2, {}, True),
        ("detail", 3, {}, False),
        ("feed", 1, {}, False),
        ("detail", 1, {"by_role": {"detail": 2}}, False),
        ("detail", 1, {"queued": 3}, False),
    ],
)
def test_which_links_may_be_visited(role: str, depth: int, used: dict, reached: bool):
    assert msgspec.structs.replace(FRESH, **used).allows(role, depth) is reached


def test_further_pages_of_a_list_are_as_deep_as_the_list():
    assert [depth_of(role, 1) for role in ("next_page", "detail", "item", "image")] == [1, 2, 2, 2]
