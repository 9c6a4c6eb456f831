"""Decides the type of a page: one product, a list of products, an article, or another. Only a product page has an
offer.

The fast path answers "one product" or nothing, from the types of the data it has decoded anyway (`may_be_other_type`).
Every sign of another type sends the page to the DOM, where `decide_page_type` weighs data, buttons and text.
"""

from __future__ import annotations

import re
from enum import StrEnum
from urllib.parse import unquote, urlsplit

import msgspec
from selectolax.lexbor import LexborNode

from winnow.extract.dom.area import Area, ancestors, text_of
from winnow.extract.dom.buttons import buying_buttons, cart_button, is_cart_button, label
from winnow.extract.dom.money_elements import PRICE_WORDS
from winnow.extract.dom.plain_summary import has_plain_summary
from winnow.extract.dom.signs import SIGNS, amount_in
from winnow.extract.dom.stock_words import TICKET_LABELS
from winnow.extract.draft import Strategy, Value
from winnow.extract.linked_products import linked_products
from winnow.extract.page_facts import og_url, page_key
from winnow.extract.structured.schema_price import Values
from winnow.vocabulary.shop_paths import segments

_ARTICLE_NAMES = """
    article newsarticle blogposting reportagenewsarticle opinionnewsarticle analysisnewsarticle liveblogposting
    reviewnewsarticle techarticle scholarlyarticle report advertisercontentarticle socialmediaposting
    discussionforumposting question qapage recipe howto howtostep
"""
ARTICLE_TYPES = frozenset(_ARTICLE_NAMES.split())
_OTHER_NAMES = """
    event musicevent sportsevent theaterevent festival screeningevent educationevent comedyevent danceevent
    businessevent exhibitionevent socialevent jobposting profilepage contactpage aboutpage checkoutpage course hotel
    restaurant realestatelisting
"""
OTHER_TYPES = frozenset(_OTHER_NAMES.split())
LISTING_TYPES = frozenset(["collectionpage", "searchresultspage", "offercatalog"])
_NOT_ONE_PRODUCT = ARTICLE_TYPES | OTHER_TYPES | LISTING_TYPES
_REVIEWS = re.compile(
    r"^(?:all |customer |product |user )*reviews?(?: of| for|:|$)|"
    r"^kundenrezensionen|^(?:kunden)?bewertungen (?:zu|für)|"
    r"^(?:avis (?:clients?|sur)|opiniones de|recensioni (?:di|clienti)|beoordelingen (?:van|voor))",
    re.IGNORECASE,
)
_REVIEWS_PATH = re.compile(r"/(?:product-|customer-)?reviews?(?:/|$)", re.IGNORECASE)
_ARTICLE_MARKS = 'time[datetime], [rel="author"], [itemprop="author"], [class*="byline" i], [itemprop="datePublished"]'
MIN_PROSE = 1_200  # characters in paragraphs around the heading: about a screen of text
MIN_LISTED = 3  # products in a list; one or two beside a product are accessories
_SCHEMA = (Strategy.JSON_LD, Strategy.MICRODATA)


class PageType(StrEnum):
    PRODUCT = "product"
    LISTING = "listing"
    ARTICLE = "article"
    OTHER = "other"


class TypeSigns(msgspec.Struct, frozen=True):
    """What the structured data say about the page as a whole: the types of its top-level items, how many products
    stand in lists only, and what OpenGraph calls the page."""

    types: frozenset[str] = frozenset()
    listed: int = 0
    og_type: str = ""

    def add(self, types: frozenset[str], listed: int) -> TypeSigns:
        return TypeSigns(self.types | types, max(self.listed, listed), self.og_type)


class Decided(msgspec.Struct, frozen=True):
    """The page type and the sign that decided it."""

    type: PageType
    sign: str = ""


ONE_PRODUCT = Decided(PageType.PRODUCT)


def may_be_other_type(types: frozenset[str]) -> bool:
    """Whether decoded data name a type besides the product that only the DOM can weigh."""
    return not types.isdisjoint(_NOT_ONE_PRODUCT)


def decide_page_type(area: Area, values: Values, signs: TypeSigns) -> Decided:
    if _is_about_reviews(area):
        return Decided(PageType.OTHER, "a page of reviews")
    if _has_own_product(values):
        return _with_product(area, signs)
    return _without_product(area, values, signs)


