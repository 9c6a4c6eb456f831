"""What an entry of a list is called."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from winnow.extract.dom.area import words_of
from winnow.extract.event.day_text import clocks_in, letters_in, names_for
from winnow.extract.event.marks import Mark
from winnow.extract.event.outline import HEADINGS, Element, Outline
from winnow.extract.event.records import Record
from winnow.extract.event.terms import DOORS_LINE, END_LINE, START_LINE, is_generic

MAX_TITLE = 200
MAX_STRONG_TITLE = 120
MAX_LINK_TITLE = 160
_NAMED = frozenset(
    ["title", "titel", "titre", "titolo", "titulo", "summary", "headline", "artist", "name", "naam", "heading"]
)
_NOT_NAMED = frozenset(
    [
        "venue",
        "location",
        "place",
        "sub",
        "subtitle",
        "supertitle",
        "category",
        "organizer",
        "author",
        "file",
        "day",
        "weekday",
        "dag",
        "month",
    ]
)
# A heading may be called U2 or T-99; a line of two letters is a mark ("CX").
_MIN_LETTERS = {"heading": 1, "named": 1, "line": 3}
_PRICE = re.compile(r"[€$£]\s?\d|\d\s?(?:€|euro|eur)\b", re.IGNORECASE)
_LABEL = re.compile(r"[^:]{2,24}:")
# When the entry was written, behind its day: "Aug 17, 2026 — Posted Aug 12, 2026 4:54 PM".
_WRITTEN = re.compile(
    r"(?:^|\s*[-–—|,;(]\s*)(?:posted|published|updated|geplaatst|gepubliceerd|bijgewerkt|publié|veröffentlicht)\b.*$",
    re.I,
)
_NTH_DAY = re.compile(r"\W*(?:\d(?:st|nd|rd|th)|first|second|third|fourth|last)\s+[^\W\d_]+day\W*", re.IGNORECASE)
_DATE_NOISE = re.compile(r"^(?:(?:at|om|um|from|@)(?=\W*$|\s*[|–—-]))|^[\s,;:.|·•@–—/-]+|[\s,;:|·•@–—/(-]+$")
_ADDRESS = re.compile(
    r"^\d{1,5}\s+(?:[NSEW]\.?\s+)?[\w.' ]{2,40}\b(?:st|street|ave|avenue|road|rd|drive|dr|blvd|boulevard|lane|ln|way|plaza|place|pkwy|parkway|floor)\b"
    r"|\b[A-Z]{2}\s+\d{5}\b|\b\d{4}\s?[A-Z]{2}\b",
    re.IGNORECASE,
)
_MATERIALS = re.compile(
    r"(?:\W|\b(?:see|view|the|meeting|approved|draft|final|agendas?|minutes|packets?|notice|materials|video|audio|pdf|download|presentation|transcript|of|to|be|for|and|click|here|notulen|stukken)\b)+",
    re.IGNORECASE,
)
_NO_NAME = re.compile(r"^(?:\W|\d)*$|\S@\S+\.\w|^(?:https?:|www\.)\S+$")
# What a button says, with the name of the event in it.
_BUTTON = re.compile(
    r"(?:bekijk|view|see|toon)\b.{0,20}\b(?:programma|agenda|programme?|calendar|events)\b|(?:buy|get|book|order|koop|bestel|reserveer|jetzt)\b.{0,20}\b(?:tickets?|kaart(?:en|jes)|karten)\b",
    re.I,
)
_GOES_ON = re.compile(r"(?:in|at|of|for|van|op|te|voor|im|am|der|des)\b")  # "17th of May in Ballard"
_FILE = re.compile(r"\.(?:pdf|docx?|xlsx?|jpe?g|png)$|^\(?(?:pdf|doc|word)\)?$", re.IGNORECASE)


def title_of(page: Outline, record: Record, others: Collection[str] = ()) -> tuple[str, str]:
    """The name and where it stood; ("", "") when the entry has none of its own. `others` are texts known to be something
    else."""
    elements = _elements(page, record)
    weekday = ("", "")  # a band may be called Sunday; more often it is the day of the entry
    for path, found in (
        ("heading", _headings(page, elements)),
        ("named", _named(page, elements)),
        ("link", _links(page, elements)),
        ("strong", _strong(page, elements)),
        ("line", _lines(page, record)),
    ):
        for text in found:
            title = clean_title(text, record.marks, page, _MIN_LETTERS.get(path, 2))
            if not title or text in others:
                continue
            if not names_for("").weekday.fullmatch(title):
                return title, f"entry {path}"
            weekday = weekday if weekday[0] else (title, f"entry {path}")
    return weekday


def _elements(page: Outline, record: Record) -> list[Element]:
    root = page.elements[record.root]
    own = [root] if root.first == record.first and root.last <= record.last else []
    inner = page.elements[record.root + 1 : root.end]
    return own + [e for e in inner if record.first <= e.first and e.last <= record.last and e.last >= e.first]


def _headings(page: Outline, elements: list[Element]) -> Iterator[str]:
    """The highest heading; of equals the first."""
    headings = [e for e in elements if e.tag in HEADINGS]
    for element in sorted(headings, key=lambda e: e.tag):
        yield own_text(page, element)


def _named(page: Outline, elements: list[Element]) -> Iterator[str]:
    for element in elements:
        words = words_of(element.names) if element.names else frozenset()
        named = element.node.attributes.get("itemprop") == "name" or (words & _NAMED and not words & _NOT_NAMED)
        if named and element.last - element.first <= 3:
            yield own_text(page, element)


def _links(page: Outline, elements: list[Element]) -> Iterator[str]:
    for element in elements:
        if element.tag == "a" and element.last - element.first <= 2:
            text = own_text(page, element)
            if len(text) <= MAX_LINK_TITLE:
                yield text


def _strong(page: Outline, elements: list[Element]) -> Iterator[str]:
    for element in elements:
        if element.tag in ("strong", "b", "em", "th"):
            text = own_text(page, element)
            if len(text) <= MAX_STRONG_TITLE:
                yield text


def _lines(page: Outline, record: Record) -> Iterator[str]:
    for n in range(record.first, record.last):
        yield page.lines[n].text


def own_text(page: Outline, element: Element) -> str:
    """Without what is set above the line: the country of a band, a mark."""
    found = []
    for line in page.lines[element.first : max(element.last, element.first + 1)]:
        texts = [
            piece.text
            for piece in line.pieces
            if element.at <= piece.element < element.end and not _raised(page, piece.element, piece.text)
        ]
        whole = len(texts) == len(line.pieces)
        if texts:
            found.append(line.text if whole else _joined(line.text, texts))
    return " ".join(found)


def _joined(line: str, texts: list[str]) -> str:
    """The pieces as they stand in their line, when they follow each other there."""
    start = line.find(texts[0])
    end = line.rfind(texts[-1]) + len(texts[-1])
    between = line[start:end]
    return between if len(between) <= sum(map(len, texts)) + len(texts) else " ".join(texts)


def _raised(page: Outline, at: int, text: str) -> bool:
    return page.elements[at].tag == "sup" and letters_in(text) > 2


def clean_title(text: str, marks: Iterable[Mark], page: Outline, min_letters: int = 2) -> str:
    """The text without the entry's days and hours; "" when nothing is left that could be a name."""
    plain = _WRITTEN.sub("", " ".join(text.split()))
    days = list(marks)
    for mark in days:
        if mark.text and mark.text in plain and plain != mark.text:
            rest = plain.replace(mark.text, " | ", 1)
            is_part = len(days) > 1 and _begins_name(plain, mark.text)
            plain = rest if _stands_apart(plain, mark.text) and not is_part else plain
        elif mark.text == plain:
            return ""
    if " | " in plain or letters_in(plain) < 60:
        plain = _without_clocks(plain)
    parts = [part for part in (_DATE_NOISE.sub("", p) for p in plain.split(" | ")) if part]
    plain = max(parts, key=letters_in, default="") if len(parts) > 1 else (parts[0] if parts else "")
    plain = " ".join(plain.split())
    plain = plain.rstrip(" :")
    return plain if _is_name(plain, min_letters) else ""


