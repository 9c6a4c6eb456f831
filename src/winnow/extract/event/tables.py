"""Tables of events: which column holds what, told by the words at its head."""

from __future__ import annotations

from winnow.extract.event.outline import Element, Outline
from winnow.extract.event.records import Record
from winnow.extract.event.terms import columns

MAX_COLUMNS = 20


def cells_of(page: Outline, record: Record) -> dict[str, str]:
    """The cells of a row by what their column is called; {} where no column is."""
    row = page.elements[record.root]
    if row.tag != "tr":
        return {}
    heads = _heads(page, row)
    found: dict[str, str] = {}
    for at, cell in enumerate(_cells(page, row)):
        field = heads[at] if at < len(heads) else ""
        if field and field not in found:
            text = page.text_of(cell).strip()
            if text:
                found[field] = text
    return found


def _heads(page: Outline, row: Element) -> list[str]:
    table = next((above for above in page.above(row.at) if above.tag == "table"), None)
    if table is None:
        return []
    for element in page.within(table.at):
        if element.tag != "tr":
            continue
        if element.at >= row.at:
            break
        fields = [_field(page.text_of(cell)) for cell in _cells(page, element)][:MAX_COLUMNS]
        if sum(map(bool, fields)) >= 2:
            return fields
    return []


def _field(text: str) -> str:
    return columns().get(text.strip(" :*\n").lower(), "")


def _cells(page: Outline, row: Element) -> list[Element]:
    return [cell for cell in page.children(row.at) if cell.tag in ("td", "th")]
