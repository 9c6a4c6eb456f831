"""When an entry begins and ends, and when the doors open: the day with the hours that stand around it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from winnow.extract.event.clock_time import correct_clock
from winnow.extract.event.day_text import Clock, clocks_in, day_and_month, letters_in
from winnow.extract.event.marks import Mark
from winnow.extract.event.outline import Line, Outline
from winnow.extract.event.records import Record
from winnow.extract.event.terms import DOORS_LABEL, DOORS_LINE, END_LABEL, END_LINE, START_LABEL, START_LINE

MAX_CLOCK_LINE = 160  # hours in longer lines are told, not stated
MAX_LABEL = 30
_PARTS = re.compile(r"[|;•·/]|\s-\s|,\s")
_EARLIER_LABEL = re.compile(
    r"(?:presale|pre-sale|on sale|registration|inschrijven|voorverkoop|box office|office hours|open(?:ing)? hours)",
    re.I,
)
# "Posted Aug 12, 2026 4:54 PM" says when the entry was written.
_WRITTEN = re.compile(
    r"\b(?:posted|published|updated|modified|geplaatst|gepubliceerd|bijgewerkt|publi[ée]|ver[öo]ffentlicht)\b.{0,40}$",
    re.I,
)

# They stand before any hour: "2 May at 8:20".
_PREPOSITIONS = frozenset(["at", "om", "um", "à", "ab", "from", "vanaf", "time", "tijd"])


class Hours(msgspec.Struct):
    start: str = ""
    end: str = ""
    doors: str = ""


def labelled_hours(page: Outline, record: Record, mark: Mark) -> tuple[Hours, list[tuple[int, Clock]]]:
    """Hours that a label names, and those that stand without one, each with its distance from the day."""
    found = Hours()
    plain: list[tuple[int, Clock]] = []
    for at in _order(record, mark):
        line = page.lines[at]
        text = _text_of(line, at, mark)
        if len(text) > MAX_CLOCK_LINE:
            continue
        label_line = page.lines[at - 1].text if at > record.first else ""
        for clock in clocks_in(text, loose=_is_loose(text, label_line, at, mark)):
            role = role_of(text, clock, label_line)
            if role == "doors":
                found.doors = found.doors or clock.first
            elif role == "start":
                found.start = found.start or clock.first
                found.end = found.end or clock.last
            elif role == "end":
                found.end = found.end or clock.first
            elif role == "plain":
                distance = 0 if at in (mark.line, mark.last) else 1 + (letters_in(text) > 24)
                plain.append((distance, clock))
    return found, plain


def hours_of(page: Outline, record: Record, mark: Mark) -> Hours:
    """Labelled hours first, then one beside the day, then one that stands alone."""
    found, plain = labelled_hours(page, record, mark)
    if not found.start and plain:
        nearest = min(plain, key=lambda pair: pair[0])
        found.start, found.end = nearest[1].first, found.end or nearest[1].last
        rest = [clock for distance, clock in plain if clock is not nearest[1] and distance == nearest[0] == 0]
        if rest and not found.end and len(rest) == 1 and rest[0].start - nearest[1].end <= 3:
            found.end = rest[0].first
    return found if found.start or found.doors or found.end else _machine_clock(page, record, found)


def _order(record: Record, mark: Mark) -> Iterator[int]:
    yield from range(record.first, min(record.last, record.first + 60))
    if not record.first <= mark.line < record.last:
        yield mark.line  # the heading above: "Friday 4 December, 20:30"


def _text_of(line: Line, at: int, mark: Mark) -> str:
    """The line without its day, so that "4.12. 20.30" holds one hour."""
    if at != mark.line:
        return line.text
    gap = " " * (mark.end - mark.start)
    return line.text[: mark.start] + gap + line.text[mark.end :]


def _is_loose(text: str, above: str, at: int, mark: Mark) -> bool:
    labelled = any(
        p.search(text[: m.start()]) for m in re.finditer(r"\d", text) for p in (DOORS_LABEL, START_LABEL, END_LABEL)
    )
    return at == mark.line or labelled or _line_role(above) != "" or letters_in(text) == 0


def role_of(text: str, clock: Clock, above: str = "") -> str:
    """What an hour is by the words around it: "start", "end", "doors", "plain", or "" for one that is not the event's."""
    before = text[: clock.start].rstrip()
    own = _PARTS.split(before)[-1][-MAX_LABEL:] or before[-MAX_LABEL:]
    if _EARLIER_LABEL.search(text[max(0, clock.start - 40) : clock.start]) or _WRITTEN.search(before):
        return ""
    if DOORS_LABEL.search(own):
        return "doors"
    label = START_LABEL.search(own)
    if label is not None:
        return "plain" if label[0].strip(" @:.,").lower() in _PREPOSITIONS else "start"
    if END_LABEL.search(own):
        return "end"
    after = text[clock.end :].strip().lower()
    named = re.match(
        r"\W*(?:uur\W+|uhr\W+)?(?:doors|zaal open|\w*deuren (?:gaan )?open|einlass|inloop|deur)\b(?!\W{0,3}\d)", after
    )
    if named:
        return "doors"
    if re.match(r"\W*(?:uur\W+|uhr\W+)?(?:show|start|aanvang|beginn|concert|voorstelling)\b(?!\W{0,3}\d)", after):
        return "start"
    if not before:
        return _line_role(above) or "plain"
    return "plain"


