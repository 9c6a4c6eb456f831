"""Which encoding a text file is in. Pure, and told in one pass over the bytes.

Spreadsheets save CSV in what their system calls "CSV": UTF-8 with or without a mark, UTF-16, or a Windows
code page. A file that is none of them throughout (two exports pasted together, a cut byte) still has good
lines; it is read as UTF-8 and the lines that are not are told apart later, by their `UNREADABLE` characters.
"""

from __future__ import annotations

import codecs
import re
from typing import BinaryIO, NamedTuple

from winnow.errors import InvalidInput

CHUNK = 1 << 20
UNREADABLE = re.compile("[\udc80-\udcff]")  # what errors="surrogateescape" makes of a byte it cannot read
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NOT_TEXT = (
    (b"PK\x03\x04", "an Excel or zip file: save it as CSV first"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file: save it as CSV first"),
    (b"\x1f\x8b", "a gzip file: unpack it first"),
    (b"%PDF", "a PDF file"),
)
_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
# Some exports leave a zero in a cell, and only that line is wrong for it; a file with a share of them is no text.
FEW_ZEROS, MOST_ZEROS = 3, 0.003
_HIGH = re.compile(rb"[\x80-\xff]")
_UNDEFINED_1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")


class Encoding(NamedTuple):
    name: str
    broken: bool = False  # some lines are not in it; they are found by UNREADABLE


def detect(file: BinaryIO) -> Encoding:
    """Leaves the file where it found it. InvalidInput when it is no text at all."""
    start = file.tell()
    try:
        head = file.read(4096)
        named = _by_head(head)
        if named is not None:
            return Encoding(named)
        file.seek(start)
        return _by_content(file)
    finally:
        file.seek(start)


def _by_head(head: bytes) -> str | None:
    for magic, what in _NOT_TEXT:
        if head.startswith(magic):
            raise InvalidInput(f"this is {what}")
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    return _utf16_without_mark(head)


def _utf16_without_mark(head: bytes) -> str | None:
    """URLs are ASCII, so in UTF-16 every other byte of a list of them is zero."""
    if b"\x00" not in head:
        return None
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    for name, zeros, others in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if zeros > 0.7 * half and others < 0.1 * half and _readable(head[: 2 * half].decode(name, "replace")):
            return name
    return None


def _readable(text: str) -> bool:
    return all(c.isprintable() or c in "\r\n\t\ufeff" for c in text)


def _by_content(file: BinaryIO) -> Encoding:
    """UTF-8 if all of it is. Otherwise the balance decides: real multi-byte characters outnumbering the
    bytes that fit nowhere mean UTF-8 with some broken lines, else it is the Windows code page."""
    strict = codecs.getincrementaldecoder("utf-8")()
    utf8, high, pairs, undefined = True, 0, 0, 0
    while chunk := file.read(CHUNK):
        if chunk.count(0) > max(FEW_ZEROS, MOST_ZEROS * len(chunk)):
            raise InvalidInput("this is not a text file")
        utf8 = utf8 and _decodes(strict, chunk)
        found = _MULTIBYTE.findall(chunk)
        pairs += len(found)
        high += len(_HIGH.findall(chunk)) - sum(map(len, found))
        undefined += len(_UNDEFINED_1252.findall(chunk))
    if utf8 and _decodes(strict, b"", final=True):
        return Encoding("utf-8")
    if pairs > high or undefined:
        return Encoding("utf-8", broken=True)
    return Encoding("cp1252")


def _decodes(decoder: codecs.IncrementalDecoder, chunk: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
    return True
