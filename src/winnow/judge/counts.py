"""How many of a page's records were accepted, held and rejected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from winnow.judge.verdict import Decision, Verdict


class VerdictCounts(msgspec.Struct, frozen=True):
    """The verdicts on a page's records. An outcome is one word for a page; these are what it had."""

    accepted: int = 0
    held: int = 0
    rejected: int = 0


def count(verdicts: Iterable[Verdict]) -> VerdictCounts:
    found = Counter(verdict.decision for verdict in verdicts)
    return VerdictCounts(found[Decision.ACCEPT], found[Decision.HOLD], found[Decision.REJECT])
