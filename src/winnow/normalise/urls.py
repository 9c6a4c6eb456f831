"""One spelling per page: the canonical URL (P-019 … P-021) and the hashes made of it (P-024, C-041).

A canonical URL is a name, not an address: pages are fetched at the URL that was stored. That is why it may
say https where the shop only speaks http. `clickable_url` is the address people are sent to.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

import idna

from winnow.errors import UrlRefused

MAX_URL = 8_192  # the longest URL the fetcher takes

# P-020 names utm_*, fbclid, gclid, ref, source and campaign. The rest are click and mailing identifiers of
# advertising, analytics and affiliate networks that never change what a page shows. `ad_id`, `adid` and
# `campaign_id` are not among them: at classifieds or donation sites they name the page, and two pages must not become
# one (P-022).
_TRACKING_NAMES = """
    fbclid gclid ref source campaign gclsrc dclid gbraid wbraid gad gad_source gad_campaignid srsltid _ga _gl
    msclkid yclid _openstat ymclid ttclid twclid igshid igsh li_fat_id epik rdt_cid scclid sccid mc_cid mc_eid
    mkt_tok _hsenc _hsmi hsctatracking __hstc __hssc __hsfp vero_id vero_conv oly_enc_id oly_anon_id _kx
    klaviyo_id sc_src sc_lid sc_uid sc_llid sc_eh elqtrackid elqtrack irclickid irgwc cjevent cjdata awc zanpid
    ranmid raneaid ransiteid clickref clickid tduid admitad_uid s_kwcid ef_id wickedid wickedsource rb_clickid
    trk_contact trk_msg trk_module trk_sid spm scm pvid algo_pvid algo_expid ref_ ref_src ref_url referrer
    fb_action_ids fb_action_types fb_ref fb_source campaignid adgroupid icid cmpid ocid
    ncid
"""
TRACKING_PARAMETERS = frozenset(_TRACKING_NAMES.split())
TRACKING_PREFIXES = ("utm_", "hsa_", "pk_", "mtm_", "piwik_", "matomo_", "pf_rd_", "pd_rd_", "_branch_")

_UNRESERVED = re.compile(r"%(2[DdEe]|3[0-9]|4[1-9A-Fa-f]|5[0-9AaFf]|6[1-9A-Fa-f]|7[0-9AaEe])")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_PATH_SAFE = "!$&'()*+,;=:@_~/%|[].-"
_REFUSED = re.compile(r"[\x00-\x20\x7f\\]")
_PLAIN = re.compile(r"[A-Za-z0-9_~/.=&!$'()*,;:@-]*")  # spelled in one way only: no escape, nothing to escape
_REMEMBERED = 8_192  # one page asks for its own URL several times; a worker holds a few thousand at once


@lru_cache(_REMEMBERED)
def canonical_url(url: str) -> str:
    """https, lower-case host, no fragment, no tracking, sorted query, no trailing slash. Idempotent.

    Raises UrlRefused unless it is a plain http(s) URL (R-12).
    """
    parts = _parse(url.strip())
    default = (None, 80, 443) if parts.scheme == "http" else (None, 443)
    return f"https://{parts.at(default)}{parts.path}{'?' + parts.query if parts.query else ''}"


@lru_cache(_REMEMBERED)
def clickable_url(url: str) -> str:
    """The canonical URL as an address that answers: with the scheme and port it was given, because a shop that only
    speaks http has nothing at https."""
    parts = _parse(url.strip())
    if parts.scheme == "https":
        return canonical_url(url)
    return f"http://{parts.at((None, 80))}{parts.path}{'?' + parts.query if parts.query else ''}"


def url_hash(url: str) -> str:
    """64 hex digits over the canonical URL (C-041)."""
    return hashlib.sha256(canonical_url(url).encode()).hexdigest()


def short_url_hash(canonical: str) -> str:
    """The 16 hex digits of an URL identity (P-024); takes a URL that is canonical already."""
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def is_tracking(parameter: str) -> bool:
    name = parameter.lower()
    return name in TRACKING_PARAMETERS or name.startswith(TRACKING_PREFIXES)


class _Parts(NamedTuple):
    """Each in its one spelling, but for the port."""

    scheme: str
    host: str
    port: int | None
    path: str
    query: str

    def at(self, default: tuple[int | None, ...]) -> str:
        return self.host if self.port in default else f"{self.host}:{self.port}"


@lru_cache(_REMEMBERED)
def _parse(url: str) -> _Parts:
    if not url or len(url) > MAX_URL or _REFUSED.search(url):
        raise UrlRefused("the URL is empty, too long or contains a space, control character or backslash")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise UrlRefused("the URL cannot be read") from None
    scheme = parts.scheme.lower()
    if scheme not in ("http", "https") or not host:
        raise UrlRefused("only http:// and https:// URLs are accepted")
    if "@" in parts.netloc:
        raise UrlRefused("user name and password in a URL are not accepted")
    return _Parts(scheme, _host(host), port, _path(parts.path), _query(parts.query))


def _host(host: str) -> str:
    if ":" in host:
        return f"[{host}]"
    if host.isascii():
        return host.removesuffix(".")
    try:
        return idna.encode(host, uts46=True).decode("ascii").removesuffix(".")
    except UnicodeError:
        raise UrlRefused("the host name is not valid") from None


def _path(path: str) -> str:
    """RFC 3986 §6.2.2: one spelling of escapes, dot segments resolved; then no trailing slash (P-019)."""
    if "/." not in path and _PLAIN.fullmatch(path):
        return "/" + path[1:].rstrip("/")
    kept: list[str] = []
    for segment in _escapes(path, _PATH_SAFE).split("/")[1:]:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    return "/" + "/".join(kept).rstrip("/")


def _query(query: str) -> str:
    if not query:
        return ""
    pairs = (pair.partition("=") for pair in _escapes(query, _PATH_SAFE + "?").replace("%20", "+").split("&"))
    kept = [(name, value) for name, _, value in pairs if name and value and not is_tracking(unquote(name))]
    return "&".join(f"{name}={value}" for name, value in sorted(kept, key=lambda pair: pair[0]))


def _escapes(text: str, safe: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    text = quote(_LONE_PERCENT.sub("%25", text), safe=safe)
    text = _UNRESERVED.sub(lambda match: unquote(match[0]), text)
    return _ESCAPE.sub(lambda match: match[0].upper(), text)
