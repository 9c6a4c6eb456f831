"""What an extractor is given: the bytes of one page and where they came from."""

from __future__ import annotations

import codecs
from datetime import datetime

import msgspec

_UTF8 = frozenset(["utf-8", "utf8", "us-ascii", "ascii", ""])
# Text encodings of Python that are no charset of a page, and refuse bytes they do not like.
_NO_CHARSETS = frozenset(["idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape", "mbcs", "oem"])


class Page(msgspec.Struct, frozen=True):
    """One fetched page. `url` is where it ended after redirects, `charset` what the fetcher found."""

    url: str
    body: bytes
    fetched_at: datetime
    charset: str = "utf-8"
    content_type: str = "text/html"
    status_code: int = 200

    @property
    def is_utf8(self) -> bool:
        return self.codec == "utf-8"

    @property
    def codec(self) -> str:
        """The charset as Python knows it; a label nobody knows is read as UTF-8 (R-17), and so are those of codecs
        that make no text of bytes (`hex`, `zlib`)."""
        if self.charset.lower() in _UTF8:
            return "utf-8"
        try:
            found = codecs.lookup(self.charset)
        except (LookupError, ValueError):
            return "utf-8"
        usable = getattr(found, "_is_text_encoding", True) and found.name.replace("_", "-") not in _NO_CHARSETS
        return found.name if usable else "utf-8"

    def text(self) -> str:
        return self.body.decode(self.codec, "replace")
