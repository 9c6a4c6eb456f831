"""What undeclared text that is not UTF-8 is written in. Only old pages get here, so it may cost a ms.

The page's own `lang` is the best witness. Without it charset-normalizer decides, except where it is weak on
short text (measured on shop phrases in 14 encodings): between the Latin code pages, where windows-1252 holds
unless several letters speak against it, and between the East Asian ones, where kana and hangul tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from charset_normalizer import from_bytes

DEFAULT = "cp1252"  # WHATWG's answer when nothing is known
_SAMPLE = 4_096
_PRESCAN = 4_096
_LANG = re.compile(rb"<html[^>]{0,512}?\slang\s*=\s*[\"']?([A-Za-z]{2})(?:[-_]([A-Za-z]{2,4}))?", re.I)
_BY_LANGUAGE = {
    "cp1250": "cs pl hu sk sl hr bs ro sq",
    "cp1251": "ru uk bg be mk sr kk",
    "cp1253": "el",
    "cp1254": "tr az",
    "cp1255": "he iw",
    "cp1256": "ar fa ur",
    "cp1257": "lt lv et",
    "cp1258": "vi",
    "cp874": "th",
    "cp932": "ja",
    "cp949": "ko",
    "gb18030": "zh",
}
_CODEC_OF_LANGUAGE = {lang: codec for codec, langs in _BY_LANGUAGE.items() for lang in langs.split()}
_TRADITIONAL = {b"tw", b"hk", b"mo", b"hant"}
_DETECTABLE = "cp1252 cp1250 cp1251 cp1253 cp1254 cp1255 cp1256 cp1257 koi8_r gb18030 big5 cp932 euc_jp cp949"
_NAMES = {"big5": "big5hkscs", "koi8_r": "koi8-r"}
_LATIN = {"cp1250", "cp1254", "cp1257"}
_EAST_ASIAN = {"gb18030", "big5", "cp932", "euc_jp", "cp949"}


def guess(body: bytes) -> str:
    return _by_language(body) or _by_bytes(_telling(body))


def _by_language(body: bytes) -> str | None:
    match = _LANG.search(body[:_PRESCAN])
    codec = _CODEC_OF_LANGUAGE.get(match[1].decode().lower()) if match else None
    if match and codec == "gb18030" and (match[2] or b"").lower() in _TRADITIONAL:
        codec = "big5hkscs"
    if codec == "cp932" and _reads(body, "euc_jp", _is_kana):
        return "euc_jp"
    return codec if codec and _decodes(body, codec) else None


def _by_bytes(sample: bytes) -> str:
    best = from_bytes(sample, cp_isolation=_DETECTABLE.split(), enable_fallback=False).best()
    found = best.encoding if best else DEFAULT
    if found in _EAST_ASIAN:
        found = _east_asian(sample, found)
    elif found in _LATIN and len(_differing(sample, found)) < 3:
        found = DEFAULT
    return _NAMES.get(found, found)


def _differing(sample: bytes, codec: str) -> set[str]:
    """Letters this code page sees where windows-1252 sees something else."""
    pairs = zip(sample.decode(codec, "replace"), sample.decode(DEFAULT, "replace"), strict=True)
    return {here.lower() for here, there in pairs if here != there and here.isalpha()}


def _east_asian(sample: bytes, found: str) -> str:
    for codec, telling in (("euc_jp", _is_kana), ("cp932", _is_kana), ("cp949", _is_hangul)):
        if _reads(sample, codec, telling):
            return codec
    return "gb18030" if found in ("cp932", "euc_jp", "cp949") else found


def _reads(body: bytes, codec: str, telling: Callable[[str], bool]) -> bool:
    """Whether a good part of what is beyond ASCII is the script this encoding was made for."""
    high = [c for c in body[:_SAMPLE].decode(codec, "ignore") if c > "\x7f"]
    share = 0.8 if telling is _is_hangul else 0.2
    return bool(high) and _decodes(body, codec) and sum(map(telling, high)) >= share * len(high)


def _is_kana(c: str) -> bool:
    return "\u3041" <= c <= "\u30ff"


def _is_hangul(c: str) -> bool:
    return "\uac00" <= c <= "\ud7a3"


def _decodes(body: bytes, codec: str) -> bool:
    """Nearly: one damaged character in a hundred is a damaged page, not another encoding."""
    text = body.decode(codec, "replace")
    return text.count("\ufffd") * 100 <= len(body.translate(None, bytes(range(128))))


def _telling(body: bytes) -> bytes:
    """A sample from where the bytes beyond ASCII are; the head of a page is often markup only."""
    first = re.search(rb"[\x80-\xff]", body)
    start = max(0, (first.start() if first else 0) - 256)
    return body[start : start + _SAMPLE]
