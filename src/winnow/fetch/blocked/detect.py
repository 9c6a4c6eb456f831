"""Pages that are not the page asked for: challenge, captcha, access denied, log-in or consent wall, empty shell. Pure.

    recognise(200, headers, body) -> Blocked(kind, sign) | None

A wrong "blocked" loses a good page, so words alone never decide. First what only a wall sends (its own header, its own
address, its own script as the page's only purpose); then, on pages without content of their own, what their title says.
A page with structured data or a few paragraphs of text is a page, whatever it says about captchas, log-ins or denied
access, and whatever protection script rides along with it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from winnow.fetch.blocked.marks import (
    CAPTCHA_WIDGETS,
    HEADERS,
    SHARED_MARKS,
    WALL_MARKS,
    WALL_URLS,
    WallKind,
    has_content,
)
from winnow.fetch.blocked.visible_text import MAX_READ, WallText, has_letters, read
from winnow.fetch.blocked.words import CAPTCHA, CHALLENGE, CONSENT, DENIED, LOGIN, NEEDS_SCRIPT
from winnow.vocabulary.currencies import pattern_of

__all__ = ["Blocked", "WallKind", "is_script_driven", "may_be_wall", "recognise"]

RICH = 1_200  # letters of visible text: about 200 words. Walls measured in the wild have 20–150 words
WORDY = 700  # … and so a page of this many is not judged by its title alone
LITTLE = 300  # … and a page of fewer than this is hardly more than its heading
EMPTY = 60  # a shell shows a spinner, a name, perhaps "Loading"


class Blocked(msgspec.Struct, frozen=True):
    """`sign` says what it was recognised by, for logs and people."""

    kind: WallKind
    sign: str


_PASSWORD = re.compile(rb"<input\b[^<>]*\btype\s*=\s*[\"']?password")
_SIGN = pattern_of(["EUR", "USD", "GBP", "JPY", "INR", "RUB", "TRY", "PLN", "SEK", "CHF"])
# The last digits are enough: a pattern over all of them takes the square of their number.
_PRICE = re.compile(rf"{_SIGN}\s?\d|\d[.,]{{0,2}}\s?{_SIGN}", re.I)
_ROOT = re.compile(
    rb"<(?:div|main|section|app-root|ion-app)\b[^<>]*\bid\s*=\s*[\"']?(?:root|app|__next|__nuxt|react-root|main|application"
    rb"|app-root|svelte|gatsby|___gatsby|q-app|ember|mount|container)\b|<app-root\b|<ion-app\b|\bng-app\b|\bng-version\b"
    rb"|\bdata-reactroot"
)
_DENYING = frozenset({401, 403, 407, 451})
# Who answers so may mean "not you": the services' own statuses, and those firewalls like to answer robots with.
_WALL_STATUS = _DENYING | {400, 405, 406, 418, 429, 503, 999}


def may_be_wall(status: int) -> bool:
    """Whether the body of such an answer is worth reading. A page that is not there, or a server that broke, is
    none, whatever its error page says."""
    return 200 <= status < 300 or status in _WALL_STATUS


def recognise(
    status: int, headers: Mapping[str, str], body: bytes, charset: str = "utf-8", url: str = ""
) -> Blocked | None:
    """Why this answer is not the page that was asked for, or None. `url` is where a redirect led, if there was one."""
    headers = {name.lower(): value for name, value in headers.items()}
    if found := _by_header(headers) or _by_url(url):
        return found
    if not may_be_wall(status):
        return None
    media = headers.get("content-type", "text/html").partition(";")[0].strip().lower()
    if media not in ("", "text/html", "application/xhtml+xml"):
        return _by_data(status, media, body)
    return _by_status(status, headers) if _is_page(status, body, charset) else _by_looks(status, headers, body, charset)


def _is_page(status: int, body: bytes, charset: str) -> bool:
    """Cheap for pages that are some: this is asked of every page that is fetched."""
    return (status < 400 and has_content(body)) or has_letters(body, RICH, charset)


def _by_looks(status: int, headers: Mapping[str, str], body: bytes, charset: str) -> Blocked | None:
    lower, reading = body.lower(), read(body, charset)
    if status < 400 and (_PRICE.search(reading.text) or has_content(lower)):
        return None
    return (
        _by_mark(lower, reading)
        or _by_words(status, lower, reading)
        or _by_status(status, headers)
        or _shell(status, lower, reading)
    )


def _by_header(headers: Mapping[str, str]) -> Blocked | None:
    for name, pattern, kind in HEADERS:
        value = headers.get(name)
        if value is not None and pattern.search(value):
            return Blocked(kind, f"header {name}")
    return None


def _by_url(url: str) -> Blocked | None:
    return next((Blocked(kind, "address") for pattern, kind in WALL_URLS if url and pattern.search(url)), None)


def _by_data(status: int, media: str, body: bytes) -> Blocked | None:
    """An API's answer: only the walls that answer scripts in JSON."""
    if media.endswith("json") and status in (403, 405, 429):
        head = body[:4096].lower()
        if b"captcha-delivery.com" in head:
            return Blocked(WallKind.CAPTCHA, "datadome")
        if b"px-cloud.net" in head or b'"blockscript"' in head:
            return Blocked(WallKind.CAPTCHA, "press-and-hold")
    return None


