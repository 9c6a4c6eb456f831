"""The part of a page that is about its own product, and the parts that never are.

Class names are written by people and mean something: `related-products`, `priceOld`, `mini_cart`. They are read
as words.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from winnow.extract.dom.cms import Shop, recognise
from winnow.extract.dom.walk import Walk
from winnow.extract.page_facts import PageFacts, page_key, page_title
from winnow.extract.structured.main_item import name_overlap
from winnow.vocabulary.page_names import product_page_names

_KEPT = 250  # characters of a text that are kept: an amount has 80, a stock line 120, the words around it 160
MAX_CLIMB = 256  # levels between an element and the body; deeper pages are not read by eye either
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SPLIT = re.compile(r"[^a-z0-9]+")

_FOREIGN_WORDS = """
    related recommend recommended recommendation recommendations recommender upsell upsells crosssell crosssells
    crossselling similar alternatives carousel recently frequently minicart sidecart megamenu bestseller bestsellers
    topseller navigation nav navbar breadcrumb breadcrumbs footer newsletter cookie accessories accessory
    swiper slick owl glide splide teaser teasers suggestions suggested zubehoer zubehör aehnliche gerelateerd
    vergelijkbaar produits-lies
"""
_FOREIGN = frozenset(_FOREIGN_WORDS.split())
# These also name parts of the product's own box ("price-and-reviews"): beside a word of buying they say nothing.
_DOUBTFUL_WORDS = (
    "review reviews comment comments testimonial testimonials faq questions "
    "wishlist bundle bundles combo popup modal gift compare listing"
)
_FOREIGN_UNLESS_BOUGHT = frozenset(_DOUBTFUL_WORDS.split())
_BOUGHT_WORDS = "price prices pricing buy buybox purchase summary addtocart cart order"
_BOUGHT = frozenset(_BOUGHT_WORDS.split())
_FOREIGN_PAIRS = re.compile(
    r"(?:up|cross)-sell|also-(?:like|bought|viewed|love|buy)|you-may|(?:cart|basket|bag)-(?:drawer|sidebar|popup|preview|flyout|"
    r"summary|notification|dropdown|mini)|mini-(?:cart|basket)|(?:header|top|nav)-(?:cart|basket)|side-cart|off-canvas|"
    r"mega-menu|site-(?:header|nav)|"
    r"product-(?:list|grid|slider|suggest|item|tile|teaser|miniature|thumb|box|loop)s?\b"
    r"(?!-(?:\w+-)?(?:detail|info|page|price|view|main))|"
    r"products-(?:grid|list|related|upsell|row)|item-list|last-(?:seen|viewed)|bought-together|shop-the-look|"
    r"complete-(?:the|your)|customers-|(?:buy|buys|bought|purchased?|often|better)-together|together-|(?:other|more|all)-sellers?\b|people-also|other-products|more-(?:from|products)|best-?sellers|"
    r"currency-(?:switch|select|menu)|price-filter"
)
_FOREIGN_TAGS = frozenset(["nav", "footer", "header"])
_NAMES = (
    '[itemprop="name"], h2, h3, [class*="title" i], [class*="name" i], [id*="title" i], [class*="heading" i], '
    "font > b, b > font, td > b, td > strong, td > font"
)


@lru_cache(8_192)
def words_of(names: str) -> frozenset[str]:
    """`priceOld mini_cart` -> price, old, mini, cart."""
    return frozenset(_SPLIT.split(_CAMEL.sub("-", names).lower()))


@lru_cache(8_192)
def _is_foreign_name(names: str) -> bool:
    words = words_of(names)
    if words & _FOREIGN or (words & _FOREIGN_UNLESS_BOUGHT and not words & _BOUGHT):
        return True
    if _FOREIGN_PAIRS.search(_SPLIT.sub("-", _CAMEL.sub("-", names).lower())) is None:
        return False
    return not any(_ADDS.fullmatch(name) for name in names.split())


# An element that is called so besides is the place of buying: `basketSummary add-to-basket`.
_ADDS = re.compile(r"add-?to-?(?:cart|basket|bag)", re.IGNORECASE)


# Classes of utility frameworks that only style: no amount is `normal` or `full` because of them.
_STYLED = re.compile(
    r"(?<![^\s])(?:(?:min-|max-)?[wh]|rounded(?:-\w+)?|font(?:-weight)?|fw|leading|tracking|whitespace|break|basis|size)"
    r"-(?:full|normal)(?![^\s])"
)


def permanent_classes(classes: str) -> str:
    """Classes without those that hold in some state or width only: `disabled:opacity-50`, `before:content-none`."""
    kept = " ".join(c for c in classes.split() if ":" not in c) if ":" in classes else classes
    return " ".join(_STYLED.sub("", kept).split()) if "-full" in kept or "-normal" in kept else kept


def names_of(node: LexborNode) -> str:
    """Class, id, the test hooks a developer gave an element, and what Magento says of an amount (`oldPrice`)."""
    own = node.attributes
    if not own:
        return ""
    found = (
        permanent_classes(own.get("class") or ""),
        own.get("id"),
        own.get("data-testid"),
        own.get("data-test"),
        own.get("data-hook"),
        own.get("data-price-type"),
    )
    return " ".join(filter(None, found))


class Area:
    """Where the page's own product stands: around its heading, outside of what is foreign."""

    def __init__(self, tree: LexborHTMLParser, facts: PageFacts) -> None:
        self.tree = tree
        self.facts = facts
        self.walk = Walk(tree)
        self.heading = _heading(tree, facts)
        self.spine = {node.mem_id for node in ancestors(self.heading)} if self.heading is not None else set()
        self._foreign: dict[int, bool] = {}
        self._spaced: dict[int, str] = {}
        self._joined: dict[int, str] = {}
        self.tier_tables: dict[int, Any] = {}  # by mem_id, what `tiers.py` found in a table
        self.buttons: list[LexborNode] | None = None  # those of buying, once somebody has looked for them

    @cached_property
    def shop(self) -> Shop | None:
        return recognise(self.tree)

    def spaced(self, node: LexborNode) -> str:
        """Text with a gap between elements, so that words of neighbours stay words."""
        found = self._spaced.get(node.mem_id)
        if found is None:
            text = " ".join((node.text(deep=True, separator=" ") or "").split())
            found = self._spaced[node.mem_id] = text[: 2 * _KEPT]
        return found

    def joined(self, node: LexborNode) -> str:
        """Text without gaps between elements, cut where it is no amount any more. A table around a thousand amounts is
        read once, not a thousand times (R-17)."""
        found = self._joined.get(node.mem_id)
        if found is None:
            found = self._joined[node.mem_id] = text_of(node)[:_KEPT]
        return found

    def is_heading(self, node: LexborNode) -> bool:
        """Whether an element is the heading or stands in it."""
        if self.heading is None:
            return False
        return any(above.mem_id == self.heading.mem_id for above in ancestors(node, 6))

    def is_own(self, node: LexborNode) -> bool:
        return not self._is_foreign(node)

    def exclude(self, nodes: list[int]) -> None:
        """Elements (by mem_id) found to hold other products."""
        self._foreign.update(dict.fromkeys(nodes, True))

    def _is_foreign(self, node: LexborNode) -> bool:
        path: list[int] = []
        answer: bool | None = None
        above: LexborNode | None = node
        while above is not None and answer is None and len(path) < MAX_CLIMB:
            mine = above.mem_id
            answer = self._foreign.get(mine)
            if answer is None:
                path.append(mine)
                answer = self._verdict(above)
            above = above.parent
        self._foreign.update(dict.fromkeys(path, bool(answer)))
        return bool(answer)

    def _verdict(self, node: LexborNode) -> bool | None:
        """None: ask the element around it."""
        if node.mem_id in self.spine or node.tag in ("body", "html"):
            return False
        return True if node.tag in _FOREIGN_TAGS or _is_foreign_name(names_of(node)) else None


