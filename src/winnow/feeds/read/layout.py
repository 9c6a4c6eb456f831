"""Settings for reading a catalogue file, and the layout that was detected in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

MAX_ROWS = 500_000  # F-072
BATCH_ROWS = 4_096
MAX_PLAIN_BYTES = 2 << 30  # unpacked: 4 KB for each of 500 000 rows


class ParseSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything but `network` is detected from the file unless it is set here."""

    network: str = "IMPACT"
    format: str | None = None  # CSV, TSV, XML, JSON
    compression: str | None = None  # NONE, GZIP, ZIP
    encoding: str | None = None
    delimiter: str | None = None
    url_template: str | None = None  # the address of rows that have none, with {column} for a cell
    columns: Mapping[str, str] = {}  # per-feed override: field of Row -> column name, or "#3" for the third column
    default_currency: str = "USD"  # F-080
    now: datetime | None = None  # decides whether a dated sale price holds; None: a dated sale is not used
    max_rows: int = MAX_ROWS
    max_plain_bytes: int = MAX_PLAIN_BYTES
    batch_rows: int = BATCH_ROWS

    def without_template(self, missing: Sequence[str]) -> list[str]:
        """Roles that a file lacks, but for the address if a template makes it."""
        return [role for role in missing if role != "url" or not self.url_template]


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """`mapped`: role -> names of the columns it is read from, in order."""

    format: str
    encoding: str
    delimiter: str | None = None
    header: tuple[str, ...] = ()
    mapped: Mapping[str, tuple[str, ...]] = {}
