"""The tables in ClickHouse, made from the columns of the exports.

Rows replace earlier ones of the same key by `changed_at`; the views `…_now` show each row once. A batch that arrives
twice is dropped by its token, and if the server has forgotten the token, the second copy replaces the first.
"""

from __future__ import annotations

from winnow.publish.exports.datasets import CHANGED_AT, DATASETS, PRICES, Audience, Column, Dataset, Type

TOKENS_KEPT = 10_000  # batches whose token a table that is not replicated remembers
# Few values, many rows.
WORDS = frozenset(
    {"currency", "availability", "ingestion_run_type", "source_name", "category", "brand", "event_status"}
)
_TYPES = {
    Type.INTEGER: "Int64",
    Type.NUMBER: "Float64",
    Type.AMOUNT: "Decimal(19, 4)",
    Type.TEXT: "String",
    Type.JSON: "String",
    Type.FLAG: "Bool",
    Type.MOMENT: "DateTime64(6, 'UTC')",
    Type.DAY: "Date32",
}


def create_statements() -> list[str]:
    return [_create(dataset) for dataset in DATASETS.values()]


def complete_statements(existing: set[tuple[str, str]]) -> list[str]:
    """Columns that tables of an earlier version lack, and the views. `existing` are pairs of table and column."""
    added = [
        f"ALTER TABLE {dataset.name} ADD COLUMN IF NOT EXISTS {c.name} {_type(dataset, c)}"
        for dataset in DATASETS.values()
        for c in dataset.seen_by(Audience.OPERATOR)
        if (dataset.name, c.name) not in existing
    ]
    return [*added, *(_view(dataset) for dataset in DATASETS.values())]


def _create(dataset: Dataset) -> str:
    columns = ",\n    ".join(f"{c.name} {_type(dataset, c)}" for c in dataset.seen_by(Audience.OPERATOR))
    lines = [
        f"CREATE TABLE IF NOT EXISTS {dataset.name} (\n    {columns}\n)",
        f"ENGINE = ReplacingMergeTree({CHANGED_AT.name})",
        *(["PARTITION BY toYear(observed_at)"] if dataset is PRICES else []),
        f"ORDER BY ({', '.join(_order(dataset))})",
        f"SETTINGS non_replicated_deduplication_window = {TOKENS_KEPT}",
    ]
    return "\n".join(lines)


def _view(dataset: Dataset) -> str:
    shown = " WHERE NOT ignored" if dataset is PRICES else ""
    return f"CREATE OR REPLACE VIEW {dataset.name}_now AS SELECT * FROM {dataset.name} FINAL{shown}"


def _order(dataset: Dataset) -> tuple[str, ...]:
    """What identifies a row; of prices with what they are looked up by, which never changes."""
    return ("source_product_id", "observed_at", "id") if dataset is PRICES else (dataset.key,)


def _type(dataset: Dataset, column: Column) -> str:
    kind = _TYPES[column.type]
    if column.name in (*_order(dataset), CHANGED_AT.name, "ignored"):
        return kind
    kind = f"Nullable({kind})"
    return f"LowCardinality({kind})" if column.name in WORDS else kind
