"""Names of encodings, as pages, headers and catalogues write them -> Python's codec.

Labels follow the WHATWG Encoding standard (latin1 means windows-1252, gb2312 means gb18030 …). Names it does not have
are no labels, but for other spellings of the same encodings, which Java and Python programs declare (`iso8859_1`).
"""

from __future__ import annotations

import codecs
from functools import lru_cache

import webencodings

# Where Python's codec of that name knows fewer characters than the standard's, or the standard wants another one.
_LARGER = {"gbk": "gb18030", "x-user-defined": "cp1252"}
# The standard refuses to read these (§4.3): what follows the label may not be trusted.
_REFUSED = "replacement"
# Python's names of web encodings that are no labels.
_OTHER_NAMES = "big5hkscs cp874 cp932 cp949 iso2022_jp iso8859-16 mac-cyrillic mac-roman utf-16-be utf-16-le"
_NAMES = frozenset(_OTHER_NAMES.split())
# Here being valid UTF-8 as well proves nothing (short Chinese words are), so a declaration stands.
MULTIBYTE = frozenset({"gb18030", "big5hkscs", "euc_jp", "iso2022_jp", "cp932", "cp949", "utf-16-le", "utf-16-be"})


@lru_cache(maxsize=256)
def codec_of(label: str) -> str | None:
    """Python's codec for a label, or None for what is none."""
    label = label.strip(" \t\n\f\r\"'")
    if not label.isascii():
        return None
    return _standard(label) or _respelled(label)


def _standard(label: str) -> str | None:
    found = webencodings.lookup(label)
    if found is None or found.name == _REFUSED:
        return None
    name: str = _LARGER.get(found.name, found.codec_info.name)
    return name


def _respelled(label: str) -> str | None:
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return None
    return name if name in _NAMES else _standard(name) or _standard(name.replace("_", "-"))
