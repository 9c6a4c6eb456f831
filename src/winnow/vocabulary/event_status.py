"""Words about whether an event takes place, by language (`data/event_status.json`). How phrases are written is said in
`phrases`."""

from __future__ import annotations

from functools import cache

import msgspec

from winnow.vocabulary.load import gather, load

Phrases = tuple[str, ...]
STATUSES = ("scheduled", "cancelled", "postponed", "rescheduled", "moved_online")  # what an event can be


class EventStatusWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`cancelled` will not take place, `postponed` later and nobody says when, `rescheduled` on another day that is
    stated. `sold_out` is about tickets, `on_sale` says that there are some. The values of schema.org stand under
    `schema`."""

    cancelled: Phrases = ()
    postponed: Phrases = ()
    rescheduled: Phrases = ()
    moved_online: Phrases = ()
    scheduled: Phrases = ()
    sold_out: Phrases = ()
    on_sale: Phrases = ()


@cache
def event_status_words() -> dict[str, EventStatusWords]:
    return load("event_status", dict[str, EventStatusWords])


@cache
def status_phrases(key: str) -> tuple[str, ...]:
    """Of all languages."""
    return tuple(gather(event_status_words(), key))
