"""Which encoding a whole text file is in, in one pass over its bytes.

Spreadsheets save CSV in what their system calls "CSV": UTF-8 with or without a mark, UTF-16, or a Windows
code page. A file that is none of them throughout (two exports pasted together, a cut byte) still has good
lines; it is read as UTF-8 and the lines that are not are recognised later, by their `UNREADABLE` characters.
"""

from __future__ import annotations

import codecs
import re
from typing import BinaryIO, NamedTuple

from winnow.vocabulary.encodings.evidence import BINARY, HEAD, WITH_MARK, NotText, encoding_of, utf8_balance

CHUNK = 1 << 20
UNREADABLE = re.compile("[\udc80-\udcff]")  # what errors="surrogateescape" makes of a byte it cannot read
# Some exports leave a zero in a cell, and only that line is wrong for it; a file with a share of them is no text.
FEW_ZEROS, MOST_ZEROS = 3, 0.003
_UNDEFINED_1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")


class Encoding(NamedTuple):
    name: str
    broken: bool = False  # some lines are not in it; they are found by UNREADABLE


def detect(file: BinaryIO) -> Encoding:
    """Leaves the file where it found it. NotText when it is no text at all."""
    start = file.tell()
    try:
        head = file.read(HEAD)
        name, mark = encoding_of(head)
        if name is not None and mark:
            return Encoding(WITH_MARK[name])
        if name is not None and _is_readable(head.decode(name, "replace")):
            return Encoding(name)
        file.seek(start)
        return _by_content(file)
    finally:
        file.seek(start)


def _is_readable(text: str) -> bool:
    return all(c.isprintable() or c in "\r\n\t\ufeff" for c in text)


def _by_content(file: BinaryIO) -> Encoding:
    """UTF-8 if all of it is. Otherwise the balance decides: real multi-byte characters outnumbering the
    bytes that fit nowhere mean UTF-8 with some broken lines, else it is the Windows code page."""
    strict = codecs.getincrementaldecoder("utf-8")()
    utf8, characters, strays, undefined = True, 0, 0, 0
    while chunk := file.read(CHUNK):
        if chunk.count(0) > max(FEW_ZEROS, MOST_ZEROS * len(chunk)):
            raise NotText(BINARY)
        utf8 = utf8 and _decodes(strict, chunk)
        found, stray = utf8_balance(chunk)
        characters, strays = characters + found, strays + stray
        undefined += len(_UNDEFINED_1252.findall(chunk))
    if utf8 and _decodes(strict, b"", final=True):
        return Encoding("utf-8")
    if characters > strays or undefined:
        return Encoding("utf-8", broken=True)
    return Encoding("cp1252")


def _decodes(decoder: codecs.IncrementalDecoder, chunk: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
    return True
