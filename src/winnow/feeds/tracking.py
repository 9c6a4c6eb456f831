"""The address a reader is sent to (F-112): the network's own link, or the source's template filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

_FIELD = re.compile(r"\{(url|encoded_url|item_id|sku|price_id|offer_id|click_id)\}", re.IGNORECASE)
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")  # browsers read a backslash as a slash, and drop tabs and line ends


def build_tracking_url(offer: Mapping[str, Any], source: Mapping[str, Any]) -> str:
    """{url} or {encoded_url} (both escaped for a query), {item_id}, {sku}, {offer_id}, {click_id}. A template that
    would lead nowhere on the web is not used: the reader still gets to the shop."""
    template = source.get("affiliate_tracking_template")
    plain = str(offer["url"])
    if not template:
        told = str((offer.get("attributes") or {}).get("tracking_url") or plain)
        return told if on_the_web(told) else plain
    built = _FIELD.sub(lambda found: _value(found[1].lower(), offer, found.start() == 0), str(template))
    return built if on_the_web(built) else plain


def on_the_web(url: str) -> bool:
    """Whether a browser may be sent there: a web address with a host, as every browser reads it."""
    if _UNSAFE.search(url):
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        return False


def _value(name: str, offer: Mapping[str, Any], first: bool) -> str:
    if name in ("url", "encoded_url"):
        plain = str(offer["url"])
        return plain if first and name == "url" else quote(plain, safe="")
    key = {"item_id": "impact_item_id", "offer_id": "source_product_id"}.get(name, name)
    return quote(str(offer.get(key) or ""), safe="")
