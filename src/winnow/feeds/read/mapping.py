"""Records of a sheet -> rows, a column at a time (F-076 … F-082).

Everything that is the same for most rows is done with one C-level pass over a column; only values that are not
plain are looked at alone. What is wrong with a row is collected by its index and decides at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any, cast

from winnow.feeds.failures import BadFile
from winnow.feeds.read import row as codes
from winnow.feeds.read import sale_dates
from winnow.feeds.read.column_names import casefold_name
from winnow.feeds.read.header import ColumnPlan, header_like
from winnow.feeds.read.money_columns import MoneyColumns, Priced
from winnow.feeds.read.removals import RemovalColumns
from winnow.feeds.read.text import DAMAGE
from winnow.feeds.read.url_template import UrlTemplate
from winnow.feeds.read.values import (
    EMPTY,
    LONGEST_EMPTY,
    NO_SALE,
    StockValues,
    decoded,
    is_rounded,
    plain,
    read_upc,
    unwrap,
)
from winnow.feeds.read.variant_rows import ParentRows, VariantRows
from winnow.feeds.read.web_address import (
    are_addresses,
    are_several,
    first_address,
    first_ones,
    is_address,
    may_be_several,
    with_encoded_blanks,
)

MAX_IDENTITY = 255  # source_products.identity_value
MAX_NAME = 8_192
# Roles that say which offer it is and what it costs: a damaged byte there costs the row. Elsewhere it is marked.
CRITICAL = ("item_id", "sku", "name", "url", "sale_price", "price", "currency", "gtin")
MONEY = ("sale_price", "price", "list_price", "currency")
WRAPPERS = {"=", "'", '"'}
GONE = (False, True)  # not in stock, and the word is known
PROSE = ("description", "category", "condition")  # columns in which "-" and "none" mean that there is no value

Column = list[str]
Finding = tuple[int, str, str]  # index, code, message


class Mapped:
    """A batch in the making: rows of one table, by index."""

    def __init__(self, table: Sequence[list[str]]) -> None:
        self.table = table
        self.cells: list[tuple[str, ...]] = list(zip(*table, strict=True))
        self.refused: dict[int, tuple[str, str]] = {}
        self.noted: list[Finding] = []
        self.removed: dict[int, tuple[str | None, str | None, str]] = {}  # item id, SKU and address

    def refuse(self, index: int, code: str, message: str) -> None:
        """The first reason found is the one reported."""
        self.refused.setdefault(index, (code, message))

    def note(self, index: int, code: str, message: str) -> None:
        self.noted.append((index, code, message))


class Mapper:
    def __init__(self, plan: ColumnPlan, money: MoneyColumns, now: Any = None, url_template: str | None = None) -> None:
        self.plan, self.money, self.now = plan, money, now
        self.variants = VariantRows(plan.header)
        self.parents = ParentRows(plan.header)
        self.template = UrlTemplate(url_template, plan.header, plan.columns) if url_template else None
        self.stock = StockValues()
        self.removals = RemovalColumns(plan.columns)
        self.status = bool(set(plan.columns.get("status", ())) - set(plan.columns.get("stock", ())[:1]))
        self.header = tuple(map(casefold_name, plan.header))[: plan.width]
        # What stands in the first column of a role is all there is, and holds today as tomorrow.
        self.plain_money = all(len(plan.columns.get(role, ())) < 2 for role in MONEY) and not (
            sale_dates.ROLES & plan.columns.keys()
        )

    def map(self, table: list[list[str]], damaged: bool) -> tuple[Mapped, list[Sequence[Any]]]:
        """Columns in the order of Row without its number; rows in `refused` are not to be used."""
        table = self._without_null_padding(table) if damaged else table
        batch = Mapped(self.variants.complete(table) if self.variants.used else table)
        if damaged:
            self._find_damage(batch)
        self._find_contradictions(batch)
        columns = self._columns(batch)
        if self.removals.used:
            self._find_removals(batch, columns)
        return batch, columns

    def _find_removals(self, batch: Mapped, columns: list[Sequence[Any]]) -> None:
        """Of a row that removes its offer nothing but its id or address is read."""
        item_ids, skus, _, urls, *_ = columns
        for i in self.removals.find(batch.table):
            url = urls[i] if is_address(urls[i]) else ""
            why = batch.refused.pop(i, ("", ""))
            batch.noted = [finding for finding in batch.noted if finding[0] != i]
            if why[0] in (codes.ENCODING_ERROR, codes.AMBIGUOUS_COLUMNS, codes.VALUE_TOO_LONG):
                batch.refuse(i, *why)
            elif item_ids[i] or skus[i] or url:
                batch.removed[i] = (item_ids[i], skus[i], url)
            else:
                batch.refuse(i, codes.MISSING_FIELD, "the row removes an offer and names no id or address")

    def _columns(self, batch: Mapped) -> list[Sequence[Any]]:
        price, list_price, currency = self._money(batch)
        in_stock, known = self._stock(batch)
        return [
            self._identity(batch, "item_id"),
            self._identity(batch, "sku"),
            self._name(batch),
            self._url(batch),
            self._link(batch, "tracking_url"),
            price,
            list_price,
            currency,
            in_stock,
            known,
            self._gtin(batch),
            *(self._text(batch, role) for role in ("mpn", "brand")),
            self._link(batch, "image_url"),
            *(self._text(batch, role) for role in ("category", "description", "condition")),
        ]

    def _first(self, batch: Mapped, role: str) -> Column:
        """The first column of the role, as it stands: what is plain in all its cells need not be looked at further."""
        places = self.plan.columns.get(role, ())
        return list(map(str.strip, batch.cells[places[0]])) if places else [""] * len(batch.table)

    def _pick(self, batch: Mapped, role: str) -> Column:
        """The first column of the role that holds something; "" where none does."""
        places = self.plan.columns.get(role, ())
        found = self._first(batch, role)
        if not places:
            return found
        if min(map(len, found), default=0) <= LONGEST_EMPTY and not EMPTY.isdisjoint(found):
            found = ["" if cell in EMPTY else cell for cell in found]
        for place in places[1:]:
            if all(found):
                break
            more = map(str.strip, batch.cells[place])
            found = [a or ("" if b in EMPTY else b) for a, b in zip(found, more, strict=True)]
        return found

    def _text(self, batch: Mapped, role: str) -> list[str | None]:
        if role not in self.plan.columns:
            return [None] * len(batch.table)
        if role == "description":  # often HTML: entities in it are kept
            return _or_none(self._prose(batch, role))
        return _or_none(_readable(self._prose(batch, role)))

    def _prose(self, batch: Mapped, role: str) -> Column:
        places = self.plan.columns[role]
        return self._first(batch, role) if len(places) == 1 and role in PROSE else self._pick(batch, role)

    def _identity(self, batch: Mapped, role: str) -> list[str | None]:
        found = self._pick(batch, role)
        joined = "".join(found)
        if any(sign in joined for sign in WRAPPERS):
            found = [unwrap(cell) if cell[:1] in WRAPPERS else cell for cell in found]
        if max(map(len, found), default=0) > MAX_IDENTITY:
            for i, cell in enumerate(found):
                if len(cell) > MAX_IDENTITY:
                    batch.refuse(i, codes.VALUE_TOO_LONG, f"{role} has {len(cell)} characters, {MAX_IDENTITY} fit")
        return _or_none(self._unrounded(batch, role, found))

    def _unrounded(self, batch: Mapped, role: str, found: Column) -> Column:
        """Drop ids that a spreadsheet has rounded: several products would share them."""
        if "+" not in "".join(found):
            return found
        for i in [i for i, cell in enumerate(found) if is_rounded(cell)]:
            batch.note(i, codes.ID_REFUSED, f"{role} {found[i]!r} is a number that was rounded")
            found[i] = ""
        return found

    def _name(self, batch: Mapped) -> Column:
        found = _readable(self._compose_names(batch, self._pick(batch, "name")))
        if "<" in "".join(found):
            found = [plain(cell) if "<" in cell else cell for cell in found]
        if not all(found):
            for i, cell in enumerate(found):
                if not cell:
                    batch.refuse(i, codes.MISSING_FIELD, "name is empty")
        if max(map(len, found), default=0) > MAX_NAME:
            for i, cell in enumerate(found):
                if len(cell) > MAX_NAME:
                    batch.refuse(i, codes.VALUE_TOO_LONG, f"name has {len(cell)} characters, {MAX_NAME} fit")
        return found

    def _compose_names(self, batch: Mapped, found: Column) -> Column:
        """Offers of Yandex that have no name of their own are called by type, vendor and model."""
        if not self.plan.name_parts:
            return found
        named = [place for place in self.plan.columns["name"] if place != self.plan.name_parts[-1]]
        for i, cells in enumerate(batch.table):
            parts = [cells[place].strip() for place in self.plan.name_parts]
            if parts[-1] and not any(cells[place].strip() for place in named):
                found[i] = " ".join(
                    part for n, part in enumerate(parts) if part and not _repeated(part, parts[n + 1 :])
                )
        return found

    def _url(self, batch: Mapped) -> Column:
        if self.template is not None:
            return self._checked_urls(batch, self._templated(batch, self.template))
        found = _unescaped(self._first(batch, "url"))
        if are_addresses(found) and not may_be_several(found):
            return found
        return self._checked_urls(batch, _unescaped(self._pick(batch, "url")))

    def _templated(self, batch: Mapped, template: UrlTemplate) -> Column:
        """The address that a row states, else the one that the template makes of its cells."""
        stated = _unescaped(self._pick(batch, "url"))
        return [url or template.fill(cells) for url, cells in zip(stated, batch.table, strict=True)]

    def _checked_urls(self, batch: Mapped, found: Column) -> Column:
        found = [with_encoded_blanks(cell) or cell if " " in cell else cell for cell in found]
        for i, ok in enumerate([is_address(cell) and not are_several(cell) for cell in found]):
            if not ok and found[i]:
                batch.refuse(i, codes.INVALID_URL, f"{found[i][:100]!r} is not an http(s) address")
            elif not ok:
                batch.refuse(i, codes.MISSING_FIELD, "url is empty")
        return found

    def _link(self, batch: Mapped, role: str) -> list[str | None]:
        if role not in self.plan.columns:
            return [None] * len(batch.table)
        listed = first_ones if role == "image_url" else list
        picked = listed(_unescaped(self._first(batch, role)))
        if are_addresses(picked):
            return [*picked]
        picked = listed(_unescaped(self._pick(batch, role)))
        found = _or_none(picked)
        if are_addresses(list(filter(None, picked))):
            return found
        for i, cell in enumerate(found):
            if cell is not None and not is_address(cell):
                found[i] = first_address(cell) if role == "image_url" else with_encoded_blanks(cell)
            if cell is not None and found[i] is None:
                batch.note(i, codes.IMAGE_REFUSED, f"{role} {cell[:100]!r} is not an http(s) address")
        return found

    def _gtin(self, batch: Mapped) -> list[str | None]:
        if "gtin" not in self.plan.columns:
            return [None] * len(batch.table)
        first = self._first(batch, "gtin")
        if _plain_codes(first):
            return [*first]
        picked = self._beyond_zeros(batch, self._pick(batch, "gtin"))
        return [
            cell
            if 8 <= len(cell) <= 14 and cell.isdigit() and cell.isascii() and cell[:5] != "00000"
            else self._odd_gtin(batch, i, cell)
            for i, cell in enumerate(picked)
        ]

    def _beyond_zeros(self, batch: Mapped, picked: Column) -> Column:
        """A code of zeros is how a system fills the column; another one may hold the product's."""
        for place in self.plan.columns["gtin"][1:]:
            more = map(str.strip, batch.cells[place])
            picked = [cell if cell.strip("0") else other for cell, other in zip(picked, more, strict=True)]
        return picked

    def _odd_gtin(self, batch: Mapped, i: int, cell: str) -> str | None:
        if not cell:
            return None
        code, why = read_upc(cell)
        if why:
            batch.note(i, codes.GTIN_REFUSED, why)
        return code

    def _stock(self, batch: Mapped) -> tuple[Sequence[bool], Sequence[bool]]:
        if "stock" not in self.plan.columns and not self.status:
            return [True] * len(batch.table), [False] * len(batch.table)
        answers = list(map(self.stock.__getitem__, self._pick(batch, "stock")))
        if self.status:
            answers = list(map(self._unless_gone, answers, self._pick(batch, "status")))
        return list(map(itemgetter(0), answers)), list(map(itemgetter(1), answers))

    def _unless_gone(self, answer: tuple[bool, bool], status: str) -> tuple[bool, bool]:
        """A product that was archived or unpublished is not for sale, however many pieces are in stock."""
        return GONE if status and self.stock[status] == GONE else answer

    def _money(self, batch: Mapped) -> Priced:
        if self.plain_money:
            first = {role: self._first(batch, role) for role in MONEY}
            if (found := self.money.plain(first)) is not None:
                return found
        return self.money.read(batch, self._prices(batch))

    def _prices(self, batch: Mapped) -> dict[str, Column]:
        picked = {role: self._pick(batch, role) for role in MONEY}
        if not NO_SALE.isdisjoint(picked["sale_price"]):
            picked["sale_price"] = ["" if cell in NO_SALE else cell for cell in picked["sale_price"]]
        if "sale_dates" in self.plan.columns:
            dates = self._pick(batch, "sale_dates")
            sales = zip(picked["sale_price"], dates, strict=True)
            picked["sale_price"] = [s if not d or sale_dates.holds(d, self.now) else "" for s, d in sales]
        if "sale_begins" in self.plan.columns or "sale_ends" in self.plan.columns:
            ends = zip(self._pick(batch, "sale_begins"), self._pick(batch, "sale_ends"), strict=True)
            held = [sale_dates.holds_between(begin, end, self.now) for begin, end in ends]
            picked["sale_price"] = [s if held else "" for s, held in zip(picked["sale_price"], held, strict=True)]
        return picked

    def _without_null_padding(self, table: list[list[str]]) -> list[list[str]]:
        """NUL as padding around a value is nothing; inside one it is damage."""
        return [[cell.strip("\x00") for cell in cells] if "\x00" in "".join(cells) else cells for cells in table]

    def _find_damage(self, batch: Mapped) -> None:
        critical = {place for role in CRITICAL for place in self.plan.columns.get(role, ())}
        changed = False
        for i, cells in enumerate(batch.table):
            places = [place for place, cell in enumerate(cells) if DAMAGE.search(cell)]
            for place in places:
                if place in critical:
                    batch.refuse(i, codes.ENCODING_ERROR, f"{self._name_of(place)} holds bytes that are no text")
                else:
                    batch.note(i, codes.TEXT_DAMAGED, f"{self._name_of(place)} holds bytes that are no text")
                cells[place] = DAMAGE.sub("\ufffd", cells[place])
                changed = True
        if changed:
            batch.cells = list(zip(*batch.table, strict=True))

    def _find_contradictions(self, batch: Mapped) -> None:
        for role in CRITICAL[:-1]:  # a product may have several codes
            for group in self.plan.twins.get(role, ()):
                for i, cells in enumerate(batch.table):
                    if len({cells[place].strip() for place in group} - EMPTY) > 1:
                        batch.refuse(i, codes.AMBIGUOUS_COLUMNS, f"columns named {self._name_of(group[0])!r} disagree")

    def _name_of(self, place: int) -> str:
        return self.plan.header[place] if place < len(self.plan.header) else f"column {place + 1}"

    def is_header(self, cells: Sequence[str]) -> bool:
        """The header once more, as in files put together from several, or in other words, as below a form's labels."""
        names = tuple(map(casefold_name, cells))
        if names[: self.plan.width] == self.header and not any(names[self.plan.width :]):
            return True
        other = header_like(cells, self.plan.network)
        if other is None:
            return False
        if other.width != self.plan.width or any(
            self.plan.columns.get(role, found)[:1] != found[:1] for role, found in other.columns.items()
        ):
            columns = ", ".join(other.header[:8])
            message = f"there are several catalogues in the file: a second header ({columns})"
            raise BadFile(message, "TWO_HEADERS", "ask the shop for one file each")
        return True

    def sample(self, cells: Sequence[str]) -> dict[str, str]:
        """The row as raw_row keeps it (F-019): what there is, shortened."""
        pairs = ((self._name_of(place), cell[:200]) for place, cell in enumerate(cells[:40]) if cell)
        return {name: DAMAGE.sub("\ufffd", cell) for name, cell in pairs}


