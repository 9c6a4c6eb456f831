"""Where the name of a page's own event stands: its heading or, where no heading names it, the line that its title repeats."""

from __future__ import annotations

import re

import msgspec

from winnow.extract.event.event_words import LIST_HEADING, LISTED_AT_END
from winnow.extract.event.outline import Outline
from winnow.extract.event.terms import AGENDA
from winnow.extract.parsed_page import ParsedPage

MAX_LINES = 3  # of one text: a heading, and the same in a bar above the page
MIN_LETTERS = 3
MIN_PART = 0.5  # of the title, where the line is only its beginning: "Carnal Tomb" of "Carnal Tomb + Scalpture"
_QUOTES = str.maketrans(dict.fromkeys("’‘`´", "'"))
_PARTS = re.compile(r"\s+[|–—·»•:@-]\s+|\s*\|\s*")


class OwnHeadings(msgspec.Struct, frozen=True):
    """`found`: (line, text) of each; `named`: one of them says what the page calls itself; `title`: the shortest of that,
    "" where the page is called like a list."""

    found: list[tuple[int, str]] = []
    named: bool = False
    title: str = ""


def own_headings(parsed: ParsedPage, page: Outline) -> OwnHeadings:
    """The headings of the first level where they name something, whatever the title says."""
    headings = [(e.first, page.text_of(e).strip()) for e in page.elements if e.tag == "h1" and e.last > e.first]
    names = _titles(parsed)
    title = min(names, key=len, default="")
    named = [(at, text) for at, text in headings if not _is_kind(text)]
    if not names:
        return OwnHeadings(headings, bool(headings), title)
    plain = [_plain(name) for name in names]
    agreed = [(at, text) for at, text in named if any(_agree(_plain(text), name) for name in plain)]
    if not agreed:
        longest = max(map(len, plain))
        agreed = [
            (n, line.text)
            for n, line in enumerate(page.lines)
            if len(line.text) <= longest and _is_name(_plain(line.text), plain) and not _is_kind(line.text)
        ][:MAX_LINES]
    return OwnHeadings(agreed or headings, bool(agreed), title)


def _titles(parsed: ParsedPage) -> list[str]:
    """What the page calls itself, without the name of its site."""
    site = parsed.meta.get("og:site_name", "").strip().lower()
    found = []
    for title in (parsed.meta.get("og:title", ""), parsed.title):
        text = " ".join(title.split())
        found += [
            part for part in (text, _PARTS.split(text)[0]) if part and part.lower() != site and not _is_kind(part)
        ]
    return list(dict.fromkeys(found))


def _is_kind(text: str) -> bool:
    """What lists are called, and no event."""
    plain = text.strip(" :–-|.")
    return bool(LIST_HEADING.fullmatch(plain) or AGENDA.fullmatch(plain) or LISTED_AT_END.search(plain))


def _is_name(line: str, names: list[str]) -> bool:
    if not any(name.startswith(line) and len(line) >= MIN_PART * len(name) for name in names):
        return False
    return sum(c.isalpha() for c in line) >= MIN_LETTERS


def _agree(heading: str, title: str) -> bool:
    return heading in title or title in heading


def _plain(text: str) -> str:
    return " ".join(text.split()).lower().translate(_QUOTES)
