"""Which URLs belong to a crawl. Pure.

Patterns are written as in robots.txt: they begin at the path, `*` stands for anything and `$` for the end. A crawl
keeps to its host, with or without `www.`, unless it takes in the whole registrable domain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

import msgspec

from winnow.sources.domain import domain_of

MAX_PATTERNS, MAX_PATTERN = 100, 500  # of one crawl; characters of one pattern


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """`host` empty: every host of `domain`. `include`: only these URLs, none given means all; `exclude`: never
    these. `sections`: at most so many pages whose paths begin so."""

    domain: str
    host: str = ""
    path: str = ""
    include: list[str] = []
    exclude: list[str] = []
    sections: dict[str, int] = {}

    def contains(self, url: str) -> bool:
        if not self.contains_host(url):
            return False
        target = _target(url)
        if not target.startswith(self.path):
            return False
        if any(matches(pattern, target) for pattern in self.exclude):
            return False
        return not self.include or any(matches(pattern, target) for pattern in self.include)

    def contains_host(self, url: str) -> bool:
        """Whether a URL is on a host of the crawl, whatever its path: sitemaps stand where the host puts them."""
        if domain_of(url) != self.domain:
            return False
        return not self.host or _bare(urlsplit(url).hostname or "") == self.host


def scope_of(
    url: str,
    *,
    whole_domain: bool = False,
    path: str = "",
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    sections: Mapping[str, int] | None = None,
) -> Scope:
    """The scope of a crawl that begins at `url`."""
    host = "" if whole_domain else _bare(urlsplit(url).hostname or "")
    return Scope(
        domain=domain_of(url),
        host=host,
        path=path,
        include=list(include),
        exclude=list(exclude),
        sections=dict(sections or {}),
    )


def matches(pattern: str, target: str) -> bool:
    """The leftmost place of each part is enough: what a star skips too little of, the next one can still skip."""
    anchored = pattern.endswith("$")
    head, *rest = (pattern[:-1] if anchored else pattern).split("*")
    if not target.startswith(head):
        return False
    at = len(head)
    if not rest:
        return not anchored or at == len(target)
    for part in rest[:-1]:
        at = target.find(part, at)
        if at < 0:
            return False
        at += len(part)
    if anchored:
        return target.endswith(rest[-1]) and len(target) - len(rest[-1]) >= at
    return target.find(rest[-1], at) >= 0


def _target(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"


def _bare(host: str) -> str:
    return host.lower().removeprefix("www.")
