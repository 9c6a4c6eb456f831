"""What blocked pages ("walls") are recognised by: their words by language (`data/walls.json`) and the markup, headers
and addresses of the services that serve them (`data/wall_marks.json`)."""

from __future__ import annotations

from functools import cache

import msgspec

from winnow.vocabulary.load import gather, load

Expressions = tuple[str, ...]


class WallWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Regular expressions without regard to case; `^` and `$` are the ends of a line.

    Write whole sentences of the services' own texts, or what a title consists of: a word like "captcha" or "log in"
    inside a longer title is no sign. `needs_script`: what a `noscript` element says on a page that is empty without
    scripts.
    """

    challenge: Expressions = ()
    captcha: Expressions = ()
    denied: Expressions = ()
    login: Expressions = ()
    consent: Expressions = ()
    needs_script: Expressions = ()


class ServiceMark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`literal` is in lower case and searched first; where it also occurs on normal pages, `pattern` decides."""

    kind: str
    service: str
    literal: str
    pattern: str | None = None


class HeaderMark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: str
    name: str
    pattern: str


class UrlMark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: str
    pattern: str


class ContentMark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`pattern` is the whole start tag that makes the literal content; without one the literal alone does."""

    literal: str
    pattern: str | None = None


class WallMarks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first mark that fits decides, so the order of each list matters.

    `headers`: set by a protection service on its own pages only. `walls`: in the markup of walls only. `shared`: in the
    markup of walls and of normal pages, so they count on empty pages only. `urls`: where a redirect leads that does not
    show the page. `widgets`: captcha boxes. `content`: what only a page with content of its own has.
    """

    headers: tuple[HeaderMark, ...]
    walls: tuple[ServiceMark, ...]
    shared: tuple[ServiceMark, ...]
    urls: tuple[UrlMark, ...]
    widgets: tuple[str, ...]
    content: tuple[ContentMark, ...]


@cache
def wall_words() -> dict[str, WallWords]:
    return load("walls", dict[str, WallWords])


def expressions(key: str) -> list[str]:
    """The expressions of all languages under this key."""
    return gather(wall_words(), key)


def wall_marks() -> WallMarks:
    return load("wall_marks", WallMarks)
