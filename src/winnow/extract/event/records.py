"""Repeated structure: which parts of a page are entries of a list, told by where its days stand.

Every day belongs to the largest element that holds no other entry's day. Elements of one parent that look alike are a
list; others are parts of one entry. Where the alike elements hold nothing but their day, each is a heading, and what
follows it up to the next one belongs to it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from winnow.extract.event.day_text import clocks_in, letters_in
from winnow.extract.event.marks import Mark
from winnow.extract.event.outline import HEADINGS, Outline

MAX_PASSES = 12  # levels of parts in parts of an entry
MAX_DAYS = 5  # of one event in a list; more are a list of days
MAX_ENTRY_LINES = 40  # more is a part of the page, not an entry
_ONE_ENTRY = HEADINGS | {"tr", "a", "time", "dt", "button", "figure"}
_WHOLE_PAGE = frozenset(["body", "html", "main"])
_RANGE = re.compile(
    r"\W*(?:-|–|—|t/m|tot(?: en met)?|bis|to|until|through|thru|al|au|until|→|>|&|\+)\W*", re.IGNORECASE
)


class Record:
    """An entry of a list: its lines and its days. `under` is the day of the heading it stands below; `root` is its
    element (the container, where it is only some of its lines)."""

    __slots__ = ("first", "last", "marks", "root", "under")

    def __init__(self, root: int, first: int, last: int, marks: list[Mark], under: Mark | None = None) -> None:
        self.root, self.first, self.last, self.marks, self.under = root, first, last, marks, under


class Group:
    """Alike entries below one element. `bare`: they hold days and nothing that could be a name."""

    __slots__ = ("bare", "container", "records", "sign")

    def __init__(self, container: int, records: list[Record], sign: str, bare: bool) -> None:
        self.container, self.records, self.sign, self.bare = container, records, sign, bare


class _Unit:
    __slots__ = ("at", "marks")

    def __init__(self, marks: list[Mark], at: int) -> None:
        self.marks, self.at = marks, at


def find_groups(page: Outline, marks: Sequence[Mark]) -> tuple[list[Group], list[Record]]:
    """The lists of a page in its order, and entries that stand alone."""
    units = _ranged(page, marks)
    buckets: dict[int, list[_Unit]] = {}
    for _ in range(MAX_PASSES):
        buckets = _buckets(page, units)
        merged = _merge(page, buckets)
        if merged is None:
            break
        units = merged
    groups = [group for at, found in buckets.items() if len(found) > 1 for group in _groups(page, at, found)]
    grouped = {id(mark) for group in groups for record in group.records for mark in record.marks}
    left = [unit for found in buckets.values() for unit in found if not any(id(m) in grouped for m in unit.marks)]
    known = _signs(page, groups)
    lone = [
        record
        for at, found in buckets.items()
        for unit in found
        if unit in left
        for record in _lone(page, at, unit, known)
    ]
    groups.sort(key=lambda group: group.records[0].first)
    return groups, sorted(lone, key=lambda record: record.first)


def _ranged(page: Outline, marks: Sequence[Mark]) -> list[_Unit]:
    """Days of one line, and the two ends of a range, are one unit."""
    units: list[_Unit] = []
    for mark in marks:
        before = units[-1].marks[-1] if units else None
        if before is not None and (before.line == mark.line or _is_range(page, before, mark)):
            units[-1].marks.append(mark)
            units[-1].at = page.shared(units[-1].at, mark.element)
        else:
            units.append(_Unit([mark], mark.element))
    return units


def _is_range(page: Outline, one: Mark, other: Mark) -> bool:
    if not 1 <= other.line - one.last <= 2:
        return False
    if other.line - one.last == 2:
        return bool(_RANGE.fullmatch(page.lines[one.last + 1].text))
    after, ahead = page.lines[one.last].text[one.end :].strip(), page.lines[other.line].text[: other.start].strip()
    return bool((after and _RANGE.fullmatch(after)) or (ahead and _RANGE.fullmatch(ahead)))


def _buckets(page: Outline, units: list[_Unit]) -> dict[int, list[_Unit]]:
    """Units by the innermost element they share with another one."""
    shared = [page.shared(a.at, b.at) for a, b in pairwise(units)]
    found: dict[int, list[_Unit]] = defaultdict(list)
    for n, unit in enumerate(units):
        near = [at for at in (shared[n - 1] if n else None, shared[n] if n < len(shared) else None) if at is not None]
        found[max(near, key=lambda at: page.elements[at].depth, default=0)].append(unit)
    return found


def _merge(page: Outline, buckets: dict[int, list[_Unit]]) -> list[_Unit] | None:
    """The units with parts of one entry put together; None when nothing was."""
    changed = False
    kept: list[_Unit] = []
    for at, units in buckets.items():
        if len(units) > 1 and _is_one_entry(page, at, units):
            kept.append(_Unit([mark for unit in units for mark in unit.marks], at))
            changed = True
        else:
            kept += units
    return sorted(kept, key=lambda unit: (unit.marks[0].line, unit.marks[0].start)) if changed else None


def _is_one_entry(page: Outline, at: int, units: list[_Unit]) -> bool:
    element = page.elements[at]
    lines = element.last - element.first
    if lines > MAX_ENTRY_LINES or element.tag in _WHOLE_PAGE or at == 0:
        return False
    if _is_calendar_row(page, at) or _is_row_of_days(page, at, units):
        return False
    if element.tag in _ONE_ENTRY or any(
        above.tag in _ONE_ENTRY for _, above in zip(range(3), page.above(at), strict=False)
    ):
        return True
    roots = [_root(page, at, unit) for unit in units]
    if len({_day_key(mark) for unit in units for mark in unit.marks}) == 1 and len(units) <= 3:
        return not _are_named_apart(page, units, roots)
    if len(units) > 1 and max(Counter(_sign(page, root) for root in roots).values()) == 1:
        return len(units) <= 4
    bare = all(_is_bare(page, unit, root) for root, unit in zip(roots, units, strict=True))
    if not bare or len(units) > MAX_DAYS or not _touch(page, units):
        return False
    return _has_name(page, element.first, element.last, units) and _has_twins(page, at)


def _are_named_apart(page: Outline, units: list[_Unit], roots: list[int]) -> bool:
    """Several events of one day: alike elements, each with a heading or a link, and with its own name, address or hour."""
    if len(set(roots)) < len(roots) or len({_sign(page, root) for root in roots}) > 1:
        return False
    found = [_signature(page, unit, root) for unit, root in zip(units, roots, strict=True)]
    return all(name for name, *_ in found) and len(set(found)) == len(found)


def _signature(page: Outline, unit: _Unit, root: int) -> tuple[str, str, str]:
    """The name of an entry, where it leads to, and its day as machines read it."""
    inside = [page.elements[root], *page.within(root)]
    link = next((e for e in inside if e.tag == "a"), None)
    named = next((e for e in inside if e.tag in HEADINGS), link)
    name = page.text_of(named) if named is not None else ""
    href = str(link.node.attributes.get("href") or "") if link is not None else ""
    return (name if letters_in(name) else href), href, unit.marks[0].stated


def _is_calendar_row(page: Outline, at: int) -> bool:
    """A week of a month: seven cells, each empty or with the number of its day first."""
    if page.elements[at].tag != "tr":
        return False
    cells = [child for child in page.children(at) if child.tag in ("td", "th")]
    if len(cells) not in (7, 8):
        return False
    first = [page.lines[cell.first].text if cell.last > cell.first else "" for cell in cells]
    return sum(not text or re.match(r"\W*[^\W\d_]{0,10}\W*\d{1,2}(?![\d/.-])", text) is not None for text in first) >= 7


def _is_row_of_days(page: Outline, at: int, units: list[_Unit]) -> bool:
    """Three days and more in cells of their own, or two and nothing else: a year in a table of months."""
    days = len({_day_key(unit.marks[0]) for unit in units})
    row = page.elements[at]
    if row.tag != "tr" or days < 2 or len({_root(page, at, unit) for unit in units}) < len(units):
        return False
    if days > 2:
        return True
    cells = [cell for cell in page.children(at) if cell.last > cell.first]
    return len(cells) == len(units) and not _has_name(page, row.first, row.last, units)


def _has_twins(page: Outline, at: int) -> bool:
    element = page.elements[at]
    like = [
        c for c in page.children(element.parent) if c.tag == element.tag and _class(c.names) == _class(element.names)
    ]
    return len(like) > 1


def _touch(page: Outline, units: list[_Unit]) -> bool:
    """Nothing but days, hours and marks stands between them."""
    for one, other in pairwise(units):
        between = page.lines[one.marks[-1].last + 1 : other.marks[0].line]
        if any(letters_in(line.text) > 12 for line in between):
            return False
    return True


def _has_name(page: Outline, first: int, last: int, units: list[_Unit]) -> bool:
    taken = {n for unit in units for mark in unit.marks for n in range(mark.line, mark.last + 1)}
    return any(letters_in(page.lines[n].text) > 2 for n in range(first, last) if n not in taken)


def _root(page: Outline, at: int, unit: _Unit) -> int:
    """The child of the container that holds the unit; the container itself for lines of its own."""
    if unit.at == at:
        return at
    return page.ancestor_at(unit.at, page.elements[at].depth + 1)


def _sign(page: Outline, root: int) -> str:
    """Classes of rows and cells say how they are striped."""
    element = page.elements[root]
    if element.tag in ("tr", "td", "th"):
        return element.tag
    return f"{element.tag}.{_class(element.names)}"


def _class(names: str) -> str:
    """The first class without its numbers: `item-12 odd` and `item-13` are alike."""
    return re.sub(r"[\d_-]+", "", names.partition(" ")[0]).lower()


def _is_bare(page: Outline, unit: _Unit, root: int) -> bool:
    """Whether nothing but days and hours stands in an entry's own element."""
    first = unit.marks[0].line
    last = max(mark.last for mark in unit.marks) + 1
    element = page.elements[root]
    if unit.at != root or element.last - element.first <= last - first:
        first, last = element.first, max(element.last, first + 1)
    return letters_in(_remaining(page, first, last, unit.marks)) <= 3


