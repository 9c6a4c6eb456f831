"""A downloaded file -> its bytes, unpacked: gzip and zip, while they come, never past a limit.

Truncated and damaged archives are BadFile, and so is a bomb: what unpacks to more than a catalogue can be, or to
more than a thousand times its size once it is large (deflate's own limit is 1032 times, a catalogue's is 20).
"""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO, cast

from isal import isal_zlib

from winnow.feeds.failures import HINT_SEND_WHOLE, BadFile

CHUNK = 128 << 10
GZIP_MAGIC, ZIP_MAGIC = b"\x1f\x8b", b"PK\x03\x04"
MAX_RATIO = 200
RATIO_FROM = 8 << 20  # smaller than this a bomb is harmless
_GZIP_WINDOW = 31  # zlib: 15 bits, gzip wrapper
_ISAL_ERROR = cast("type[Exception]", isal_zlib.error)  # its own, not zlib's
# What the library raises at one that is damaged: places and lengths in it are believed until they lead nowhere.
_BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, ValueError, LookupError,
               OverflowError, RuntimeError)  # fmt: skip
_CATALOGUES = (".csv", ".tsv", ".tab", ".xml", ".gz")
_SPREADSHEET = {"[Content_Types].xml", "mimetype"}  # Excel's and LibreOffice's are archives of many files
_IGNORED = ("__macosx/", "thumbs.db", "desktop.ini")


def compression_of(head: bytes) -> str:
    if head.startswith(GZIP_MAGIC):
        return "GZIP"
    return "ZIP" if head.startswith((ZIP_MAGIC, b"PK\x05\x06")) else "NONE"


def unpacked(source: BinaryIO | Iterator[bytes], compression: str | None, limit: int) -> Iterator[bytes]:
    """Chunks of at most a few MB. `compression` None: the first bytes say it."""
    chunks = _chunks(source)
    first = next(chunks, b"")
    kind = compression or compression_of(first)
    if kind == "ZIP":
        return _once_more(_unzip(source, limit), limit)
    whole = chain([first], chunks)
    if kind == "GZIP" and compression_of(first) != "GZIP":
        raise BadFile("the file should be gzip and is not", code="NOT_GZIP")
    return _once_more(_gunzip(whole, limit), limit) if kind == "GZIP" else _bounded(whole, limit)


def _once_more(chunks: Iterator[bytes], limit: int) -> Iterator[bytes]:
    """A gzip file that was packed again on its way."""
    first = next(chunks, b"")
    whole = chain([first], chunks)
    return _gunzip(whole, limit) if compression_of(first) == "GZIP" else whole


def _chunks(source: BinaryIO | Iterator[bytes]) -> Iterator[bytes]:
    read = getattr(source, "read", None)
    if read is None:
        return iter(source)
    return iter(lambda: read(CHUNK), b"")


def _bounded(chunks: Iterator[bytes], limit: int) -> Iterator[bytes]:
    total = 0
    for chunk in chunks:
        total += len(chunk)
        if total > limit:
            raise _bomb(limit)
        yield chunk


def _gunzip(chunks: Iterator[bytes], limit: int) -> Iterator[bytes]:
    """All members one after the other, as gzip allows; zeros after the last one are padding. What follows a whole
    member and is none is left out, as gzip does: the member's own sum proved that nothing of it is missing."""
    meter, stream, fed = _Meter(limit), isal_zlib.decompressobj(_GZIP_WINDOW), False
    kept = b""
    for chunk in chunks:
        meter.packed += len(chunk)
        data, kept = kept + chunk, b""
        while data:
            if stream.eof:
                data = data.lstrip(b"\x00")
                if len(data) < len(GZIP_MAGIC):  # decided by the next chunk
                    kept = data
                    break
                if not data.startswith(GZIP_MAGIC):
                    return
                stream = isal_zlib.decompressobj(_GZIP_WINDOW)
            out = _inflate(stream, data)
            fed = True
            if out:
                yield meter.counted(out)
            data = stream.unused_data if stream.eof else stream.unconsumed_tail
    if not fed or not stream.eof:
        raise BadFile("the gzip file is cut off: it ends in the middle", code="TRUNCATED", hint=HINT_SEND_WHOLE)


def _inflate(stream: object, data: bytes) -> bytes:
    try:
        return cast(bytes, stream.decompress(data, CHUNK))  # type: ignore[attr-defined]
    except (_ISAL_ERROR, zlib.error, OSError) as wrong:
        raise BadFile(f"the gzip file is damaged: {wrong}", code="DAMAGED_ARCHIVE", hint=HINT_SEND_WHOLE) from None


def _unzip(source: BinaryIO | Iterator[bytes], limit: int) -> Iterator[bytes]:
    if not hasattr(source, "seek"):
        raise BadFile("a zip archive can only be read from a file", code="DAMAGED_ARCHIVE")
    try:
        archive = zipfile.ZipFile(cast(BinaryIO, source))
        member = _only_member(archive)
    except _BROKEN_ZIP as wrong:
        raise BadFile(
            f"the zip archive is cut off or damaged: {wrong}", code="TRUNCATED", hint=HINT_SEND_WHOLE
        ) from None
    if member.file_size > limit:
        raise _bomb(limit)
    return _member(archive, member, limit)


def _only_member(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    if _SPREADSHEET & set(archive.namelist()):
        raise BadFile("this is a spreadsheet, which is not read", hint="ask the shop for CSV, or save it as CSV")
    files = [m for m in archive.infolist() if not m.is_dir() and not _is_leftover(m.filename.lower())]
    for endings in (_CATALOGUES, ".txt"):  # a catalogue beside its readme
        if len(files) > 1:
            files = [m for m in files if m.filename.lower().endswith(endings)] or files
    if len(files) != 1:
        hint = "ask for an archive with one catalogue in it"
        raise BadFile(f"the zip archive holds {len(files)} files, not one", code="NOT_ONE_FILE", hint=hint)
    if files[0].flag_bits & 0x1:
        hint = "ask for one without a password"
        raise BadFile("the zip archive is encrypted", code="ENCRYPTED_ARCHIVE", hint=hint)
    return files[0]


def _is_leftover(name: str) -> bool:
    """What file managers put into folders."""
    return name.rpartition("/")[2].startswith(".") or any(word in name for word in _IGNORED)


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, limit: int) -> Iterator[bytes]:
    meter = _Meter(limit, packed=member.compress_size)
    try:
        with archive, archive.open(member) as file:
            while chunk := file.read(CHUNK):
                yield meter.counted(chunk)
    except _BROKEN_ZIP as wrong:
        raise BadFile(f"the zip archive is damaged: {wrong}", code="DAMAGED_ARCHIVE", hint=HINT_SEND_WHOLE) from None


class _Meter:
    def __init__(self, limit: int, packed: int = 0) -> None:
        self.limit, self.packed, self.total = limit, packed, 0

    def counted(self, chunk: bytes) -> bytes:
        self.total += len(chunk)
        if self.total > self.limit:
            raise _bomb(self.limit)
        if self.total > RATIO_FROM and self.total > MAX_RATIO * max(self.packed, 1):
            raise _bomb(MAX_RATIO * max(self.packed, 1), f"{MAX_RATIO} times its packed size")
        return chunk


def _bomb(limit: int, of: str = "") -> BadFile:
    message = f"the file unpacks to far more than a catalogue (limit {limit} bytes{of and f', {of}'})"
    return BadFile(
        message, code="TOO_LARGE_UNPACKED", hint="check its format before you ask the shop; nothing of it was used"
    )
