"""Addresses found on pages -> one spelling: https, no tracking parameters (property 33)."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

from winnow.errors import UrlRefused
from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.urls import canonical_url

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_FILES = (".html", ".htm", ".php", ".aspx", ".pdf", ".jpg", ".png")
_BARE_HOST = re.compile(r"(?:[\w-]+\.)+[A-Za-z]{2,24}(?::\d+)?(?:[/?#].*)?", re.UNICODE)


def read_link(raw: str, base: str = "") -> str | Unread:
    """`raw` may be absolute, relative to `base`, or a bare host as people write it ("www.acme.com")."""
    text = raw.strip().strip("<>\"'")
    if not text:
        return unread(Doubt.EMPTY, raw)
    try:
        found = canonical_url(_absolute(text, base).replace(" ", "%20"))
        host = urlsplit(found).hostname or ""
        return found if all(host.strip("[]").split(".")) else unread(Doubt.INVALID, raw)
    except UrlRefused as refused:
        return Unread(Doubt.INVALID, str(refused))
    except ValueError:
        return unread(Doubt.UNREADABLE, raw)


def _absolute(text: str, base: str) -> str:
    if text.startswith("//"):
        return f"https:{text}"
    if re.match(r"https?://", text, re.IGNORECASE):
        return text
    if _BARE_HOST.fullmatch(text) and not text.lower().endswith(
        (".html", ".htm", ".php", ".aspx", ".pdf", ".jpg", ".png")
    ):
        return f"https://{text}"
    if _SCHEME.match(text) and not base:
        return text
    return urljoin(base, text) if base else text


def home_of(url: str) -> str:
    """The site's front page, as a company names its website. "" when the URL names no host."""
    try:
        parts = urlsplit(url)
        return canonical_url(f"{parts.scheme}://{parts.netloc}/") if parts.netloc else ""
    except (UrlRefused, ValueError):
        return ""
