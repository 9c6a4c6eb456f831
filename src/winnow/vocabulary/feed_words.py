"""What the links are called that lead to the feed of a whole agenda, by language (`data/feed_words.json`)."""

from __future__ import annotations

import re
from functools import cache

import msgspec

from winnow.vocabulary.load import gather, load
from winnow.vocabulary.phrases import any_of


class FeedWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    subscribe: tuple[str, ...]


@cache
def add_to_calendar() -> re.Pattern[str]:
    """ "Add all to calendar", "Abonneer"."""
    return re.compile(any_of(gather(load("feed_words", dict[str, FeedWords]), "subscribe")), re.IGNORECASE)
