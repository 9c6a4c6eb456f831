"""Words in the titles of events and the names of venues, by language (`data/event_titles.json`). All are folded."""

from __future__ import annotations

from functools import cache

import msgspec

from winnow.vocabulary.load import gather, load

Words = frozenset[str]


class TitleWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`stop`: say nothing; `links` of them lead from what happens to where, when or with whom; `joints` divide a title
    as a colon does. `generic`: say what sort of event it is, not which; `performers`: what sort of company plays.
    `apart`: make it another event than the one without them (an introduction to a play is not the play). `halls`: rooms
    of a venue. `numbers`: words for numbers; `parts`: what they count. `weekdays` from Monday on, `states`: said of an
    event, not part of its name. `day_parts`: in their order, those that mean the same with one number. `english`: words
    in English, so that two titles of one event can be compared across languages; `endings`: of compounds."""

    stop: tuple[str, ...]
    links: tuple[str, ...]
    joints: tuple[str, ...]
    generic: tuple[str, ...]
    performers: tuple[str, ...]
    apart: tuple[str, ...]
    halls: tuple[str, ...]
    numbers: dict[str, int]
    parts: tuple[str, ...]
    weekdays: tuple[str, ...]
    day_parts: dict[str, int]
    states: tuple[str, ...]
    english: dict[str, str]
    endings: tuple[str, ...]


class Vocabulary(msgspec.Struct, frozen=True):
    """Those of all languages together: a title does not say which one it is in."""

    silent: Words
    links: Words
    joints: Words
    generic: Words
    performers: Words
    apart: Words
    halls: Words
    numbers: dict[str, int]
    parts: Words
    weekdays: dict[str, int]
    day_parts: dict[str, int]
    english: dict[str, list[str]]
    endings: tuple[str, ...]


@cache
def vocabulary() -> Vocabulary:
    words = load("event_titles", dict[str, TitleWords])
    english = {word: text.split() for known in words.values() for word, text in known.english.items()}
    return Vocabulary(
        silent=frozenset(gather(words, "stop", "weekdays", "states")),
        links=frozenset(gather(words, "links")),
        joints=frozenset(gather(words, "joints")),
        generic=frozenset(gather(words, "generic")),
        performers=frozenset(gather(words, "performers")),
        apart=frozenset(gather(words, "apart")),
        halls=frozenset(gather(words, "halls")),
        numbers={word: number for known in words.values() for word, number in known.numbers.items()},
        parts=frozenset(gather(words, "parts")),
        weekdays={word: n for known in words.values() for n, word in enumerate(known.weekdays)},
        day_parts={word: n for known in words.values() for word, n in known.day_parts.items()},
        english=english,
        endings=tuple(sorted(set(gather(words, "endings")), key=lambda word: (-len(word), word))),
    )
