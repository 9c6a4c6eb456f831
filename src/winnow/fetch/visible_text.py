"""What a reader would see of an HTML page, roughly and fast: no tree, one pass, linear in the page's length.

Good enough to tell a page from a wall; extraction has its own, exact reader.
"""

from __future__ import annotations

import html
import re

import msgspec

MAX_READ = 512 * 1024  # bytes; a wall is far smaller, and so is the first part of any page that shows it is none
# First a part in which nearly every page has said enough, then all of it: bytes read, and markup of them looked at.
_GLANCES = ((48 * 1024, 16 * 1024), (MAX_READ, MAX_READ))
_UNSEEN = (b"script", b"style", b"noscript", b"svg", b"template", b"head")
_COMMENT = (b"<!--", b"-->")
_TAG = re.compile(rb"<[^<>]*>")
_TITLE = re.compile(rb"<title\b[^<>]*>([^<]{0,400})", re.I)
_HEADING = re.compile(rb"<h[12]\b[^<>]*>((?:[^<]|<(?!/h[12])){0,400})", re.I)
_MEDIA = re.compile(rb"<(?:video|audio|canvas|object|embed|frameset|iframe|img)\b", re.I)
_SPACE = re.compile(r"\s+")
_WIDE = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Reading(msgspec.Struct, frozen=True):
    """`letters` counts ideographs and syllables twice: they say as much as two letters. `heads` are title, h1, h2;
    `first_heads` the title and the first of the others."""

    text: str
    heads: str
    first_heads: str
    noscript: str
    letters: int
    has_media: bool


def read(body: bytes, charset: str = "utf-8") -> Reading:
    body = body[:MAX_READ]
    heads = [_plain(head, charset) for head in (*_TITLE.findall(body)[:1], *_HEADING.findall(body)[:3])]
    seen, unseen = _without(body)
    text = _plain(seen, charset)
    return Reading(
        text=text,
        heads="\n".join(heads),
        first_heads="\n".join(heads[:2]),
        noscript=_plain(unseen, charset),
        letters=_letters(text),
        has_media=_MEDIA.search(seen) is not None,
    )


def has_letters(body: bytes, wanted: int, charset: str = "utf-8") -> bool:
    """Whether a reader would see that many."""
    for size, shown in _GLANCES:
        seen, _ = _without(body[:size])
        if _letters(_plain(seen[:shown], charset)) >= wanted:
            return True
        if len(body) <= size and len(seen) <= shown:
            return False
    return False


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text)) + len(_WIDE.findall(text))


def _without(body: bytes) -> tuple[bytes, bytes]:
    """The page without what is not shown, and what stands in its noscript elements."""
    noscript: list[bytes] = []
    body, _ = _cut(body, *_COMMENT)
    for name in _UNSEEN:
        body, cut = _cut(body, b"<" + name, b"</" + name)
        if name == b"noscript":
            noscript += cut
    return body, b" ".join(noscript)


def _cut(body: bytes, start: bytes, end: bytes) -> tuple[bytes, list[bytes]]:
    """Removes every start…end; an element that never ends takes the rest with it, as in a browser."""
    lower, kept, cut, at = body.lower(), [], [], 0
    while (begun := _tag(lower, start, at)) >= 0:
        kept.append(body[at:begun])
        ended = lower.find(end, begun + len(start))
        cut.append(body[begun : ended if ended >= 0 else len(body)])
        at = len(body) if ended < 0 else ended + len(end)
    return b" ".join([*kept, body[at:]]), cut


def _tag(lower: bytes, start: bytes, at: int) -> int:
    """Where this element begins; `<head` is not the beginning of `<header>`."""
    while (found := lower.find(start, at)) >= 0:
        after = lower[found + len(start) : found + len(start) + 1]
        if start.startswith(b"<!") or not after.isalnum():
            return found
        at = found + 1
    return -1


def _plain(markup: bytes, charset: str) -> str:
    stripped = _TAG.sub(b" ", markup)
    try:
        text = stripped.decode(charset, "replace")
    except LookupError:
        text = stripped.decode("utf-8", "replace")
    return _SPACE.sub(" ", html.unescape(text)).strip()
