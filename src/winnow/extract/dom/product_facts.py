"""What a product page shows in words where its data say nothing: properties, codes, description, rating. Pure.

Only what is labelled, and only outside of what is about other products, reviews or the site.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from winnow.extract.dom.area import ancestors, names_of, text_of, words_of
from winnow.extract.dom.money_elements import PRICE_WORDS
from winnow.extract.dom.stock_words import STOCK_LABEL
from winnow.extract.draft import Strategy, Value
from winnow.vocabulary.lazy_pattern import lazy_pattern
from winnow.vocabulary.phrases import any_word
from winnow.vocabulary.product_labels import product_labels

Values = dict[str, list[Value]]
MAX_LISTS = 30
MAX_PAIRS = 80  # properties of one product
MIN_PAIRS = 2  # a single pair may be anything
MAX_NAME = 48
MAX_VALUE = 160
MAX_DESCRIPTION = 5_000
MIN_DESCRIPTION = 40
MAX_PARAGRAPHS = 30
MAX_RATINGS = 12
BEST = 5
MAX_AROUND = 200
_OTHER_WORDS = """
    related recommended similar review reviews comment comments cart basket menu navbar breadcrumb breadcrumbs cookie
    footer shipping delivery carousel upsell crosssell newsletter size sizes sizechart contact