def _remaining(page: Outline, first: int, last: int, marks: Sequence[Mark]) -> str:
    found = []
    for n in range(first, last):
        text = page.lines[n].text
        for mark in sorted((m for m in marks if m.line <= n <= m.last), key=lambda m: -m.start):
            text = text[: mark.start] + text[mark.end :] if mark.line == n == mark.last else ""
        for clock in reversed(clocks_in(text)):
            text = text[: clock.start] + text[clock.end :]
        found.append(text)
    return " ".join(found)


def _day_key(mark: Mark) -> str:
    return mark.stated[:10] or re.sub(r"\W+", "", mark.text.lower())


def _groups(page: Outline, at: int, units: list[_Unit]) -> Iterable[Group]:
    """Alike units of a container, each kind of them a list of its own."""
    by_sign: dict[str, list[_Unit]] = defaultdict(list)
    for unit in units:
        by_sign[_sign(page, _root(page, at, unit))].append(unit)
    for sign, found in by_sign.items():
        if len(found) < 2:
            continue
        roots = [_root(page, at, unit) for unit in found]
        bare = sum(_is_bare(page, unit, root) for unit, root in zip(found, roots, strict=True)) > len(found) / 2
        records = _below_headings(page, at, found, roots) if bare else None
        if records is not None:
            yield Group(at, records, sign, False)
        else:
            yield Group(
                at, [_record(page, at, unit, root, found) for unit, root in zip(found, roots, strict=True)], sign, bare
            )


