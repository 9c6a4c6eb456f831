"""Which characters a body's bytes are: BOM, then the header, then what the page says, then its bytes.

A declaration is believed unless the bytes contradict it: text that is valid UTF-8 beyond ASCII is UTF-8 although a
single-byte label was declared, and text that is not valid UTF-8 is not UTF-8 although that was declared.
"""

from __future__ import annotations

import codecs
import re

from winnow.vocabulary.encodings.evidence import ASCII, MARKS, WITH_MARK
from winnow.vocabulary.encodings.guess import guess
from winnow.vocabulary.encodings.labels import MULTIBYTE, codec_of

PRESCAN = 16_384  # WHATWG asks for 1024; real pages put the meta after scripts

_BOMS = tuple((mark, WITH_MARK[name]) for mark, name in MARKS if not name.startswith("utf-32"))  # not on the web
_META = re.compile(rb"<meta[^>]{0,512}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.I)
_XML = re.compile(rb"^\s*<\?xml[^>]{0,256}?encoding\s*=\s*[\"']([A-Za-z0-9_.:-]{2,40})[\"']", re.I)
_STRETCH = 2_048
_LONG = 30  # bytes: ten letters of Chinese or Japanese
_USUAL_LEADS = (b"\xe2", b"\xc3", b"\xc2")  # in UTF-8: quotes, dashes, euro and symbols; accents; spaces and signs
_COMMENT = re.compile(rb"<!--.*?(?:-->|$)", re.S)


def charset_of(body: bytes, declared: str | None) -> str:
    """The codec to read this body with. `declared` is the charset of the Content-Type header."""
    for bom, marked in _BOMS:
        if body.startswith(bom):
            return marked
    codec = codec_of(declared) if declared else None
    if codec is not None and codec in MULTIBYTE and not _is_long_utf8(body):
        return codec
    beyond_ascii = _beyond_ascii(body)
    if not beyond_ascii:
        return (_declared_inside(body) if b"\x1b" in body else None) or "utf-8"  # ISO-2022-JP hides in ASCII
    if (codec == "utf-8" and _is_utf8(beyond_ascii)) or _is_utf8(body) or _reads(body, "utf-8"):
        return "utf-8"
    for candidate in (codec, _declared_inside(body)):
        if candidate and candidate != "utf-8" and (candidate not in MULTIBYTE or _reads(body, candidate)):
            return candidate
    return guess(body)


def _beyond_ascii(body: bytes) -> bytes:
    """A stretch to judge by, beginning with a byte beyond ASCII: validating all of a page takes five times as long."""
    if body.isascii():
        return b""
    for lead in _USUAL_LEADS:
        if (at := body.find(lead)) >= 0:
            return body[at : at + _STRETCH]
    try:
        body.decode("ascii")
    except UnicodeDecodeError as first:  # the quickest way to its position
        return body[first.start : first.start + _STRETCH]
    return b""


def _is_utf8(stretch: bytes) -> bool:
    try:
        codecs.utf_8_decode(stretch, "strict", False)  # not final: its end may cut a character
    except UnicodeDecodeError:
        return False
    return True


def _is_long_utf8(body: bytes) -> bool:
    """By chance a word or two in another encoding is UTF-8, a page is not."""
    return len(body.translate(None, ASCII)) >= _LONG and _is_utf8(body)


def _reads(body: bytes, codec: str) -> bool:
    """Damaged at most here and there: other encodings leave hardly a byte beyond ASCII undamaged. All of it is looked
    at, for one UTF-8 sign on a page in another encoding proves nothing."""
    damaged = body.decode(codec, "replace").count("\ufffd")
    return damaged * 4 <= len(body.translate(None, ASCII))


def _declared_inside(body: bytes) -> str | None:
    head = body[:PRESCAN]
    match = _XML.search(head) or _META.search(_COMMENT.sub(b"", head))
    codec = codec_of(match[1].decode("ascii")) if match else None
    # A page that could be read as ASCII up to here is not UTF-16, whatever it says (WHATWG prescan).
    return "utf-8" if codec in ("utf-16-le", "utf-16-be") else codec
