"""Headers, markup and addresses of walls, compiled from `vocabulary/data/wall_marks.json`, and marks of real content.

Most pages have none of the marks, so a literal is searched first and its pattern only where it was found.
"""

from __future__ import annotations

import re
from enum import StrEnum

import msgspec

from winnow.vocabulary.walls import ServiceMark, wall_marks


class WallKind(StrEnum):
    CHALLENGE = "challenge"
    CAPTCHA = "captcha"
    ACCESS_DENIED = "access_denied"
    LOGIN_WALL = "login_wall"
    CONSENT_WALL = "consent_wall"
    EMPTY_SHELL = "empty_shell"


class WallMark(msgspec.Struct, frozen=True):
    literal: bytes
    kind: WallKind
    name: str
    pattern: re.Pattern[bytes] | None = None

    def matches(self, lower: bytes) -> bool:
        return self.literal in lower and (self.pattern is None or self.pattern.search(lower) is not None)


def _compile(marks: tuple[ServiceMark, ...]) -> tuple[WallMark, ...]:
    return tuple(
        WallMark(mark.literal.encode(), WallKind(mark.kind), mark.service, _bytes(mark.pattern)) for mark in marks
    )


def _bytes(pattern: str | None, flags: int = 0) -> re.Pattern[bytes] | None:
    return None if pattern is None else re.compile(pattern.encode(), flags)


_DATA = wall_marks()
HEADERS = tuple((mark.name, re.compile(mark.pattern, re.I), WallKind(mark.kind)) for mark in _DATA.headers)
HEADER_NAMES = frozenset(name for name, _, _ in HEADERS) | {"www-authenticate"}
WALL_MARKS = _compile(_DATA.walls)
SHARED_MARKS = _compile(_DATA.shared)
WALL_URLS = tuple((re.compile(mark.pattern, re.I), WallKind(mark.kind)) for mark in _DATA.urls)
CAPTCHA_WIDGETS = tuple(widget.encode() for widget in _DATA.widgets)
CONTENT = tuple((mark.literal.encode(), _bytes(mark.pattern, re.I)) for mark in _DATA.content)


def has_content(body: bytes) -> bool:
    """Whether the page has content of its own, however little text: structured data, or state that a script renders.
    A script may mention structured data that it adds later, so only a tag counts."""
    return any(_occurs(body, literal, tag) for literal, tag in CONTENT)


def _occurs(body: bytes, literal: bytes, tag: re.Pattern[bytes] | None) -> bool:
    """A tag that holds the literal begins at the last "<" before it: it is looked for there, not in the whole page.
    Where none began since the literal was last seen, it is the same one, or text."""
    seen, at = 0, body.find(literal)
    while at >= 0:
        if tag is None:
            return True
        begun = body.rfind(b"<", seen, at)
        if begun >= 0 and tag.match(body, begun):
            return True
        seen, at = at, body.find(literal, at + len(literal))
    return False
