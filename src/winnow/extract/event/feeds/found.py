"""What a reader of a feed found, before it becomes an extraction."""

from __future__ import annotations

from winnow.extract.candidates import Collected
from winnow.extract.draft import MAX_BLOCK, Draft, Link, Strategy, Value

KIND = "event"


class Found:
    """`cut` counts entries that a limit left out or that could not be read, `over` those that lie in the past; `empty`
    says why a calendar without events is none the worse for it."""

    def __init__(self) -> None:
        self.drafts: list[Draft] = []
        self.links: list[Link] = []
        self.notes: list[str] = []
        self.cut = 0
        self.over = 0
        self.empty: str | None = None
        self.strategy = Strategy.FEED

    def add(self, into: Collected, block: str, lang: str = "") -> None:
        values = {field: found for field, found in into.values.items() if found}
        if lang:
            values["lang"] = [Value(lang, Strategy.FEED, "feed language")]
        self.drafts.append(Draft(KIND, values, block[:MAX_BLOCK]))

    def skip(self, why: str, n: int = 1) -> None:
        self.cut += n
        if why not in self.notes:
            self.notes.append(why)


def without_shared_urls(drafts: list[Draft]) -> list[Draft]:
    """An address that events of different titles give is that of their agenda, and names none of them."""
    titles: dict[str, set[str]] = {}
    for draft in drafts:
        if (url := draft.first("url")) and (title := draft.first("title")):
            titles.setdefault(url.raw, set()).add(title.raw.lower())
    shared = {url for url, named in titles.items() if len(named) > 1}
    return [_without_url(draft) if (url := draft.first("url")) and url.raw in shared else draft for draft in drafts]


def _without_url(draft: Draft) -> Draft:
    kept = {field: found for field, found in draft.values.items() if field != "url"}
    return Draft(draft.kind, kept, draft.block)
