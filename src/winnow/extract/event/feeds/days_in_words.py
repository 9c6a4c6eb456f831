"""Days of entries that say them in their title or their text only."""

from __future__ import annotations

from collections.abc import Sequence

from winnow.extract.candidates import Collected
from winnow.extract.draft import Strategy
from winnow.extract.event.feeds.date_text import text_day, title_day

MOST = 0.6  # of the entries of an agenda say their day in the same place; of news, some do
FEED = Strategy.FEED


def add_days_in_words(read: Sequence[Collected], texts: Sequence[str]) -> None:
    """From the titles, else from the texts, where most entries have one there."""
    titles = [title_day(into.values["title"][0].raw if into.has("title") else "") for into in read]
    days = [text_day(text) for text in texts]
    if sum(bool(day) for day, _ in titles) >= MOST * len(read):
        for into, (day, rest) in zip(read, titles, strict=True):
            if day:
                into.values["title"] = []
                into.add("title", rest, FEED, "entry.title without its day")
                into.add("start", day, FEED, "entry.title")
    elif sum(bool(day) for day, _ in days) >= MOST * len(read):
        for into, (day, _) in zip(read, days, strict=True):
            into.add("start", day, FEED, "entry.description")