"""
_OTHER = frozenset(_OTHER_WORDS.split())
_OTHER_TAGS = frozenset(["nav", "footer", "aside", "form"])
_HEADINGS = "h2, h3, h4, h5"
_END = frozenset(["h1", "h2", "h3", "h4", "section", "footer", "nav", "aside", "table", "dl", "form"])
_FIELDS = ("gtin", "mpn", "brand")
_RATING = (
    '.star-rating, [class*="rating" i], [class*="stars" i], [data-rating], [aria-label*="star" i], [title*="star" i]'
)
_UNSEEN = "style, script, noscript, template"
_SIZE = re.compile(r"(?:x{0,4}[sl]|m|\d{1,3}(?:[/-]\d{1,3})?)", re.IGNORECASE)
_CONTACT = re.compile(r"\S@\S")
_MONEY = re.compile(r"[€$£¥₩₽₹]")
_STARS = re.compile(r"(?=[★☆⭐]{3,10}$)(★|⭐)+☆*")
_WORDS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}
_OUT_OF = lazy_pattern(rf"(\d(?:[.,]\d{{1,2}})?)\s?(?:/|(?:{any_word(product_labels('out_of'))})\b)\s?(5|10)\b", re.I)
_REVIEWS = lazy_pattern(
    rf"\(?\s?(\d{{1,3}}(?:[.,\s]\d{{3}})*|\d{{1,7}})\s(?:\w+\s)?(?:{any_word(product_labels('reviews'))})\b", re.I
)


def add_visible_facts(values: Values, tree: LexborHTMLParser) -> None:
    """What `values` lack. Codes that identify a product only where they are labelled in a list of its properties."""
    for node in tree.css(_UNSEEN):
        node.decompose()
    pairs = list(_pairs(tree))
    for name, text, place in pairs:
        label = name.casefold()
        for field in _FIELDS:
            if label in product_labels(field):
                values.setdefault(field, [Value(text, Strategy.DOM, place)])
        if label in product_labels("review_count"):
            values.setdefault("review_count", [Value(text, Strategy.DOM, place)])
        if not (PRICE_WORDS.search(name) or _MONEY.search(text) or STOCK_LABEL.match(f"{name}:")):
            values.setdefault(f"attribute.{name}", [Value(text, Strategy.DOM, place)])
    if "description" not in values and (text := _description(tree)):
        values["description"] = [Value(text, Strategy.DOM, "description")]
    if "rating" not in values:
        _add_rating(values, tree)


def _pairs(tree: LexborHTMLParser) -> Iterator[tuple[str, str, str]]:
    for holder in tree.css("dl, table")[:MAX_LISTS]:
        if _is_of_others(holder):
            continue
        found = list(islice(_definitions(holder) if holder.tag == "dl" else _rows(holder), MAX_PAIRS))
        if len(found) >= MIN_PAIRS and _are_properties(found):
            yield from ((name, text, f"{holder.tag}.{names_of(holder)[:40]} > {name}") for name, text in found)


def _are_properties(pairs: list[tuple[str, str]]) -> bool:
    """Neither a chart of sizes, nor whom to ask, nor a list in which names come twice."""
    names = [name.casefold() for name, _ in pairs]
    if len(set(names)) < len(names) or any(_CONTACT.search(text) for _, text in pairs):
        return False
    return sum(_SIZE.fullmatch(name) is not None for name in names) * 2 < len(names)


def _definitions(holder: LexborNode) -> Iterator[tuple[str, str]]:
    label: LexborNode | None = None
    for node in holder.css("dt, dd"):
        if node.tag == "dt":
            label = node
        elif label is not None:
            yield from _pair(label, node)
            label = None


def _rows(holder: LexborNode) -> Iterator[tuple[str, str]]:
    """Of a table that has two columns throughout: others compare things, or list sizes."""
    rows = [row.css("th, td") for row in holder.css("tr")[:MAX_PAIRS]]
    if holder.css_first("table table, input, select, button") is not None or any(len(row) != 2 for row in rows):
        return
    for label, value in rows:
        yield from _pair(label, value)


def _pair(label: LexborNode, value: LexborNode) -> Iterator[tuple[str, str]]:
    name, text = text_of(label).rstrip(" :："), text_of(value)
    if 1 < len(name) <= MAX_NAME and 0 < len(text) <= MAX_VALUE and any(map(str.isalpha, name)):
        yield name, text


def _is_of_others(node: LexborNode) -> bool:
    return any(
        above.tag in _OTHER_TAGS or words_of(names_of(above)) & _OTHER
        for above in ancestors(node)
        if above.tag not in ("body", "html")
    )


def _description(tree: LexborHTMLParser) -> str:
    """The text below a heading that says so, else what is called the description in its own element."""
    for heading in tree.css(_HEADINGS):
        if text_of(heading).casefold().rstrip(" :") in product_labels("description") and not _is_of_others(heading):
            text = _joined(_after(heading)) or _joined(_after(heading.parent))
            if len(text) >= MIN_DESCRIPTION:
                return text
    for node in tree.css('[itemprop="description"], #description, .product-description, .product__description')[:5]:
        text = text_of(node) if node.tag != "meta" and not _is_of_others(node) else ""
        if len(text) >= MIN_DESCRIPTION:
            return text[:MAX_DESCRIPTION]
    return ""


def _after(heading: LexborNode | None) -> Iterator[str]:
    node = heading.next if heading is not None and heading.tag not in ("body", "main", "html") else None
    while node is not None and node.tag not in _END:
        if node.tag != "-text" or not (node.text_content or "").isspace():
            yield text_of(node)
        node = node.next


def _joined(texts: Iterable[str]) -> str:
    return "\n".join(text for text in islice(texts, MAX_PARAGRAPHS) if text)[:MAX_DESCRIPTION]


def _add_rating(values: Values, tree: LexborHTMLParser) -> None:
    """The first one between the heading and the next; ratings of single reviews and of other products stand below."""
    for node in islice(_near_heading(tree), MAX_RATINGS):
        if read := _read_rating(node):
            place = f"{node.tag}.{names_of(node)[:40]}"
            values["rating"] = [Value(read[0], Strategy.DOM, place)]
            values["rating_best"] = [Value(read[1], Strategy.DOM, place)]
            around = node.parent.text(separator=" ")[:MAX_AROUND] if node.parent is not None else ""
            counted = _REVIEWS.search(_OUT_OF.sub(" ", around))
            if counted and "review_count" not in values:
                values["review_count"] = [Value(counted[1], Strategy.DOM, place)]
            return


def _near_heading(tree: LexborHTMLParser) -> Iterator[LexborNode]:
    headings = tree.css("h1")
    if len(headings) != 1:
        return
    inside = _block_of(headings[0])
    stop = False
    if inside is None:
        return
    wanted = {node.mem_id for node in inside.css(_RATING)}
    below = False
    for node in inside.traverse():
        if node.mem_id == headings[0].mem_id:
            below = True
        stop = stop or (below and node.tag in ("h2", "h3"))
        if stop:
            return
        if below and node.mem_id in wanted and not _is_card(node):
            yield node


def _block_of(heading: LexborNode) -> LexborNode | None:
    """Three levels around the heading: where a shop shows price and rating."""
    around = [above for above in ancestors(heading, 4)[1:] if above.tag not in ("body", "html")]
    return around[-1] if around else None


def _is_card(node: LexborNode) -> bool:
    return any(
        above.tag in ("nav", "footer", "li") or words_of(names_of(above)) & {"related", "similar", "reviews"}
        for above in ancestors(node, 5)
        if above.tag not in ("body", "html")
    )


def _read_rating(node: LexborNode) -> tuple[str, str] | None:
    """(rating, the best there is): as a fraction, as stars that are filled, or as a word for their number."""
    own = node.attributes
    for text in (own.get("aria-label") or "", own.get("title") or "", text_of(node)[:80]):
        if found := _OUT_OF.search(text):
            return found[1].replace(",", "."), found[2]
    shown = text_of(node).replace(" ", "")
    if _STARS.fullmatch(shown):
        filled = sum(shown.count(star) for star in "★⭐")
        return str(filled), str(len(shown))
    words = words_of(names_of(node))
    number = next((_WORDS[word] for word in sorted(words) if word in _WORDS), None)
    return (number, str(BEST)) if number and words & {"star", "stars"} else None
