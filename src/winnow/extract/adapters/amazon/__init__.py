"""Amazon's shops (C-057): the page of one product, in whatever language the shop speaks.

The page of a product is the same everywhere: `#productTitle`, a price block, `#availability`, the trail above and
tables of details below. The price is that of the offer in the buy box; where there is none, the product is kept without
one.
Like every adapter made for a site it goes live when its terms were read and approved (P-103), and robots.txt decides
about each path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from winnow.extract.adapter import Context
from winnow.extract.adapters.missing_price import classify_missing_price
from winnow.extract.adapters.rules import read_fields, rules_of, text_of
from winnow.extract.draft import Draft, Extracted, Extraction, Failure, Reason, Strategy, Value
from winnow.extract.limits import MAX_BODY, too_deep
from winnow.extract.page import Page
from winnow.extract.page_facts import facts_from_dom
from winnow.extract.refusal import refusal

DOMAINS = (
    "amazon.com", "amazon.co.uk", "amazon.de", "amazon.fr", "amazon.it", "amazon.es", "amazon.nl", "amazon.com.be",
    "amazon.se", "amazon.pl", "amazon.ie", "amazon.com.tr", "amazon.ae", "amazon.sa", "amazon.eg", "amazon.co.za",
    "amazon.in", "amazon.co.jp", "amazon.sg", "amazon.com.au", "amazon.ca", "amazon.com.mx", "amazon.com.br",
)  # fmt: skip
TITLE = "#productTitle"
_BOX = "#corePriceDisplay_desktop_feature_div, #corePrice_desktop, #corePrice_feature_div, #apex_desktop"
# What a screen reader is told begins with the price: "$29.99 with 20 percent savings".
_SPOKEN_PRICE = r"^\D{0,6}\d[\d.,\s]*(?:€|£|kr|zł|TL)?"
# In older layouts `#price` is a table of list price, price and saving, which is no price itself.
_ONLY_PRICE = r"^\D{0,6}\d[\d.,\s]*\D{0,5}$"
# A book for Kindle says nothing about stock; what can be bought with one click is there.
_BUTTONS = {"one-click-button": "InStock", "add-to-cart-button": "InStock"}
FIELDS = rules_of(
    {
        "title": TITLE,
        "price": [
            f":is({_BOX}) .priceToPay .a-offscreen",
            f":is({_BOX}) .a-price:not(.a-text-price) .a-offscreen",
            {"css": f":is({_BOX}) .apex-pricetopay-accessibility-label", "pattern": _SPOKEN_PRICE},
            "#priceblock_dealprice, #priceblock_saleprice, #priceblock_ourprice",
            "#price_inside_buybox, #newBuyBoxPrice, #kindle-price",
            {"css": "#price", "pattern": _ONLY_PRICE},
        ],
        "list_price": [f":is({_BOX}) .basisPrice .a-offscreen", f":is({_BOX}) .a-price.a-text-price .a-offscreen"],
        "availability": [
            "#availability span",
            "#availability",
            "#outOfStock .a-color-price",
            {"css": "#one-click-button, #add-to-cart-button", "attribute": "id", "map": _BUTTONS},
        ],
        "product_id": [
            {"css": "input#ASIN, input[name=ASIN]", "attribute": "value", "pattern": "^[A-Z0-9]{10}$"},
            {"css": "#averageCustomerReviews, #dp-container", "attribute": "data-asin", "pattern": "^[A-Z0-9]{10}$"},
            {"css": "link[rel=canonical]", "attribute": "href", "pattern": "/dp/([A-Z0-9]{10})(?:[/?]|$)"},
        ],
        "brand": [
            ".po-brand .po-break-word",
            {"css": "#bylineInfo", "pattern": r"^[^:]{2,20}: ?(.+)$"},
            {"css": "#bylineInfo", "pattern": r"^Visit the (.+) Store$"},
            {"css": "#bylineInfo", "pattern": r"^Besuche den (.+)-Store$"},
            {"css": "#bylineInfo", "pattern": r"^Visiter la boutique (.+)$"},
            {"css": "#bylineInfo", "pattern": r"^Visita (?:lo Store di|la tienda de) (.+)$"},
            {"css": "#bylineInfo", "pattern": r"^(?:De|Bezoek de) (.+)-(?:store|winkel)(?: bezoeken)?$"},
        ],
        "rating": [
            {"css": "#acrPopover", "attribute": "title", "pattern": r"うち ?(\d(?:[.,]\d)?)"},
            {"css": "#acrPopover", "attribute": "title", "pattern": r"^\D*(\d(?:[.,]\d)?)\D+5"},
        ],
        "review_count": "#acrCustomerReviewText",
        "description": ["#productDescription", "#feature-bullets"],
        "category": "#wayfinding-breadcrumbs_feature_div li:last-child a",
    },
    "amazon",
)
_TRAIL = "#wayfinding-breadcrumbs_feature_div a"
_TABLES = "#productOverview_feature_div tr, [id^=productDetails_] tr"
_BULLETS = "#detailBullets_feature_div li"
_MARKS = re.compile("[\u200e\u200f\u061c]")  # direction marks stand around the names of details
_CODES = re.compile(r"(?:EAN|GTIN|UPC|ISBN-13|ISBN-10)\b", re.IGNORECASE)
_HI_RES = re.compile(r'"(?:hiRes|large)"\s*:\s*"(https://[^"\\]+)"[^{}]*?"variant"\s*:\s*"(\w+)"')
_SIZE = re.compile(r"\._[A-Z0-9,_]+_(?=\.\w+$)")  # what asks for a smaller picture of the same name
MAX_IMAGES, MAX_ATTRIBUTES = 30, 60


class Amazon:
    id = "amazon"
    version = "1.1.0"
    domain = DOMAINS[0]
    domains = DOMAINS
    kind = "product"
    needs_browser = False
    currency = None
    home = Path(__file__).parent

    def fast(self, page: Page, ctx: Context) -> Extraction | None:
        return None  # selectors need a DOM

    def extract(self, page: Page, ctx: Context) -> Extraction:
        if not page.body or page.body.isspace():
            return Failure(Reason.EMPTY_PAGE, "the body is empty")
        if len(page.body) > MAX_BODY or too_deep(page.body):
            return Failure(Reason.PAGE_STRUCTURE_CHANGED, "limit: too large or too deeply nested to be read")
        tree = LexborHTMLParser(page.body if page.is_utf8 else page.text())
        _drop_used_offers(tree)
        if tree.css_first(TITLE) is None:
            return _refused(tree, page)
        return classify_missing_price(Extracted([_draft(tree, page)], Strategy.ADAPTER), ctx)


def _drop_used_offers(tree: LexborHTMLParser) -> None:
    """Where the box of buying has a new copy and a used one, the price is that of the new one."""
    if tree.css_first('[id^="newAccordionRow"]') is not None:
        for used in tree.css('[id*="usedAccordionRow"]'):
            used.decompose()


def _refused(tree: LexborHTMLParser, page: Page) -> Failure:
    if tree.css_first("form[action*='validateCaptcha']") is not None:
        return Failure(Reason.BLOCKED_PAGE, "captcha: validateCaptcha")
    reason, details = refusal(tree, facts_from_dom(page, tree), has_title=False)
    if reason in (Reason.BLOCKED_PAGE, Reason.EMPTY_PAGE):
        return Failure(reason, details)
    return Failure(Reason.PAGE_STRUCTURE_CHANGED, f"{TITLE} is not on the page")


def _draft(tree: LexborHTMLParser, page: Page) -> Draft:
    values = {name: found[:1] for name, found in read_fields(tree, FIELDS).items()}
    if "rating" in values:
        values["rating_best"] = [Value("5", Strategy.ADAPTER, "#acrPopover")]
    if trail := [Value(text_of(a), Strategy.ADAPTER, _TRAIL) for a in tree.css(_TRAIL)[:12] if text_of(a)]:
        values["breadcrumb"] = trail
    if images := [Value(url, Strategy.ADAPTER, place) for url, place in _images(tree, page)][:MAX_IMAGES]:
        values["image"] = images
        if alt := _alt(tree):
            values["image_alt"] = [Value(alt, Strategy.ADAPTER, images[0].path)]
    for name, value in list(_details(tree))[:MAX_ATTRIBUTES]:
        field = "gtin" if _CODES.match(name) else f"attribute.{name[:80]}"
        values.setdefault(field, []).append(Value(value, Strategy.ADAPTER, name[:80]))
    return Draft("product", values)


def _images(tree: LexborHTMLParser, page: Page) -> Iterator[tuple[str, str]]:
    """The gallery as its script lists it, the main picture first; else what the page shows."""
    found = {url: variant for url, variant in _HI_RES.findall(page.text())}
    yield from ((url, f"colorImages[{n}]") for n, url in enumerate(sorted(found, key=lambda u: found[u] != "MAIN")))
    if found:
        return
    for n, node in enumerate(tree.css("#landingImage, #imgBlkFront, #altImages li.item img")[:MAX_IMAGES]):
        yield _largest(node), f"#altImages img[{n}]" if n else "#landingImage"


def _largest(node: LexborNode) -> str:
    sizes = node.attributes.get("data-a-dynamic-image") or ""
    try:
        known = msgspec.json.decode(sizes, type=dict[str, list[int]]) if sizes else {}
    except msgspec.DecodeError:
        known = {}
    if known:
        return _SIZE.sub("", max(known, key=lambda url: sum(known[url])))
    return _SIZE.sub("", node.attributes.get("data-old-hires") or node.attributes.get("src") or "")


def _alt(tree: LexborHTMLParser) -> str:
    node = tree.css_first("#landingImage, #imgBlkFront")
    return "" if node is None else (node.attributes.get("alt") or "").strip()


def _details(tree: LexborHTMLParser) -> Iterator[tuple[str, str]]:
    """Names and values of the tables and lists of details."""
    for row in tree.css(_TABLES)[:MAX_ATTRIBUTES]:
        cells = [_clean(text_of(cell)) for cell in row.css("th, td")[:2]]
        if len(cells) == 2 and all(cells):
            yield cells[0], cells[1][:500]
    for item in tree.css(_BULLETS)[:MAX_ATTRIBUTES]:
        name, colon, value = _clean(text_of(item)).partition(":")
        if colon and name.strip() and value.strip() and len(name) < 60:
            yield name.strip(), value.strip()[:500]


def _clean(text: str) -> str:
    return " ".join(_MARKS.sub("", text).split())
