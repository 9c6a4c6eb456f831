"""Every place of a page where a day stands: as text, as text in several elements, or written for machines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from winnow.extract.dom.area import words_of
from winnow.extract.event.day_text import Names, clocks_in, day_and_month, days_in, letters_in
from winnow.extract.event.event_words import BYLINE
from winnow.extract.event.outline import HEADINGS, Outline
from winnow.extract.event.terms import AGENDA, EMPTY, MEETING, NOT_THE_DAY

MAX_MARKS = 4_000  # days of a page; the calendar of a whole city has about 2 000
_PUBLISHED = frozenset(["published", "updated", "posted", "modified", "pubdate"])
_STATED_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_YEARS = re.compile(r"(?<![\d/.-])(20\d\d)(?![\d/.-])")
_DAY_WORDS = frozenset(["day", "date", "dag", "datum", "tag", "jour", "number", "num", "dd", "fecha", "dia", "giorno"])
_MAX_PART = 24  # characters of a line that is a part of a day
MAX_PANEL_LEVELS = 6  # elements from a heading up to the part of the page that it opens
MAX_BEFORE = 40  # characters before a day in which a word can say that it is not the day of the event
# A meeting approves what was said at another one: "III. Approval of Minutes", "Minutes of Dec 5, 2018".
_APPROVED = re.compile(
    r"\W*(?:\d{1,2}|[ivx]{1,4}|[a-z])?[.):]?\s*(?:(?:approve|approval|adoption|consideration|review)\b.{0,30}\bminutes|(?:vaststell|goedkeur)\w*\b.{0,30}\b(?:notulen|verslag|besluitenlijst))\b",
    re.IGNORECASE,
)
_OF_MINUTES = re.compile(r"\b(?:minutes|notulen|verslag|besluitenlijst)\b", re.IGNORECASE)
MAX_APPROVED_LINES = 6  # below such an item
_CLOCK = re.compile(r"\d{4}-\d\d-\d\d[T ](\d\d):(\d\d)(?::(\d\d))?")
_HEADING_TAGS = HEADINGS | {"caption", "th", "dt", "summary"}
_LEVEL = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}


class Mark:
    """A day. `element` is the innermost element around it, `line` and `last` the lines it stands in, `start` and `end`
    its place in the first of them; `stated` is what the page writes for machines, `under` the month or year that a
    heading above adds."""

    __slots__ = ("element", "end", "last", "line", "start", "stated", "text", "under", "year")

    def __init__(self, element: int, line: int, last: int, span: tuple[int, int], text: str, year: bool) -> None:
        self.element, self.line, self.last, self.text, self.year = element, line, last, text, year
        self.start, self.end = span
        self.stated = self.under = ""


class _Context:
    """The months and years that headings above a line say."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._years: dict[int, str] = {}
        self._ends: dict[int, int] = {}
        self.month = ""

    def read(self, text: str, level: int, at: int, end: int) -> None:
        """A heading in line `at`. Its year holds until one of its rank, and in any case up to `end`: the part of the page
        that it opens."""
        if level <= 6:
            self._years = {known: y for known, y in self._years.items() if known < level or at < self._ends[known]}
            self.month = ""
        years = set(_YEARS.findall(text))
        if len(years) == 1:
            self._years[level], self._ends[level] = years.pop(), end
        found = self._names.bare_month.findall(text)
        if len(found) == 1:
            self.month = found[0].strip()

    @property
    def year(self) -> str:
        return self._years[max(self._years)] if self._years else ""

    def of(self, text: str, year: bool) -> str:
        """What a day written as `text` lacks: a year whose month is not another one, or the month too."""
        own = self._names.bare_month.search(text)
        if own is None and not re.search(r"\d\s?[./-]\s?\d|月|월", text):
            return f"{self.month} {self.year}".strip() if self.month else ""
        if year or not self.year:
            return ""
        other = own is not None and self.month and self.month[:3].lower() != own[0].strip()[:3].lower()
        return "" if other else self.year