def ancestors(node: LexborNode | None, levels: int = MAX_CLIMB) -> list[LexborNode]:
    """The element itself and everything around it, inside out."""
    found: list[LexborNode] = []
    while node is not None and node.tag != "-document" and len(found) < levels:
        found.append(node)
        node = node.parent
    return found


_PARTED = re.compile(r"(?<=\d)\x1f+(?=\d)")


def text_of(node: LexborNode) -> str:
    """Visible text; digits of two elements ($19<sup>99</sup>) stay apart."""
    text = _PARTED.sub(" ", node.text(deep=True, separator="\x1f") or "").replace("\x1f", "")
    return " ".join(text.split())


_SPOKEN = ".sr-only, .visually-hidden, .visuallyhidden, .screen-reader-text, .g-hdn, .clipped, [hidden]"


def without_spoken(text: str, node: LexborNode) -> str:
    """The text of a heading without what only a screen reader says before or after it: "Details about"."""
    shown = text
    for hidden in map(text_of, node.css(_SPOKEN)[:4]):
        shown = shown.removeprefix(hidden).removesuffix(hidden).strip()
    return shown or text


def _heading(tree: LexborHTMLParser, facts: PageFacts) -> LexborNode | None:
    """The element that names the page as its title does: an h1 if one does, else whatever is called a title, or the h1
    that names it as its address does (some shops have one title for all their pages)."""
    titles = [t for t in (_title(tree), _og_title(tree)) if t]
    headings = [h for h in tree.css("h1")[:8] if (text := text_of(h)) and not _SECTION.match(text) and is_name(text)]
    if not titles:
        return headings[0] if headings else None
    named = max(headings, key=lambda h: _fit(text_of(h), titles), default=None)
    if named is not None and _fit(text_of(named), titles) >= 0.3:
        return named
    best = max(_titled(tree), key=lambda node: _fit(text_of(node), titles), default=None)
    if best is not None and _fit(text_of(best), titles) >= 0.5:
        return best
    paths = [key[1] for url in facts.urls if (key := page_key(url))]
    addressed = max(headings, key=lambda h: _fit(text_of(h), paths), default=None) if paths else None
    if addressed is not None and _fit(text_of(addressed), paths) >= 0.3:
        return addressed
    return named


def is_name(text: str) -> bool:
    """Not what the page of any product is called: "Product details"."""
    return text.casefold().strip(" .:!…") not in product_page_names()


_SECTION = re.compile(r"(?:compare|comparison of|vergleich(?:en)?|comparer|comparar|vergelijk)\b", re.IGNORECASE)


_SUBTITLE = re.compile(r"sub-?_?(?:title|head(?:ing|line)?)|untertitel|sous-?titre|subtitulo", re.IGNORECASE)


def _titled(tree: LexborHTMLParser) -> list[LexborNode]:
    return [
        n
        for n in tree.css(_NAMES)[:150]
        if n.tag not in ("meta", "link", "input", "img")
        and len(text := text_of(n)) < 300
        and is_name(text)
        and _SUBTITLE.search(names_of(n)) is None
    ]


def _fit(name: str, titles: list[str]) -> float:
    return max(min(name_overlap(name, title)) for title in titles) if name else 0.0


def _title(tree: LexborHTMLParser) -> str:
    node = page_title(tree)
    return (node.text(strip=True) or "") if node is not None else ""


def _og_title(tree: LexborHTMLParser) -> str:
    node = tree.css_first('meta[property="og:title"]')
    return (node.attributes.get("content") or "") if node is not None else ""
