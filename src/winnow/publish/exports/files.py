"""One export as a stream of bytes, and as a file that is there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

from winnow.db.engine import Database
from winnow.publish.exports.parquet import stream_parquet
from winnow.publish.exports.selection import Selection
from winnow.publish.exports.text_files import Counted, Format, stream_csv, stream_jsonl


def stream(
    database: Database, selection: Selection, format: Format, counted: Counted, *, raw: bool = False
) -> AsyncGenerator[bytes]:
    if format is Format.PARQUET:
        return stream_parquet(database, selection, counted)
    if format is Format.JSONL:
        return stream_jsonl(database, selection, counted)
    return stream_csv(database, selection, counted, raw=raw)


async def write_whole(path: Path, chunks: AsyncIterator[bytes]) -> int:
    """Write beside `path` and put it in its place when all of it is on the disk; return the bytes."""
    handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    written = 0
    try:
        with os.fdopen(handle, "wb") as out:
            os.fchmod(out.fileno(), 0o666 & ~_umask())
            async for chunk in chunks:
                written += out.write(chunk)
            out.flush()
            os.fsync(out.fileno())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
    return written


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