def find_marks(page: Outline, names: Names) -> list[Mark]:
    context = _Context(names)
    stated = _stated(page)
    marks: list[Mark] = []
    skip = -1
    for at in range(len(page.lines)):
        if at <= skip or len(marks) >= MAX_MARKS:
            continue
        found = list(_in_line(page, at, names))
        if found and _are_approved(page, at):
            continue
        if not found:
            skip, joined = _joined(page, at, names)
            found = [joined] if joined else []
        if not found:
            if (day := _day_only(page, at, names, context)) is not None:
                found = [day]
            else:
                _read_context(page, at, context, names)
        for mark in found:
            mark.under = context.of(mark.text, mark.year)
        marks += found
    _attach(page, marks, stated)
    return sorted(marks, key=lambda mark: (mark.line, mark.start))


def _are_approved(page: Outline, at: int) -> bool:
    """Whether a line names the minutes of another meeting, below the item under which they are approved."""
    if not _OF_MINUTES.search(page.lines[at].text):
        return False
    return any(_APPROVED.match(line.text) for line in page.lines[max(0, at - MAX_APPROVED_LINES) : at + 1])


def _in_line(page: Outline, at: int, names: Names) -> Iterator[Mark]:
    line = page.lines[at]
    spans = list(days_in(line.text, names))
    if spans and BYLINE.search(line.text):
        return
    for span in spans:
        before = line.text[max(0, span.start - MAX_BEFORE) : span.start]
        if not before.strip() and at and page.lines[at - 1].text.endswith((":", "：")):
            before = page.lines[at - 1].text[-MAX_BEFORE:]
        if NOT_THE_DAY.search(before) or EMPTY.search(before):
            continue
        element = line.element_at(span.start)
        if span.end < len(line.text) and line.element_at(max(span.start, span.end - 1)) != element:
            element = page.shared(element, line.element_at(span.end - 1))
        yield Mark(element, at, at, (span.start, span.end), span.text, span.year)


def _joined(page: Outline, at: int, names: Names) -> tuple[int, Mark | None]:
    """A day in lines of its own: "do", "12", "mrt", "2027"."""
    text = page.lines[at].text
    if len(text) > _MAX_PART or not _is_part(text, names):
        return -1, None
    best: Mark | None = None
    for last in range(at + 1, min(at + 4, len(page.lines))):
        following = page.lines[last].text
        if len(following) > _MAX_PART or not _is_part(following, names):
            break
        if names.month_only.fullmatch(text) and next(days_in(following, names), None) is not None:
            break  # "February 2027" is the heading of the "6 February" below it
        text = f"{text} {following}"
        spans = list(days_in(text, names))
        if spans and (best is None or spans[0].end > best.end):
            element = page.shared(page.lines[at].pieces[0].element, page.lines[last].pieces[-1].element)
            best = Mark(element, at, last, (0, len(page.lines[at].text)), spans[0].text, spans[0].year)
    return (best.last, best) if best and _is_one_day(page, at, best.last) else (-1, None)


def _is_one_day(page: Outline, first: int, last: int) -> bool:
    """Whether number and month belong together: not in a year where several days follow each month ("Jan 14 28 Feb 11"),
    nor in cells of different rows."""
    after = page.lines[last + 1].text if last + 1 < len(page.lines) else ""
    before = page.lines[first - 1].text if first else ""
    if any(re.fullmatch(r"\W*\d{1,2}\W*", text) for text in (after, before)):
        return False
    cells = [_cell(page, n) for n in range(first, last + 1)]
    if len(set(cells)) == 1:
        return True
    if -1 in cells or len({page.elements[cell].parent for cell in cells}) > 1:
        return False
    row = page.elements[page.elements[cells[0]].parent]
    numbers = [n for n in range(row.first, row.last) if re.fullmatch(r"\W*\d{1,2}\W*", page.lines[n].text)]
    return len(numbers) <= 1


def _cell(page: Outline, line: int) -> int:
    return next((e.at for e in page.above(page.lines[line].block) if e.tag in ("td", "th")), -1)


def _is_part(text: str, names: Names) -> bool:
    return bool(
        names.weekday_day.fullmatch(text)
        or names.month_only.fullmatch(text)
        or names.weekday.fullmatch(text)
        or re.fullmatch(r"\W*(?:20)?\d\d\W*", text)
        or (
            len(text) <= 14
            and names.bare_month.search(text)
            and re.fullmatch(r"[\W\d]*", names.bare_month.sub("", text))
        )
    )


