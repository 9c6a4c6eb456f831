"""Entries below a day: an agenda of several events a day, rows that share the day of the row above, plain lists of days."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from winnow.extract.event.day_text import clocks_in, letters_in
from winnow.extract.event.outline import HEADINGS, Element, Outline
from winnow.extract.event.records import Group, Record

_ITEM_TAGS = frozenset(["li", "article", "div", "tr", "a", "section", "p", "dd", "span"])


def split(page: Outline, group: Group) -> list[Record]:
    """The entries of a list, with those apart that share a day or stand in one line."""
    found: list[Record] = []
    for n, record in enumerate(group.records):
        items = _items(page, record)
        if len(items) > 1:
            found += items
        elif group.bare and len(record.marks) > 2:
            found += [Record(record.root, mark.line, mark.last + 1, [mark]) for mark in record.marks]
        else:
            found.append(record)
            found += _rows_below(page, group, n)
    return found


def _items(page: Outline, record: Record) -> list[Record]:
    """Alike elements after the day, each with a heading or an hour of its own, while the entry has none besides."""
    mark = record.marks[0]
    if any(other.line > mark.last + 2 for other in record.marks):
        return []
    elements = [
        e for e in page.elements[record.root : page.elements[record.root].end] if record.first <= e.first < record.last
    ]
    after = [e for e in elements if e.first > mark.last and e.last <= record.last and e.tag in _ITEM_TAGS]
    alike: dict[tuple[int, str, str], list[Element]] = defaultdict(list)
    for element in after:
        alike[(element.parent, element.tag, element.names.partition(" ")[0])].append(element)
    headings = [e for e in elements if e.tag in HEADINGS and not e.at <= mark.element < e.end and e.last > e.first]
    best: list[Element] = []
    for items in alike.values():
        if len(items) < 2 or len(items) <= len(best):
            continue
        inside = [h for h in headings if any(i.at < h.at < i.end for i in items)]
        if (headings and len(inside) == len(headings) and len({_holder(h, items) for h in inside}) == len(items)) or (
            not headings and all(_has_hour(page, item) and letters_in(page.text_of(item)) > 5 for item in items)
        ):
            best = items
    return [Record(i.at, i.first, max(i.last, i.first + 1), record.marks, mark) for i in best]


def _holder(heading: Element, items: list[Element]) -> int:
    return next(i.at for i in items if i.at < heading.at < i.end)


def _has_hour(page: Outline, item: Element) -> bool:
    lines = page.lines[item.first : max(item.last, item.first + 1)]
    return any(clocks_in(line.text) for line in lines[:6])


def _rows_below(page: Outline, group: Group, n: int) -> Iterator[Record]:
    """Rows of a table without a day of their own, below one whose day they share: its cell spans them, or theirs is
    empty."""
    record = group.records[n]
    row = page.elements[record.root]
    if row.tag != "tr":
        return
    width = _cells(page, row)
    end = group.records[n + 1].root if n + 1 < len(group.records) else page.elements[group.container].end
    for child in _following(page, row, end):
        if child.tag != "tr" or child.last <= child.first:
            continue
        cells = _cells(page, child)
        spans = page.elements[record.root + 1].node.attributes.get("rowspan")
        empty = bool(cells) and cells[0].last <= cells[0].first and len(cells) == len(width)
        if (spans and len(cells) == len(width) - 1) or empty:
            yield Record(child.at, child.first, child.last, record.marks, record.marks[0])


def _following(page: Outline, row: Element, end: int) -> Iterator[Element]:
    """The elements beside a row, from the next one up to `end`."""
    at, last = row.end, min(end, page.elements[row.parent].end)
    while at < last:
        yield page.elements[at]
        at = page.elements[at].end


def _cells(page: Outline, row: Element) -> list[Element]:
    return [cell for cell in page.children(row.at) if cell.tag in ("td", "th")]
