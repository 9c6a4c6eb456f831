"""JSON catalogues -> batches, read like XML: each object is an item, its fields are columns."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from itertools import chain, islice

from winnow.feeds.read.header import plan
from winnow.feeds.read.item_batches import BATCH_ITEMS, CatalogueItem, ItemBatches, check
from winnow.feeds.read.json.items import json_items
from winnow.feeds.read.layout import Layout, ParseSettings
from winnow.feeds.read.row import Batch

_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)*\{\s*(?:\"|\})|(?:\xef\xbb\xbf)?\s*\[\s*\]\s*$")


def is_json(head: bytes) -> bool:
    return _JSON.match(head) is not None


def read_json(head: bytes, chunks: Iterator[bytes], settings: ParseSettings) -> tuple[Layout, Iterator[Batch]]:
    encoding = settings.encoding or "utf-8"
    items = json_items(_characters(chain([head], chunks), encoding), settings.network)
    first = list(islice(items, BATCH_ITEMS // 4))
    names = tuple(dict.fromkeys(name for item in first for name, _ in item.fields))
    found = plan(names, settings.network, settings.columns)
    if first:
        check(found, settings)
    mapped = {role: found.names(role) for role in found.columns}
    layout = Layout(format="JSON", encoding=encoding, header=tuple(sorted(names)), mapped=mapped)
    return layout, _batches(chain(first, items), ItemBatches(settings))


def _batches(items: Iterator[CatalogueItem], batches: ItemBatches) -> Iterator[Batch]:
    while group := list(islice(items, BATCH_ITEMS)):
        yield batches.batch(group)


def _characters(chunks: Iterator[bytes], encoding: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8-sig" if encoding.startswith("utf-8") else encoding)("replace")
    for chunk in chunks:
        yield decoder.decode(chunk)
    yield decoder.decode(b"", final=True)
