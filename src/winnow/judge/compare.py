"""What two readings of one page say differently, field by field. Used by recorded pages, replay and shadow."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from winnow.judge.verdict import Verdict

Facts = dict[str, str]  # fields that the page does not have are left out
PageFacts = dict[str, Facts]  # by the key of the record
NOTHING = "nothing found"
LAST = ("verdict", "reason")  # they follow from the others


class Change(StrEnum):
    CHANGED = "changed"
    FOUND = "found"  # only the second reading has it
    LOST = "lost"  # only the first one had it


class Difference(msgspec.Struct, frozen=True):
    field: str
    kind: Change
    before: str | None
    after: str | None
    key: str = ""


def with_verdict(facts: Facts, verdict: Verdict) -> Facts:
    texts = {"verdict": verdict.decision.value, "reason": verdict.reason or ""}
    return facts | {name: value for name, value in texts.items() if value}


def failure_facts(reason: str | None) -> PageFacts:
    """The facts of a page that gave no record."""
    return {"": {"verdict": "failure", "reason": reason or NOTHING}}


def pairs(before: PageFacts, after: PageFacts) -> list[tuple[str, Facts, Facts]]:
    """The records of two readings, side by side. Where both have one, these two are compared whatever their keys: a
    changed identity is a change of the record, not another record."""
    if len(before) == len(after) == 1:
        (key, new), (old,) = next(iter(after.items())), before.values()
        return [(key, old, new)]
    keys = [*before, *(key for key in after if key not in before)]
    return [(key, before.get(key, {}), after.get(key, {})) for key in keys]


def differences(before: Mapping[str, str], after: Mapping[str, str], key: str = "") -> list[Difference]:
    names = [*before, *(name for name in after if name not in before)]
    ordered = [n for n in names if n not in LAST] + [n for n in LAST if n in names]
    return [
        Difference(name, _change(before.get(name), after.get(name)), before.get(name), after.get(name), key)
        for name in ordered
        if before.get(name) != after.get(name)
    ]


def _change(before: str | None, after: str | None) -> Change:
    if before is None:
        return Change.FOUND
    return Change.LOST if after is None else Change.CHANGED
