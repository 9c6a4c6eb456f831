"""Which of many proposed merges are made: a batch of them costs as many statements as one. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """One of the events that are shown as one."""

    id: int
    source_id: int
    merged_into: int | None
    event_time: str


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """Two events that rules found to be one."""

    a: int
    b: int
    reason: str
    score: float
    facts: dict[str, Any]


class Join(msgspec.Struct, frozen=True, kw_only=True):
    """A merge to be made, of the shown events of two groups."""

    kept_id: int
    merged_id: int
    proposal: Proposal


def kept_first(a: Member, b: Member) -> tuple[Member, Member]:
    """The one that has an hour is shown, else the one that was known first."""
    kept, other = sorted((a, b), key=lambda one: (one.event_time == "TBD", one.id))
    return kept, other


class Groups:
    """Events that stand together, the shown one first. `apart`: pairs that a person found to be two."""

    def __init__(self, groups: Mapping[int, Sequence[Member]], apart: Iterable[tuple[int, int]]) -> None:
        self._of: dict[int, list[Member]] = {}
        for members in groups.values():
            if members[0].id not in self._of:
                self._of |= {member.id: list(members) for member in members}
        self._apart: dict[int, set[int]] = {}
        for one, other in apart:
            self._apart.setdefault(one, set()).add(other)
            self._apart.setdefault(other, set()).add(one)

    def join(self, proposal: Proposal) -> Join | None:
        """None where they stand together already, or may not: one of them with an event of the other's source, or a
        pair that a person took apart."""
        ours, theirs = self._of[proposal.a], self._of[proposal.b]
        if {one.id for one in ours} & {one.id for one in theirs} or self._may_not(ours, theirs):
            return None
        kept, other = kept_first(ours[0], theirs[0])
        together = [kept, *(one for one in [*ours, *theirs] if one.id != kept.id)]
        self._of |= {one.id: together for one in together}
        return Join(kept_id=kept.id, merged_id=other.id, proposal=proposal)

    def _may_not(self, ours: Sequence[Member], theirs: Sequence[Member]) -> bool:
        if {one.source_id for one in ours} & {one.source_id for one in theirs}:
            return True
        ids = {one.id for one in theirs}
        return any(self._apart.get(one.id, set()) & ids for one in ours)

    def members(self, joins: Iterable[Join]) -> list[int]:
        """All that stand together with what was joined: which one they are shown as has to be derived anew."""
        return sorted({one.id for join in joins for one in self._of[join.kept_id]})
