"""Rows of a chunk -> the texts that COPY reads.

Offers that nobody has seen before go straight into their tables (`Additions`): their ids are not known while reading,
so a `%d` stands for each. Every other chunk goes into the staging table (load_stage.sql) and is compared there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from itertools import chain, compress, count
from typing import Any, NamedTuple, cast

import msgspec

from winnow.feeds.read.identity import without_tracking
from winnow.feeds.read.row import Row, Rows
from winnow.feeds.read.signature import signatures
from winnow.normalise.money.currencies import exponent

NULL = "\\N"
_ESCAPES = str.maketrans({"\0": None, "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_SIGNS = ("\t", "\\", "\n", "\r", "\0")
_STOCK = {True: "\tIN_STOCK\tt\t", False: "\tOUT_OF_STOCK\tf\t"}

Column = Sequence[str | None]


class HeldRow(NamedTuple):
    """A row, and what was found out about it. `identity`: a byte of flags and a digest (feeds/read/memory.py)."""

    row: Row
    digest: bytes
    identity: bytes
    kind: str
    value: str
    url_hash: str


class Holding(NamedTuple):
    """Held rows as columns, with their identity taken apart."""

    rows: Rows
    digest: Sequence[bytes]
    flags: Sequence[bytes]
    bare: Sequence[bytes]
    kind: Sequence[str]
    value: Sequence[str]
    url_hash: Sequence[str]

    @classmethod
    def of(cls, held: Sequence[HeldRow]) -> Holding:
        rows, digest, identity, *columns = zip(*held, strict=True)
        return cls(Rows.of(rows), digest, [who[:1] for who in identity], [who[1:] for who in identity], *columns)

    def one(self, n: int) -> HeldRow:
        identity = self.flags[n] + self.bare[n]
        return HeldRow(self.rows[n], self.digest[n], identity, self.kind[n], self.value[n], self.url_hash[n])


class Lines:
    """Rows as they are written. Made of some hundred at a time, while their cells are still in the processor's cache:
    of each a line is left, and no longer two dozen values."""

    def __init__(self, columns: Iterable[Iterable[Any]] = ((),) * 7) -> None:
        self.columns = tuple(list(column) for column in columns)
        self.number, self.digest, self.flags, self.bare, self.offer, self.price, self.tracking = self.columns

    @classmethod
    def of(cls, held: Holding) -> Lines:
        table = _Table(held)
        offers, prices = _lines(table.offers()), table.prices()
        columns = (table.number, held.digest, held.flags, held.bare, offers, prices, table.tracking_url)
        return cls(columns)

    def __len__(self) -> int:
        return len(self.number)

    def piece(self, start: int, end: int) -> Lines:
        return Lines(column[start:end] for column in self.columns)

    def without(self, dropped: Set[int]) -> Lines:
        if not dropped:
            return self
        keep = [n not in dropped for n in range(len(self))]
        return Lines(compress(column, keep) for column in self.columns)

    def extend(self, more: Lines) -> None:
        for column, added in zip(self.columns, more.columns, strict=True):
            column += added

    def keys(self) -> bytes:
        """Digest and identity of each; nothing if one has no digest."""
        each = zip(self.digest, self.flags, self.bare, strict=True)
        return b"".join(chain.from_iterable(each)) if all(self.digest) else b""


class Additions(msgspec.Struct, kw_only=True):
    """Offers that are new. `offers` has a `%d` for the offer's id in each line, `prices` two for the ids of price and
    offer, before what the lines of `prices` and `latest_prices` have in common."""

    offers: bytes
    with_attributes: bool
    prices: bytes


def staged(lines: Lines) -> bytes:
    """In the order of load_stage.sql."""
    columns = zip(count(), lines.offer, _cells(lines.tracking), lines.price)
    return _text([f"{n}\t{offer}\t{tracking}\t{price}" for n, offer, tracking, price in columns])


def additions(lines: Lines, source_id: int, run_id: int) -> Additions:
    """In the order of load._OFFERS and load._PRICES."""
    tracked = any(lines.tracking)
    offers = lines.offer
    if tracked:
        attributes = _cells([_attributes(address) for address in lines.tracking])
        offers = list(map("\t".join, zip(offers, attributes, strict=True)))
    if "%" in "".join(offers):
        offers = [offer.replace("%", "%%") for offer in offers]
    return Additions(
        offers=_text(offers, f"%d\t{source_id}\t{run_id}\t{run_id}\t{run_id}\t"),
        with_attributes=tracked,
        prices=_text(lines.price, "%d\t%d\t"),
    )


class _Table:
    """The columns by their names."""

    def __init__(self, held: Holding) -> None:
        self.kind, self.value, self.url_hash = held.kind, held.value, held.url_hash
        (self.number, self.item_id, self.sku, self.name, self.url, self.tracking_url, self.price, self.list_price,
         self.currency, self.in_stock, _, self.gtin, self.mpn, self.brand, self.image_url, self.category,
         self.description, self.condition) = held.rows.columns  # fmt: skip

    def offers(self) -> list[Column]:
        url = [without_tracking(address) if "?" in address else address for address in self.url]
        return [self.kind, self.value, self.name, url, self.image_url, self.brand, self.description, self.category,
                self.condition, self.sku, self.mpn, self.item_id, self.url_hash, self.gtin]  # fmt: skip

    def prices(self) -> list[str]:
        """Amount, currency, exponent, list price, availability, in stock, signature."""
        stated = list(zip(self.currency, self.in_stock, strict=True))
        around = {(unit, stock): (f"\t{unit}\t{exponent(unit)}\t", _STOCK[stock]) for unit, stock in set(stated)}
        signed = signatures(self.price, stated, self.list_price)
        columns = zip(self.price, map(around.__getitem__, stated), self.list_price, signed, strict=True)
        return [
            f"{price}{unit}{NULL if had is None else had}{stock}{name}" for price, (unit, stock), had, name in columns
        ]


def _lines(columns: Sequence[Column]) -> list[str]:
    return list(map("\t".join, zip(*map(_cells, columns), strict=True)))


def _cells(column: Column) -> Sequence[str]:
    """Looked at all together first: most columns have no sign of COPY's own, and either a value in every row or none.
    Rows have no empty texts (feeds/read/row.py)."""
    whole = all(column)
    text = "".join(cast("Sequence[str]", column) if whole else filter(None, column))
    if not text:
        return [NULL] * len(column)
    if any(sign in text for sign in _SIGNS):
        return [NULL if cell is None else cell.translate(_ESCAPES) for cell in column]
    return cast("Sequence[str]", column) if whole else [cell or NULL for cell in column]


def _attributes(tracking_url: str | None) -> str:
    return "{}" if tracking_url is None else msgspec.json.encode({"tracking_url": tracking_url}).decode()


def _text(lines: Sequence[str], before: str = "") -> bytes:
    """Each line with the same before it."""
    between = f"\n{before}"
    return f"{before}{between.join(lines)}\n".encode("utf-8", "replace") if lines else b""
