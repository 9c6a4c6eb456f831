"""Which characters a body's bytes are: BOM, then the header, then what the page says, then its bytes.

Labels follow the WHATWG Encoding standard (latin1 means windows-1252, gb2312 means gb18030 …); labels it
does not know (utf-7, Python's own codecs) are no labels. A declaration is believed unless the bytes
contradict it: text that is valid UTF-8 beyond ASCII is UTF-8 although a single-byte label was declared,
and text that is not valid UTF-8 is not UTF-8 although that was declared.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache

from winnow.fetch.http.charset_guess import guess

PRESCAN = 16_384  # WHATWG asks for 1024; real pages put the meta after scripts

_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_META = re.compile(rb"<meta[^>]{0,512}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.I)
_XML = re.compile(rb"^\s*<\?xml[^>]{0,256}?encoding\s*=\s*[\"']([A-Za-z0-9_.:-]{2,40})[\"']", re.I)
_ASCII = bytes(range(128))
_STRETCH = 2_048
_LONG = 30  # bytes: ten letters of Chinese or Japanese
_USUAL_LEADS = (b"\xe2", b"\xc3", b"\xc2")  # in UTF-8: quotes, dashes, euro and symbols; accents; spaces and signs
_COMMENT = re.compile(rb"<!--.*?(?:-->|$)", re.S)

# Python's codec names that are encodings of the web, and those the standard reads as a larger set.
_SAME = (
    "utf-8 cp866 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-10 "
    "iso8859-13 iso8859-14 iso8859-15 iso8859-16 koi8-r koi8-u mac-roman mac-cyrillic cp874 cp1250 "
    "cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 gb18030 big5hkscs euc_jp iso2022_jp "
    "cp932 cp949 utf-16-le utf-16-be"
)
_LARGER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "hz": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "utf-16": "utf-16-le",
}
_CODECS = {name: name for name in _SAME.split()} | _LARGER
# Labels Python does not know (`iso88591` and `x-cp1252` are put right by _RESPELLED).
_UNKNOWN = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8",
    "cp1252": "x-user-defined",
    "iso8859-6": "csiso88596e csiso88596i iso-8859-6-e iso-8859-6-i",
    "iso8859-7": "sun_eu_greek",
    "iso8859-8": "iso-8859-8-i iso-8859-8-e csiso88598e csiso88598i visual logical",
    "iso8859-15": "csisolatin9",
    "koi8-r": "koi koi8",
    "koi8-u": "koi8-ru",
    "mac-roman": "mac csmacintosh x-mac-roman",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "cp874": "windows-874 dos-874 iso885911",
    "cp932": "x-sjis windows-31j",
    "cp949": "windows-949 ks_c_5601-1987 ks_c_5601-1989 ksc_5601 cseuckr csksc56011987 iso-ir-149",
    "euc_jp": "x-euc-jp cseucpkdfmtjapanese",
    "gb18030": "x-gbk csgb2312 gb_2312 gb_2312-80",
    "big5hkscs": "x-x-big5 cn-big5",
    "utf-16-le": "unicode ucs-2 csunicode iso-10646-ucs-2 unicodefeff",
    "utf-16-be": "unicodefffe",
}
_LABELS = {label: codec for codec, labels in _UNKNOWN.items() for label in labels.split()}
_RESPELLED = re.compile(r"x-(cp125\d)|iso(8859)(\d{1,2})", re.A)
# Here being valid UTF-8 as well proves nothing (short Chinese words are), so the declaration stands.
_MULTIBYTE = frozenset({"gb18030", "big5hkscs", "euc_jp", "iso2022_jp", "cp932", "cp949", "utf-16-le", "utf-16-be"})


@lru_cache(maxsize=256)
def codec_of(label: str) -> str | None:
    """Python's codec for a WHATWG label, or None for what is none."""
    label = label.strip(" \t\n\f\r\"'").lower()
    if label in _LABELS:
        return _LABELS[label]
    label = _RESPELLED.sub(lambda m: m[1] or f"iso{m[2]}-{m[3]}", label) if label.isascii() else label
    try:
        return _CODECS.get(codecs.lookup(label).name)
    except (LookupError, ValueError):
        return None


def charset_of(body: bytes, declared: str | None) -> str:
    """The codec to read this body with. `declared` is the charset of the Content-Type header."""
    for bom, marked in _BOMS:
        if body.startswith(bom):
            return marked
    codec = codec_of(declared) if declared else None
    if codec is not None and codec in _MULTIBYTE and not _is_long_utf8(body):
        return codec
    beyond_ascii = _beyond_ascii(body)
    if not beyond_ascii:
        return (_declared_inside(body) if b"\x1b" in body else None) or "utf-8"  # ISO-2022-JP hides in ASCII
    if (codec == "utf-8" and _is_utf8(beyond_ascii)) or _is_utf8(body) or _reads(body, "utf-8"):
        return "utf-8"
    for candidate in (codec, _declared_inside(body)):
        if candidate and candidate != "utf-8" and (candidate not in _MULTIBYTE or _reads(body, candidate)):
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
    return len(body.translate(None, _ASCII)) >= _LONG and _is_utf8(body)


def _reads(body: bytes, codec: str) -> bool:
    """Damaged at most here and there: other encodings leave hardly a byte beyond ASCII undamaged. All of it is looked
    at, for one UTF-8 sign on a page in another encoding proves nothing."""
    damaged = body.decode(codec, "replace").count("\ufffd")
    return damaged * 4 <= len(body.translate(None, _ASCII))


def _declared_inside(body: bytes) -> str | None:
    head = body[:PRESCAN]
    match = _XML.search(head) or _META.search(_COMMENT.sub(b"", head))
    codec = codec_of(match[1].decode("ascii")) if match else None
    # A page that could be read as ASCII up to here is not UTF-16, whatever it says (WHATWG prescan).
    return "utf-8" if codec in ("utf-16-le", "utf-16-be") else codec