def _record(page: Outline, at: int, unit: _Unit, root: int, units: list[_Unit]) -> Record:
    element = page.elements[root]
    if root != at:
        return Record(root, element.first, max(element.last, element.first + 1), unit.marks)
    first = unit.marks[0].line
    following = [other.marks[0].line for other in units if other.marks[0].line > first]
    return Record(root, first, min([element.last, *following]), unit.marks)


def _below_headings(page: Outline, at: int, units: list[_Unit], roots: list[int]) -> list[Record] | None:
    """Each day with what follows it up to the next one; None where nothing does."""
    end = page.elements[at].last
    starts = [unit.marks[0].line for unit in units]
    records = []
    for n, (unit, root) in enumerate(zip(units, roots, strict=True)):
        last = starts[n + 1] if n + 1 < len(starts) else _end_of_last(page, at, root, end)
        records.append(Record(at, starts[n], max(last, starts[n] + 1), unit.marks, unit.marks[0]))
    named = sum(letters_in(_remaining(page, r.first, r.last, r.marks)) > 3 for r in records)
    return records if named > len(records) / 2 else None


def _end_of_last(page: Outline, at: int, root: int, end: int) -> int:
    """The last day's entries end where an element begins that no other day has below it: a heading of higher rank."""
    own = page.elements[root]
    after = [child for child in page.children(at) if child.at > own.at]
    for child in after:
        if child.tag in HEADINGS and child.tag != own.tag:
            inner = own.tag in HEADINGS and child.tag > own.tag
            if not inner and own.tag in HEADINGS:
                return child.first
        if child.tag in ("footer", "nav", "form", "aside"):
            return child.first
    return end


def _signs(page: Outline, groups: Sequence[Group]) -> set[tuple[str, str]]:
    """How entries of the lists look."""
    found = set()
    for group in groups:
        for record in group.records:
            element = page.elements[record.root]
            if element.names and record.root != group.container:
                found.add((element.tag, _class(element.names)))
    return found


def _lone(page: Outline, at: int, unit: _Unit, known: set[tuple[str, str]]) -> Iterable[Record]:
    """An entry that looks like those of the lists, or the largest element that holds no other day."""
    depth = page.elements[at].depth + 1
    best: int | None = None
    for above in page.above(unit.at):
        if above.depth < depth:
            break
        if (above.tag, _class(above.names)) in known:
            element = above
            return [Record(element.at, element.first, max(element.last, element.first + 1), unit.marks)]
        if above.last - above.first <= MAX_ENTRY_LINES and above.tag not in _WHOLE_PAGE:
            best = above.at
    if best is None:
        best = unit.at
    element = page.elements[best]
    return [Record(best, element.first, max(element.last, element.first + 1), unit.marks)]
