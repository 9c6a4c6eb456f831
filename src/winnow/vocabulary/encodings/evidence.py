"""What bytes show by themselves: marks, signatures of files that are no text, zeros, and how UTF-8 is built."""

from __future__ import annotations

import codecs
import re

HEAD = 4_096  # bytes that are looked at
MARKS = (  # the longer first: UTF-16's mark is the beginning of UTF-32's
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Codecs that read the mark as well.
WITH_MARK = {
    "utf-8": "utf-8-sig", "utf-16-le": "utf-16", "utf-16-be": "utf-16", "utf-32-le": "utf-32", "utf-32-be": "utf-32",
}  # fmt: skip
_SIGNATURES = (
    (b"PK\x03\x04", "zip"),  # also what Excel writes
    (b"\xd0\xcf\x11\xe0", "old_excel"),
    (b"\x1f\x8b", "gzip"),
    (b"%PDF", "pdf"),
    (b"BZh", "bzip2"),
    (b"7z\xbc\xaf", "7z"),
    (b"Rar!", "rar"),
)
_TAR, _TAR_AT = b"ustar", 257
BINARY = "binary"
MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
HIGH = re.compile(rb"[\x80-\xff]")
ASCII = bytes(range(128))


class NotText(ValueError):
    """`format` is one of the words above, "tar", or BINARY for what nothing is known about."""

    def __init__(self, format: str) -> None:
        super().__init__(f"this is not text but {format}")
        self.format = format


def encoding_of(head: bytes) -> tuple[str | None, int]:
    """What the first bytes settle, and how many of them are a mark. None: the content decides."""
    for magic, known in _SIGNATURES:
        if head.startswith(magic):
            raise NotText(known)
    if head.startswith(_TAR, _TAR_AT):
        raise NotText("tar")
    for mark, name in MARKS:
        if head.startswith(mark):
            return name, len(mark)
    return _wide_without_mark(head[:HEAD]), 0


def _wide_without_mark(head: bytes) -> str | None:
    """Headers and URLs are ASCII, so in UTF-16 every other byte is zero, and in UTF-32 three of four."""
    half = len(head) // 2
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if half > 4 and odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    if half > 4 and even > 0.4 * half and odd < 0.05 * half:
        return "utf-16-be"
    quarter = len(head) // 4
    zeros = [head[at::4].count(0) for at in range(4)]
    for name, letters in (("utf-32-le", 0), ("utf-32-be", 3)):
        if quarter > 4 and zeros[letters] == 0 and sum(zeros) > 2.9 * quarter:
            return name
    if half > 64 and head.rstrip(b"\x00").count(0) > half:  # at its end they are padding
        raise NotText(BINARY)
    return None


def utf8_balance(data: bytes) -> tuple[int, int]:
    """How many characters of several bytes there are, and how many bytes beyond ASCII belong to none."""
    found = MULTIBYTE.findall(data)
    return len(found), len(HIGH.findall(data)) - sum(map(len, found))
