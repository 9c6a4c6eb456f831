"""The links of a page to other pages of its site, each with what it probably leads to. Pure.

Lists are found by their pages ("next", numbers), products by the boxes they stand in (a link with a price beside it)
and by what structured data list, sections of the shop by its menu, the rest by its address. What cannot be told is an
ordinary page: it is visited after the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from winnow.extract.dom.signs import SIGNS
from winnow.extract.draft import Link, Role
from winnow.extract.links.page_role import is_ignored, role_of_url
from winnow.extract.links.url_shape import clean_url, page_number, unknown_parameters

MAX_ANCHORS = 5_000  # of one page
MAX_HREF = 4_096
BOX_LEVELS = 5  # from a link up to the box of its product
MAX_BOX = 600  # characters of such a box
_NEXT = re.compile(
    r"\s*(?:next(?: page)?|older|more|load more|show more|view more|weiter|nächste(?: seite)?|mehr anzeigen|suivante?|"
    r"page suivante|voir plus|siguiente|ver más|successiva?|avanti|volgende|meer|następna|dalej|næste|nästa|neste|"
    r"[›»>→]+|>>)\s*[›»>→]*\s*",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\s*\d{1,4}\s*")
_PAGE_PATH = re.compile(r"/(?:page|seite|pagina|strona|p)[/-]?(\d{1,5})(?:/|\.html?|$)", re.IGNORECASE)
_PAGING = (
    "[class*='paginat' i] a[href], [class*='pager' i] a[href], [aria-label*='paginat' i] a[href], a[rel~='next'], "
    "link[rel~='next']"
)
_MENU = (
    "nav a[href], header a[href], [role='navigation'] a[href], [class*='breadcrumb' i] a[href], "
    "[class*='menu' i] a[href]"
)
_FOOT = "footer a[href], [class*='footer' i] a[href]"
# What scripts load when a visitor scrolls or presses "more".
_MORE = (
    "[data-next-url]", "[data-next-page-url]", "[data-load-more-url]", "[data-load-more]", "[data-infinite-url]",
    "[hx-get]", "[data-endpoint]", "button[data-url]", "a[data-url]", "[data-ajax-url]", "[data-next]",
)  # fmt: skip
_MORE_NAMES = tuple(re.sub(r"^\w*\[|\]$", "", selector) for selector in _MORE)


def site_links(tree: LexborHTMLParser, url: str, listed: Iterable[str] = ()) -> list[Link]:
    """In the order of the page, each address once. `listed` are products that structured data of the page name."""
    base = _base(tree, url)
    known = {clean_url(urljoin(base, href)) for href in listed}
    found: dict[str, Role] = {}
    own = clean_url(url)
    finder = _Roles(tree, own, known)
    for target, role in [
        *_next_links(tree, base, own),
        *((t, finder.role(node, t)) for node, t in _anchors(tree, base)),
    ]:
        if target != own and _is_better(role, found.get(target)):
            found[target] = role
    for target in known - {"", own}:
        if not is_ignored(target):
            found.setdefault(target, Role.ITEM)
    return [Link(target, role) for target, role in found.items()]


_CERTAINTY = {Role.NEXT_PAGE: 4, Role.FEED: 4, Role.ITEM: 3, Role.LISTING: 2, Role.PAGE: 1, Role.VARIANT: 1}


def _is_better(role: Role, known: Role | None) -> bool:
    return known is None or _CERTAINTY.get(role, 0) > _CERTAINTY.get(known, 0)


def _anchors(tree: LexborHTMLParser, base: str) -> Iterator[tuple[LexborNode, str]]:
    for node in tree.css("a[href]")[:MAX_ANCHORS]:
        target = _target(node.attributes.get("href"), base)
        if target:
            yield node, target


def _target(href: str | None, base: str) -> str:
    """The clean address; "" for what is no page of a site."""
    if not href or len(href) > MAX_HREF or href.lstrip()[:1] == "#":
        return ""
    try:
        target = clean_url(urljoin(base, href.strip()))
    except ValueError:
        return ""
    return "" if not target or is_ignored(target) else target


def _base(tree: LexborHTMLParser, url: str) -> str:
    node = tree.css_first("base[href]")
    stated = (node.attributes.get("href") or "") if node is not None else ""
    try:
        return urljoin(url, stated)
    except ValueError:
        return url


def _next_links(tree: LexborHTMLParser, base: str, own: str) -> Iterator[tuple[str, Role]]:
    """Further pages of this list, and where scripts get them."""
    for node in tree.css(_PAGING)[:200]:
        target = _target(node.attributes.get("href"), base)
        if target and _is_next(node, target, own):
            yield target, Role.VARIANT if unknown_parameters(target) else Role.NEXT_PAGE
    for node in tree.css(", ".join(_MORE))[:50]:
        for name in _MORE_NAMES:
            stated = node.attributes.get(name) or ""
            if stated.startswith(("/", "?", "http")):
                try:
                    target = clean_url(urljoin(base, stated))
                except ValueError:
                    continue
                if target and target != own:
                    yield target, Role.FEED


def _is_next(node: LexborNode, target: str, own: str) -> bool:
    if "next" in (node.attributes.get("rel") or "").lower().split():
        return True
    return is_page_of(target, own) or bool(_NEXT.fullmatch(_text(node)))


def is_page_of(target: str, own: str) -> bool:
    """Whether an address is another page of the list that `own` is a page of."""
    theirs, mine = urlsplit(target), urlsplit(own)
    if page_number(target) is not None:
        return theirs.path.rstrip("/") == mine.path.rstrip("/")
    if not _PAGE_PATH.search(theirs.path):
        return False
    return _PAGE_PATH.sub("", theirs.path).rstrip("/") == _PAGE_PATH.sub("", mine.path).rstrip("/")


class _Roles:
    """Knows where on the page its links stand."""

    def __init__(self, tree: LexborHTMLParser, own: str, listed: set[str]) -> None:
        self._own = own
        self._listed = listed
        self._menu = {node.mem_id for node in tree.css(_MENU)}
        self._foot = {node.mem_id for node in tree.css(_FOOT)}
        self._priced: dict[int, bool | None] = {}

    def role(self, node: LexborNode, target: str) -> Role:
        if unknown_parameters(target):
            return Role.VARIANT
        if is_page_of(target, self._own):
            return Role.NEXT_PAGE
        if target in self._listed:
            return Role.ITEM
        said = role_of_url(target)
        if said is not None:
            return said
        if page_number(target) is not None:
            return Role.LISTING
        if node.mem_id in self._foot:
            return Role.PAGE
        if node.mem_id in self._menu:
            return Role.LISTING
        return Role.ITEM if self._has_price(node) else Role.PAGE

    def _has_price(self, node: LexborNode) -> bool:
        """Whether an amount of money stands in the box around the link."""
        above: LexborNode | None = node
        for _ in range(BOX_LEVELS):
            if above is None or above.tag in ("body", "main", "html"):
                return False
            known = self._looked_at(above)
            if known is None:
                return False
            if known:
                return True
            above = above.parent
        return False

    def _looked_at(self, node: LexborNode) -> bool | None:
        """None: too large to be the box of one product."""
        if node.mem_id not in self._priced:
            text = _text(node)
            self._priced[node.mem_id] = None if len(text) > MAX_BOX else SIGNS.search(text) is not None
        return self._priced[node.mem_id]


def _text(node: LexborNode) -> str:
    return " ".join((node.text(separator=" ") or "").split())
