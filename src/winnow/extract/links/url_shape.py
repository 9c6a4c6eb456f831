"""One address per page, and the shape of addresses that may lead nowhere. Pure.

`clean_url` drops what never changes what a page shows: the fragment, tracking, the visitor's session, and the order in
which a list is sorted. What is left of the query is known (pages of a list, numbers of products and categories) or
unknown: filters, views, months of a calendar. Pages with unknown parameters multiply, so they are visited last and by
their shape: where the first few of a shape lead to nothing new, the others are not visited (run/crawl/variants.py).
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote_plus, urlsplit, urlunsplit

from winnow.extract.page_facts import unarchived
from winnow.vocabulary.shop_paths import segments

MAX_REPEATED = 3  # the same segment so often in one path: a link that was resolved against the wrong base
MAX_SEGMENTS = 20
_SESSION = re.compile(
    r"(?:php|asp|jsp|j)?sess(?:ion)?_?(?:id|key|token)?|sid|s_id|osc(?:si|admin)?id|zenid|cfid|cftoken|xt?csid|"
    r"visit(?:or)?_?id|csrf(?:_?token)?|_token|nonce|(?:cache_?)?(?:bust(?:er)?|_)|timestamp|rnd|rand",
    re.IGNORECASE,
)
_TRACKING = re.compile(
    r"utm_.*|hsa_.*|pk_.*|mtm_.*|pf_rd_.*|pd_rd_.*|gclid|fbclid|msclkid|dclid|gbraid|wbraid|yclid|ttclid|twclid|srsltid|"
    r"igshid|mc_[ce]id|_ga|_gl|_pos|_sid|_ss|_psq|_v|ref|referrer|ref_src|source|campaign|icid|cmpid|spm|scm|ncid",
    re.IGNORECASE,
)
_SORTING = re.compile(
    r"(?:product_list_)?(?:sort|order)_?-?(?:by|dir|direction|ing)?|sortorder|product_list_(?:order|dir|mode|limit)",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"(?:asc|desc)(?:ending)?|(?:price|name|title|date|created|popularity|rating|newest|oldest|relevance|best|position|"
    r"menu_order|bestsell|alpha).{0,30}",
    re.IGNORECASE,
)
_PAGING = re.compile(
    r"(?:page|p|pg|paged|pageno|page_?num(?:ber)?|page_no|currentpage|pageindex|seite|pagina|strona|offset|start|from|skip|"
    r"product-page)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\d{1,6}")
_IDENTIFYING = re.compile(
    r"(?:product|item|article|artikel|art|prod|category|cat|categor(?:y|ie)s?|collection|dept|department|brand|"
    r"manufacturer|manufacturers|goods|group)?_?(?:id|no|nr|code|number)|pid|cid|sku|route|cat|categor(?:y|ie)|cpath|path|"
    r"products?|item|art|post_type",
    re.IGNORECASE,
)
_SESSION_PATH = re.compile(r";(?:jsessionid|sid|phpsessid)=[^/?#]*", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_PRODUCT_IDENTIFYING = re.compile(
    r"(?:product|item|article|artikel|art|prod|goods)s?_?(?:id|no|nr|code|number)?|pid|sku", re.IGNORECASE
)


@lru_cache(16_384)
def clean_url(url: str) -> str:
    """The address without what does not change its page; "" where it is a trap or cannot be read."""
    try:
        parts = urlsplit(unarchived(url))
        parts.port  # noqa: B018 - raises where the port is no number
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return ""
    path = _SESSION_PATH.sub("", parts.path) or "/"
    if _is_trap(path):
        return ""
    kept = [pair for pair in parts.query.split("&") if pair and not _is_noise(pair)]
    return urlunsplit((parts.scheme, parts.netloc, path, "&".join(kept), ""))


def _is_trap(path: str) -> bool:
    parts = [segment for segment in path.split("/") if segment]
    return len(parts) > MAX_SEGMENTS or any(parts.count(segment) >= MAX_REPEATED for segment in parts)


def _is_noise(pair: str) -> bool:
    name, _, value = pair.partition("=")
    name = unquote_plus(name)
    if _SESSION.fullmatch(name) or _TRACKING.fullmatch(name):
        return True
    return bool(_SORTING.fullmatch(name)) and (not value or bool(_ORDERS.fullmatch(unquote_plus(value))))


def unknown_parameters(url: str) -> list[str]:
    """Names of parameters that neither number pages nor name a product or a list, in order."""
    names = set()
    for pair in urlsplit(url).query.split("&"):
        name, _, value = pair.partition("=")
        name = unquote_plus(name)
        if not name or _is_page_number(name, value) or _IDENTIFYING.fullmatch(name):
            continue
        names.add(name.lower())
    return sorted(names)


def page_number(url: str) -> int | None:
    """Which page of a list the query names."""
    for pair in urlsplit(url).query.split("&"):
        name, _, value = pair.partition("=")
        if _is_page_number(unquote_plus(name), value):
            return int(value)
    return None


def with_page_number(url: str, number: int) -> str:
    """The same address with another page number in its query."""
    parts = urlsplit(url)
    pairs = []
    for pair in parts.query.split("&"):
        name, _, value = pair.partition("=")
        pairs.append(f"{name}={number}" if _is_page_number(unquote_plus(name), value) else pair)
    return urlunsplit((parts.scheme, parts.netloc, parts.path, "&".join(pairs), ""))


def _is_page_number(name: str, value: str) -> bool:
    return bool(_PAGING.fullmatch(name)) and bool(_NUMBERED.fullmatch(value))


def names_product(url: str) -> bool:
    """Whether the query names one product (`product.php?product_id=42`)."""
    names = [unquote_plus(pair.partition("=")[0]) for pair in urlsplit(url).query.split("&")]
    return any(_PRODUCT_IDENTIFYING.fullmatch(name) for name in names)


def shape_of(url: str) -> str:
    """The path with its numbers and its last segment left open, and the names of the unknown parameters:
    `/c/*?color&size`, `/calendar/#/#`."""
    parts = urlsplit(url)
    path = [_DIGITS.sub("#", segment) for segment in parts.path.split("/") if segment]
    names = unknown_parameters(url)
    if names and path:
        path[-1] = "*"
    return "/" + "/".join(path) + (f"?{'&'.join(names)}" if names else "")


def shape_of_view(url: str) -> str:
    """Of another view of a list whose address has no parameters: the list, and all that stands below it
    (`/coats/*`, `/category/coats/*`)."""
    path = [segment for segment in urlsplit(url).path.split("/") if segment]
    return "/" + "/".join([*path[: 2 if len(path) > 2 and path[0].lower() in segments("listing") else 1], "*"])


def is_multiplying(url: str) -> bool:
    """Whether addresses of this shape may go on without end: unknown parameters, or numbers in the path."""
    return bool(unknown_parameters(url)) or "#" in shape_of(url)


def includes(shape: str, other: str) -> bool:
    """Whether `shape` is `other` with more parameters: what one filter does not find, two do not find either."""
    path, _, names = shape.partition("?")
    other_path, _, other_names = other.partition("?")
    return path == other_path and set(other_names.split("&")) <= set(names.split("&"))
