"""The pure stages in one call: page -> drafts -> records, each with its verdict; and the links that lead on.

Everything in an Assessment can cross a process border as msgpack, because pages are parsed in a process that can be
killed (R-17). That is why a record travels as the JSON it is stored as: the border knows no type of any kind.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from winnow.extract import target_choice
from winnow.extract.adapter import Adapter, Context
from winnow.extract.draft import (
    Attempt,
    Draft,
    Extracted,
    Extraction,
    Failure,
    Link,
    Reason,
    Role,
    Strategy,
    limit_blocks,
)
from winnow.extract.links.crawled_page import read_crawled
from winnow.extract.page import Page
from winnow.extract.selector_set import SelectorSet
from winnow.judge.verdict import Decision, Finding, RecordFault, Verdict, best_of
from winnow.kinds.kind import Content, Kind, digest

MAX_RECORDS = 2_000  # a page; decoding 2 000 takes 16 ms of the worker's loop, 10 000 would outlive a grant
BROKEN = "broken:"  # the key of a draft that could not be normalised, before its digest
UNKEYED = "unkeyed:"  # the key of a record that nothing identifies


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """One record with its verdict. `key` is stable within its source and kind, and never its position; `draft` is the
    position of the draft it was made of."""

    key: str
    draft: int
    verdict: Verdict
    content: Content

    def decode(self, record: Any) -> Any:
        return msgspec.json.decode(self.content.payload, type=record)

    @property
    def data(self) -> dict[str, Any]:
        decoded: dict[str, Any] = msgspec.json.decode(self.content.payload)
        return decoded


class Assessment(msgspec.Struct, frozen=True, kw_only=True):
    """What a page gave: records, links, the page's own word that there is nothing (`empty`), or the `failure` why
    nothing was read. `deferred` are records that wait for their detail page, `duplicates` drafts of a key that the
    page has already, `cut` what a limit left out."""

    failure: Reason | None = None
    details: str = ""
    drafts: list[Draft] = []
    records: list[Judged] = []
    links: list[Link] = []
    empty: str | None = None
    deferred: list[Judged] = []
    duplicates: int = 0
    cut: int = 0
    strategy: Strategy | None = None
    cms: str = ""
    selectors: SelectorSet | None = None
    trace: list[Attempt] = []

    @property
    def verdict(self) -> Verdict | None:
        """The best of its records' verdicts."""
        return best_of([judged.verdict for judged in self.records])


def assess(page: Page, adapter: Adapter, kind: Kind, ctx: Context) -> Assessment:
    if not kind.needs_price:
        ctx = msgspec.structs.replace(ctx, needs_price=False)
    # A generic adapter serves several kinds, and each reads in its own way.
    read = kind.read if adapter.id == kind.generic_adapter else adapter.extract
    if ctx.crawl is None:
        extraction = read(page, ctx)
    else:
        extraction = read_crawled(page, ctx.crawl, ctx.listed, lambda: read(page, ctx))
    if ctx.choice is not None:
        extraction = target_choice.apply(extraction, page, ctx.choice)
    return _assessed(extraction, adapter, kind, ctx)


def assess_fast(page: Page, adapter: Adapter, kind: Kind, ctx: Context) -> Assessment | None:
    """Without a DOM and in bounded time; None when only `assess` can tell. Links and detail pages need a DOM."""
    if ctx.follow or ctx.seed is not None or ctx.choice is not None:
        return None
    fast = kind.fast if adapter.id == kind.generic_adapter else adapter.fast
    extraction = fast(page, ctx)
    return None if extraction is None else _assessed(extraction, adapter, kind, ctx)


def _assessed(extraction: Extraction, adapter: Adapter, kind: Kind, ctx: Context) -> Assessment:
    found = completed(extraction, ctx.seed)
    if isinstance(found, Failure):
        return Assessment(failure=found.reason, details=found.details, trace=found.trace)
    drafts = limit_blocks(found.drafts[:MAX_RECORDS])
    context = _context_for(adapter, ctx, listing=len(found.drafts) > 1)
    judged = [_judge(n, draft, adapter, kind, context) for n, draft in enumerate(drafts)]
    single, duplicates = _one_per_key(judged, drafts)
    records, deferred = _deferred(single, found.links, kind, ctx)
    return Assessment(
        drafts=drafts,
        records=records,
        links=_seeded(found.links, drafts, ctx.follow),
        empty=found.empty,
        deferred=deferred,
        duplicates=duplicates,
        cut=found.cut + len(found.drafts) - len(drafts),
        strategy=found.strategy,
        cms=found.cms,
        selectors=found.selectors,
        trace=found.trace,
    )


