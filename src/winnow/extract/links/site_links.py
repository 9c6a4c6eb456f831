"""The links of a page to other pages of its site, each with what it probably leads to. Pure.

Lists are found by their pages ("next", numbers), products by the boxes they stand in (a link with a price beside it)
and by what structured data list, sections of the shop by its menu, the rest by its address. What cannot be told is an
ordinary page: it is visited after the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from urllib.parse import urljoin, urlsplit

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from winnow.extract.dom.signs import SIGNS
from winnow.extract.draft import Link, Role
from winnow.extract.links.load_more import MORE_SELECTORS, more_urls
from winnow.extract.links.page_role import is_ignored, role_of_url
from winnow.extract.links.url_shape import clean_url, page_number, unknown_parameters
from winnow.vocabulary.next_page import leads_to_more

MAX_NODES = 6_000  # with an address, of one page
MAX_PAGING = 200
MAX_HREF = 4_096
BOX_LEVELS = 5  # from a link up to the box of its product
MAX_BOX = 600  # characters of such a box
MAX_TILE_LINKS = 20
_PAGE_PATH = re.compile(r"/(?:page|seite|pagina|strona|p)[/-]?(\d{1,5})(?:/|\.html?|$)", re.IGNORECASE)
_PAGING = "[class*='paginat' i] a[href], [class*='pager' i] a[href], [aria-label*='paginat' i] a[href]"
_MENU = (
    "nav a[href], header a[href], [role='navigation'] a[href], [class*='breadcrumb' i] a[href], "
    "[class*='menu' i] a[href]"
)
_FOOT = "footer a[href], [class*='footer' i] a[href]"
# One selector for all that is looked at: each one more is a walk over the whole tree.
_WITH_ADDRESS = ", ".join(["a[href]", "base[href]", "link[rel~='next']", *MORE_SELECTORS])


def site_links(tree: LexborHTMLParser, url: str, listed: Iterable[str] = ()) -> list[Link]:
    """In the order of the page, each address once. `listed` are products that structured data of the page name."""
    nodes = tree.css(_WITH_ADDRESS)[:MAX_NODES]
    base, own = _base(nodes, url), clean_url(url)
    known = {clean_url(urljoin(base, href)) for href in listed}
    found: dict[str, Role] = {}
    for target, role in _links_of(tree, nodes, base, own, known):
        if target != own and _is_better(role, found.get(target)):
            found[target] = role
    for target in known - {"", own}:
        if not is_ignored(target):
            found.setdefault(target, Role.ITEM)
    return [Link(target, role) for target, role in found.items()]


def _links_of(
    tree: LexborHTMLParser, nodes: Sequence[LexborNode], base: str, own: str, listed: set[str]
) -> Iterator[tuple[str, Role]]:
    """Further pages of this list first, then where scripts get them, then all others."""
    yield from _next_links(tree, nodes, base, own)
    for target in more_urls(nodes, base):
        yield target, Role.FEED
    roles = _Roles(tree, own, base, listed)
    for node in nodes:
        target = _target(node.attributes.get("href"), base) if node.tag == "a" else ""
        if target:
            yield target, roles.role(node, target)


_CERTAINTY = {Role.NEXT_PAGE: 4, Role.FEED: 4, Role.ITEM: 3, Role.LISTING: 2, Role.PAGE: 1, Role.VARIANT: 1}


def _is_better(role: Role, known: Role | None) -> bool:
    return known is None or _CERTAINTY.get(role, 0) > _CERTAINTY.get(known, 0)


def _target(href: str | None, base: str) -> str:
    """The clean address; "" for what is no page of a site."""
    if not href or len(href) > MAX_HREF or href.lstrip()[:1] == "#":
        return ""
    if href[:1] == "/" and href[1:2] != "/":  # the same on every page of the host: menus are resolved once
        base = base[: base.find("/", base.find("//") + 2) + 1] or base
    return _resolved(href.strip(), base)


@lru_cache(16_384)
def _resolved(href: str, base: str) -> str:
    try:
        target = clean_url(urljoin(base, href))
    except ValueError:
        return ""
    return "" if not target or is_ignored(target) else target


def _base(nodes: Sequence[LexborNode], url: str) -> str:
    stated = next((node.attributes.get("href") or "" for node in nodes if node.tag == "base"), "")
    try:
        return urljoin(url, stated)
    except ValueError:
        return url


def _next_links(tree: LexborHTMLParser, nodes: Sequence[LexborNode], base: str, own: str) -> Iterator[tuple[str, Role]]:
    named = [node for node in nodes if node.tag in ("a", "link") and _is_called_next(node)]
    for node in [*named, *tree.css(_PAGING)[:MAX_PAGING]]:
        target = _target(node.attributes.get("href"), base)
        if target and (_is_called_next(node) or is_page_of(target, own) or leads_to_more(_text(node))):
            yield target, Role.VARIANT if unknown_parameters(target) else Role.NEXT_PAGE


def _is_called_next(node: LexborNode) -> bool:
    return "next" in (node.attributes.get("rel") or "").lower().split()


def is_page_of(target: str, own: str) -> bool:
    """Whether an address is another page of the list that `own` is a page of."""
    theirs = _address(target)
    if not theirs.numbered:
        return False
    mine = _address(own)
    return theirs.list_path == (mine.path if theirs.query_numbered else mine.list_path)


class _Address(msgspec.Struct, frozen=True):
    """What an address says by itself. `numbered`: it is a page of a list, whose path is `list_path`."""

    role: Role | None
    unknown: bool
    path: str
    list_path: str
    numbered: bool
    query_numbered: bool


@lru_cache(16_384)  # menus and lists name the same ones on page after page
def _address(url: str) -> _Address:
    path = urlsplit(url).path
    by_query = page_number(url) is not None
    by_path = not by_query and _PAGE_PATH.search(path) is not None
    return _Address(
        role=role_of_url(url),
        unknown=bool(unknown_parameters(url)),
        path=path.rstrip("/"),
        list_path=(path if by_query else _PAGE_PATH.sub("", path)).rstrip("/"),
        numbered=by_query or by_path,
        query_numbered=by_query,
    )


class _Roles:
    """Knows where on the page its links stand."""

    def __init__(self, tree: LexborHTMLParser, own: str, base: str, listed: set[str]) -> None:
        self._tree = tree
        self._own = own
        self._base = base
        self._listed = listed
        self._priced: dict[int, bool | None] = {}

    @cached_property
    def _menu(self) -> set[int]:
        return {node.mem_id for node in self._tree.css(_MENU)}

    @cached_property
    def _foot(self) -> set[int]:
        return {node.mem_id for node in self._tree.css(_FOOT)}

    def role(self, node: LexborNode, target: str) -> Role:
        address = _address(target)
        if address.unknown:
            return Role.VARIANT
        if is_page_of(target, self._own):
            return Role.NEXT_PAGE
        if target in self._listed:
            return Role.ITEM
        if address.role is Role.LISTING and self._is_priced_tile(node, address, target):
            return Role.ITEM
        if address.role is not None:
            below = address.role is Role.LISTING and self._is_below(address) and node.mem_id not in self._menu
            return Role.VARIANT if below else address.role
        if address.query_numbered:
            return Role.LISTING
        if node.mem_id in self._foot:
            return Role.PAGE
        if node.mem_id in self._menu:
            return Role.LISTING
        if self._has_price(node):
            return Role.ITEM
        return Role.VARIANT if self._is_below(address) else Role.PAGE

    def _is_priced_tile(self, node: LexborNode, address: _Address, target: str) -> bool:
        """A product whose address looks like that of a list (`/catalogue/red-shoe_7/`): the box around the link has a
        price and leads nowhere else. A column of filters has prices too, and many links."""
        if address.numbered or node.mem_id in self._menu or node.mem_id in self._foot:
            return False
        box = self._priced_box(node)
        if box is None:
            return False
        leads = {_target(link.attributes.get("href"), self._base) for link in box.css("a[href]")[:MAX_TILE_LINKS]}
        return leads <= {"", target}

    def _is_below(self, address: _Address) -> bool:
        """Whether a link leads further down from this list: to a part of it, or to a filter that is a segment of the
        path and multiplies with all others."""
        own = _address(self._own).list_path
        return own != "" and address.path.startswith(own + "/")

    def _has_price(self, node: LexborNode) -> bool:
        return self._priced_box(node) is not None

    def _priced_box(self, node: LexborNode) -> LexborNode | None:
        """The smallest box around the link in which an amount of money stands."""
        above: LexborNode | None = node
        for _ in range(BOX_LEVELS):
            if above is None or above.tag in ("body", "main", "html"):
                return None
            known = self._looked_at(above)
            if known is None:
                return None
            if known:
                return above
            above = above.parent
        return None

    def _looked_at(self, node: LexborNode) -> bool | None:
        """None: too large to be the box of one product."""
        if node.mem_id not in self._priced:
            text = _text(node)
            self._priced[node.mem_id] = None if len(text) > MAX_BOX else SIGNS.search(text) is not None
        return self._priced[node.mem_id]


def _text(node: LexborNode) -> str:
    return " ".join((node.text(separator=" ") or "").split())
