"""Reads the price of a single piece from quantities and prices (P-028).

Three layouts: a row per quantity ("10+ | $23") in a table or in elements alike, or a row of quantities above a row of
prices.
"""

from __future__ import annotations

import re
from itertools import islice, pairwise

import msgspec
from selectolax.lexbor import LexborNode

from winnow.extract.dom.area import Area, ancestors, text_of
from winnow.extract.dom.money_words import Meaning
from winnow.extract.dom.signs import SIGNS

MAX_TABLE_ROWS = 12
MIN_TIERS = 2
# "up to 4" or "from 1": the row whose price is that of a single piece.
_FIRST_TIER = re.compile(
    r"(?:bis|up to|until|tot|t/m|jusqu'à|hasta|fino a|do|<)\s?\d|(?:ab|from|vanaf|dès|desde|qty:?)?\s?1(?![\d.,])",
    re.IGNORECASE,
)
_TIER_ROW = re.compile(
    r"(?:ab|bis|up to|from|vanaf|tot|dès|jusqu'à|desde|hasta|qty:?)?\s?\d{1,4}\s?"
    r"(?:\+|-|–|to|bis|stk|stück|pcs|x|st\b|\D{0,3}\d)",
    re.IGNORECASE,
)
# A whole cell that names a quantity: "1", "1-4", "10+", "ab 5 Stück", "Qty 25 or more".
_QUANTITY = re.compile(
    r"(?:ab|bis|up to|from|vanaf|tot|dès|jusqu'à|desde|hasta|od|do|qty\.?:?|>=?|≥|<=?|≤)?\s?\d{1,5}"
    r"(?:\s?(?:-|–|—|to|bis|à|a|tot)\s?\d{1,5})?\s?\+?"
    r"\s?(?:or more|and up|plus|stk\.?|stück|st\.?|pcs?\.?|pieces?|units?|ea\.?|x|szt\.?|ks|pièces?|uds?\.?"
    r"|шт\.?)?\s?\+?",
    re.IGNORECASE,
)


class TierTable(msgspec.Struct, frozen=True):
    """`rows`: every row begins with a quantity. `columns`: the quantities of a header row; none where it has no such
    row. `flat`: all tiers cost the same, so that any of them is the price of one."""

    rows: bool = False
    columns: tuple[str, ...] = ()
    flat: bool = False

    @property
    def is_one(self) -> bool:
        return self.rows or bool(self.columns)


def tier_meaning(around: list[LexborNode], area: Area) -> Meaning | None:
    """Whether an amount is the price of one or of more; None outside of such tables."""
    table = next((above for above in around if above.tag == "table"), None)
    if table is None:
        return _in_alike_rows(around)
    known = area.tier_tables.get(table.mem_id)
    if known is None:
        known = area.tier_tables[table.mem_id] = _read(table)
    if not known.is_one:
        return None
    label = _column_label(around, known) if known.columns else _row_label(around)
    return Meaning.SELLING if known.flat or _FIRST_TIER.match(label) else Meaning.ASIDE


def _in_alike_rows(around: list[LexborNode]) -> Meaning | None:
    """In rows that are no table's, each begins with an element that holds a quantity and nothing else."""
    for row in around[1:_ROW_LEVELS]:
        mine = _row_quantity(row)
        if not mine or row.parent is None:
            continue
        rows = [other for other in islice(row.parent.iter(), MAX_TABLE_ROWS) if _row_quantity(other)]
        if len(rows) >= MIN_TIERS and sum(_SEVERAL.search(_row_quantity(other)) is not None for other in rows) >= 1:
            flat = _cost_the_same([text_of(other).removeprefix(_row_quantity(other)) for other in rows])
            return Meaning.SELLING if flat or _FIRST_TIER.match(mine) else Meaning.ASIDE
    return None


_ROW_LEVELS = 4  # from an amount up to the row of its tier
_SEVERAL = re.compile(r"\d\s?(?:-|–|—|to|bis|tot)\s?\d|\+|or more|and up", re.IGNORECASE)


def _row_quantity(row: LexborNode) -> str:
    """What a row of a quantity and an amount begins with; "" for any other element."""
    first = next(iter(row.iter()), None)
    label = text_of(first).strip() if first is not None else ""
    return label if label and _QUANTITY.fullmatch(label) and SIGNS.search(text_of(row)) else ""


def _read(table: LexborNode) -> TierTable:
    rows = table.css("tr")[:MAX_TABLE_ROWS]
    tiers = [row for row in rows if _is_tier(text_of(row))]
    if len(tiers) >= MIN_TIERS:
        return TierTable(
            rows=True, flat=_cost_the_same([text_of(cells[-1]) for row in tiers if (cells := _cells(row))])
        )
    labels = [[text_of(cell) for cell in _cells(row)] for row in rows]
    for quantities, prices in pairwise(labels):
        if _are_tiers(quantities, prices):
            return TierTable(columns=tuple(quantities), flat=_cost_the_same([p for p in prices if SIGNS.search(p)]))
    return TierTable()


def _cost_the_same(prices: list[str]) -> bool:
    return len(set(prices)) == 1 and any(map(str.isdigit, prices[0]))


def _are_tiers(quantities: list[str], prices: list[str]) -> bool:
    """As many quantities as amounts below them, at the same places."""
    if len(quantities) != len(prices):
        return False
    pairs = [(q, p) for q, p in zip(quantities, prices, strict=True) if SIGNS.search(p) and any(map(str.isdigit, p))]
    return len(pairs) >= MIN_TIERS and all(_QUANTITY.fullmatch(q.strip()) for q, _ in pairs)


def _cells(row: LexborNode) -> list[LexborNode]:
    return [cell for cell in row.css("td, th") if cell.parent is not None and cell.parent.mem_id == row.mem_id]


def _column_label(around: list[LexborNode], table: TierTable) -> str:
    cell = next((above for above in around if above.tag in ("td", "th")), None)
    row = next((above for above in ancestors(cell) if above.tag == "tr"), None) if cell is not None else None
    if cell is None or row is None:
        return ""
    at = next((n for n, other in enumerate(_cells(row)) if other.mem_id == cell.mem_id), len(table.columns))
    return table.columns[at] if at < len(table.columns) else ""


def _row_label(around: list[LexborNode]) -> str:
    row = next((above for above in around if above.tag == "tr"), None)
    return text_of(row) if row is not None else ""


def _is_tier(row: str) -> bool:
    return _TIER_ROW.match(row) is not None and SIGNS.search(row) is not None
