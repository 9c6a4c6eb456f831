"""XML catalogues -> batches: finds the element that is an item, and hands its items to `item_batches`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from winnow.feeds.failures import HINT_SEND_WHOLE, BadFile
from winnow.feeds.read.header import ColumnPlan, count_roles, plan
from winnow.feeds.read.item_batches import BATCH_ITEMS, CatalogueItem, ItemBatches, check
from winnow.feeds.read.layout import Layout, ParseSettings
from winnow.feeds.read.row import Batch
from winnow.feeds.read.text import begins_with
from winnow.feeds.read.xml.items import ItemReader
from winnow.feeds.read.xml.outline import outline, root_of
from winnow.feeds.read.xml.text import as_bytes, characters, pieces, readable, without_junk, xml_encoding

SAMPLE = 256 << 10
MAX_PREAMBLE = 16 << 20  # Yandex catalogues list all their categories before the first product
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


def _find_item(sample: str, settings: ParseSettings) -> tuple[str, set[str], ColumnPlan]:
    """The element in which most roles of a product stand; those that make an offer first, then well-known names."""
    network, columns = settings.network, settings.columns
    named = [(count_roles(list(names), network, columns), item, names) for item, names in outline(sample)]
    planned = [(plan(sorted(names), network, columns), n, item, names) for n, item, names in named if n >= 2]
    if not planned:
        raise BadFile("no products were found in the XML" + begins_with(sample), code="MISSING_COLUMNS")
    found, _, item, names = max(planned, key=_likelihood)
    check(found, settings)
    return item, names, found


def _likelihood(entry: tuple[ColumnPlan, int, str, set[str]]) -> tuple[bool, bool, int, int]:
    """What is around all items has their names too, and more of them."""
    found, roles, item, names = entry
    return not found.missing, item.lower() in ITEM_NAMES, roles, -len(names)


class _XmlRows:
    def __init__(self, reader: ItemReader, encoding: str, settings: ParseSettings) -> None:
        self.reader, self.encoding = reader, encoding
        self.items = ItemBatches(settings)

    def batches(self, found: Iterator[str]) -> Iterator[Batch]:
        items: list[CatalogueItem] = []
        last = ""
        for piece in found:
            items += self.reader.read(*readable(last, self.encoding))
            last = piece
            if len(items) >= BATCH_ITEMS:
                yield self.items.batch(items)
                items = []
        more, cut = self.reader.finish(readable(last, self.encoding)[0])
        yield self.items.batch(items + more)
        if cut:  # whoever writes it was not done, or the transfer broke off: what is missing is not gone (F-002)
            raise BadFile("the file ends before its root element is closed", code="TRUNCATED", hint=HINT_SEND_WHOLE)
