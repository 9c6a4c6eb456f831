"""Which offer a row is (F-038 … F-041): the network's item id, else the SKU, else its address."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import cast
from urllib.parse import unquote_plus

IMPACT_ITEM_ID, SKU, URL_HASH = "IMPACT_ITEM_ID", "SKU", "URL_HASH"
LONGEST = 255  # characters of an identity (P-025)
# F-040; irclickid, irgwc, im_* and mpid are Impact's own.
_TRACKING = re.compile(
    r"(utm_.*|ref|aff.*|affiliate.*|click_?id|sub_?id\d*|irclickid|irgwc|im_.*|mpid)", re.IGNORECASE | re.DOTALL
)
_SPLIT = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//([^/?#]*)([^?#]*)(?:\?([^#]*))?", re.IGNORECASE)


def without_tracking(url: str) -> str:
    """The offer's URL without tracking parameters, as it is stored (F-023)."""
    if "?" not in url:
        return url
    base, _, rest = url.partition("?")
    query, mark, fragment = rest.partition("#")
    kept = "&".join(_kept(query))
    return base + ("?" + kept if kept else "") + mark + fragment


def normalised(url: str, *, lowercase_path: bool = False) -> str:
    """F-040: what is hashed. The case of the path is kept unless the feed says otherwise (F-137)."""
    start = url.find("//")
    if start >= 0 and not lowercase_path and "?" not in url and "#" not in url:  # the usual, without a pattern
        host, slash, path = url[start + 2 :].partition("/")
        return host.lower() + (slash + path).rstrip("/")
    found = _SPLIT.match(url)
    if found is None:
        return url
    host, path, query = found.groups()
    path = path.rstrip("/")
    kept = sorted(_kept(query), key=lambda part: part.partition("=")[0]) if query else []
    return host.lower() + (path.lower() if lowercase_path else path) + ("?" + "&".join(kept) if kept else "")


def url_hashes(urls: Sequence[str], *, lowercase_path: bool = False) -> list[str]:
    """Of a whole column. Most addresses of a file begin alike: what they begin with is normalised once."""
    scheme, _, rest = urls[0].partition("//") if urls else ("", "", "")
    begins = f"{scheme}//{rest.partition('/')[0]}"
    host, at = begins.partition("//")[2].lower(), len(begins)
    if lowercase_path or not host or "?" in (text := "".join(urls)) or "#" in text:
        return [url_hash(url, lowercase_path=lowercase_path) for url in urls]
    before = begins + "/"
    joined = "\n".join(urls)
    if joined.count(f"\n{before}") == len(urls) - 1 == joined.count("\n") and not (
        "/\n" in joined or joined[-1] == "/"
    ):
        texts = (host + joined[at:].replace(f"\n{begins}", f"\n{host}")).encode("utf-8", "replace").split(b"\n")
        return [sha256(text).hexdigest() for text in texts]
    return [
        sha256((host + url[at:].rstrip("/")).encode("utf-8", "replace")).hexdigest()
        if url.startswith(before)
        else url_hash(url)
        for url in urls
    ]


def url_hash(url: str, *, lowercase_path: bool = False) -> str:
    return sha256(normalised(url, lowercase_path=lowercase_path).encode("utf-8", "replace")).hexdigest()


def resolve_all(
    item_ids: Sequence[str | None], skus: Sequence[str | None], hashed_urls: Sequence[str]
) -> tuple[Sequence[str], Sequence[str]]:
    """Kinds and values of whole columns; where every row has a usable item id, nothing else is looked at."""
    if all(item_ids) and max(map(len, cast("Sequence[str]", item_ids)), default=0) <= LONGEST:
        return [IMPACT_ITEM_ID] * len(item_ids), cast("Sequence[str]", item_ids)
    kinds, values = zip(*map(resolve, item_ids, skus, hashed_urls), strict=True)
    return kinds, values


def resolve(item_id: str | None, sku: str | None, hashed_url: str) -> tuple[str, str]:
    """An id that is too long to be kept whole is no identity; the next one is used."""
    if item_id and len(item_id) <= LONGEST:
        return IMPACT_ITEM_ID, item_id
    if sku and len(sku) <= LONGEST:
        return SKU, sku
    return URL_HASH, hashed_url


def _kept(query: str) -> list[str]:
    return [part for part in query.split("&") if part and not _tracks(part)]


def _tracks(part: str) -> bool:
    return _TRACKING.fullmatch(unquote_plus(part.partition("=")[0])) is not None
