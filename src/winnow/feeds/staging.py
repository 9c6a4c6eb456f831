"""Rows of a chunk -> the texts that COPY reads.

Offers that nobody has seen before go straight into their tables (`Additions`): their ids are not known while reading,
so a `%d` stands for each. Every other chunk goes into the staging table (load_stage.sql) and is compared there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from winnow.feeds.identity import without_tracking
from winnow.feeds.row import Row
from winnow.feeds.signature import signature
from winnow.normalise.currencies import exponent

NULL = "\\N"
_ESCAPES = str.maketrans({"\0": None, "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_STOCK = {True: "IN_STOCK\tt\t", False: "OUT_OF_STOCK\tf\t"}

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
    rows = [one.row for one in held]
    offers = _lines([*_offers(held), [row.tracking_url for row in rows], [row.gtin for row in rows]])
    numbered = enumerate(zip(offers, _prices(rows), strict=True))
    return _text([f"{n}\t{offer}\t{price}" for n, (offer, price) in numbered])


def additions(held: Sequence[Held], source_id: int, run_id: int) -> Additions:
    """In the order of load.ADDED."""
    rows = [one.row for one in held]
    tracked = any(row.tracking_url for row in rows)
    attributes = [[_attributes(row.tracking_url) for row in rows]] if tracked else []
    offers = _lines([*_offers(held), *attributes])
    codes = [row.gtin for row in rows]
    return Additions(
        offers=_text(_without_percent(offers), f"%d\t{source_id}\t{run_id}\t{run_id}\t{run_id}\t"),
        with_attributes=tracked,
        identifiers=_text([code for code in codes if code is not None], "%d\tGTIN\t"),
        coded=bytes([code is not None for code in codes]),
        prices=_text(_prices(rows)),
    )


def _offers(held: Sequence[Held]) -> list[Column]:
    (_, item_id, sku, name, url, _, _, _, _, _, _, _, mpn, brand, image_url, category, description,
     condition) = zip(*[one.row for one in held], strict=True)  # fmt: skip
    _, _, _, kind, value, hashed = zip(*held, strict=True)
    plain = [without_tracking(address) if "?" in address else address for address in url]
    return [kind, value, name, plain, image_url, brand, description, category, condition, sku, mpn, item_id, hashed]


def _prices(rows: Sequence[Row]) -> list[str]:
    """Amount, currency, exponent, list price, availability, in stock, signature."""
    units = {currency: f"\t{currency}\t{exponent(currency)}\t" for currency in {row.currency for row in rows}}
    return [
        f"{price}{units[currency]}{NULL if had is None else had}\t{_STOCK[stock]}{signature(price, currency, had, stock)}"
        for _, _, _, _, _, _, price, had, currency, stock, *_ in rows
    ]


def _lines(columns: Sequence[Column]) -> list[str]:
    """Looked at all together first: that no cell has a sign of COPY's own is told by counting them."""
    lines = _side_by_side([_cells(column) for column in columns])
    text = "".join(lines)
    signs = (text.count("\t"), text.count("\\"), text.count("\n"), text.count("\r"), text.count("\0"))
    absent = sum(column.count(None) for column in columns)
    if signs == (len(lines) * (len(columns) - 1), absent, 0, 0, 0):
        return lines
    return _side_by_side([
        [NULL if cell is None else cell.translate(_ESCAPES) for cell in column] for column in columns
    ])  # fmt: skip


def _cells(column: Column) -> list[str]:
    return [NULL if cell is None else cell for cell in column]


def _side_by_side(columns: Sequence[Sequence[str]]) -> list[str]:
    return list(map("\t".join, zip(*columns, strict=True)))


def _without_percent(lines: list[str]) -> list[str]:
    return [line.replace("%", "%%") for line in lines] if "%" in "".join(lines) else lines


def _attributes(tracking_url: str | None) -> str:
    return "{}" if tracking_url is None else msgspec.json.encode({"tracking_url": tracking_url}).decode()


def _text(lines: Sequence[str], before: str = "") -> bytes:
    """Each line with something before it."""
    if not lines:
        return b""
    return (before + f"\n{before}".join(lines) + "\n").encode("utf-8", "replace")