def _with_product(area: Area, signs: TypeSigns) -> Decided:
    """Data describe one product. Beside an article they are its subject, unless it can be bought here."""
    named = signs.types & (ARTICLE_TYPES | OTHER_TYPES)
    if named and not _can_be_bought(area):
        return Decided(PageType.ARTICLE, f"the data describe a {min(named)} too, and there is no cart button")
    if signs.og_type == "article" and not _can_be_bought(area):
        return Decided(PageType.ARTICLE, "og:type is article, and there is no cart button")
    return ONE_PRODUCT


def _without_product(area: Area, values: Values, signs: TypeSigns) -> Decided:
    """Only the page itself shows a price, or meta tags that article systems fill in as well."""
    if named := signs.types & ARTICLE_TYPES:
        return Decided(PageType.ARTICLE, f"the data describe a {min(named)}")
    if named := signs.types & OTHER_TYPES:
        return Decided(PageType.OTHER, f"the data describe a {min(named)}")
    if signs.types & LISTING_TYPES and not _can_be_bought(area):
        return Decided(PageType.LISTING, "the data describe a collection")
    if signs.listed >= MIN_LISTED and not _can_be_bought(area):
        return Decided(PageType.LISTING, f"{signs.listed} products in a list, and no cart button for one of its own")
    if name := listing_body(area):
        return Decided(PageType.LISTING, f"the shop system calls the page {name}")
    if area.tree.css_first(LIST_CONTROLS) is not None:
        return Decided(PageType.LISTING, "a list that can be sorted")
    if sign := page_of_the_shop(area):
        return Decided(PageType.OTHER, sign)
    if _has_several_to_buy(area):
        return Decided(PageType.LISTING, "several things to buy, each with its own price and button")
    if _sells_tickets(area):
        return Decided(PageType.OTHER, "what the buttons sell is tickets")
    if is_prose(area):
        return Decided(PageType.ARTICLE, "a text with author or date")
    if _is_only_mentioned(area, values):
        if linked := linked_products(area):
            return Decided(PageType.LISTING, f"links to {linked} products")
        return Decided(PageType.OTHER, "an amount and a stock word in a text, nothing to buy")
    return ONE_PRODUCT


def _has_own_product(values: Values) -> bool:
    """A product item of schema.org or of the page's state; OpenGraph's product tags alone are not one."""
    titles = values.get("title", [])
    return any(_is_item(title) for title in titles[:1])


def _is_item(value: Value) -> bool:
    if value.strategy is Strategy.HYDRATION:
        return True
    return value.strategy in _SCHEMA and not value.path.startswith("meta[")


def _can_be_bought(area: Area) -> bool:
    return any(is_cart_button(node) for node in buying_buttons(area))


def _is_about_reviews(area: Area) -> bool:
    titles = area.facts.titles[:2]
    paths = (unquote(urlsplit(url).path) for url in area.facts.urls)
    return any(map(_REVIEWS.search, titles)) or any(map(_REVIEWS_PATH.search, paths))


# Classes that shop systems give the body of a category, a search or the whole shop.
_LISTING_BODY = re.compile(
    r"(?<![^\s])(?:post-type-archive-product|tax-product_(?:cat|tag)|woocommerce-shop|catalog-category-view|"
    r"catalogsearch-(?:result|advanced)-\w+|template-(?:collection|list-collections|search))(?![^\s])"
)


def listing_body(area: Area) -> str:
    return _named_body(area, _LISTING_BODY)


def _named_body(area: Area, names: re.Pattern[str]) -> str:
    """Which of the names the body has."""
    classes = (area.tree.body.attributes.get("class") or "") if area.tree.body is not None else ""
    found = names.search(classes)
    return found[0] if found else ""


# What shop systems put above a list of products, and nowhere else.
LIST_CONTROLS = (
    ".woocommerce-ordering, .woocommerce-result-count, .toolbar-sorter, select#sorter, .toolbar-amount, "
    '.products-sort-order, #js-product-list-top, select#input-sort, select#SortBy, select[name="sort_by"], '
    "facet-filters-form"
)
# Classes (and ids) that shop systems give the body of their home page, of the cart and of a visitor's account.
_SHOP_BODY = re.compile(
    r"(?<![^\s])(?:home|template-index|cms-home|cms-index-index|common-home|woocommerce-(?:cart|checkout|account)|"
    r"checkout-cart(?:-index)?|checkout-index-index|template-(?:cart|page|blog|article|page-\w+)|page-template-home)"
    r"(?![^\s])"
)


