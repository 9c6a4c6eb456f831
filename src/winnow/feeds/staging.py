"""Rows of a chunk -> the texts that COPY reads.

Offers that nobody has seen before go straight into their tables (`Additions`): their ids are not known while reading,
so a `%d` stands for each. Every other chunk goes into the staging table (load_stage.sql) and is compared there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import msgspec

from winnow.feeds.identity import without_tracking
from winnow.feeds.row import Row
from winnow.feeds.signature import signature
from winnow.normalise.currencies import exponent

NULL = "\\N"
_ESCAPES = str.maketrans({"\0": None, "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_SIGNS = ("\t", "\\", "\n", "\r", "\0")
_STOCK = {True: "\tIN_STOCK\tt\t", False: "\tOUT_OF_STOCK\tf\t"}

Column = Sequence[str | None]


class Held(NamedTuple):
    """The last row of an identity, and what was found out about it."""

    row: Row
    digest: bytes
    identity: bytes
    kind: str
    value: str
    url_hash: str


class Additions(msgspec.Struct, kw_only=True):
    """Offers that are new. `offers` and `identifiers` have a `%d` for the offer's id in each line, `prices` what the
    lines of `prices` and `latest_prices` have in common. `coded`: a byte for each offer, whether it has a code."""

    offers: bytes
    with_attributes: bool
    identifiers: bytes
    coded: bytes
    prices: bytes


def staged(held: Sequence[Held]) -> bytes:
    """In the order of load_stage.sql."""
    table = _Table(held)
    offers = _lines([*table.offers(), table.tracking_url, table.gtin])
    numbered = enumerate(zip(offers, table.prices(), strict=True))
    return _text([f"{n}\t{offer}\t{price}" for n, (offer, price) in numbered])


def additions(held: Sequence[Held], source_id: int, run_id: int) -> Additions:
    """In the order of load._OFFERS and load._PRICES."""
    table = _Table(held)
    tracked = any(table.tracking_url)
    attributes = [[_attributes(address) for address in table.tracking_url]] if tracked else []
    return Additions(
        offers=_text(_without_percent(_lines([*table.offers(), *attributes])),
                     f"%d\t{source_id}\t{run_id}\t{run_id}\t{run_id}\t"),
        with_attributes=tracked,
        identifiers=_text([code for code in table.gtin if code is not None], "%d\tGTIN\t"),
        coded=bytes([code is not None for code in table.gtin]),
        prices=_text(table.prices()),
    )  # fmt: skip


class _Table:
    """The rows as columns."""

    def __init__(self, held: Sequence[Held]) -> None:
        rows, _, _, self.kind, self.value, self.url_hash = zip(*held, strict=True)
        (_, self.item_id, self.sku, self.name, self.url, self.tracking_url, self.price, self.list_price, self.currency,
         self.in_stock, _, self.gtin, self.mpn, self.brand, self.image_url, self.category, self.description,
         self.condition) = zip(*rows, strict=True)  # fmt: skip

    def offers(self) -> list[Column]:
        url = [without_tracking(address) if "?" in address else address for address in self.url]
        return [self.kind, self.value, self.name, url, self.image_url, self.brand, self.description, self.category,
                self.condition, self.sku, self.mpn, self.item_id, self.url_hash]  # fmt: skip

    def prices(self) -> list[str]:
        """Amount, currency, exponent, list price, availability, in stock, signature."""
        units = {currency: f"\t{currency}\t{exponent(currency)}\t" for currency in set(self.currency)}
        told = zip(self.price, self.currency, self.list_price, self.in_stock, strict=True)
        return [
            f"{price}{units[unit]}{NULL if had is None else had}{_STOCK[stock]}{signature(price, unit, had, stock)}"
            for price, unit, had, stock in told
        ]


def _lines(columns: Sequence[Column]) -> list[str]:
    return list(map("\t".join, zip(*map(_cells, columns), strict=True)))


def _cells(column: Column) -> Sequence[str]:
    """Looked at all together first: most columns have no sign of COPY's own, and either a value in every row or none.
    Rows have no empty texts (feeds/row.py)."""
    whole = all(column)
    text = "".join(cast("Sequence[str]", column) if whole else filter(None, column))
    if not text:
        return [NULL] * len(column)
    if any(sign in text for sign in _SIGNS):
        return [NULL if cell is None else cell.translate(_ESCAPES) for cell in column]
    return cast("Sequence[str]", column) if whole else [cell or NULL for cell in column]


def _without_percent(lines: list[str]) -> list[str]:
    return [line.replace("%", "%%") for line in lines] if "%" in "".join(lines) else lines


def _attributes(tracking_url: str | None) -> str:
    return "{}" if tracking_url is None else msgspec.json.encode({"tracking_url": tracking_url}).decode()


def _text(lines: Sequence[str], before: str = "") -> bytes:
    """Each line with something before it."""
    if not lines:
        return b""
    return (before + f"\n{before}".join(lines) + "\n").encode("utf-8", "replace")
