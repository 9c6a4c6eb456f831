"""The links of a page about events, as its source wants them followed."""

from __future__ import annotations

import msgspec

from winnow.extract.adapter import Context
from winnow.extract.draft import Attempt, Draft, Extracted, Extraction, Failure, Link, Role, Strategy
from winnow.extract.event.feed_links import feed_links
from winnow.extract.event.feeds.sniff import feed_format
from winnow.extract.page import Page
from winnow.extract.parsed_page import open_page


def with_wanted_links(found: Extraction, page: Page, ctx: Context) -> Extraction:
    """With the feeds that an HTML page leads to, and with only those details that are wanted: all of them where the
    source asks for it (`deep_scrape`), else those of entries without a day.

    A page on which nothing was read but which names the feed of its agenda is none the worse for it: its script shows
    what the feed says."""
    feeds = _feeds(page, ctx)
    if isinstance(found, Failure):
        if not feeds:
            return found
        return Extracted(
            [], Strategy.FEED, [*found.trace, Attempt(Strategy.FEED, 0, f"{len(feeds)} feeds named")], feeds
        )
    details = [link for link in found.links if link.role is not Role.DETAIL or _is_wanted(link, found.drafts, ctx)]
    known = {link.url for link in details}
    return msgspec.structs.replace(found, links=[*details, *(link for link in feeds if link.url not in known)])


def _feeds(page: Page, ctx: Context) -> list[Link]:
    """Looked for on the pages a run begins with: every page of a list names the same ones."""
    if Role.FEED not in ctx.follow or ctx.seed is not None or feed_format(page) is not None:
        return []
    parsed = open_page(page)
    return [] if isinstance(parsed, Failure) else feed_links(parsed, ctx.feed_guessing)


def _is_wanted(link: Link, drafts: list[Draft], ctx: Context) -> bool:
    if ctx.deep_scrape or link.draft is None or link.draft >= len(drafts):
        return True
    return drafts[link.draft].first("start") is None
