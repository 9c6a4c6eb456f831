"""What parsing hands to loading: typed rows, and the rows that could not become one.

    for batch in parse(file, settings):
        batch.rows       # Rows, good and complete
        batch.errors     # rows that were not used: they count in error_count and products_rejected
        batch.warnings   # rows that *are* in `rows`, with something set aside (a damaged GTIN, a stray quote)
        batch.removed    # rows that say their offer is to be removed
        batch.read       # records of the file so far, good and bad: rows_read

Rows are kept as columns, which is how they are read and how they are written. Identity (F-038) is not
decided here: `item_id`, `sku` and `url` are what the file says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import Any, NamedTuple, overload

from winnow.feeds.read.removals import Removal


class Row(NamedTuple):
    """One product of a catalogue. None means the file did not say; empty strings do not occur."""

    row_number: int  # 1 = first record after the header; blank lines and repeated headers are not counted
    item_id: str | None  # the network's own id (Impact CatalogItemId, Awin aw_product_id …)
    sku: str | None
    name: str
    url: str  # http(s), as written in the file
    tracking_url: str | None  # the network's click link, where the file has both
    price: int  # minor units of `currency`, more than 0
    list_price: int | None  # same currency, never below `price`
    currency: str  # ISO 4217
    in_stock: bool
    stock_known: bool  # False: the word was not recognised, or there was none, and F-081 says in stock
    gtin: str | None  # digits, leading zeros kept (F-078); the check digit is not judged here
    mpn: str | None
    brand: str | None
    image_url: str | None
    category: str | None
    description: str | None
    condition: str | None


class Rows(Sequence[Row]):
    """Rows as columns, in the order of Row's fields. To make a tuple of each row and to take it apart again was a
    quarter of the time a file is read in."""

    def __init__(self, columns: Iterable[Iterable[Any]] = ()) -> None:
        self.columns: list[list[Any]] = [list(column) for column in columns] or [[] for _ in Row._fields]

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Rows:
        return cls(zip(*rows, strict=True))

    def __len__(self) -> int:
        return len(self.columns[0])

    def __iter__(self) -> Iterator[Row]:
        return map(Row._make, zip(*self.columns, strict=True))

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> Rows: ...
    def __getitem__(self, at: int | slice) -> Row | Rows:
        found = [column[at] for column in self.columns]
        return Rows(found) if isinstance(at, slice) else Row._make(found)

    def extend(self, more: Rows) -> None:
        for column, added in zip(self.columns, more.columns, strict=True):
            column += added

    def append(self, row: Row) -> None:
        for column, value in zip(self.columns, row, strict=True):
            column.append(value)

    def kept(self, keep: Sequence[bool]) -> Rows:
        return Rows(compress(column, keep) for column in self.columns)


class RowError(NamedTuple):
    """Why a row was not used, or what of it was set aside. `sample` is the row, shortened (F-019 raw_row)."""

    row_number: int
    code: str  # one of the codes below
    message: str
    sample: dict[str, str]
    line: int | None = None  # physical line of the file where the row begins


# Codes of `errors`
PARSE_ERROR = "PARSE_ERROR"  # quotes, XML or the number of fields are broken
ENCODING_ERROR = "ENCODING_ERROR"  # bytes of a field that identifies or prices the offer are no text
MISSING_FIELD = "MISSING_FIELD"
INVALID_PRICE = "INVALID_PRICE"
INVALID_CURRENCY = "INVALID_CURRENCY"
INVALID_URL = "INVALID_URL"
VALUE_TOO_LONG = "VALUE_TOO_LONG"
AMBIGUOUS_COLUMNS = "AMBIGUOUS_COLUMNS"  # two columns of one name that contradict each other
# Codes of `warnings`
DUPLICATE_ROW_SAME_IDENTITY = "DUPLICATE_ROW_SAME_IDENTITY"  # F-075; added by the reader
GTIN_REFUSED = "GTIN_REFUSED"
ID_REFUSED = "ID_REFUSED"  # an item id or SKU that a spreadsheet has rounded: many products would share it
LIST_PRICE_REFUSED = "LIST_PRICE_REFUSED"
STRAY_QUOTE = "STRAY_QUOTE"
XML_REPAIRED = "XML_REPAIRED"
TEXT_DAMAGED = "TEXT_DAMAGED"
IMAGE_REFUSED = "IMAGE_REFUSED"


class Batch(NamedTuple):
    rows: Rows
    errors: list[RowError]
    warnings: list[RowError]
    read: int
    digests: list[bytes]  # of the records `rows` were made from; empty unless there is a memory (feeds/read/memory.py)
    known: list[tuple[int, bytes]]  # number and digest of records that were not read again: the memory knows them
    removed: Sequence[Removal] = ()  # offers that rows say are to be removed
