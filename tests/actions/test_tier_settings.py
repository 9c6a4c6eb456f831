"""The ways of a source are set by a person and checked (E-033 … E-035)."""

from __future__ import annotations

from typing import Any

import pytest

from winnow.actions import validation
from winnow.errors import InvalidInput
from winnow.fetch.tiers import Known, Way, ladder_of

S, D, B = Way.STATIC, Way.DYNAMIC, Way.SCRAPINGBEE


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ({}, {}),
        ({"tiers": None}, {}),
        ({"feedGuessing": True}, {"feedGuessing": True}),
        ({"feedGuessing": False, "tiers": ["static"]}, {"feedGuessing": False, "tiers": ["static"]}),
        ({"tiers": ["dynamic", "static"]}, {"tiers": ["static", "dynamic"]}),
        ({"tiers": ["scrapingbee", "scrapingbee"]}, {"tiers": ["scrapingbee"]}),
    ],
)
def test_e033_the_ways_a_person_names_are_kept_lowest_first(said: Any, kept: Any) -> None:
    assert validation.tier_config(said) == kept


@pytest.mark.parametrize(
    "said",
    [
        {"tiers": []},
        {"tiers": "static"},
        {"tiers": ["curl"]},
        {"tier": ["static"]},
        {"tiers": [1]},
        {"feedGuessing": "yes"},
    ],
)
def test_e033_anything_else_is_refused(said: Any) -> None:
    with pytest.raises(InvalidInput):
        validation.tier_config(said)


@pytest.mark.parametrize(
    ("tiers", "there", "ladder"),
    [
        (["static"], (S, D, B), (S,)),
        (["static", "scrapingbee"], (S, D, B), (S, B)),
        (["dynamic"], (S,), (D,)),  # its fetch says that the browser is missing; nothing goes out another way
        (["scrapingbee"], (S, D), (B,)),
    ],
)
def test_e035_only_the_named_ways_are_taken(tiers: list[str], there: Any, ladder: Any) -> None:
    assert ladder_of(Known(tiers=tiers), there) == ladder