def _line_role(text: str) -> str:
    """What a line that is nothing but a label says of the next."""
    if len(text) > MAX_LABEL:
        return ""
    plain = text.strip()
    for role, pattern in (("doors", DOORS_LINE), ("end", END_LINE), ("start", START_LINE)):
        if pattern.fullmatch(plain):
            return role
    return ""


def _machine_clock(page: Outline, record: Record, found: Hours) -> Hours:
    """An hour that is written for machines only: `<time datetime="19:00">`."""
    for element in page.elements[record.root : page.elements[record.root].end]:
        if element.tag == "time" and record.first <= element.first < record.last:
            stated = (element.node.attributes.get("datetime") or "").strip()
            if re.fullmatch(r"[0-2]?\d:[0-5]\d(?::[0-5]\d)?", stated):
                found.start = stated[:5]
                break
    return found


def starts_of(mark: Mark, hours: Hours, heading: str = "") -> list[tuple[str, str]]:
    """Readings of the beginning, the surest first, each with where it stood."""
    found: list[tuple[str, str]] = []
    shown = _day_text(mark)
    stated = mark.stated if _agrees(mark) else ""
    if stated:
        beside = hours.start or hours.doors if not re.search(r"[T ]\d\d:\d\d", stated) else hours.start
        corrected = correct_clock(stated, f"{shown} {beside}".strip()) if "T" in stated or ":" in stated else stated
        if beside and re.fullmatch(r"\d{4}-\d\d-\d\d", corrected) and hours.start:
            found.append((f"{corrected} {hours.start}", "time"))
        found.append((corrected, "time"))
    if shown:
        full = f"{shown} {mark.under}".strip() if mark.under else shown
        path = "day under heading" if mark.under else "day"
        if hours.start:
            found.append((f"{full} {hours.start}", path))
        found.append((full, path))
    return found


def _day_text(mark: Mark) -> str:
    return " ".join(mark.text.split())


def _agrees(mark: Mark) -> bool:
    """Whether a stated day can be the one shown: templates write the day of the visit, or of publication, for machines."""
    if not mark.stated:
        return False
    if not mark.text:
        return True
    numbers = {int(n) for n in re.findall(r"\d{1,4}", mark.text)}
    day = re.search(r"\d{4}-\d\d-(\d\d)", mark.stated)
    if day is None or not numbers:
        return True
    named, month = day_and_month(mark.text), int(mark.stated[day.start() + 5 : day.start() + 7])
    if named is not None and named[1] != month:  # the same moment in another zone, at the turn of a month
        days = sorted((int(day[1]), named[0]))
        return days[0] == 1 and days[1] >= 28 and (named[1] - month) % 12 in (1, 11)
    near = {int(day[1])} if "T" not in mark.stated else {int(day[1]), int(day[1]) - 1, int(day[1]) + 1}
    return bool(numbers & near) or (named is None and int(day[1]) == 1 and bool(numbers & {28, 29, 30, 31}))
