"""Format and size of a picture, read from its bytes and never from the server's headers or the URL. Pure.

Only the header is read, nothing is decoded, so a bomb is as harmless as any other file. Formats: what browsers show
as product pictures. Sizes are read by imagesize, as shown (turned where the camera says so). SVG is read here: it is
XML from a stranger, and no entity may be expanded for two numbers (R-18).
"""

from __future__ import annotations

import re
from io import BytesIO

import imagesize
import msgspec

MAX_SIDE = 65_535  # what JPEG can say; larger claims are nonsense
# Comments are possessive: each could end at any later "-->", and there are as many readings as ways to choose.
_COMMENTS = rb"(?:<!--(?:(?!-->).){0,2000}-->\s*+)*+"
_SVG = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]{0,200}\?>\s*+)?" + _COMMENTS + rb"<svg[\s>]", re.S | re.I)
_SVG_TAG = re.compile(rb"<svg([^>]{0,4000})>", re.S | re.I)
_SVG_SIDE = rb"\b%s\s*=\s*[\"']\s*([0-9.]{1,10})(?:px)?\s*[\"']"
_VIEW_BOX = re.compile(rb"\bviewBox\s*=\s*[\"']\s*[-0-9.]+[\s,]+[-0-9.]+[\s,]+([0-9.]{1,10})[\s,]+([0-9.]{1,10})", re.I)

_STARTS = {
    b"\xff\xd8\xff": "image/jpeg",
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"BM": "image/bmp",
}


class Picture(msgspec.Struct, frozen=True):
    content_type: str
    width: int | None
    height: int | None


def read_picture(body: bytes) -> Picture | None:
    """None: no picture, or none whose size makes sense."""
    media = _media_type(body[:16])
    if media is not None:
        width, height = imagesize.get(BytesIO(body))
        return Picture(media, width, height) if 0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE else None
    return _svg(body[:8192]) if _SVG.match(body[:8192]) else None


def _media_type(head: bytes) -> str | None:
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    return next((media for start, media in _STARTS.items() if head.startswith(start)), None)


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
