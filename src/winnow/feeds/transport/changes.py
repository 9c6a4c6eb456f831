"""Whether a remote file needs to be fetched, and whether what came is new (F-094, F-095). Pure."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from winnow.feeds.transport.remote import FileStat


class Skip(StrEnum):
    """affiliate_feed_runs.skipped_reason"""

    MTIME = "UNCHANGED_MTIME"
    HASH = "UNCHANGED_HASH"


class StatVerdict(StrEnum):
    """Names of the debug events."""

    INCOMPLETE = "STAT_INCOMPLETE"
    UNCHANGED = "STAT_UNCHANGED"
    CHANGED = "STAT_CHANGED"


def compare_stat(now: FileStat | None, mtime: datetime | None, size: int | None) -> StatVerdict:
    """Only two whole answers that agree save a download; anything missing does not (F-094)."""
    if now is None or now.mtime is None or now.size is None or mtime is None or size is None:
        return StatVerdict.INCOMPLETE
    same = now.mtime == mtime and now.size == size
    return StatVerdict.UNCHANGED if same else StatVerdict.CHANGED


def skip_by_hash(sha256: str, last: str | None) -> Skip | None:
    """The hash is the source of truth (F-095)."""
    return Skip.HASH if last is not None and sha256 == last else None
