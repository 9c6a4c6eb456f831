"""What we say in a request and what we read from an answer. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache

from winnow.fetch.blocked.marks import HEADER_NAMES
from winnow.fetch.settings import FetchSettings

MAX_RETRY_AFTER_S = 86_400.0  # a day: longer waits are the circuit's and the cadence's business
MAX_VALIDATOR = 1_024  # an ETag or date longer than this is not worth storing
# Framing and routing belong to the client, and the User-Agent stays honest whoever configures a source.
_NOT_OURS = (
    "host user-agent accept-encoding connection keep-alive proxy-connection te trailer transfer-encoding "
    "upgrade content-length expect proxy-authorization range if-range if-none-match if-modified-since"
)
_NOT_OURS_TO_SET = frozenset(_NOT_OURS.split())


def default_headers(settings: FetchSettings) -> dict[str, str]:
    """The headers of a browser (E-033) with Winnow's own User-Agent."""
    return {
        "User-Agent": settings.user_agent,
        "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "Accept-Language": settings.accept_language,
        "Accept-Encoding": "gzip, deflate, br, zstd",
    }


def own_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """A source's custom headers (P-036) without those it may not set."""
    return {name: value for name, value in headers.items() if name.strip().lower() not in _NOT_OURS_TO_SET}


@lru_cache(maxsize=512)
def content_type_of(header: str) -> tuple[str, str | None]:
    """Media type in lower case and the charset parameter."""
    media, _, parameters = header[:512].partition(";")
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset" and value.strip():
            return media.strip().lower(), value.strip().strip("\"'")
    return media.strip().lower(), None


@lru_cache(maxsize=512)
def is_text(media_type: str) -> bool:
    """Whether the content type has a charset; a missing one counts as text."""
    kind, _, sub = media_type.partition("/")
    return not media_type or kind == "text" or sub.endswith(("xml", "json", "javascript"))


_NONE: dict[str, str] = {}  # shared, never changed


def kept_headers(headers: Mapping[str, str], wanted: tuple[str, ...] = ()) -> dict[str, str]:
    """Those that protection services set on their own pages, nearly always none, and those wanted besides. Names in
    lower case; `headers` ignores case or is in lower case itself."""
    found = {name: headers[name] for name in (*HEADER_NAMES, *wanted) if name in headers}
    return found or _NONE


def validator(header: str | None) -> str | None:
    return header if header and len(header) <= MAX_VALIDATOR else None


def retry_after_s(header: str | None, at: datetime) -> float | None:
    """Seconds from `at` (RFC 9110 §10.2.3: a number or a date), between 0 and a day."""
    if not header:
        return None
    seconds = _number(header.strip())
    if seconds is None:
        seconds = _until(header, at)
    return None if seconds is None else min(max(seconds, 0.0), MAX_RETRY_AFTER_S)


def _number(text: str) -> float | None:
    try:
        value = float(text) if text.isascii() else math.nan
    except ValueError:
        return None
    return None if math.isnan(value) else value


def _until(header: str, at: datetime) -> float | None:
    try:
        date = parsedate_to_datetime(header)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return ((date if date.tzinfo else date.replace(tzinfo=UTC)) - at).total_seconds()
