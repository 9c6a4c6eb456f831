"""Text as a person would type it: no markup, no entities, no invisible characters, no broken encoding (property 31)."""

from __future__ import annotations

import re
import unicodedata
from html import unescape

MAX_LINE = 512  # names, titles, headlines (C-031)
MAX_PROSE = 20_000  # descriptions: the longest job posting anybody reads

_ELEMENT = re.compile(r"<(?:!--.*?(?:--|$)|/?[a-zA-Z][^<>]*|![a-zA-Z][^<>]*|\?[^<>]*)>?", re.DOTALL)
_UNSEEN = re.compile(r"<(script|style|template|noscript)\b.*?(?:</\1\s*>|$)", re.DOTALL | re.IGNORECASE)
_BREAKS = re.compile(r"<(?:br|/p|/div|/li|/ul|/ol|/h[1-6]|/tr|hr)\b[^<>]*>", re.IGNORECASE)
_ITEM = re.compile(r"<li\b[^<>]*>", re.IGNORECASE)
_ANGLE = re.compile(r"<(?=[^>]*>)")
# Zero-width, bidirectional and soft-hyphen characters; object replacement and BOM; C0/C1 controls but for white space.
_INVISIBLE = dict.fromkeys(
    [
        *(0xAD, 0x034F, 0x061C, 0x180E, 0xFEFF, 0xFFFC, 0x7F),
        *(*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070)),
        *(*range(0, 9), *range(14, 28), *range(0x80, 0x85), *range(0x86, 0xA0)),
    ]
)
# UTF-8 read as Windows-1252 or Latin-1: a lead byte's character followed by one a continuation byte gives.
_MOJIBAKE = re.compile("[ÂÃ][\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â[\x80-\xbf€‚„…†‡][\x80-\xbf€-™¢-¿˜œž]|Ã$|ð[\x9fŸ]")
_ROUNDS = 5  # "&amp;amp;lt;" is rare; a page that needs more is playing


def clean_line(raw: str, longest: int = MAX_LINE) -> str:
    """One line. "" when nothing is left."""
    return " ".join(_plain(raw).split())[:longest].strip()


def clean_prose(raw: str, longest: int = MAX_PROSE) -> str:
    """Paragraphs and list items stay on lines of their own."""
    broken = _ITEM.sub("\n- ", _BREAKS.sub("\n", unescape(raw) if "&lt;" in raw else raw))
    lines = [" ".join(line.split()) for line in _plain(broken).split("\n")]
    joined = "\n".join(line for line in lines if line and line != "-")
    return joined[:longest].strip()


_BARRED = str.maketrans("øØłŁđĐı", "oOlLdDi")  # letters that no accent can be taken from


def fold(text: str) -> str:
    """For comparing: lower case, without accents."""
    if text.isascii():
        return text.lower().strip()
    decomposed = unicodedata.normalize("NFKD", text.replace("ß", "ss").translate(_BARRED))
    return "".join(c for c in decomposed if not unicodedata.combining(c)).lower().strip()


def _plain(raw: str) -> str:
    """Entities may hide tags and tags may be cut by entities, so both go until nothing changes."""
    text = raw
    for _ in range(_ROUNDS):
        before = text
        text = unescape(_ELEMENT.sub(" ", _UNSEEN.sub(" ", text))).translate(_INVISIBLE)
        if text == before:
            break
    text = _ANGLE.sub(" ", _ELEMENT.sub(" ", text))
    return unicodedata.normalize("NFC", repair_mojibake(text)).translate(_INVISIBLE)


def repair_mojibake(text: str) -> str:
    """Text that was UTF-8 and was read as something else ("CafÃ©"), read right; anything doubtful as it was."""
    if not _MOJIBAKE.search(text):
        return text
    for codec in ("cp1252", "latin-1"):
        try:
            fixed = text.encode(codec).decode("utf-8")
        except UnicodeError:
            continue
        return fixed if not _MOJIBAKE.search(fixed) else repair_mojibake(fixed)
    return _repair_parts(text)


def _repair_parts(text: str) -> str:
    """Where only a part is broken, or one character has no place in the wrong code page."""

    def repair(match: re.Match[str]) -> str:
        for codec in ("cp1252", "latin-1"):
            try:
                return match[0].encode(codec).decode("utf-8")
            except UnicodeError:
                continue
        return match[0]

    return re.sub(r"[\u00c2-\u00f4][^\x00-\x7f]{1,3}", repair, text)


# What somebody was to replace before the page went out: "{{ company }}", "[Your name]", "[À COMPLÉTER — adresse]".
_PLACEHOLDER = re.compile(
    r"\s*(?:\{\{[^{}]*\}\}|\{%[^{}]*%\}|<%[^<>]*%>|\[[^\[\]]*\b(?:your|insert|enter|company|name|address|adresse|firma|ihre?r?|votre|nom|nombre"
    r"|nome|uw|todo|tbd|[àa] compl[ée]ter|to be completed|ergänzen|eintragen|completar|completare)\b[^\[\]]*\])\s*",
    re.IGNORECASE,
)


def is_placeholder(text: str) -> bool:
    return _PLACEHOLDER.fullmatch(text) is not None
