"""The text of an XML catalogue, in pieces that end where an item ends.

Cutting there means that a mistake in one item is met while only that item is in hand: it can be repaired or
reported, and reading goes on with the next.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from html.entities import html5
from itertools import chain

from winnow.feeds.failures import BadFile
from winnow.feeds.read.text import code_page, encoding_of, odd_page, without_marks
from winnow.vocabulary.encodings.labels import codec_of

JUNK = 4_096  # characters in which a catalogue has to begin
CDATA = "<![CDATA["
_DECLARATION = re.compile(r"^[ \t\ufeff]*<\?xml\s", re.MULTILINE)  # at the start of a line: a cell may hold XML as well
_WIDE, _STATEFUL = ("utf-16", "utf-32"), ("iso2022", "hz", "utf-7")
_RAW = re.compile("[\udc80-\udcff]")
MAX_ITEM = 16 << 20  # characters between two item ends; a catalogue's item has a few thousand
_DECLARED = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_MARKUP = re.compile(r"<(?:br|b|p|font|div|span|pre|center|hr)\b", re.IGNORECASE)  # a warning before the catalogue
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # XML 1.0 §2.2: not characters
_CDATA = re.compile(r"(<!\[CDATA\[.*?\]\]>)", re.DOTALL)
_ENTITY = re.compile(r"&(?:((?:amp|lt|gt|quot|apos);)|#(\d{1,7}|[xX][0-9a-fA-F]{1,6});|([A-Za-z][A-Za-z0-9]{1,30});)?")
_PAIR = re.compile(r"&#(\d{5}|[xX][dD][89a-fA-F][0-9a-fA-F]{2});&#(\d{5}|[xX][dD][89a-fA-F][0-9a-fA-F]{2});")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_VOID = re.compile(r"<(br|hr|wbr|img)\b([^<>]*?)/?>(?!\s*</\1)", re.IGNORECASE)
_STRAY_LESS = re.compile(r"<(?![A-Za-z_/!?])")


def is_xml(head: bytes) -> bool:
    known, mark = encoding_of(head)
    text = head[mark : mark + JUNK].decode(known or "latin-1", "ignore")
    return _begins(text) or _DECLARATION.search(text) is not None


def _begins(text: str) -> bool:
    begins = text[:JUNK].lstrip("\ufeff \t\r\n\x00")
    return begins.startswith("<") and not _MARKUP.match(begins)


def without_junk(text: str) -> tuple[str, str]:
    """What a server said before the catalogue began, and the catalogue."""
    found = None if _begins(text) else _DECLARATION.search(text, 0, JUNK)
    at = found.end() - len("<?xml ") if found else 0
    return text[:at], text[at:]


def xml_encoding(head: bytes, given: str | None) -> str:
    """Given, marked, declared, else UTF-8 unless the beginning cannot be."""
    known, _ = encoding_of(head)
    declared = _DECLARED.search(head[:JUNK])
    name = given or known or (declared[1].decode().lower() if declared else "utf-8")
    name = _codec(name)
    if name.startswith(_WIDE) and not (given or known):  # it says so in single bytes
        name = "utf-8"
    return _believable(head, name)


def _codec(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        if (codec := codec_of(name)) is not None:
            return codec
    raise BadFile(f"the XML declares the encoding {name!r}, which does not exist")


def _believable(head: bytes, name: str) -> str:
    """Files that say UTF-8 and are written in the Windows code page are common."""
    if name != "utf-8":
        return "cp1252" if name == "iso8859-1" else name
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return code_page(head) if not re.search(rb"[\xc3-\xf4][\x80-\xbf]", head) else name
    return name


def characters(chunks: Iterator[bytes], encoding: str) -> Iterator[str]:
    """Text of which all but ASCII is still bytes, unless the encoding is one in which ASCII is not itself."""
    wide = encoding.startswith((*_WIDE, *_STATEFUL))
    decoder = codecs.getincrementaldecoder(encoding if wide else "ascii")("replace" if wide else "surrogateescape")
    for chunk in chunks:
        if text := decoder.decode(chunk):
            yield text.removeprefix("\ufeff")
    yield decoder.decode(b"", True)


def as_bytes(text: str, encoding: str) -> str:
    """A word as `characters` hands it out."""
    return text if text.isascii() else text.encode(encoding, "replace").decode("ascii", "surrogateescape")


def readable(piece: str, encoding: str) -> tuple[str, bool]:
    """A piece with its bytes read, and whether some could not be: those are U+FFFD. What is UTF-8 is UTF-8, whatever
    was declared: no other text looks like it by chance."""
    if piece.isascii() or not _RAW.search(piece):
        return _CONTROL.sub("", without_marks(piece)), "\ufffd" in piece
    raw = piece.encode("utf-8", "surrogateescape")
    try:
        return _CONTROL.sub("", without_marks(raw.decode("utf-8"))), False
    except UnicodeDecodeError:
        pass
    text = raw.decode(odd_page(raw) if encoding == "utf-8" else encoding, "replace")
    return _CONTROL.sub("", without_marks(text)), "\ufffd" in text


def pieces(texts: Iterator[str], item: str) -> Iterator[str]:
    """Cut behind every `</item>` and `<item … />`; the last piece is what follows the last one."""
    name = rf"(?:[\w.-]+:)?{re.escape(item)}"
    end = re.compile(rf"</{name}\s*>|<{name}\s[^<>]*/>", re.IGNORECASE)
    kept, looked = "", 0
    for text in chain(texts, [None]):
        kept += text or ""
        at = 0
        for found in end.finditer(kept, looked):
            inside = _in_cdata(kept, at, found.end())
            if inside is None and text is not None:  # what follows tells
                looked = found.start()
                break
            if not inside:
                yield kept[at : found.end()]
                at = found.end()
        else:
            looked = max(at, min(len(kept) - len(item) - 20, kept.rfind("<", at) if text else len(kept)))
        kept, looked = kept[at:], looked - at
        if len(kept) > MAX_ITEM:
            raise BadFile(f"an item of the XML has more than {MAX_ITEM >> 20} MB")
    yield kept


def _in_cdata(text: str, start: int, end: int) -> bool | None:
    """Whether an end tag is text of a CDATA section, rather than one that nobody closed; None: not known yet."""
    if text.rfind(CDATA, start, end) <= text.rfind("]]>", start, end):
        return False
    opened = text.find(CDATA, end)
    closed = text.find("]]>", end, opened if opened >= 0 else len(text))
    return None if closed < 0 and opened < 0 else closed >= 0


def has_nested_cdata(piece: str) -> bool:
    """Whether a CDATA section begins inside another: then that one was never closed, and ends with the next item's."""
    return CDATA in piece and piece.count(CDATA) > piece.count("]]>")