def page_of_the_shop(area: Area) -> str:
    """Its home page, its cart, a text about it: by what the system calls it, or by the address the page states."""
    if name := _named_body(area, _SHOP_BODY):
        return f"the shop system calls the page {name}"
    stated = [*area.facts.urls[1:], og_url(area.tree)]
    path = next((key[1] for url in stated if url and (key := page_key(url)) and key[0]), None)
    if path == "":
        return "the page calls the home page its own address"
    named = [segment for segment in (path or "").lower().split("/") if segment]
    if any(segment in segments("product") for segment in named[:-1]):
        return ""
    return f"its address is one of the shop's: {path}" if _NO_PRODUCT.intersection(named) else ""


_NO_PRODUCT = frozenset(["pages", "blogs", "blog", "cart", "checkout", "basket", "warenkorb", "panier", "carrito"])
_BOX_LEVELS = 16  # from a cart button up to the row it stands in; page builders wrap everything many times
MAX_BOX_BUTTONS = 40
MAX_BOX = 2_000  # characters of one thing in a row of several


def _has_several_to_buy(area: Area) -> bool:
    """The cart button stands in a row of three or more alike boxes, each with a button and a price: services, tickets,
    a shelf. (A second button of one product stands beside the same price.)"""
    button = cart_button(area)
    for above in ancestors(button, _BOX_LEVELS):
        if above.mem_id in area.spine or above.tag == "body" or above.parent is None:
            return False
        amounts = [_own_amount(box, area) for box in above.parent.iter() if _kind(box) == _kind(above)]
        if len(amounts) >= MIN_LISTED and sum(map(bool, amounts)) >= MIN_LISTED and len(set(amounts) - {""}) > 1:
            return True
    return False


def _sells_tickets(area: Area) -> bool:
    """Every button of buying speaks of tickets: the page is about an event."""
    found = [text for node in buying_buttons(area) if is_cart_button(node) and (text := label(node))]
    return bool(found) and all(map(TICKET_LABELS.search, found))


def _kind(node: LexborNode) -> str:
    return f"{node.tag}.{(node.attributes.get('class') or '').partition(' ')[0]}"


def _own_amount(box: LexborNode, area: Area) -> str:
    """The first amount of money in something that can be bought; "" where it cannot, costs nothing, or is a card of
    another product."""
    text = text_of(box)
    if len(text) > MAX_BOX or SIGNS.search(text) is None:
        return ""
    buttons = box.css("button, a, input")[:MAX_BOX_BUTTONS]
    if not any(is_cart_button(node) and area.is_own(node) for node in buttons):
        return ""
    found = amount_in(text)
    return found[0] if found else ""


def is_prose(area: Area) -> bool:
    """A long text with author or date around the heading, in a page that no shop system has made."""
    if area.heading is None or area.shop is not None:
        return False
    around = next((above for above in ancestors(area.heading) if above.tag in ("article", "main")), None)
    if around is None or around.css_first(_ARTICLE_MARKS) is None:
        return False
    return sum(len(text_of(p)) for p in around.css("p")[:200]) >= MIN_PROSE


def _is_only_mentioned(area: Area, values: Values) -> bool:
    """No button of buying, and the price stands in a sentence."""
    if buying_buttons(area) or not all(map(_is_text, values.get("availability", []))):
        return False
    price = next(iter(values.get("price_main") or values.get("price_shown") or []), None)
    if price is not None and SIGNS.search(price.raw) is not None and not _in_sentence(price):
        return False
    return not has_plain_summary(area)


_INLINE = frozenset(["strong", "b", "em", "i", "u", "code", "mark", "font", "span", "a", "small"])
_HEADLINES = ("h2.", "h3.", "h4.", "h5.", "h6.")


def _is_text(stock: Value) -> bool:
    """A line of a text, or its headline ("Availability & Inventory"), and no line of a shop."""
    return stock.path.endswith("(text)") or stock.path.startswith(_HEADLINES)


def _in_sentence(price: Value) -> bool:
    """In a paragraph or cell that is not called a price."""
    element = price.path.rpartition(" > ")[2]
    block, _, inner = price.path.rpartition(" > ")
    if inner in _INLINE:
        element = block.rpartition(" > ")[2]
    return element.partition(".")[0] in ("p", "li", "td", "dd") and PRICE_WORDS.search(price.path) is None
