"""The bytes of a catalogue -> blocks of text that end with a line, whatever it is encoded in.

Evidence decides block by block, not a sample for the whole file: valid UTF-8 is UTF-8 (no other text looks like
it by chance), otherwise a code page, unless real multi-byte characters outnumber the bytes that fit
nowhere: then it is UTF-8 with damage, and line by line what cannot be read becomes a mark (`DAMAGE`) that costs
its own row and no other. So two exports pasted together are both read right. Which code page it is, the first blocks
tell that need one: Windows-1252 unless another is clear.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from itertools import chain

import msgspec

from winnow.feeds.failures import BadFile
from winnow.feeds.read.header import is_known
from winnow.vocabulary.encodings import code_pages, evidence
from winnow.vocabulary.encodings.code_pages import ENOUGH_LINES, lines_with_letters
from winnow.vocabulary.encodings.evidence import HIGH, MULTIBYTE, NotText, utf8_balance

BLOCK = 128 << 10  # its cells fit a processor's cache; blocks of 1 MB took half as long again
MAX_LINE = 32 << 20  # a file without line ends is no catalogue; memory stays bounded
DAMAGE = re.compile("[\udc80-\udcff\x00]")  # what "surrogateescape" makes of a byte, and NUL, which no text has
_WIDE = {"utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-16", "utf-32"}
_WESTERN = re.compile(
    rb"(?<![\x80-\xff])(?:"
    rb"[\xc0\xc1\xc4-\xd6\xd8-\xef\xf1-\xf4](?=[A-Za-z])"  # a letter in a word
    rb"|(?<=[A-Za-z])[\xdf-\xe1\xe3-\xef\xf1-\xf6\xf8-\xfd]{1,2}"  # at its end, or two as in Größe
    rb"|[\x80\x82\x84\x85\x8a\x8c\x8e\x91-\x97\x99\x9a\x9c\x9e-\xbf\xd7\xf5\xf6\xf8-\xfd]"  # begins nothing
    rb")(?![\x80-\xff])"
)
_END = b"\r\n\x00\x1a"
INVISIBLE = "\ufeff\u200b\u200e\u200f\u2060\u202a\u202c\u202d\u202e"
_NOT_TEXT = {
    "zip": "a zip archive inside the archive, or an Excel file",
    "old_excel": "an Excel file",
    "gzip": "a gzip file inside the archive",
    "pdf": "a PDF file",
    "bzip2": "a bzip2 file",
    "7z": "a 7-Zip file",
    "rar": "a RAR file",
    "tar": "a tar archive",
}
READ = "ask the shop for CSV, TSV or XML, plain or packed with gzip or zip"
_HTML = re.compile(rb"\s*(?:<!doctype html|<html)", re.IGNORECASE)


class Text(msgspec.Struct):
    """`damaged`: somewhere in it are marks."""

    text: str
    damaged: bool = False


def encoding_of(head: bytes) -> tuple[str | None, int]:
    """What the first bytes settle, and how many of them are a mark. None: the content decides, block by block."""
    if _HTML.match(head):
        raise BadFile("this is a web page, not a catalogue", hint="open it and see: a login, or an error of the shop's")
    try:
        return evidence.encoding_of(head)
    except NotText as not_text:
        raise _refused(not_text) from None


def _refused(found: NotText) -> BadFile:
    if found.format in _NOT_TEXT:
        return BadFile(f"this is {_NOT_TEXT[found.format]}, not a catalogue", hint=READ)
    return BadFile("this is not a text file", hint=READ)


def code_page(block: bytes) -> str:
    """Of text that is not UTF-8, in which the first line may be a header."""
    return code_pages.code_page(block, is_known)


def begins_with(text: str) -> str:
    """The first words of a file that is no catalogue; often they are an error message."""
    return f"; it begins with {' '.join(text.split())[:80]!r}"


def blocks(chunks: Iterator[bytes], encoding: str | None = None) -> Iterator[Text]:
    head = _head(chunks)
    found, mark = encoding_of(head)
    known = encoding or found
    rest = chain([head[mark:]], chunks)
    if known in _WIDE:
        return _wide_blocks(rest, found or known or "")
    if known in (None, "utf-8", "utf8", "utf-8-sig"):
        return map(_Decoder().decode, _line_blocks(rest))
    return (_decode_as(block, str(known)) for block in _line_blocks(rest))


def _head(chunks: Iterator[bytes]) -> bytes:
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= 4096:
            break
    return head


def _line_blocks(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Cut where a line ends; a file of one endless line is refused."""
    kept = bytearray()
    for chunk in chunks:
        kept += chunk
        if len(kept) < BLOCK:
            continue
        cut = kept.rfind(b"\n") + 1 or kept.rfind(b"\r", 0, -1) + 1
        if cut:
            yield bytes(kept[:cut])
            del kept[:cut]
        elif len(kept) > MAX_LINE:
            raise BadFile(f"the file has a line of more than {MAX_LINE >> 20} MB")
    if kept:
        yield bytes(kept)