def left_open(piece: str) -> str | None:
    """What a piece begins and does not end, of that which hides the tags after it."""
    if piece.rfind(CDATA) > piece.rfind("]]>"):
        return "a CDATA section"
    return "a comment" if piece.rfind("<!--") > piece.rfind("-->") else None


def repaired(piece: str) -> str:
    """Ampersands and names of HTML entities that XML does not know, numbers that are no characters, `<` in front of a
    number or space, `<br>` as HTML has it, and comments, which hold nothing of use."""
    parts = _CDATA.split(piece)
    return "".join(part if part.startswith(CDATA) else _repair(part) for part in parts)


def _repair(text: str) -> str:
    plain = _VOID.sub(r"<\1\2/>", _COMMENT.sub("", text))
    return _STRAY_LESS.sub("&lt;", _ENTITY.sub(_entity, _PAIR.sub(_pair, plain)))


def _pair(found: re.Match[str]) -> str:
    """A character beyond U+FFFF as the two halves JavaScript and Java know it by."""
    high, low = _number(found[1]), _number(found[2])
    if 0xD800 <= high < 0xDC00 <= low < 0xE000:
        return chr(0x10000 + (high - 0xD800 << 10) + low - 0xDC00)
    return found[0]


def _number(text: str) -> int:
    return int(text[1:], 16) if text[0] in "xX" else int(text)


def _entity(found: re.Match[str]) -> str:
    known, number, name = found.groups()
    if known:
        return found[0]
    if number:
        value = _number(number)
        return found[0] if value < 0x110000 and not _CONTROL.match(chr(value)) else ""
    if name is None:
        return "&amp;"
    character = html5.get(f"{name};")
    return character if character and character not in "<&>" else f"&amp;{name};"
