"""A catalogue file -> batches of rows. Synchronous and streaming: memory holds a block of text and a batch.

    reading = parse(file, ParseSettings(network="IMPACT"))
    reading.layout                      # format, encoding, delimiter, header, which column became what
    for batch in reading: …             # Batch of feeds/read/row.py, at most `batch_rows` records each

`file` is what was downloaded, still packed: a binary file (seekable for ZIP) or an iterator of chunks. `parse` itself
raises BadFile when it is no catalogue (no usable header, not text, truncated at once …); while reading, BadFile
(truncated gzip …) and RowCountLimitExceeded come after the batches before that point were handed out.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

import msgspec

from winnow.feeds.failures import HINT_NAME_COLUMN, HINT_SEND_WHOLE, BadFile, FeedFailure, RowCountLimitExceeded
from winnow.feeds.read import sale_dates
from winnow.feeds.read.batches import Batcher
from winnow.feeds.read.csv.dialect import SAMPLE_CHARACTERS, Sheet, find_sheet
from winnow.feeds.read.csv.records import Records, records
from winnow.feeds.read.digest import Memory
from winnow.feeds.read.header import ColumnPlan
from winnow.feeds.read.json.rows import is_json, read_json
from winnow.feeds.read.layout import Layout, ParseSettings
from winnow.feeds.read.mapping import Mapper
from winnow.feeds.read.money_columns import MoneyColumns
from winnow.feeds.read.row import Batch, Rows
from winnow.feeds.read.text import Text, blocks, code_page, encoding_of
from winnow.feeds.read.url_template import check_columns
from winnow.feeds.read.variant_rows import VariantRows
from winnow.feeds.read.xml.rows import read_xml
from winnow.feeds.read.xml.text import is_xml
from winnow.feeds.transport.unpack import unpacked

__all__ = ["FileReading", "Layout", "ParseSettings", "detect", "parse"]
TEMPLATE_HINT = "set `--url-template 'https://SHOP/products/{{{}}}'`: the file has handles instead of addresses"


class FileReading(msgspec.Struct):
    """One pass over a file."""

    layout: Layout
    _batches: Iterator[Batch]

    def __iter__(self) -> Iterator[Batch]:
        return self._batches


def parse(source: BinaryIO | Iterator[bytes], settings: ParseSettings, memory: Memory | None = None) -> FileReading:
    chunks = unpacked(source, settings.compression, settings.max_plain_bytes)
    head = _head(chunks)
    if settings.format == "XML" or (settings.format is None and is_xml(head)):
        layout, batches = read_xml(head, chunks, settings)
        return FileReading(layout, _merge_batches(_bounded(batches, settings.max_rows), settings.batch_rows))
    if settings.format == "JSON" or (settings.format is None and is_json(head)):
        layout, batches = read_json(head, chunks, settings)
        return FileReading(layout, _merge_batches(_bounded(batches, settings.max_rows), settings.batch_rows))
    texts = blocks(chain([head], chunks), settings.encoding)
    first, texts = _sample(texts)
    layout, sheet = _layout(head, first, settings)
    rows = _rows(texts, sheet, settings, _usable_memory(memory, sheet))
    return FileReading(layout, _bounded(rows, settings.max_rows))  # a block each: its cells are still in the cache


def detect(sample: bytes, settings: ParseSettings = ParseSettings()) -> Layout:  # noqa: B008 - frozen
    """What the beginning of a file shows; the sample may still be packed."""
    return parse(iter([sample]), settings).layout


def _head(chunks: Iterator[bytes]) -> bytes:
    head = b""
    while len(head) < 4096 and (chunk := next(chunks, b"")):
        head += chunk
    return head


def _sample(texts: Iterator[Text]) -> tuple[str, Iterator[Text]]:
    first = next(texts, None)
    if first is None:
        raise BadFile("the file is empty", code="EMPTY_FILE")
    return first.text[:SAMPLE_CHARACTERS], chain([first], texts)


def _layout(head: bytes, sample: str, settings: ParseSettings) -> tuple[Layout, Sheet]:
    delimiter = settings.delimiter or ("\t" if settings.format == "TSV" else None)
    sheet = find_sheet(sample, settings.network, settings.columns, delimiter)
    _check(sheet.plan, settings)
    encoding = settings.encoding or encoding_of(head)[0] or _format_of(head)
    mapped = {role: sheet.plan.names(role) for role in sheet.plan.columns}
    kind = "TSV" if sheet.dialect.delimiter == "\t" else "CSV"
    delimiter, header = sheet.dialect.delimiter, sheet.plan.header
    return Layout(format=kind, encoding=encoding, delimiter=delimiter, header=header, mapped=mapped), sheet


def _format_of(head: bytes) -> str:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # its end may cut a character
    except UnicodeDecodeError:
        return code_page(head)
    return "utf-8"


def _check(plan: ColumnPlan, settings: ParseSettings) -> None:
    if plan.absent:
        message = f"the file has no column {', '.join(map(repr, plan.absent))}, which the feed's mapping names"
        raise BadFile(message, hint=HINT_NAME_COLUMN)
    if settings.url_template:
        check_columns(settings.url_template, plan.header, plan.columns)
    if missing := settings.without_template(plan.missing):
        columns = ", ".join(plan.header[:20])
        message = f"no column for {', '.join(missing)} among: {columns}"
        handle = next(iter(plan.names("handle")), None) if missing == ["url"] else None
        hint = TEMPLATE_HINT.format(handle) if handle else HINT_NAME_COLUMN
        raise BadFile(message, code="MISSING_COLUMNS", hint=hint)


def _rows(
    texts: Iterator[Text], sheet: Sheet, settings: ParseSettings, memory: Memory | None = None
) -> Iterator[Batch]:
    money = MoneyColumns(sheet.plan.currency or settings.default_currency)
    mapper = Mapper(sheet.plan, money, settings.now, settings.url_template)
    batcher = Batcher(mapper, sheet.open_ended, sheet.trailer, memory)
    width, open_ended = sheet.plan.width, sheet.open_ended
    for chunk in records(texts, sheet.dialect, width, open_ended=open_ended, skip=sheet.skip, memory=memory):
        for piece in _pieces(chunk, settings.batch_rows):
            yield batcher.batch(piece)
    if batcher.last_words:  # whoever writes it was not done (F-002)
        raise BadFile(f"the file breaks off in an error: {batcher.last_words}", code="TRUNCATED", hint=HINT_SEND_WHOLE)
    if sheet.trailer and sheet.skip and not batcher.ended:
        raise BadFile(f"the file ends before its last line ({sheet.trailer})", code="TRUNCATED", hint=HINT_SEND_WHOLE)
    if batcher.announced is not None and batcher.announced != batcher.read:
        message = f"the file says it has {batcher.announced} rows and has {batcher.read}"
        raise BadFile(message, code="TRUNCATED", hint=HINT_SEND_WHOLE)


def _usable_memory(memory: Memory | None, sheet: Sheet) -> Memory | None:
    """A sale with dates makes the same record mean something else tomorrow; a variant's row means what the row of its
    product says."""
    usable = sale_dates.ROLES.isdisjoint(sheet.plan.columns) and not VariantRows(sheet.plan.header).used
    return memory if usable else None


def _merge_batches(batches: Iterator[Batch], size: int) -> Iterator[Batch]:
    """Small batches put together; what was read before an error is handed out before it. The first one is smaller: who
    waits for it has nothing else to do."""
    kept, max_rows = Batch(Rows(), [], [], 0, [], []), size // 4
    try:
        for batch in batches:
            if _weight(kept) and _weight(kept) + _weight(batch) > max_rows:
                yield kept
                kept, max_rows = batch, size
            else:
                kept = _join(kept, batch)
    except FeedFailure:
        yield kept
        raise
    yield kept


def _weight(batch: Batch) -> int:
    return len(batch.rows) + len(batch.errors) + len(batch.known) + len(batch.removed)


def _join(kept: Batch, more: Batch) -> Batch:
    kept.digests.extend(more.digests)
    kept.known.extend(more.known)
    kept.rows.extend(more.rows)
    kept.errors.extend(more.errors)
    kept.warnings.extend(more.warnings)
    return kept._replace(read=more.read, removed=[*kept.removed, *more.removed])


def _bounded(batches: Iterator[Batch], max_rows: int) -> Iterator[Batch]:
    """F-072: the row past the limit ends the reading; those before it were handed out."""
    for batch in batches:
        if batch.read <= max_rows:
            yield batch
            continue
        # None of this piece is skipped as known: the run fails, and nothing of it is remembered.
        rows = batch.rows.kept([number <= max_rows for number in batch.rows.columns[0]])
        errors = [error for error in batch.errors if error.row_number <= max_rows]
        notes = [note for note in batch.warnings if note.row_number <= max_rows]
        yield Batch(rows, errors, notes, max_rows, [], [])
        raise RowCountLimitExceeded(max_rows + 1, max_rows)


def _pieces(chunk: Records, size: int) -> Iterator[Records]:
    if len(chunk.rows) <= size or chunk.places is not None:
        yield chunk
        return
    chunk.lines = chunk.all_lines()
    for start in range(0, len(chunk.rows), size):
        yield chunk.piece(start, min(start + size, len(chunk.rows)))
