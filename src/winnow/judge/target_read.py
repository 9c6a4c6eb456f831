"""Page -> results of one target type, each with its verdict. Everything here can cross a process border (R-17)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from winnow.errors import InvalidInput
from winnow.extract.adapter import Context
from winnow.extract.draft import Attempt, Draft, Failure, Reason, Strategy
from winnow.extract.page import Page
from winnow.judge.target_type import TargetType, fields_of
from winnow.judge.verdict import Decision, Finding, Hold, Reject, Verdict
from winnow.normalise.doubts import Unread
from winnow.normalise.fields import Normalised


class TargetResult(msgspec.Struct, frozen=True, kw_only=True):
    """`data` holds the requested fields, null where the page says nothing; `problems` why a stated value is null."""

    data: dict[str, Any]
    verdict: Verdict
    problems: dict[str, Unread] = {}
    provenance: dict[str, str] = {}


class TargetRead(msgspec.Struct, frozen=True, kw_only=True):
    """Either `failure` says why nothing was read, or `results` holds one result (of events, one per event)."""

    target_type: str
    version: str
    failure: Reason | None = None
    details: str = ""
    results: list[TargetResult] = []
    strategy: Strategy | None = None
    trace: list[Attempt] = []


def read_target(target: TargetType, page: Page, ctx: Context, requested: Sequence[str] | None = None) -> TargetRead:
    """`requested` limits which fields come back (S-030); None means all."""
    wanted = wanted_fields(target, requested)
    extraction = target.extract(page, ctx)
    if isinstance(extraction, Failure):
        return TargetRead(
            target_type=target.name,
            version=target.version,
            failure=extraction.reason,
            details=extraction.details,
            trace=extraction.trace,
        )
    return TargetRead(
        target_type=target.name,
        version=target.version,
        results=[_result(target, draft, ctx, wanted) for draft in extraction.drafts],
        strategy=extraction.strategy,
        trace=extraction.trace,
    )


def wanted_fields(target: TargetType, requested: Sequence[str] | None) -> list[str]:
    """All fields, or the requested ones. One the type does not have is null like any other the page does not state;
    `check_fields` is for whoever wants to be told."""
    return list(dict.fromkeys(requested)) if requested is not None else fields_of(target)


def check_fields(target: TargetType, requested: Sequence[str] | None) -> None:
    known = fields_of(target)
    unknown = [name for name in requested or [] if name not in known]
    if unknown:
        raise InvalidInput(f"{target.name} has no field {unknown[0]!r}; it has {', '.join(known)}", "requested_fields")


def _result(target: TargetType, draft: Draft, ctx: Context, wanted: list[str]) -> TargetResult:
    found = target.normalise(draft, ctx)
    data = found.result.model_dump(mode="json")
    return TargetResult(
        data={name: data.get(name) for name in wanted},
        verdict=target.judge(found, draft, ctx),
        problems={name: trouble for name, trouble in found.problems.items() if name in wanted},
        provenance={name: place for name, place in found.provenance.items() if name in wanted},
    )


def judge_required(found: Normalised, required: Sequence[str]) -> Verdict:
    """Without the field that says what it is about nothing is accepted: rejected when the page does not state it,
    held when it does and it cannot be read."""
    missing = [name for name in required if getattr(found.result, name) is None]
    held = [name for name in missing if name in found.problems]
    if held:
        details = f"{held[0]}: {found.problems[held[0]].why}"
        return Verdict(Decision.HOLD, [Finding("required", Hold.NORMALIZATION_FAILED, details)])
    if missing:
        return Verdict(Decision.REJECT, [Finding("required", Reject.MISSING_REQUIRED_FIELD, missing[0])])
    return Verdict(Decision.ACCEPT)
