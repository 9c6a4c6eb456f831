"""Takes out of a value what no log, audit entry or error may hold (R-26, S-131). Pure.

Two rules: a value whose name says that it is a secret is never shown, and any text loses the parts that
usually carry one: the query, fragment and user of a URL, credentials in a connection string, our own keys,
tokens in headers, and e-mail addresses (the personal data that pages are full of).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

HIDDEN = "***"
MAX_TEXT = 8_192  # a page or a payload is no log message
MAX_DEPTH = 6

_SECRET_NAME = re.compile(
    r"passw|passphrase|secret|token|authorization|cookie|credential|signature|custom_?headers"
    r"|(private|api|service|access)[_-]?key|^(session|dsn|key|pwd|auth)$",
    re.IGNORECASE,
)
_RATES = frozenset({"tokens", "tokens_per_interval", "rate_limit_tokens"})  # of the politeness ledger
_SCHEME = r"[a-z][a-z0-9+.-]{1,20}"
_URL = re.compile(rf"\b({_SCHEME})://([^\s/?#\"'<>\\]*)([^\s?#\"'<>\\]*)([?#][^\s\"'<>\\]*)?", re.IGNORECASE)
_EMAIL = re.compile(r"[\w.+%-]{1,64}@(?:[\w-]{1,63}\.)+[a-z]{2,24}\b", re.IGNORECASE)
_OUR_KEY = re.compile(r"\bwk_([0-9a-z]{1,16})_[0-9A-Za-z_-]+")
_BEARER = re.compile(r"\b(bearer|basic)\s+[\w.~+/=-]{6,}", re.IGNORECASE)
_ASSIGNED = re.compile(
    r"(\b[\w-]*(?:passw(?:or)?d|pwd|secret|token|api[_-]?key|service[_-]?key)[\"']?\s*[=:]\s*)"
    r"(\"[^\"]*\"|'[^']*'|[^\s,;&\"'}]+)",
    re.IGNORECASE,
)


def is_secret_name(name: str) -> bool:
    return _SECRET_NAME.search(name) is not None and name not in _RATES


def text(value: str) -> str:
    """The text without what must not leave the process."""
    if len(value) > MAX_TEXT:
        value = f"{value[:MAX_TEXT]}… ({len(value)} characters)"
    if "://" in value:
        value = _URL.sub(_url, value)
    if "@" in value:
        value = _EMAIL.sub(HIDDEN, value)
    value = _OUR_KEY.sub(rf"wk_\1_{HIDDEN}", value)
    value = _BEARER.sub(rf"\1 {HIDDEN}", value)
    return _ASSIGNED.sub(rf"\1{HIDDEN}", value)


def value(given: Any, name: str = "", depth: int = 0) -> Any:
    """The same for any value; containers are walked, bytes become their length."""
    if given is None or isinstance(given, bool | int | float):
        return HIDDEN if name and given is not None and is_secret_name(name) else given
    if name and is_secret_name(name):
        return HIDDEN
    if isinstance(given, str):
        return text(given)
    if isinstance(given, bytes | bytearray | memoryview):
        return f"<{len(given)} bytes>"
    return _container(given, depth)


def _container(given: Any, depth: int) -> Any:
    if depth >= MAX_DEPTH:
        return "…"
    if isinstance(given, Mapping):
        return {text(str(k)): value(v, str(k), depth + 1) for k, v in given.items()}
    if isinstance(given, list | tuple | set | frozenset):
        return [value(v, "", depth + 1) for v in given]
    return text(str(given))


def _url(match: re.Match[str]) -> str:
    scheme, authority, path, rest = match[1], match[2], match[3], match[4]
    host = authority.rpartition("@")[2]
    shown = f"{scheme}://{HIDDEN}@{host}" if "@" in authority else f"{scheme}://{host}"
    return f"{shown}{path}{rest[0] + HIDDEN if rest else ''}"