def _begins_name(text: str, day: str) -> bool:
    """Whether a name begins with a day: "17th of May in Ballard"."""
    return text.startswith(day) and bool(_GOES_ON.match(text[len(day) :].lstrip()))


def _stands_apart(text: str, day: str) -> bool:
    """A day at an edge of a name is not part of it; one in its midst is ("The 4 May Remembrance Concert")."""
    at = text.find(day)
    return (
        not text[:at].strip(" -–—|,:;(@·•/")
        or not text[at + len(day) :].strip(" -–—|,:;)@·•/.")
        or len(text) > 60
        or bool(re.search(r"[-–—|,:;@·•/(]\s*$", text[:at]) or clocks_in(text[at + len(day) :]))
    )


def _without_clocks(text: str) -> str:
    for clock in reversed(clocks_in(text)):
        text = f"{text[: clock.start]} | {text[clock.end :]}"
    return text


def _is_day(text: str) -> bool:
    """A day, a month or a rule ("3rd Wednesday") in whatever language."""
    names = names_for("")
    plain = text.strip(" ,.")
    return any(pattern.fullmatch(plain) for pattern in (names.day, names.month_only, _NTH_DAY))


def _is_name(text: str, min_letters: int) -> bool:
    if not 1 < len(text) <= MAX_TITLE or _NO_NAME.search(text) or letters_in(text) < min_letters:
        return False
    if _MATERIALS.fullmatch(text) or (_ADDRESS.search(text) and letters_in(text) < 60):
        return False
    if _is_day(text) or _BUTTON.match(text):
        return False
    if is_generic(text) or _FILE.search(text) or (_PRICE.search(text) and letters_in(text) < 12):
        return False
    if any(pattern.fullmatch(text) for pattern in (DOORS_LINE, START_LINE, END_LINE)):
        return False
    return not (_LABEL.fullmatch(text) and len(text) < 30)