class _Decoder:
    def __init__(self) -> None:
        self._page = ""
        self._telling: list[bytes] = []  # lines by which the page was told; a few do not settle it for the whole file
        self._told_by = 0

    def decode(self, block: bytes) -> Text:
        nul = b"\x00" in block
        try:
            return Text(without_marks(block.decode("utf-8")), nul)
        except UnicodeDecodeError:
            pass
        found, stray = utf8_balance(block)
        if found > stray:
            return _by_line(block, None)
        page = self._page_of(block)
        return _by_line(block, page) if found else _decode_as(block, page)

    def _page_of(self, block: bytes) -> str:
        if self._told_by < ENOUGH_LINES:
            self._telling += lines_with_letters(block)
            if len(self._telling) >= 2 * self._told_by:  # to ask costs some ms
                self._page, self._told_by = code_page(b"\n".join(self._telling)), len(self._telling)
        return self._page


def without_marks(text: str) -> str:
    """A byte order mark inside a file comes from files put together, other signs without width from web pages that
    were copied; they are part of no value, and two ids that differ by one look alike. (Joiners are kept: words of
    some languages and emoji need them.)"""
    if text.isascii():
        return text
    for mark in INVISIBLE:
        if mark in text:
            text = text.replace(mark, "")
    return text


def _by_line(block: bytes, otherwise: str | None) -> Text:
    """Lines that are not UTF-8 are read as something else; None: as Windows-1252 where they can only be that."""
    lines, damaged = [], b"\x00" in block
    for line in block.splitlines(keepends=True):
        try:
            lines.append(line.decode("utf-8"))
        except UnicodeDecodeError:
            lines.append(line.decode(otherwise or odd_page(line), "surrogateescape"))
            damaged = True
    return Text(without_marks("".join(lines)), damaged)


def odd_page(text: bytes) -> str:
    """Of a piece of a UTF-8 file that is not UTF-8: written in Windows-1252, or UTF-8 that was damaged.

    A character that was cut leaves C2, C3 or E2 behind, or a first byte with nothing to follow it. A byte that stands
    in a word of ASCII letters, or is one of that page's signs, is written in that page.
    """
    high, western = len(HIGH.findall(text)), sum(map(len, _WESTERN.findall(text)))
    return "cp1252" if high == western and not MULTIBYTE.search(text) else "utf-8"


def _decode_as(block: bytes, encoding: str) -> Text:
    nul = b"\x00" in block
    try:
        return Text(without_marks(block.decode(encoding)), nul)
    except UnicodeDecodeError:
        return Text(without_marks(block.decode(encoding, "surrogateescape")), True)


def _wide_blocks(chunks: Iterator[bytes], encoding: str) -> Iterator[Text]:
    decoder = codecs.getincrementaldecoder(encoding)("winnow-mark")
    kept = ""
    for chunk in chunks:
        kept += decoder.decode(chunk)
        cut = kept.rfind("\n") + 1
        if cut and len(kept) >= BLOCK // 2:
            yield _marked(kept[:cut])
            kept = kept[cut:]
        if len(kept) > MAX_LINE:
            raise BadFile(f"the file has a line of more than {MAX_LINE >> 20} MB")
    if decoder.getstate()[0].strip(_END):  # half a character; half of a line's end is nothing
        kept += decoder.decode(b"", True)
    if kept:
        yield _marked(kept)


def _marked(text: str) -> Text:
    text = without_marks(text)
    return Text(text, "\udcff" in text or "\x00" in text)


def _mark(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "\udcff", error.end


codecs.register_error("winnow-mark", _mark)
