"""What stands before the day an article was published (`data/published.json`). How phrases are written is said in
`phrases`."""

from __future__ import annotations

import msgspec

from winnow.vocabulary.load import gather, load


class PublishedWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`published` stands right before the day; phrases of a change ("updated") have no place here."""

    published: tuple[str, ...]


def published_phrases() -> list[str]:
    return gather(load("published", dict[str, PublishedWords]), "published")
