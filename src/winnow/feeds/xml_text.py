"""The text of an XML catalogue, in pieces that end where an item ends.

Cutting there means that a mistake in one item is met while only that item is in hand: it can be repaired or
reported, and reading goes on with the next.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from html.entities import html5

from winnow.feeds.failures import BadFile
from winnow.feeds.text import code_page, encoding_of

MAX_ITEM = 16 << 20  # characters between two item ends; a catalogue's item has a few thousand
_DECLARED = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_MARKUP = re.compile(r"<(?:br|b|p|font|div|span|pre|center|hr)\b", re.IGNORECASE)  # a warning before the catalogue
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # XML 1.0 §2.2: not characters
_CDATA = re.compile(r"(<!\[CDATA\[.*?\]\]>)", re.DOTALL)
_ENTITY = re.compile(r"&(?:(#\d{1,7};|#x[0-9a-fA-F]{1,6};|(?:amp|lt|gt|quot|apos);)|([A-Za-z][A-Za-z0-9]{1,30});)?")
_STRAY_LESS = re.compile(r"<(?![A-Za-z_/!?])")


def is_xml(head: bytes) -> bool:
    known, mark = encoding_of(head)
    text = head[mark : mark + 400].decode(known or "latin-1", "ignore")
    begins = text.lstrip("\ufeff \t\r\n\x00")
    return begins.startswith("<") and not _MARKUP.match(begins)


def xml_encoding(head: bytes, given: str | None) -> str:
    """Given, marked, declared, else UTF-8 unless the beginning cannot be."""
    known, _ = encoding_of(head)
    declared = _DECLARED.search(head[:1024])
    name = given or known or (declared[1].decode().lower() if declared else "utf-8")
    try:
        codecs.lookup(name)
    except LookupError:
        raise BadFile(f"the XML declares the encoding {name!r}, which does not exist") from None
    return _believable(head, name)


def _believable(head: bytes, name: str) -> str:
    """Files that say UTF-8 and are written in the Windows code page are common."""
    if codecs.lookup(name).name != "utf-8":
        return "cp1252" if codecs.lookup(name).name == "iso8859-1" else name
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return code_page(head) if not re.search(rb"[\xc3-\xf4][\x80-\xbf]", head) else name
    return name


def characters(chunks: Iterator[bytes], encoding: str) -> Iterator[str]:
    """What is no character becomes U+FFFD, or nothing for control characters."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for chunk in chunks:
        if text := decoder.decode(chunk):
            yield _CONTROL.sub("", text).removeprefix("\ufeff")
    yield decoder.decode(b"", True)


def pieces(texts: Iterator[str], item: str) -> Iterator[str]:
    """Cut behind every `</item>`; the last piece is what follows the last one."""
    end = re.compile(rf"</(?:[\w.-]+:)?{re.escape(item)}\s*>", re.IGNORECASE)
    kept = ""
    for text in texts:
        start = max(0, len(kept) - len(item) - 20)
        kept += text
        at = 0
        for found in end.finditer(kept, start):
            yield kept[at : found.end()]
            at = found.end()
        kept = kept[at:]
        if len(kept) > MAX_ITEM:
            raise BadFile(f"an item of the XML has more than {MAX_ITEM >> 20} MB")
    yield kept


def repaired(piece: str) -> str:
    """Ampersands and names of HTML entities that XML does not know, and `<` in front of a number or space."""
    parts = _CDATA.split(piece)
    return "".join(part if part.startswith("<![CDATA[") else _repair(part) for part in parts)


def _repair(text: str) -> str:
    return _STRAY_LESS.sub("&lt;", _ENTITY.sub(_entity, text))


def _entity(found: re.Match[str]) -> str:
    if found[1]:
        return found[0]
    name = found[2]
    if name is None:
        return "&amp;"
    known = html5.get(f"{name};")
    return known if known and known not in "<&>" else f"&amp;{name};"
