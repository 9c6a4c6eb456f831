"""Items of an XML or JSON catalogue -> batches: a group of items becomes a table with a header, read like a delimited
file."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from winnow.feeds.failures import HINT_NAME_COLUMN, BadFile
from winnow.feeds.read import row as codes
from winnow.feeds.read.batches import Batcher
from winnow.feeds.read.csv.records import Records
from winnow.feeds.read.header import ColumnPlan, plan
from winnow.feeds.read.layout import ParseSettings
from winnow.feeds.read.mapping import Mapper
from winnow.feeds.read.money_columns import MoneyColumns
from winnow.feeds.read.row import Batch
from winnow.feeds.read.url_template import check_columns

BATCH_ITEMS = 1_024
MARK = "\udcff"  # what feeds/read/text.py knows as damage


class CatalogueItem(NamedTuple):
    fields: list[tuple[str, str]]
    line: int
    problem: str | None = None
    repaired: bool = False
    damaged: bool = False


class ItemBatches:
    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings
        self.money = MoneyColumns(settings.default_currency)
        self.mapper_for = lru_cache(64)(self._mapper)
        self.batcher = Batcher(self._mapper(("name",)))

    def batch(self, items: list[CatalogueItem]) -> Batch:
        header = _header(items)
        self.batcher.mapper = mapper = self.mapper_for(header)
        self.batcher.width = mapper.plan.width
        chunk = Records(
            [_cells(item, header) for item in items],
            0,
            damaged=any(item.damaged for item in items),
            lines=[item.line for item in items],
            broken={i: item.problem for i, item in enumerate(items) if item.problem},
            repaired={i for i, item in enumerate(items) if item.repaired},
            repair_code=codes.XML_REPAIRED,
        )
        return self.batcher.batch(chunk)

    def _mapper(self, header: tuple[str, ...]) -> Mapper:
        found = plan(header, self.settings.network, self.settings.columns)
        money = MoneyColumns(found.currency) if found.currency else self.money
        return Mapper(found, money, self.settings.now, self.settings.url_template)


def check(found: ColumnPlan, settings: ParseSettings) -> None:
    """Refuses a catalogue whose items lack what every offer needs."""
    if settings.url_template:
        check_columns(settings.url_template, found.header, found.columns)
    missing = settings.without_template(found.missing)
    if missing:
        columns = ", ".join(found.header[:20])
        message = f"no element for {', '.join(missing)} among: {columns}"
        raise BadFile(message, code="MISSING_COLUMNS", hint=HINT_NAME_COLUMN)


def _header(items: list[CatalogueItem]) -> tuple[str, ...]:
    """Names in the order they are met; one that an item has twice is there twice."""
    times: dict[str, int] = {}
    for item in items:
        counts: dict[str, int] = {}
        for name, _ in item.fields:
            counts[name] = counts.get(name, 0) + 1
        for name, count in counts.items():
            times[name] = max(times.get(name, 0), count)
    return tuple(name for name, count in times.items() for _ in range(min(count, 3))) or ("name",)


def _cells(item: CatalogueItem, header: tuple[str, ...]) -> list[str]:
    values: dict[str, list[str]] = {}
    for name, value in item.fields:
        values.setdefault(name, []).append(value.replace("\ufffd", MARK) if item.damaged else value)
    return [taken.pop(0) if (taken := values.get(name)) else "" for name in header]