def _by_mark(lower: bytes, reading: WallText) -> Blocked | None:
    for mark in WALL_MARKS + (SHARED_MARKS if reading.letters < EMPTY else ()):
        if mark.matches(lower):
            return Blocked(mark.kind, mark.name)
    return None


def _by_words(status: int, lower: bytes, reading: WallText) -> Blocked | None:
    """What a page without content says of itself. With a good status, only its title or heading counts. A server
    that is busy or closed for a while (429, 503) says so in words like a challenge's, which has a script to run."""
    if status < 400 and reading.letters >= WORDY:
        return None
    text = f"{reading.heads}\n{reading.text}" if status >= 400 else reading.heads or reading.sentences
    if CAPTCHA.search(text) or (any(widget in lower for widget in CAPTCHA_WIDGETS) and CAPTCHA.search(reading.text)):
        return Blocked(WallKind.CAPTCHA, "words")
    if CHALLENGE.search(text) and (status not in (429, 503) or b"<script" in lower):
        return Blocked(WallKind.CHALLENGE, "words")
    if DENIED.search(text) and status not in (429, 503):
        return Blocked(WallKind.ACCESS_DENIED, "words")
    if _asks_to_log_in(reading) and b"password" in lower and _PASSWORD.search(lower):
        return Blocked(WallKind.LOGIN_WALL, "password form")
    if CONSENT.search(reading.heads) and (b"<form" in lower or b"<button" in lower or b"<iframe" in lower):
        return Blocked(WallKind.CONSENT_WALL, "words")
    return None


def _asks_to_log_in(reading: WallText) -> bool:
    """A first heading alone may be that of a dialog on a page of its own."""
    return LOGIN.search(reading.title) is not None or (
        reading.letters < LITTLE and LOGIN.search(reading.first_heads) is not None
    )


def _by_status(status: int, headers: Mapping[str, str]) -> Blocked | None:
    if status == 401 or (status >= 400 and "www-authenticate" in headers):
        return Blocked(WallKind.LOGIN_WALL, "status 401")
    if status == 999:  # LinkedIn's own
        return Blocked(WallKind.LOGIN_WALL, "status 999")
    if status in _DENYING:
        return Blocked(WallKind.ACCESS_DENIED, f"status {status}")
    return None


def _shell(status: int, lower: bytes, reading: WallText) -> Blocked | None:
    """A good answer with nothing to read, that scripts would have to fill."""
    if status >= 300 or status in (204, 205) or reading.letters >= EMPTY * 2 or len(lower) > MAX_READ:
        return None
    if not lower.strip():
        return Blocked(WallKind.EMPTY_SHELL, "nothing at all")
    if b"<script" not in lower or b"<form" in lower or reading.has_media:
        return None
    if NEEDS_SCRIPT.search(reading.noscript):
        return Blocked(WallKind.EMPTY_SHELL, "needs scripts")
    if reading.letters < EMPTY and (_ROOT.search(lower) or reading.letters == 0):
        return Blocked(WallKind.EMPTY_SHELL, "empty root")
    return None


def is_script_driven(body: bytes) -> bool:
    """Whether scripts put at least a part of this page together: what was not found on it may be there in a browser."""
    lower = body[: 512 * 1024].lower()
    return b"<script" in lower and _ROOT.search(lower) is not None
