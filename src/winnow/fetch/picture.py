"""What a picture is, read from its bytes: never from what the server or the URL says. Pure.

Only the header is read, nothing is decoded, so a bomb is as harmless as any other file. Formats: what browsers show
as product pictures. Sources: JFIF/ITU-T T.81 B.1, RFC 2083 (PNG), GIF89a, RFC 9649 (WebP), ISO 14496-12 (AVIF),
BMP (BITMAPINFOHEADER).
"""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

MAX_SIDE = 65_535  # what JPEG can say; larger claims are nonsense
_HEAD = 256 * 1024  # a JPEG may carry that much EXIF and colour profile before its size
_SVG = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,2000}?-->\s*)*<svg[\s>]", re.S | re.I)
_SVG_TAG = re.compile(rb"<svg([^>]{0,4000})>", re.S | re.I)
_SVG_SIDE = rb"\b%s\s*=\s*[\"']\s*([0-9.]{1,10})(?:px)?\s*[\"']"
_VIEW_BOX = re.compile(rb"\bviewBox\s*=\s*[\"']\s*[-0-9.]+[\s,]+[-0-9.]+[\s,]+([0-9.]{1,10})[\s,]+([0-9.]{1,10})", re.I)

Size = tuple[int, int]


class Picture(msgspec.Struct, frozen=True):
    content_type: str
    width: int | None
    height: int | None


def read_picture(body: bytes) -> Picture | None:
    """None: no picture, or none whose size makes sense."""
    for media, starts, size_of in _FORMATS:
        if starts(body):
            return _checked(media, size_of(body[:_HEAD]))
    if _SVG.match(body[:8192]):
        return _svg(body[:8192])
    return None


def _checked(media: str, size: Size | None) -> Picture | None:
    if size is None or not all(0 < side <= MAX_SIDE for side in size):
        return None
    return Picture(media, *size)


def _png(body: bytes) -> Size | None:
    if body[12:16] != b"IHDR" or len(body) < 24:
        return None
    return int.from_bytes(body[16:20], "big"), int.from_bytes(body[20:24], "big")


def _gif(body: bytes) -> Size | None:
    return (_little(body, 6), _little(body, 8)) if len(body) >= 10 else None


def _bmp(body: bytes) -> Size | None:
    if len(body) < 26 or _little(body, 14, 4) < 40:
        return None
    height = int.from_bytes(body[22:26], "little", signed=True)  # negative: stored from the top
    return _little(body, 18, 4), abs(height)


def _jpeg(body: bytes) -> Size | None:
    """The frame header (SOF) after any number of other segments."""
    at = 2
    while at + 9 <= len(body):
        if body[at] != 0xFF:
            return None
        marker = body[at + 1]
        if marker == 0xFF or marker == 0x01 or 0xD0 <= marker <= 0xD8:  # fill bytes, and markers without a length
            at += 1 if marker == 0xFF else 2
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(body[at + 7 : at + 9], "big"), int.from_bytes(body[at + 5 : at + 7], "big")
        if marker == 0xDA or marker == 0xD9:
            return None
        at += 2 + int.from_bytes(body[at + 2 : at + 4], "big")
    return None


def _webp(body: bytes) -> Size | None:
    chunk, data = body[12:16], body[20:]
    if chunk == b"VP8X" and len(data) >= 10:
        return _little(data, 4, 3) + 1, _little(data, 7, 3) + 1
    if chunk == b"VP8L" and len(data) >= 5 and data[0] == 0x2F:
        bits = int.from_bytes(data[1:5], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if chunk == b"VP8 " and len(data) >= 10 and data[3:6] == b"\x9d\x01\x2a":
        return _little(data, 6) & 0x3FFF, _little(data, 8) & 0x3FFF
    return None


def _avif(body: bytes) -> Size | None:
    """The largest of its ispe properties: thumbnails and tiles have one too."""
    sizes = [
        (
            int.from_bytes(body[m.end() + 4 : m.end() + 8], "big"),
            int.from_bytes(body[m.end() + 8 : m.end() + 12], "big"),
        )
        for m in re.finditer(rb"\x00\x00\x00\x14ispe", body)
    ]
    return max(sizes, key=lambda size: size[0] * size[1], default=None)


def _svg(head: bytes) -> Picture | None:
    """Its size is optional and may be anything; what is not a number of pixels is left out."""
    tag = _SVG_TAG.search(head)
    if tag is None:
        return None
    sides = [re.search(_SVG_SIDE % name, tag[1], re.I) for name in (b"width", b"height")]
    found = [float(m[1]) for m in sides if m and m[1].count(b".") < 2]
    box = _VIEW_BOX.search(tag[1])
    if len(found) < 2 and box:
        found = [float(side) for side in box.groups() if side.count(b".") < 2]
    if len(found) < 2 or not all(0.5 <= side <= MAX_SIDE for side in found):
        return Picture("image/svg+xml", None, None)
    return Picture("image/svg+xml", round(found[0]), round(found[1]))


def _little(body: bytes, at: int, size: int = 2) -> int:
    return int.from_bytes(body[at : at + size], "little")


def _begins(*starts: bytes) -> Callable[[bytes], bool]:
    return lambda body: body.startswith(starts)


_FORMATS: tuple[tuple[str, Callable[[bytes], bool], Callable[[bytes], Size | None]], ...] = (
    ("image/jpeg", _begins(b"\xff\xd8\xff"), _jpeg),
    ("image/png", _begins(b"\x89PNG\r\n\x1a\n"), _png),
    ("image/gif", _begins(b"GIF87a", b"GIF89a"), _gif),
    ("image/webp", lambda body: body[:4] == b"RIFF" and body[8:12] == b"WEBP", _webp),
    ("image/avif", lambda body: body[4:8] == b"ftyp" and body[8:12] in (b"avif", b"avis"), _avif),
    ("image/bmp", _begins(b"BM"), _bmp),
)
