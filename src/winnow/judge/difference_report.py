"""Sums up comparisons: the changes a candidate would make, with a few examples of each. Its size is bounded."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from winnow.judge.compare import Change, Difference, Facts, PageFacts, differences, pairs

EXAMPLES = 3  # of each field and kind


class Effect(StrEnum):
    """The effect of the candidate on one record."""

    SAME = "same"
    CHANGED = "changed"
    GAINED = "gained"  # accepted only by the candidate, or accepted by both and with more fields
    LOST = "lost"  # accepted only before


class Example(msgspec.Struct, frozen=True):
    url: str
    kind: Change
    before: str | None
    after: str | None


class FieldReport(msgspec.Struct):
    same: int = 0
    changed: int = 0
    found: int = 0
    lost: int = 0
    examples: list[Example] = msgspec.field(default_factory=list)


class DifferenceReport(msgspec.Struct):
    """`missing`: pages whose bytes are no longer in the archive. The next four count records. `became` counts verdicts:
    `accept -> hold`."""

    pages: int = 0
    missing: int = 0
    same: int = 0
    changed: int = 0
    gained: int = 0
    lost: int = 0
    became: dict[str, int] = msgspec.field(default_factory=dict)
    fields: dict[str, FieldReport] = msgspec.field(default_factory=dict)

    @property
    def regressions(self) -> int:
        """Number of records that would change or disappear. New records are no reason to stop."""
        return self.changed + self.lost

    def add(self, url: str, before: PageFacts, after: PageFacts) -> None:
        """One page read twice."""
        self.pages += 1
        for _, old, new in pairs(before, after):
            self._add_record(url, old, new)

    def _add_record(self, url: str, before: Facts, after: Facts) -> None:
        found = differences(before, after)
        effect = effect_of(before, after, found)
        setattr(self, effect.value, getattr(self, effect.value) + 1)
        if before.get("verdict") != after.get("verdict"):
            step = f"{before.get('verdict', 'nothing')} -> {after.get('verdict', 'nothing')}"
            self.became[step] = self.became.get(step, 0) + 1
        self._count(url, before, found)

    def _count(self, url: str, before: Mapping[str, str], found: list[Difference]) -> None:
        different = {difference.field for difference in found}
        for name in before:
            if name not in different:
                self.fields.setdefault(name, FieldReport()).same += 1
        for difference in found:
            field = self.fields.setdefault(difference.field, FieldReport())
            setattr(field, difference.kind.value, getattr(field, difference.kind.value) + 1)
            if sum(example.kind is difference.kind for example in field.examples) < EXAMPLES:
                field.examples.append(Example(url, difference.kind, difference.before, difference.after))


def effect_of(before: Facts, after: Facts, found: list[Difference]) -> Effect:
    was, is_ = before.get("verdict") == "accept", after.get("verdict") == "accept"
    if was != is_:
        return Effect.GAINED if is_ else Effect.LOST
    if not found:
        return Effect.SAME
    only_found = all(difference.kind is Change.FOUND for difference in found)
    return Effect.GAINED if is_ and only_found else Effect.CHANGED
