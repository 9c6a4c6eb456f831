"""An approximation of the visible text of an HTML page: no tree, one pass, linear in the page's length.

It is exact enough to tell a page from a wall; extraction has an exact reader.
"""

from __future__ import annotations

import html
import re

import msgspec

MAX_READ = 512 * 1024  # bytes; a wall is far smaller, and so is the first part of any page that shows it is none
# First a part in which nearly every page has said enough, then all of it: bytes read, and markup of them looked at.
_GLANCES = ((48 * 1024, 16 * 1024), (MAX_READ, MAX_READ))
# What opens first hides what is in it, as in a browser: a comment in a script is none, nor is a script in a comment.
_UNSEEN = re.compile(rb"<(?:!--|(script|style|noscript|svg|template|title)(?![a-z0-9]))")
_HEAD = re.compile(rb"<head(?![a-z0-9])", re.I)
_HEAD_END = re.compile(rb"</head|<body", re.I)
_TAG = re.compile(rb"<[^<>]*>")
_TITLE = re.compile(rb"<title\b[^<>]*>([^<]{0,400})", re.I)
_HEADING = re.compile(rb"<h[12]\b[^<>]*>((?:[^<]|<(?!/h[12])){0,400})", re.I)
_MEDIA = re.compile(rb"<(?:video|audio|canvas|object|embed|frameset|iframe|img)\b", re.I)
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s*")
_FIRST = 200  # characters
_SPACE = re.compile(r"\s+")
_WIDE = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class WallText(msgspec.Struct, frozen=True):
    """`letters` counts ideographs and syllables twice: they say as much as two letters. `heads` are title, h1, h2;
    `first_heads` the title and the first of the others; `sentences` how the text begins, one a line."""

    text: str
    title: str
    heads: str
    first_heads: str
    sentences: str
    noscript: str
    letters: int
    has_media: bool


def read(body: bytes, charset: str = "utf-8") -> WallText:
    body = body[:MAX_READ]
    titles = [_plain(title, charset) for title in _TITLE.findall(body)[:1]]
    heads = titles + [_plain(head, charset) for head in _HEADING.findall(body)[:3]]
    seen, unseen = _without(body)
    text = _plain(seen, charset)
    return WallText(
        text=text,
        title="".join(titles),
        heads="\n".join(heads),
        first_heads="\n".join(heads[:2]),
        sentences=_SENTENCE_END.sub("\n", text[:_FIRST]),
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
    """The page without what is not shown, and what stands in its noscript elements. An element that never ends takes
    the rest with it, as in a browser."""
    lower, kept, noscript, at = body.lower(), [], [], 0
    while opened := _UNSEEN.search(lower, at):
        kept.append(body[at : opened.start()])
        name = opened[1]
        # "<!-->" is a whole comment, so its end may begin with the dashes of its start
        ended = lower.find(b"-->", opened.start() + 2) if name is None else lower.find(b"</" + name, opened.end())
        at = (lower.find(b">", ended) + 1 or len(body)) if ended >= 0 else len(body)
        if name == b"noscript":
            noscript.append(body[opened.start() : ended if ended >= 0 else at])
    kept.append(body[at:])
    return _without_head(b" ".join(kept)), b" ".join(noscript)


def _without_head(body: bytes) -> bytes:
    """The tag that ends a head may be left out; what then remains of one shows no letters."""
    begun = _HEAD.search(body)
    ended = _HEAD_END.search(body, begun.end()) if begun else None
    return body[: begun.start()] + b" " + body[ended.start() :] if begun and ended else body


def _plain(markup: bytes, charset: str) -> str:
    stripped = _TAG.sub(b" ", markup)
    try:
        text = stripped.decode(charset, "replace")
    except LookupError:
        text = stripped.decode("utf-8", "replace")
    return _SPACE.sub(" ", html.unescape(text)).strip()
