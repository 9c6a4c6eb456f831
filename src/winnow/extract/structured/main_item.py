"""Which of the products found on a page is the page's own.

Signs in the order they are trusted: the page names its main entity, the address, the title. Products in
lists are never it. When the signs leave several different products, none is taken.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import unquote, urlsplit

import msgspec

from winnow.extract.page_facts import PageFacts, same_page, same_path
from winnow.extract.structured.schema_graph import Found, Place
from winnow.extract.structured.schema_price import text_of

# A third of the name's words in title or address is enough not to doubt a page's only product; six tenths,
# and more than any other, are needed to pick one of several.
PLAUSIBLE = 0.34
CLEAR = 0.6
NO_PRODUCT = "no product"
_WORD = re.compile(r"[^\W_]+")


class Choice(msgspec.Struct, frozen=True):
    """`own` describe the page's product (more than once, perhaps); `rivals` are products of which none is
    known to be it."""

    own: list[Found]
    rivals: list[Found] = []
    note: str = ""


def choose(products: list[Found], facts: PageFacts) -> Choice:
    candidates = [found for found in products if found.place is not Place.LISTED]
    if not candidates:
        return Choice([], note=f"{len(products)} listed products only" if products else NO_PRODUCT)
    for sign in _signs(facts) if len(candidates) > 1 else []:
        if _is_one(candidates):
            break
        candidates = [found for found in candidates if sign(found)] or candidates
    return _settle(candidates, facts)


def _signs(facts: PageFacts) -> list[Callable[[Found], bool]]:
    return [
        lambda found: found.place is Place.MAIN,
        lambda found: same_page(address(found), facts),
        lambda found: same_path(address(found), facts),
    ]


def _settle(candidates: list[Found], facts: PageFacts) -> Choice:
    if not _is_one(candidates):
        candidates = _best_named(candidates, facts)
    if not _is_one(candidates) and not _are_variants(candidates):
        return Choice([], candidates, f"{len(candidates)} products, none clearly the page's own")
    if not _is_plausible(candidates[0], facts):
        return Choice([], candidates, "the only product is not the one in title and address")
    return Choice(candidates)


def _is_one(candidates: list[Found]) -> bool:
    return len(candidates) == 1 or len({_identity(found) for found in candidates}) == 1


def _are_variants(candidates: list[Found]) -> bool:
    """All of one group: the page is about all of them, and their prices must agree to be one."""
    groups = {_group(found) for found in candidates}
    return len(groups) == 1 and groups != {""}


def _group(found: Found) -> str:
    group = found.node.get("isVariantOf")
    node = group if isinstance(group, dict) else {}
    named = text_of(node.get("productGroupID")) or text_of(node.get("@id")) or text_of(node.get("name"))
    return named or text_of(found.node.get("inProductGroupWithID"))


def address(found: Found) -> str:
    """Where the product says it lives: its URL, its page, or an @id that is a URL."""
    node = found.node
    page = node.get("mainEntityOfPage")
    page = page.get("@id") if isinstance(page, dict) else page
    named = text_of(node.get("@id"))
    return text_of(node.get("url")) or text_of(page) or (named.split("#")[0] if "/" in named else "")


def _identity(found: Found) -> str:
    """Two descriptions with one name are one product: shop and review plugins both write one."""
    return " ".join(words(text_of(found.node.get("name")))) or found.path


def _best_named(candidates: list[Found], facts: PageFacts) -> list[Found]:
    """The candidates whose name fits best; the page's titles are asked one after the other."""
    for title in facts.titles:
        scored = [(name_overlap(_identity(found), title), found) for found in candidates]
        best = max(score for score, _ in scored)
        if best[0] >= CLEAR:
            candidates = [found for score, found in scored if score == best]
        if _is_one(candidates):
            break
    return candidates


def _is_plausible(found: Found, facts: PageFacts) -> bool:
    name = text_of(found.node.get("name"))
    if not name or not facts.titles or found.place is Place.MAIN:
        return True
    if any(name_overlap(name, title)[0] >= PLAUSIBLE for title in facts.titles):
        return True
    if any(name_overlap(name, unquote(urlsplit(url).path))[0] >= PLAUSIBLE for url in facts.urls):
        return True
    return same_path(address(found), facts) or _is_numbered(found, facts)


def _is_numbered(found: Found, facts: PageFacts) -> bool:
    """Whether a title states the product's own number: shops translate the name in one place and not in the other."""
    numbers = [text_of(found.node.get(key)) for key in ("sku", "mpn", "productID")]
    stated = {word for title in facts.titles for word in words(title)}
    return any(len(n) >= _NUMBER and any(c.isdigit() for c in n) and n.lower() in stated for n in numbers)


_NUMBER = 4  # characters: shorter ones are sizes and years


def name_overlap(name: str, text: str) -> tuple[float, float]:
    """How much of the name is in the text, and how much of the text the name explains."""
    mine, theirs = _grams(name), _grams(text)
    if not mine or not theirs:
        return 0.0, 0.0
    shared = len(mine & theirs)
    return shared / len(mine), shared / len(theirs)


def words(text: str) -> list[str]:
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return _WORD.findall(plain.lower())


@lru_cache(1_024)
def _grams(text: str) -> frozenset[str]:
    """Words; for scripts that do not separate them, pairs of characters."""
    grams: set[str] = set()
    for word in words(text):
        wide = word[0] >= "\u3040"
        grams.update(word[i : i + 2] for i in range(len(word) - 1)) if wide else grams.add(word)
    return frozenset(grams)
