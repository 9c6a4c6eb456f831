"""Log events about reading a file (F-123). Rejected rows are sampled by the reader (F-019)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from time import monotonic

import structlog

from winnow.feeds.read import row as codes
from winnow.feeds.read.layout import Layout
from winnow.feeds.read.reading import Chunk, EndOfFile

log = structlog.get_logger(__name__)

# Columns that every catalogue should have although a row can do without: identity (F-038) and stock (F-081).
EXPECTED = ("item_id", "sku", "stock")
REFUSALS = frozenset(
    {
        codes.PARSE_ERROR,
        codes.ENCODING_ERROR,
        codes.MISSING_FIELD,
        codes.INVALID_PRICE,
        codes.INVALID_CURRENCY,
        codes.INVALID_URL,
        codes.VALUE_TOO_LONG,
        codes.AMBIGUOUS_COLUMNS,
    }
)
RAW_SHOWN = 300  # characters of a row in the log


async def log_frames(frames: AsyncIterator[Layout | Chunk | EndOfFile]) -> AsyncIterator[Layout | Chunk | EndOfFile]:
    """The same frames, with a log line for each step."""
    logger = _ParseLogger()
    async for frame in frames:
        logger.log(frame)
        yield frame


class _ParseLogger:
    def __init__(self) -> None:
        self.began = self.last = monotonic()
        self.batches = self.read = self.parsed = self.rejected = 0

    def log(self, frame: Layout | Chunk | EndOfFile) -> None:
        if isinstance(frame, Layout):
            self._layout(frame)
        elif isinstance(frame, Chunk):
            self._chunk(frame)
        else:
            log.info("PARSE_COMPLETE", stage="parse", total_rows=self.read, parsed_rows=self.parsed,
                     skipped_rows=self.rejected, duration_ms=_ms(self.began))  # fmt: skip

    def _layout(self, layout: Layout) -> None:
        log.info("PARSE_START", stage="parse", format=layout.format, encoding=layout.encoding,
                 expected_columns=sorted(layout.mapped))  # fmt: skip
        log.debug("PARSE_HEADERS", stage="parse", headers=layout.header, mapped_columns=dict(layout.mapped))
        for column in EXPECTED:
            if column not in layout.mapped:
                log.warning("PARSE_COLUMN_MISSING", stage="parse", row_number=0, column_name=column, required=False)

    def _chunk(self, chunk: Chunk) -> None:
        rows, self.read = chunk.read - self.read, chunk.read
        self.parsed += chunk.parsed
        self.rejected += chunk.rejected
        self.batches += 1
        for error in chunk.errors:
            if error.code in REFUSALS:
                log.warning("PARSE_ROW_SKIPPED", stage="parse", row_number=error.row_number,
                            reason=f"{error.code}: {error.message}", raw_row=str(error.sample)[:RAW_SHOWN])  # fmt: skip
            elif error.code == codes.DUPLICATE_ROW_SAME_IDENTITY:
                log.warning("DUPLICATE_ROW_SAME_IDENTITY", stage="upsert", row_number=error.row_number,
                            reason=error.message)  # fmt: skip
        for number, url, hashed in chunk.by_url:
            log.warning("URL_HASH_FALLBACK", stage="transform", row_number=number, url=url, hash=hashed)
        for row in chunk.sampled:
            log.debug("IDENTITY_RESOLVED", stage="transform", row_number=row.row_number, identity_type=row.identity[0],
                      identity_value=row.identity[1], alternates=row.alternates)  # fmt: skip
        log.debug("PARSE_PROGRESS", stage="parse", rows_read=self.read, rows_parsed=self.parsed,
                  rows_skipped=self.rejected)  # fmt: skip
        log.debug("PARSE_BATCH_COMPLETE", stage="parse", batch_number=self.batches, rows=rows,
                  duration_ms=_ms(self.last))  # fmt: skip
        self.last = monotonic()


def _ms(since: float) -> int:
    return round((monotonic() - since) * 1000)
