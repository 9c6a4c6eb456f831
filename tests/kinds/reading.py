"""Pages read in tests: as one offer, or as results of a target type, in the shape assertions are easy to write in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from winnow.extract.adapter import Adapter, Context
from winnow.extract.draft import Attempt, Draft, Reason, Strategy
from winnow.extract.page import Page
from winnow.judge.compare import Facts
from winnow.judge.verdict import Verdict
from winnow.kinds import assess as assessing
from winnow.kinds import facts, recorded
from winnow.kinds.assess import Assessment
from winnow.kinds.generic import GenericAdapter
from winnow.kinds.kind import FieldProblem, Kind
from winnow.kinds.offer import OFFER
from winnow.kinds.registry import all_kinds
from winnow.normalise.record import Offer

GENERIC = GenericAdapter(OFFER)


class OfferRead(msgspec.Struct, frozen=True, kw_only=True):
    """A page read as one offer."""

    failure: Reason | None
    details: str
    drafts: list[Draft]
    offer: Offer | None
    verdict: Verdict | None
    strategy: Strategy | None
    trace: list[Attempt]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    data: dict[str, Any]
    verdict: Verdict
    problems: dict[str, FieldProblem]
    provenance: dict[str, str]


class TargetRead(msgspec.Struct, frozen=True, kw_only=True):
    """A page read as a target type: one result, or one of each entry."""

    target_type: str
    version: str
    failure: Reason | None
    details: str
    results: list[Result]
    strategy: Strategy | None
    trace: list[Attempt]


def assess(page: Page, adapter: Adapter, ctx: Context) -> OfferRead:
    return _offer(assessing.assess(page, adapter, all_kinds().get(adapter.kind), ctx))


def assess_fast(page: Page, adapter: Adapter, ctx: Context) -> OfferRead | None:
    found = assessing.assess_fast(page, adapter, all_kinds().get(adapter.kind), ctx)
    return None if found is None else _offer(found)


def facts_of(page: Page, adapter: Adapter, ctx: Context) -> Facts:
    """What the page says, as a recorded page keeps it."""
    kind = all_kinds().get(adapter.kind)
    return recorded.single(facts.facts_of(assessing.assess(page, adapter, kind, ctx), kind))


def _offer(found: Assessment) -> OfferRead:
    return OfferRead(
        failure=found.failure,
        details=found.details,
        drafts=found.drafts,
        offer=found.records[0].decode(Offer) if found.records else None,
        verdict=found.verdict,
        strategy=found.strategy,
        trace=found.trace,
    )


def read_target(kind: Kind, page: Page, ctx: Context, requested: Sequence[str] | None = None) -> TargetRead:
    wanted = ctx if requested is None else msgspec.structs.replace(ctx, fields=list(requested))
    found = assessing.assess(page, GenericAdapter(kind), kind, wanted)
    return TargetRead(
        target_type=kind.target_type or kind.name,
        version=kind.version,
        failure=found.failure,
        details=found.details,
        results=[
            Result(data=one.data, verdict=one.verdict, problems=one.content.problems, provenance=one.content.provenance)
            for one in found.records
        ],
        strategy=found.strategy,
        trace=found.trace,
    )
