"""One step along a redirect chain: where it leads, and what may go along (R-13). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote, urljoin

from winnow.errors import UrlRefused

MAX_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.I | re.A)
# Raw, percent-encoded, or folded (of which aiohttp leaves a space and then "name:").
_BREAKS = re.compile(r"[\x00-\x1f\x7f]|%0[ad]|\s[\w-]+:", re.I)
_COOKIE = re.compile(r"\s*([!#$%&'*+.^_`|~0-9A-Za-z-]{1,128})\s*=\s*([\x21-\x3a\x3c-\x7e]{0,4096})\s*(?:;|$)", re.A)


def next_url(current: str, location: str) -> str:
    """The absolute URL a Location header means. It still has to pass the guard.

    A line break in it is somebody splitting headers: refused. Spaces and bytes
    that are no UTF-8 are encoded, as browsers do, because real servers send them.
    """
    location = location.strip(" \t")
    if not location or _BREAKS.search(location):
        raise UrlRefused("the redirect target is not a URL")
    if not location.isascii():
        location = _encoded(location)
    if _SCHEME.match(location):  # urljoin would read "http:///x" as a path; the door reads it, or refuses
        return location.replace(" ", "%20")
    try:
        return urljoin(current, location.replace(" ", "%20"))
    except ValueError:  # broken brackets
        raise UrlRefused("the redirect target is not a URL") from None


def _encoded(location: str) -> str:
    """aiohttp hands bytes that are no UTF-8 through as surrogates."""
    try:
        location.encode("utf-8")
    except UnicodeEncodeError:
        return quote(location.encode("utf-8", "surrogateescape"), safe="!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ ")
    return location


def cookies_after(cookies: dict[str, str], set_cookie: Iterable[str]) -> dict[str, str]:
    """What the next hop of the same origin sends back. Lives for one chain only: nothing is kept."""
    kept = dict(cookies)
    for line in set_cookie:
        match = _COOKIE.match(line)
        if match:
            kept[match[1]] = match[2]
    return {name: value for name, value in kept.items() if value}
