"""The records of a page as text fields: compared by recorded pages, replays and shadows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from winnow.errors import InvalidInput
from winnow.judge.compare import Facts, PageFacts, failure_facts, with_verdict
from winnow.judge.verdict import Decision, Finding, Verdict
from winnow.kinds.assess import Assessment
from winnow.kinds.kind import Kind

UNREADABLE = {"verdict": "failure", "reason": "unreadable record"}


def facts_of(assessment: Assessment, kind: Kind) -> PageFacts:
    """The verdicts are those without a history: a page alone says the same today and in a year."""
    if not assessment.records:
        reason = "empty" if assessment.empty is not None else assessment.failure and assessment.failure.value
        return failure_facts(reason)
    return {one.key: with_verdict(kind.facts(one.data), one.verdict) for one in assessment.records}


def facts_of_stored(
    records: Sequence[dict[str, Any]], reason: str | None, kind: Kind, currency: str | None
) -> PageFacts:
    """What was made of a page when it was visited; judged again without a history, like the candidate's reading."""
    if not records:
        return failure_facts(reason)
    return {str(record["key"]): _stored(record, kind, currency) for record in records}


def _stored(record: dict[str, Any], kind: Kind, currency: str | None) -> Facts:
    payload = record["payload"]
    try:
        verdict = kind.judge_stored(payload, currency) if kind.judge_stored and payload else _verdict(record)
        return with_verdict(kind.facts(payload), verdict)
    except InvalidInput:
        return dict(UNREADABLE)


def _verdict(record: dict[str, Any]) -> Verdict:
    reason = record["reason"]
    return Verdict(Decision(record["verdict"]), [Finding("stored", reason)] if reason else [])
