"""The unit of politeness: the registrable domain of a URL (P-041, DESIGN §11.5)."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from tldextract import TLDExtract

_DEFAULT_PORTS = {"http": 80, "https": 443}


@cache
def _suffixes() -> TLDExtract:
    """The list that comes with the package, private suffixes on: two shops on a shop platform are two domains. Nothing
    is downloaded and no cache folder is written."""
    import tldextract  # a quarter of a second; commands that only list do without

    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


@lru_cache(maxsize=65_536)
def domain_of_host(host: str, port: int) -> str:
    """eTLD+1; addresses, localhost and unknown suffixes fall back to host:port."""
    parts = _suffixes()(host)
    registrable = parts.top_domain_under_public_suffix
    return registrable.lower() if registrable else f"{host.lower()}:{port}"


def domain_of(url: str) -> str:
    parts = urlsplit(url)
    return domain_of_host(parts.hostname or "", parts.port or _DEFAULT_PORTS.get(parts.scheme, 0))


def origin_of(url: str) -> str:
    """scheme://host:port, the unit robots.txt speaks for (RFC 9309 §2.3)."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    port = parts.port or _DEFAULT_PORTS.get(parts.scheme, 0)
    return f"{parts.scheme}://{host}:{port}"
