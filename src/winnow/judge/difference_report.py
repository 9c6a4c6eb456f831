"""Many comparisons added up: what a candidate would change, with a few examples of each. Bounded, whatever comes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from winnow.judge.compare import FIELDS, Difference, Facts, Kind, differences

EXAMPLES = 3  # of each field and kind


class PageChange(StrEnum):
    """What the whole page became."""

    SAME = "same"
    CHANGED = "changed"
    GAINED = "gained"  # accepted only by the candidate
    LOST = "lost"  # accepted only before


class Example(msgspec.Struct, frozen=True):
    url: str
    kind: Kind
    before: str | None
    after: str | None


class FieldReport(msgspec.Struct):
    same: int = 0
    changed: int = 0
    found: int = 0
    lost: int = 0
    examples: list[Example] = msgspec.field(default_factory=list)


class Report(msgspec.Struct):
    """`missing`: pages whose bytes are no longer in the archive. `became` counts verdicts: `accept -> hold`."""

    pages: int = 0
    missing: int = 0
    same: int = 0
    changed: int = 0
    gained: int = 0
    lost: int = 0
    became: dict[str, int] = msgspec.field(default_factory=dict)
    fields: dict[str, FieldReport] = msgspec.field(default_factory=dict)

    @property
    def worse(self) -> int:
        """Pages that would say something else, or nothing at all. What is only gained is no reason to stop."""
        return self.changed + self.lost

    def add(self, url: str, before: Facts, after: Facts) -> tuple[PageChange, list[Difference]]:
        found = differences(before, after)
        ending = change_of(before, after, found)
        self.pages += 1
        setattr(self, ending.value, getattr(self, ending.value) + 1)
        if before.get("verdict") != after.get("verdict"):
            step = f"{before.get('verdict')} -> {after.get('verdict')}"
            self.became[step] = self.became.get(step, 0) + 1
        self._count(url, before, found)
        return ending, found

    def _count(self, url: str, before: Mapping[str, str], found: list[Difference]) -> None:
        different = {difference.field for difference in found}
        for name in FIELDS:
            if name in before and name not in different:
                self.fields.setdefault(name, FieldReport()).same += 1
        for difference in found:
            field = self.fields.setdefault(difference.field, FieldReport())
            setattr(field, difference.kind.value, getattr(field, difference.kind.value) + 1)
            if sum(example.kind is difference.kind for example in field.examples) < EXAMPLES:
                field.examples.append(Example(url, difference.kind, difference.before, difference.after))


def change_of(before: Facts, after: Facts, found: list[Difference]) -> PageChange:
    was, is_ = before.get("verdict") == "accept", after.get("verdict") == "accept"
    if was != is_:
        return PageChange.GAINED if is_ else PageChange.LOST
    if not found:
        return PageChange.SAME
    only_found = all(difference.kind is Kind.FOUND for difference in found)
    return PageChange.GAINED if is_ and only_found else PageChange.CHANGED
