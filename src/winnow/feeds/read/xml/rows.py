"""XML items -> the same mapping as a delimited file: each batch of items becomes a table with a header."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from winnow.feeds.failures import HINT_NAME_COLUMN, HINT_SEND_WHOLE, BadFile
from winnow.feeds.read import row as codes
from winnow.feeds.read.batches import Batcher
from winnow.feeds.read.header import Plan, count_roles, plan
from winnow.feeds.read.layout import Layout, ParseSettings
from winnow.feeds.read.mapping import Mapper
from winnow.feeds.read.money_columns import MoneyColumns
from winnow.feeds.read.records import Records
from winnow.feeds.read.row import Batch
from winnow.feeds.read.text import begins_with
from winnow.feeds.read.xml.items import Item, ItemReader
from winnow.feeds.read.xml.outline import outline, root_of
from winnow.feeds.read.xml.text import as_bytes, characters, pieces, readable, without_junk, xml_encoding

SAMPLE = 256 << 10
MAX_PREAMBLE = 16 << 20  # Yandex catalogues list all their categories before the first product
BATCH_ITEMS = 1_024
MARK = "\udcff"  # what feeds/read/text.py knows as damage
ITEM_NAMES = frozenset(["item", "entry", "product", "offer", "row", "record", "listing"])


def read_xml(head: bytes, chunks: Iterator[bytes], settings: ParseSettings) -> tuple[Layout, Iterator[Batch]]:
    encoding = xml_encoding(head, settings.encoding)
    texts = characters(chain([head], chunks), encoding)
    junk, begun, enough = "", "", SAMPLE
    while True:
        before, begun = without_junk(_more(begun, texts, enough))
        junk += before
        sample, _ = readable(begun[:enough], encoding)
        try:
            item, names, found = _find_item(sample, settings)
            break
        except BadFile:
            if len(before) + len(begun) < enough or enough >= MAX_PREAMBLE:  # that was all of it, or enough
                raise
            enough *= 4
    mapped = {role: found.names(role) for role in found.columns}
    layout = Layout(format="XML", encoding=encoding, header=tuple(sorted(names)), mapped=mapped)
    rows = _XmlRows(ItemReader(item, root_of(sample), 1 + junk.count("\n")), encoding, settings)
    return layout, rows.batches(pieces(chain([begun], texts), as_bytes(item, encoding)))


def _more(begun: str, texts: Iterator[str], enough: int) -> str:
    parts, length = [begun], len(begun)
    while length < enough and (text := next(texts, None)) is not None:
        parts.append(text)
        length += len(text)
    return "".join(parts)


def _find_item(sample: str, settings: ParseSettings) -> tuple[str, set[str], Plan]:
    """The element in which most roles of a product stand; those that make an offer first, then well-known names."""
    network, columns = settings.network, settings.columns
    named = [(count_roles(list(names), network, columns), item, names) for item, names in outline(sample)]
    planned = [(plan(sorted(names), network, columns), n, item, names) for n, item, names in named if n >= 2]
    if not planned:
        raise BadFile("no products were found in the XML" + begins_with(sample), code="MISSING_COLUMNS")
    found, _, item, names = max(planned, key=_likelihood)
    _check(found)
    return item, names, found


def _likelihood(entry: tuple[Plan, int, str, set[str]]) -> tuple[bool, bool, int, int]:
    """What is around all items has their names too, and more of them."""
    found, roles, item, names = entry
    return not found.missing, item.lower() in ITEM_NAMES, roles, -len(names)


def _check(found: Plan) -> None:
    if found.missing:
        columns = ", ".join(found.header[:20])
        message = f"no element for {', '.join(found.missing)} among: {columns}"
        raise BadFile(message, code="MISSING_COLUMNS", hint=HINT_NAME_COLUMN)


class _XmlRows:
    def __init__(self, reader: ItemReader, encoding: str, settings: ParseSettings) -> None:
        self.reader, self.encoding = reader, encoding
        self.settings = settings
        self.money = MoneyColumns(settings.default_currency)
        self.mapper_for = lru_cache(64)(self._mapper)
        self.batcher = Batcher(self._mapper(("name",)))

    def batches(self, found: Iterator[str]) -> Iterator[Batch]:
        items: list[Item] = []
        last = ""
        for piece in found:
            items += self.reader.read(*readable(last, self.encoding))
            last = piece
            if len(items) >= BATCH_ITEMS:
                yield self._batch(items)
                items = []
        more, cut = self.reader.finish(readable(last, self.encoding)[0])
        yield self._batch(items + more)
        if cut:  # whoever writes it was not done, or the transfer broke off: what is missing is not gone (F-002)
            raise BadFile("the file ends before its root element is closed", code="TRUNCATED", hint=HINT_SEND_WHOLE)

    def _batch(self, items: list[Item]) -> Batch:
        header = _header(items)
        self.batcher.mapper = mapper = self.mapper_for(header)
        self.batcher.width = mapper.plan.width
        chunk = Records(
            [_cells(item, header) for item in items],
            0,
            damaged=any(item.damaged for item in items),
            lines=[item.line for item in items],
            broken={i: item.problem for i, item in enumerate(items) if item.problem},
            repaired={i for i, item in enumerate(items) if item.mended},
            repair_code=codes.XML_REPAIRED,
        )
        return self.batcher.batch(chunk)

    def _mapper(self, header: tuple[str, ...]) -> Mapper:
        found = plan(header, self.settings.network, self.settings.columns)
        money = MoneyColumns(found.currency) if found.currency else self.money
        return Mapper(found, money, self.settings.now)


def _header(items: list[Item]) -> tuple[str, ...]:
    """Names in the order they are met; one that an item has twice is there twice."""
    times: dict[str, int] = {}
    for item in items:
        counts: dict[str, int] = {}
        for name, _ in item.fields:
            counts[name] = counts.get(name, 0) + 1
        for name, count in counts.items():
            times[name] = max(times.get(name, 0), count)
    return tuple(name for name, count in times.items() for _ in range(min(count, 3))) or ("name",)


def _cells(item: Item, header: tuple[str, ...]) -> list[str]:
    values: dict[str, list[str]] = {}
    for name, value in item.fields:
        values.setdefault(name, []).append(value.replace("\ufffd", MARK) if item.damaged else value)
    return [taken.pop(0) if (taken := values.get(name)) else "" for name in header]