def completed(extraction: Extraction, seed: Draft | None) -> Extraction:
    """A detail page's draft with what its listing gave where the page itself does not; the listing's draft alone where
    nothing could be read."""
    if seed is None:
        return extraction
    if isinstance(extraction, Failure):
        return Extracted([seed], Strategy.DOM, extraction.trace)
    if len(extraction.drafts) > 1:
        return extraction
    own = extraction.drafts[0] if extraction.drafts else Draft(seed.kind, {})
    draft = Draft(seed.kind, {**seed.values, **own.values}, own.block or seed.block)
    return msgspec.structs.replace(extraction, drafts=[draft], empty=None)


def _context_for(adapter: Adapter, ctx: Context, *, listing: bool) -> Context:
    """What normalising knows besides: who read the page, and whether it is one thing or a list of them."""
    return msgspec.structs.replace(ctx, adapter_id=adapter.id, adapter_version=adapter.version, listing=listing)


def _judge(n: int, draft: Draft, adapter: Adapter, kind: Kind, ctx: Context) -> Judged:
    """A draft that breaks its normaliser costs itself, not its page. The adapter's currency is a hint for reading, the
    source's is also what the judge expects."""
    normalise = getattr(adapter, "normalise", None) or kind.normalise  # P-053: an adapter may have its own
    own = getattr(adapter, "currency", None)
    near = ctx if ctx.currency or own is None else msgspec.structs.replace(ctx, currency=own)
    try:
        record = normalise(draft, near)
        verdict = kind.judge(record, draft, ctx)
        content = kind.content(record, ctx)
        key = kind.key(record, ctx)
    except Exception as defect:  # noqa: BLE001 - any defect of a reader; it is a rejection with its reason
        return _broken(n, draft, defect)
    if key:
        return Judged(key=key, draft=n, verdict=verdict, content=content)
    finding = Finding("identity", RecordFault.NO_IDENTITY, "nothing identifies this entry of the list")
    rejected = Verdict(Decision.REJECT, [finding, *verdict.findings])
    return Judged(key=UNKEYED + content.digest, draft=n, verdict=rejected, content=content)


def _broken(n: int, draft: Draft, defect: Exception) -> Judged:
    payload = msgspec.json.encode(draft.values)
    found_digest = digest(payload)
    finding = Finding("normalise", RecordFault.BROKEN_RECORD, f"{type(defect).__name__}: {defect}"[:200])
    content = Content(payload=b"{}", digest=found_digest)
    return Judged(key=BROKEN + found_digest, draft=n, verdict=Verdict(Decision.REJECT, [finding]), content=content)


def _one_per_key(judged: Sequence[Judged], drafts: Sequence[Draft]) -> tuple[list[Judged], int]:
    """Of two drafts with one key, the more complete one; and how many were passed over."""
    best: dict[str, Judged] = {}
    for one in judged:
        other = best.get(one.key)
        if other is None or len(drafts[one.draft].values) > len(drafts[other.draft].values):
            best[one.key] = one
    return sorted(best.values(), key=lambda one: one.draft), len(judged) - len(best)


def _deferred(
    records: Sequence[Judged], links: Sequence[Link], kind: Kind, ctx: Context
) -> tuple[list[Judged], list[Judged]]:
    """Leaves out what only a detail page can complete: it is neither held nor rejected before that page was read."""
    if Role.DETAIL not in ctx.follow or not ctx.defer:
        return list(records), []
    followed = {link.draft for link in links if link.role is Role.DETAIL}
    waiting = [one for one in records if one.draft in followed and _waits(one, kind)]
    left = {one.draft for one in waiting}
    return [one for one in records if one.draft not in left], waiting


def without_details(assessment: Assessment, followed: Collection[int]) -> Assessment:
    """Judge deferred entries by what the listing has when the link to their detail page is not in `followed`."""
    cut = [one for one in assessment.deferred if one.draft not in followed]
    if not cut:
        return assessment
    records = sorted([*assessment.records, *cut], key=lambda one: one.draft)
    waiting = [one for one in assessment.deferred if one.draft in followed]
    return msgspec.structs.replace(assessment, records=records, deferred=waiting)


def _waits(one: Judged, kind: Kind) -> bool:
    return one.verdict.decision is not Decision.ACCEPT and kind.defers(one.verdict)


def _seeded(links: Sequence[Link], drafts: Sequence[Draft], follow: Sequence[Role]) -> list[Link]:
    """The links that are wanted, each detail link with its draft."""
    wanted = [link for link in links if link.role in follow]
    return [_with_seed(link, drafts) for link in wanted]


def _with_seed(link: Link, drafts: Sequence[Draft]) -> Link:
    if link.draft is None or link.seed is not None or link.draft >= len(drafts):
        return link
    return msgspec.structs.replace(link, seed=drafts[link.draft])
