"""Reads a whole catalogue as one batch, and compares it with the products it was made of."""

from __future__ import annotations

import io

from tests.feeds.read.catalogues import Product
from winnow.feeds.read.parse import ParseSettings, parse
from winnow.feeds.read.row import Batch, Row, Rows


def read(data: bytes | str, **settings: object) -> Batch:
    """The whole file as one batch."""
    data = data if isinstance(data, bytes) else data.encode()
    rows, errors, warnings, count = [], [], [], 0
    for batch in parse(io.BytesIO(data), ParseSettings(**settings)):  # type: ignore[arg-type]
        rows += batch.rows
        errors += batch.errors
        warnings += batch.warnings
        count = batch.read
    return Batch(Rows.of(rows), errors, warnings, count, [], [])


def fields(row: Row) -> tuple[object, ...]:
    return (
        row.sku, row.name, row.price, row.list_price, row.in_stock, row.url, row.gtin, row.brand, row.description
    )  # fmt: skip


def assert_truth(got: Batch, good: list[Product], bad: list[int] = []) -> None:  # noqa: B006
    assert [fields(row) for row in got.rows] == [product.expected() for product in good]
    assert [error.row_number for error in got.errors] == bad
    assert got.read == len(good) + len(bad)
    assert sorted([row.row_number for row in got.rows] + bad) == list(range(1, got.read + 1))
