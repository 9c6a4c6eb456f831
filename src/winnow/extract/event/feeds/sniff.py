"""What a body is, by what it begins with: servers send feeds as text/html and text/plain, and pages as text/calendar."""

from __future__ import annotations

import re
from enum import StrEnum

from winnow.extract.page import Page
from winnow.vocabulary.encodings.guess import guess

HEAD = 4_096
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_CALENDAR = re.compile(r"(?:^|[\r\n])\s*BEGIN:VCALENDAR\b", re.IGNORECASE)
_ROOT = re.compile(r"<(?!\?|!)(?:\w+:)?(\w+)")
_FEED_ROOTS = frozenset(["rss", "feed", "rdf"])
_JSON_PREFIX = re.compile(r"\A\s*(?:\)\]\}',?|for\s*\(;;\);|while\s*\(1\);)?\s*")


class FeedFormat(StrEnum):
    ICS = "ics"
    XML = "rss"
    JSON = "json"


def feed_format(page: Page) -> FeedFormat | None:
    """None: HTML, or nothing that is known here."""
    head = decode(page.body[:HEAD], page).lstrip("\ufeff \t\r\n")
    calendar = _CALENDAR.search(head)
    if calendar and "<html" not in head[: calendar.start()].lower():
        return FeedFormat.ICS  # a page behind its beginning is the text of an event
    if head.startswith("<"):
        root = _ROOT.search(re.sub(r"<!--.*?-->", "", head, flags=re.DOTALL))
        return FeedFormat.XML if root and root[1].lower() in _FEED_ROOTS else None
    return FeedFormat.JSON if json_start(head) is not None else None


def json_start(text: str) -> int | None:
    """Where the JSON begins, behind what some servers put before it so that no script may read it."""
    match = _JSON_PREFIX.match(text)
    at = match.end() if match else 0
    return at if text[at : at + 1] in ("{", "[") else None


def decode(body: bytes, page: Page) -> str:
    """By its mark, as UTF-8 where it is that, as declared, or by what its bytes look like."""
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as wrong:
        if len(body) - wrong.start < 4 or (wrong.start > 64 and _is_nearly_utf8(body)):
            return body.decode("utf-8", "replace")
    return body.decode(page.codec if not page.is_utf8 else guess(body), "replace")


def _is_nearly_utf8(body: bytes) -> bool:
    """A few broken bytes in a text that is UTF-8 otherwise."""
    text = body.decode("utf-8", "replace")
    beyond = sum(character > "\x7f" for character in text)
    return text.count("\ufffd") * 10 <= beyond