def _day_only(page: Outline, at: int, names: Names, context: _Context) -> Mark | None:
    """ "vr 4" under "September 2026", a line or the beginning of one; a bare number only where the page calls it a
    day."""
    piece = page.lines[at].pieces[0]
    if not context.month or len(piece.text) > _MAX_PART or not names.weekday_day.fullmatch(piece.text):
        return None
    if not letters_in(piece.text) and not _is_day_cell(page, piece.element):
        return None
    return Mark(piece.element, at, at, (0, len(piece.text)), piece.text.strip(), False)


def _is_day_cell(page: Outline, at: int) -> bool:
    for level, above in enumerate(page.above(at)):
        if above.tag in ("td", "th", "time") or words_of(above.names) & _DAY_WORDS:
            return True
        if level == 2:
            break
    return False


def _read_context(page: Outline, at: int, context: _Context, names: Names) -> None:
    line = page.lines[at]
    if len(line.text) > 90:
        return
    tags = [above.tag for _, above in zip(range(4), page.above(line.pieces[0].element), strict=False)]
    level = next((_LEVEL[tag] for tag in tags if tag in _LEVEL), 0)
    if level or any(tag in _HEADING_TAGS for tag in tags):
        context.read(line.text, _rank(page, at, level or 7), at, _end_of_part(page, at))
    elif (
        names.month_only.fullmatch(line.text)
        or re.fullmatch(r"\W*20\d\d\W*", line.text)
        or ({"strong", "b"} & set(tags) and len(line.text) <= 60 and (_YEARS.search(line.text)))
    ):
        context.read(line.text, 7, at, at)


def _rank(page: Outline, at: int, level: int) -> int:
    """A line right below the page's heading that says of what year its schedule is speaks for the whole page."""
    above = page.lines[at - 1].pieces[0].element if at else 0
    below_title = any(e.tag == "h1" for _, e in zip(range(3), page.above(above), strict=False))
    text = page.lines[at].text
    return 1 if below_title and _YEARS.search(text) and (AGENDA.search(text) or MEETING.search(text)) else level


def _end_of_part(page: Outline, at: int) -> int:
    """The end of the part that a heading opens as its first line, such as the panel of an accordion."""
    end = at
    for level, above in enumerate(page.above(page.lines[at].pieces[0].element)):
        if above.first != at or above.tag in ("body", "main") or level > MAX_PANEL_LEVELS:
            break
        end = above.last
    return end


def _stated(page: Outline) -> dict[int, str]:
    """What `time` and microformat elements state, by element."""
    found = {}
    for element in page.elements:
        if element.tag not in ("time", "abbr"):
            continue
        own = element.node.attributes
        text = own.get("datetime") or own.get("content") or (own.get("title") if element.tag == "abbr" else "") or ""
        if _STATED_DAY.search(text):
            found[element.at] = text.strip()
    return found


def _is_stamp(stated: str, shown: str) -> bool:
    """A moment to the odd minute of which only the day is shown is when somebody wrote the entry; beside another day it
    says nothing of that one."""
    clock = _CLOCK.match(stated)
    if clock is None or clock[1] + clock[2] in ("0000", "2359") or clocks_in(shown, loose=True):
        return False
    is_odd = int(clock[2]) % 5 > 0 or int(clock[3] or 0) > 0
    return is_odd and day_and_month(shown) in (None, (int(stated[8:10]), int(stated[5:7])))


def _attach(page: Outline, marks: list[Mark], stated: dict[int, str]) -> None:
    """A stated day belongs to the text inside its element; where that is no day ("20:00"), it is one of its own."""
    taken: set[int] = set()
    for mark in marks:
        for level, above in enumerate(page.above(mark.element)):
            if above.at in stated and above.at not in taken:
                mark.stated = stated[above.at]
                taken.add(above.at)
                break
            if level == 3:
                break
    dropped = {
        at
        for at, text in stated.items()
        if (words_of(page.elements[at].names) & _PUBLISHED and "dtstart" not in page.elements[at].names)
        or _is_stamp(text, page.text_of(page.elements[at]))
    }
    marks[:] = [
        m for m in marks if not any(e.at in dropped for _, e in zip(range(3), page.above(m.element), strict=False))
    ]
    for at, text in stated.items():
        if at in taken or at in dropped:
            continue
        element = page.elements[at]
        inner = [m for m in marks if element.at <= m.element < element.end]
        if inner:
            inner[0].stated = inner[0].stated or text
            continue
        mark = Mark(at, element.first, element.first, (0, 0), "", True)
        mark.stated = text
        marks.append(mark)
