"""The body of a feed -> an extraction; None where it is no feed (E-049)."""

from __future__ import annotations

from collections.abc import Callable

from winnow.extract.draft import Attempt, Extracted, Extraction, Failure, Reason, Strategy
from winnow.extract.event.feeds.found import Found, without_shared_urls
from winnow.extract.event.feeds.sniff import FeedFormat, feed_format
from winnow.extract.limits import MAX_BODY
from winnow.extract.page import Page


def read_feed(page: Page) -> Extraction | None:
    form = feed_format(page)
    if form is None:
        return None
    if len(page.body) > MAX_BODY:
        return Failure(
            Reason.PAGE_STRUCTURE_CHANGED, f"limit: a feed of {len(page.body)} bytes is too large to be read"
        )
    found = _reader(form)(page)
    note = "; ".join([form.value, *dict.fromkeys(found.notes)][:8])
    if found.over:
        note += f"; {found.over} events are over"
    trace = [Attempt(Strategy.FEED, len(found.drafts), note[:500])]
    if found.drafts or found.links or found.empty is not None:
        return Extracted(without_shared_urls(found.drafts), Strategy.FEED, trace, found.links, found.empty, found.cut)
    return Failure(Reason.SELECTOR_NOT_FOUND, note[:500], trace)


def _reader(form: FeedFormat) -> Callable[[Page], Found]:
    """Imported late: most parser processes see no such body."""
    if form is FeedFormat.ICS:
        from winnow.extract.event.feeds.ics import read_ics

        return read_ics
    if form is FeedFormat.XML:
        from winnow.extract.event.feeds.rss import read_rss

        return read_rss
    from winnow.extract.event.feeds.json_agenda import read_json

    return read_json
