"""The pure stages in one call: page -> drafts -> offer -> verdict.

Everything in an Assessment can cross a process border as msgpack, because pages are parsed in a process
that can be killed (R-17).
"""

from __future__ import annotations

import msgspec

from winnow.extract.adapter import Adapter, Context
from winnow.extract.draft import Attempt, Draft, Extraction, Failure, Reason, Strategy
from winnow.extract.page import Page
from winnow.judge.gates import PriceHistory, judge_offer
from winnow.judge.target_adapter import TargetAdapter
from winnow.judge.target_read import TargetRead, read_target
from winnow.judge.verdict import Verdict
from winnow.normalise.record import Offer


class Assessment(msgspec.Struct, frozen=True, kw_only=True):
    """Either `failure` says why nothing was extracted, or `verdict` is set with what it is about: an `offer`, or
    what was `read` of a target type (the first result decides). `duration_ms` is filled in by whoever holds the
    clock."""

    failure: Reason | None = None
    details: str = ""
    drafts: list[Draft] = []
    offer: Offer | None = None
    read: TargetRead | None = None
    verdict: Verdict | None = None
    strategy: Strategy | None = None
    trace: list[Attempt] = []
    duration_ms: int = 0


class Expectations(msgspec.Struct, frozen=True):
    """What the judge knows before it sees the offer. Without `currencies`, the source's own is expected."""

    currencies: list[str] | None = None
    history: PriceHistory | None = None


NOTHING_KNOWN = Expectations()


def assess(page: Page, adapter: Adapter[Offer], ctx: Context, known: Expectations = NOTHING_KNOWN) -> Assessment:
    if isinstance(adapter, TargetAdapter):
        return _of_target(read_target(adapter.target, page, ctx, ctx.fields))
    return _judged(adapter.extract(page, ctx), adapter, ctx, known)


def assess_fast(
    page: Page, adapter: Adapter[Offer], ctx: Context, known: Expectations = NOTHING_KNOWN
) -> Assessment | None:
    """Without a DOM and in bounded time; None when only `assess` can tell."""
    extraction = adapter.fast(page, ctx)
    return None if extraction is None else _judged(extraction, adapter, ctx, known)


def _judged(extraction: Extraction, adapter: Adapter[Offer], ctx: Context, known: Expectations) -> Assessment:
    if isinstance(extraction, Failure):
        return Assessment(failure=extraction.reason, details=extraction.details, trace=extraction.trace)
    offer = adapter.normalise(extraction.drafts[0], ctx)
    currencies = known.currencies or (ctx.currency and [ctx.currency])
    return Assessment(
        drafts=extraction.drafts,
        offer=offer,
        verdict=judge_offer(offer, currencies, known.history),
        strategy=extraction.strategy,
        trace=extraction.trace,
    )


def _of_target(read: TargetRead) -> Assessment:
    """One thing was asked for: the verdict is that of the first thing the page is about."""
    return Assessment(
        failure=read.failure,
        details=read.details,
        read=read if read.results else None,
        verdict=read.results[0].verdict if read.results else None,
        strategy=read.strategy,
        trace=read.trace,
    )