def _repeated(part: str, later: Sequence[str]) -> bool:
    """Whether a later part begins with this one: `HP`, `HP LaserJet`."""
    return any(text.casefold().startswith(part.casefold()) for text in later)


def _or_none(column: Column) -> list[str | None]:
    whole = cast("list[str | None]", column)
    return whole if all(column) else [cell or None for cell in column]


def _readable(cells: Column) -> Column:
    """Decode HTML entities: `Tom &amp; Jerry` is markup, not a name."""
    joined = "".join(cells)
    if "&" not in joined or ";" not in joined:
        return cells
    return [decoded(cell) if "&" in cell else cell for cell in cells]


def _unescaped(cells: Column) -> Column:
    """No address has a parameter called `amp;b`."""
    joined = "\n".join(cells)
    return [cell.replace("&amp;", "&") for cell in cells] if "&" in joined and "&amp;" in joined else cells


def _plain_codes(cells: Sequence[str]) -> bool:
    """Whether a whole column is plain codes of 8 to 14 digits, none of them a placeholder of zeros."""
    lengths = set(map(len, cells))
    if not lengths or min(lengths) < 8 or max(lengths) > 14:
        return False
    joined = "".join(cells)
    return joined.isascii() and joined.isdigit() and " 00000" not in " " + " ".join(cells)
