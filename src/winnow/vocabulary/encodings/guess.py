"""What undeclared text that is not UTF-8 is written in. Only old pages get here, so it may cost a ms.

The page's own `lang` is the best witness. Without it charset-normalizer decides, except where it is weak on
short text (measured on shop phrases in 14 encodings): between the Latin code pages, where windows-1252 holds
unless several letters speak against it, and between the East Asian ones, where kana and hangul tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from winnow.vocabulary.encodings.evidence import ASCII
from winnow.vocabulary.encodings.languages import languages

DEFAULT = "cp1252"  # WHATWG's answer when nothing is known
_SAMPLE = 4_096
_FEW = 6  # bytes
_PRESCAN = 4_096
_LANG = re.compile(rb"<html[^>]{0,512}?\slang\s*=\s*[\"']?([A-Za-z]{2})(?:[-_]([A-Za-z]{2,4}))?", re.I)
_TRADITIONAL = {b"tw", b"hk", b"mo", b"hant"}
_ALPHABETS = "cp1251 cp1253 cp1255 cp1256 koi8_r tis_620 gb18030 big5 cp932 euc_jp cp949"
_DETECTABLE = f"cp1252 cp1250 cp1254 cp1257 {_ALPHABETS}"
_NAMES = {"big5": "big5hkscs", "koi8_r": "koi8-r", "tis_620": "cp874"}
_LATIN = {"cp1250", "cp1254", "cp1257"}
_BETWEEN_TAGS = re.compile(rb"[^<>]+")
_CENTRAL = b"\x8a\x8c\x8e\x8f\x9a\x9c\x9e\x9f\xb1\xb3\xb6\xb9\xbe\xfe"  # š ś ž ź ą ł … in windows-1250 or ISO 8859-2
_RUN = re.compile(rb"[\x80-\xff]{3,}")
_EAST_ASIAN = {"gb18030", "big5", "cp932", "euc_jp", "cp949"}


def guess(body: bytes) -> str:
    return _by_language(body) or _by_bytes(_bytes_with_letters(body))


def _by_language(body: bytes) -> str | None:
    match = _LANG.search(body[:_PRESCAN])
    codec = _code_page_of(match[1].decode().lower()) if match else None
    if match and codec == "gb18030" and (match[2] or b"").lower() in _TRADITIONAL:
        codec = "big5hkscs"
    if codec == "cp932" and _reads(body, "euc_jp", _is_kana):
        return "euc_jp"
    return codec if codec and _decodes(body, codec) else None


def _code_page_of(language: str) -> str | None:
    known = languages().get(language)
    return known.undeclared if known else None


def _by_bytes(sample: bytes) -> str:
    if len(sample.translate(None, ASCII)) < _FEW:
        return DEFAULT  # a sign or two: nearly always ©, ® or a space
    found = _detected(sample, _ALPHABETS if _is_all_letters(sample) else _DETECTABLE)
    if found in _EAST_ASIAN or found == DEFAULT:
        found = _east_asian(sample, found)
    elif found in _LATIN and (len(_differing(sample, found)) < 3 or (found == "cp1250" and not _is_central(sample))):
        found = DEFAULT
    return _NAMES.get(found, found)


def _detected(sample: bytes, codecs: str) -> str:
    from charset_normalizer import from_bytes  # 30 ms to load, for the few texts that need it

    best = from_bytes(sample, cp_isolation=codecs.split(), enable_fallback=False).best()
    return best.encoding if best else DEFAULT


def _is_all_letters(sample: bytes) -> bool:
    """Whole words beyond ASCII: of another alphabet than Latin, whose words have an accent here and there."""
    high = len(sample.translate(None, ASCII))
    return sum(map(len, _RUN.findall(sample))) >= 0.8 * high


def _is_central(sample: bytes) -> bool:
    """Some letters of Czech, Polish, Croatian … stand where western pages have hardly anything, those of Hungarian
    where only Portuguese has something."""
    high = sample.translate(None, ASCII)
    own = len(high) - len(high.translate(None, _CENTRAL))
    return own * 30 >= len(high) or (b"\xf5" in high and b"\xe3" not in high and b"\xe7" not in high)


def _differing(sample: bytes, codec: str) -> set[str]:
    """Letters this code page sees where windows-1252 sees something else."""
    pairs = zip(sample.decode(codec, "replace"), sample.decode(DEFAULT, "replace"), strict=True)
    return {here.lower() for here, there in pairs if here != there and here.isalpha()}


def _east_asian(sample: bytes, found: str) -> str:
    for codec, is_typical in (("euc_jp", _is_kana), ("cp932", _is_kana), ("cp949", _is_hangul)):
        if _reads(sample, codec, is_typical):
            return codec
    return "gb18030" if found in ("cp932", "euc_jp", "cp949") else found


def _reads(body: bytes, codec: str, is_typical: Callable[[str], bool]) -> bool:
    """Whether a good part of what is beyond ASCII is the script this encoding was made for."""
    high = [c for c in body[:_SAMPLE].decode(codec, "ignore") if c > "\x7f"]
    share = 0.8 if is_typical is _is_hangul else 0.2
    return bool(high) and _decodes(body, codec) and sum(map(is_typical, high)) >= share * len(high)


def _is_kana(c: str) -> bool:
    return "\u3041" <= c <= "\u30ff"


def _is_hangul(c: str) -> bool:
    return "\uac00" <= c <= "\ud7a3"


def _decodes(body: bytes, codec: str) -> bool:
    """Nearly: one damaged character in a hundred is a damaged page, not another encoding."""
    text = body.decode(codec, "replace")
    return text.count("\ufffd") * 100 <= len(body.translate(None, ASCII))


def _bytes_with_letters(body: bytes) -> bytes:
    """A sample of the text that is not ASCII: most of a page is markup. No encoding of the web has `<` or `>` as a
    part of another character."""
    sample, size = [], 0
    for text in _BETWEEN_TAGS.finditer(body):
        if not text[0].isascii():
            sample.append(text[0].strip())
            size += len(sample[-1])
            if size >= _SAMPLE:
                break
    return b"\n".join(sample)[: 2 * _SAMPLE]
