"""One of ten categories for an event, from what the source calls it, its title and its description (E-063).

It never fails: an event that no word speaks for is `community`.
"""

from __future__ import annotations

from collections import Counter

from winnow.vocabulary.event_categories import UNKNOWN, categories_in

# What the source files it under says more than a word of the title, and that more than one of the description.
STATED, TITLE, DESCRIPTION, VENUE = 6, 4, 1, 1
MAX_DESCRIPTION = 1_500  # characters; past that texts speak of other things
MAX_OF_DESCRIPTION = 3  # votes: a long text may not outvote the title
MAX_TITLE_WORDS = 3


def classify_event(title: str, description: str = "", stated: str = "", venue: str = "") -> str:
    votes: Counter[str] = Counter()
    for text, weight, limit in (
        (stated, STATED, STATED),
        (title, TITLE, MAX_TITLE_WORDS * TITLE),
        (description[:MAX_DESCRIPTION], DESCRIPTION, MAX_OF_DESCRIPTION),
        (venue, VENUE, VENUE),
    ):
        for category, words in Counter(found.category for found in categories_in(text)).items():
            votes[category] += min(weight * words, limit)
    return max(votes, key=lambda category: votes[category]) if votes else UNKNOWN
