"""One export as asked for, and the statements that read it.

The statements are written out with their values, because COPY takes no parameters; rows come in the order of their key,
so that an export that broke off goes on `after` the last row that arrived.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from psycopg import AsyncClientCursor

from winnow.db.engine import Connection
from winnow.db.sql import load
from winnow.publish.exports import window
from winnow.publish.exports.datasets import PRICES, Audience, Column, Dataset, Type
from winnow.publish.exports.window import Window

# R-21, and a line feed and the full-width signs that spreadsheets take for the same. Numbers are left as they are.
FORMULA = r"^[-=+@\t\r\n＝＋－＠]"
_ANY_CORRECTION = "SELECT EXISTS (SELECT FROM price_corrections)"


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    dataset: Dataset
    audience: Audience
    window: Window
    after: int | None = None
    source_id: int | None = None
    offer_id: int | None = None
    limit: int | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.dataset.seen_by(self.audience)


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What a person or a caller asks for; `since` is the cursor of the export before."""

    dataset: Dataset
    audience: Audience
    since: datetime | None = None
    until: datetime | None = None
    after: int | None = None
    source_id: int | None = None
    offer_id: int | None = None

    async def open(self, conn: Connection) -> Selection:
        """Fix the window, on a connection outside a transaction."""
        opened = await window.open_window(conn, self.since, self.until)
        return Selection(
            dataset=self.dataset, audience=self.audience, window=opened, after=self.after, source_id=self.source_id,
            offer_id=self.offer_id,
        )  # fmt: skip


async def as_text_rows(conn: Connection, selection: Selection, *, raw: bool) -> str:
    """For CSV: every cell as text that a spreadsheet takes for text (R-21), unless `raw`."""
    return await _statement(conn, selection, ", ".join(_csv_cell(column, raw) for column in selection.columns))


async def as_json_rows(conn: Connection, selection: Selection) -> str:
    """For JSON lines: one document a row. Amounts are text, as the API gives them."""
    cells = ", ".join(f"{_json_cell(column)} AS {column.name}" for column in selection.columns)
    inner = await _statement(conn, selection, cells)
    return f"SELECT row_to_json(line) FROM ({inner}) AS line"


async def as_typed_rows(conn: Connection, selection: Selection) -> str:
    """For Parquet and ClickHouse: native types, without the amounts, which are made from their minor units."""
    made = (_typed_cell(column) for column in selection.columns if column.type is not Type.AMOUNT)
    return await _statement(conn, selection, ", ".join(made))


async def _statement(conn: Connection, selection: Selection, cells: str) -> str:
    since, until = selection.window.since, selection.window.until
    key = f"chosen.{selection.dataset.key}"
    given: dict[str, Any] = {
        "since": since, "until": until, "after": selection.after, "source_id": selection.source_id,
        "offer_id": selection.offer_id, "floor": await window.price_floor(conn, since),
    }  # fmt: skip
    chosen = (
        f"SELECT {cells} FROM ({await _rows(conn, selection)}\n) AS chosen "
        f"WHERE changed_at >= %(since)s AND changed_at < %(until)s "
        f"AND (%(after)s::bigint IS NULL OR {key} > %(after)s) ORDER BY {key}"
    )
    if selection.limit is not None:
        chosen += f" LIMIT {selection.limit:d}"
    return AsyncClientCursor(conn).mogrify(chosen, given)


async def _rows(conn: Connection, selection: Selection) -> str:
    name = selection.dataset.name
    if selection.audience is Audience.CONSUMER:
        return load(f"publish/exports/consumer_{name}.sql")
    if selection.dataset is PRICES:
        row = await (await conn.execute(_ANY_CORRECTION)).fetchone()
        return load(f"publish/exports/{'prices' if row and row[0] else 'uncorrected_prices'}.sql")
    return load(f"publish/exports/{name}.sql")


def _csv_cell(column: Column, raw: bool) -> str:
    made = _json_cell(column)
    if column.type is Type.MOMENT:
        made = f"""to_char({column.name} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""
    if column.type in (Type.TEXT, Type.JSON) and not raw:
        plain = f"{column.name}::text"
        made = f"CASE WHEN {plain} ~ E'{FORMULA}' THEN '''' || {plain} ELSE {plain} END"
    return f"{made} AS {column.name}"


def _json_cell(column: Column) -> str:
    if column.type is Type.AMOUNT:
        amount = column.minor  # the database turns it into text
        return f"money_decimal({amount}, exponent::smallint)::text"
    return column.name


def _typed_cell(column: Column) -> str:
    if column.type in (Type.TEXT, Type.JSON):
        return f"{column.name}::text AS {column.name}"
    if column.type is Type.INTEGER:
        return f"{column.name}::bigint AS {column.name}"
    return column.name
