"""Where the name of a page's own event stands: its heading or, where no heading names it, the line that its title repeats."""

from __future__ import annotations

import re

from winnow.extract.event.event_words import LIST_HEADING, LISTED_AT_END
from winnow.extract.event.outline import Outline
from winnow.extract.event.terms import AGENDA
from winnow.extract.parsed_page import ParsedPage

MAX_LINES = 3  # of one text: a heading, and the same in a bar above the page
MIN_LETTERS = 3
MIN_PART = 0.5  # of the title, where the line is only its beginning: "Carnal Tomb" of "Carnal Tomb + Scalpture"
_QUOTES = str.maketrans(dict.fromkeys("’‘`´", "'"))
_PARTS = re.compile(r"\s+[|–—·»•:@-]\s+|\s*\|\s*")


def own_headings(parsed: ParsedPage, page: Outline) -> list[tuple[int, str]]:
    """(line, text) of each; the headings of the first level where they name something, whatever the title says."""
    headings = [(e.first, page.text_of(e).strip()) for e in page.elements if e.tag == "h1" and e.last > e.first]
    named = [(at, text) for at, text in headings if not _is_kind(text)]
    names = _titles(parsed)
    if named and not names:
        return headings
    agreed = [(at, text) for at, text in named if any(_agree(text, name) for name in names)]
    if agreed:
        return agreed
    titled = [(n, line.text) for n, line in enumerate(page.lines) if any(_is_name(line.text, name) for name in names)]
    return titled[:MAX_LINES] or headings


def is_named(parsed: ParsedPage, page: Outline) -> bool:
    """Whether a heading or a line says what the page calls itself."""
    names = _titles(parsed)
    found = own_headings(parsed, page)
    return bool(found) and (not names or any(_agree(text, name) for _, text in found for name in names))


def own_title(parsed: ParsedPage) -> str:
    """The shortest of what the page calls itself; "" where that is only the name of a list."""
    return min(_titles(parsed), key=len, default="")


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


def _is_name(text: str, name: str) -> bool:
    one, other = _plain(text), _plain(name)
    if sum(c.isalpha() for c in one) < MIN_LETTERS or _is_kind(text):
        return False
    return one == other or (other.startswith(one) and len(one) >= MIN_PART * len(other))


def _agree(heading: str, title: str) -> bool:
    one, other = _plain(heading), _plain(title)
    return one in other or other in one


def _plain(text: str) -> str:
    return " ".join(text.split()).lower().translate(_QUOTES)
