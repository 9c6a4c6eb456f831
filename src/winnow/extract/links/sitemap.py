"""Sitemaps as shops publish them: files and indexes, gzip, the extensions for pictures, news and languages; also lists
of plain URLs and feeds. Pure.

Tags are looked for one after the other, without building a tree: a broken file gives what can be read of it, entities
are not expanded, and the cost grows with the size of the file only. https://www.sitemaps.org/protocol.html
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from html import unescape

import msgspec

MAX_URLS = 50_000  # the protocol's limits of one file
MAX_BYTES = 50 * 1024 * 1024
MAX_LOC = 2_048  # characters, the protocol's limit
_GZIP = b"\x1f\x8b"
_TAG = re.compile(
    rb"<(/?)(?:([A-Za-z][\w.-]{0,30}):)?(urlset|sitemapindex|url|sitemap|item|entry|loc|lastmod|link)\b([^<>]{0,4000})>",
    re.IGNORECASE,
)
_EXTENSIONS = frozenset([b"image", b"video", b"news", b"mobile", b"pagemap"])
_HREF = re.compile(rb"""\bhref\s*=\s*["']([^"'<>]{1,2048})""", re.IGNORECASE)
_HREFLANG = re.compile(rb"""\bhreflang\s*=\s*["']([\w-]{1,20})""", re.IGNORECASE)
_CDATA = re.compile(rb"^\s*<!\[CDATA\[(.*?)\]\]>\s*$", re.DOTALL)
_PLAIN_URL = re.compile(rb"https?://[^\s<>\"]{3,2048}")


class SitemapEntry(msgspec.Struct, frozen=True):
    """`index`: the entry is a sitemap itself. `alternates` are its versions in other languages."""

    url: str
    index: bool = False
    lastmod: str = ""
    alternates: dict[str, str] = {}


class Sitemap(msgspec.Struct, frozen=True):
    """`cut` counts entries beyond the limit; `known`: the file has the form of a sitemap, a feed or a list of URLs."""

    entries: list[SitemapEntry]
    known: bool
    cut: int = 0


class _Entry:
    def __init__(self, index: bool) -> None:
        self.index = index
        self.url = self.lastmod = ""
        self.alternates: dict[str, str] = {}


def read_sitemap(body: bytes) -> Sitemap:
    text = inflate(body)
    if text.lstrip()[:1] != b"<":
        return _plain(text)
    entries: list[SitemapEntry] = []
    cut, known = 0, False
    for entry in _entries(text):
        known = True
        if entry is None or not entry.url:
            continue
        if len(entries) >= MAX_URLS:
            cut += 1
            continue
        entries.append(SitemapEntry(entry.url, entry.index, entry.lastmod, entry.alternates))
    return Sitemap(entries, known, cut)


def inflate(body: bytes) -> bytes:
    """The file as it is, or unpacked as far as its limit allows."""
    if not body.startswith(_GZIP):
        return body[:MAX_BYTES]
    unpacked = zlib.decompressobj(wbits=47)
    try:
        return unpacked.decompress(body, MAX_BYTES)
    except zlib.error:
        return b""


def _plain(text: bytes) -> Sitemap:
    """One URL a line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    urls = [line.decode("utf-8", "replace") for line in lines if _PLAIN_URL.fullmatch(line)]
    known = bool(urls) and len(urls) * 2 > len(lines)
    kept = urls[:MAX_URLS] if known else []
    return Sitemap([SitemapEntry(url) for url in kept], known, len(urls) - len(kept) if known else 0)


def _entries(text: bytes) -> Iterator[_Entry | None]:
    """Each entry when it ends; None for the root of the file."""
    entry: _Entry | None = None
    opened: tuple[bytes, int] | None = None  # the value that is being read, and where it begins
    for tag in _TAG.finditer(text):
        closing, prefix, name, attributes = tag[1], (tag[2] or b"").lower(), tag[3].lower(), tag[4]
        if prefix in _EXTENSIONS:
            continue
        if name in (b"urlset", b"sitemapindex"):
            yield None
        elif name in (b"url", b"sitemap", b"item", b"entry"):
            if entry is not None:
                yield entry
            entry, opened = (None if closing else _Entry(name == b"sitemap")), None
        elif entry is not None and name == b"link" and not closing and _HREF.search(attributes):
            _take_link(entry, prefix, attributes)
        elif not closing:
            opened = (name, tag.end())
        elif entry is not None and opened is not None and opened[0] == name:
            _take_value(entry, name, text[opened[1] : tag.start()])
            opened = None
    if entry is not None:
        yield entry


def _take_value(entry: _Entry, name: bytes, raw: bytes) -> None:
    if len(raw) > MAX_LOC * 2:
        return
    found = _CDATA.match(raw)
    value = unescape((found[1] if found else raw).decode("utf-8", "replace")).strip()
    if name == b"lastmod":
        entry.lastmod = value[:40]
    elif not entry.url and len(value) <= MAX_LOC:
        entry.url = value


def _take_link(entry: _Entry, prefix: bytes, attributes: bytes) -> None:
    href, language = _HREF.search(attributes), _HREFLANG.search(attributes)
    assert href is not None
    url = unescape(href[1].decode("utf-8", "replace")).strip()
    if language is not None:
        entry.alternates[language[1].decode().lower()] = url
    elif not prefix and not entry.url:  # an entry of an Atom feed
        entry.url = url
