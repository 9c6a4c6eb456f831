"""A kind whose lists lead on: concerts, of which a list may leave the day to the page of the concert.

<li class="concert" id="c1">Name <time>2026-05-01</time> <a class="detail" href="/c/1">more</a></li>
<a class="next_page" href="/list/2">, and so with feed, item and image
"""

from __future__ import annotations

from urllib.parse import urljoin

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Extracted, Extraction, Failure, Link, Reason, Role, Strategy, Value
from winnow.extract.page import Page
from winnow.judge.verdict import Decision, Finding, Reject, Verdict
from winnow.kinds.kind import Kind


class Concert(msgspec.Struct, frozen=True):
    id: str
    name: str
    day: str | None


def read(page: Page, ctx: Context) -> Extraction:
    tree = LexborHTMLParser(page.text())
    entries = tree.css(".concert")
    drafts = [_draft(entry) for entry in entries]
    links = [_link(page, a, Role.DETAIL, n) for n, entry in enumerate(entries) for a in entry.css("a.detail")]
    for role in (Role.NEXT_PAGE, Role.FEED, Role.ITEM, Role.IMAGE):
        links += [_link(page, a, role) for a in tree.css(f"a.{role}")]
    if not drafts and not links:
        return Failure(Reason.SELECTOR_NOT_FOUND, ".concert")
    return Extracted(drafts, Strategy.DOM, links=links)


def _draft(entry: LexborNode) -> Draft:
    stated = {"id": entry.attributes.get("id"), "name": _text(entry, "b"), "day": _text(entry, "time")}
    return Draft("concert", {name: [Value(raw, Strategy.DOM, name)] for name, raw in stated.items() if raw})


def _text(entry: LexborNode, selector: str) -> str | None:
    found = entry.css_first(selector)
    return None if found is None else found.text(strip=True)


def _link(page: Page, a: LexborNode, role: Role, draft: int | None = None) -> Link:
    return Link(urljoin(page.url, a.attributes.get("href") or ""), role, draft)


def normalise(draft: Draft, ctx: Context) -> Concert:
    said = {name: values[0].raw for name, values in draft.values.items()}
    return Concert(said.get("id", ""), said.get("name", ""), said.get("day"))


def judge(concert: Concert, draft: Draft, ctx: Context) -> Verdict:
    if concert.day is not None:
        return Verdict(Decision.ACCEPT)
    return Verdict(Decision.REJECT, [Finding("day", Reject.MISSING_REQUIRED_FIELD, "day")])


CONCERT = Kind(
    name="concert",
    version="1.0.0",
    fields=("id", "name", "day"),
    read=read,
    normalise=normalise,
    judge=judge,
    key=lambda concert, ctx: concert.id,
    defers=lambda verdict: verdict.reason == Reject.MISSING_REQUIRED_FIELD,
)
