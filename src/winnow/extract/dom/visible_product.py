"""Reads name, price and stock as a customer sees them on the page."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

from winnow.extract.dom.area import Area, is_name, text_of, without_spoken
from winnow.extract.dom.buttons import buying_buttons
from winnow.extract.dom.price import read_prices
from winnow.extract.dom.related import exclude_related
from winnow.extract.dom.stock import read_buyable, read_stock, read_stock_contradiction, state_sold_out
from winnow.extract.draft import Strategy, Value
from winnow.extract.page_currency import read_page_currency
from winnow.extract.page_facts import PageFacts, page_key
from winnow.extract.structured.main_item import name_overlap
from winnow.extract.structured.schema_draft import Findings
from winnow.extract.structured.schema_price import Values

MAX_TITLE = 512


def _name(area: Area) -> str:
    """As the page's own title spells it; else with a gap between the parts of the heading (brand, name)."""
    if area.heading is None:
        return _name_from_title(area)
    joined = without_spoken(text_of(area.heading), area.heading)
    if any(joined in title for title in area.facts.titles[:1]):
        return joined
    return without_spoken(area.spaced(area.heading), area.heading)


def _name_from_title(area: Area) -> str:
    """The page's title without the name of the shop, for a page that can be bought from and has no heading. Home pages
    have no heading either."""
    paths = [key[1] for url in area.facts.urls if (key := page_key(url))]
    if not area.facts.titles or not any(paths) or not buying_buttons(area):
        return ""
    parts = _TITLE_PARTS.split(area.facts.titles[0])
    name = " ".join((parts[0] if len(parts) == 2 else area.facts.titles[0]).split())
    return name if is_name(name) and _is_about_page(name, area, paths) else ""


def _is_about_page(name: str, area: Area, paths: list[str]) -> bool:
    """The page repeats the name outside of its header, or in its address or a picture: a title that only names the shop
    is on every page of it."""
    wanted = name.casefold()
    if any(wanted in line.text.casefold() and area.is_own(line.node) for line in area.walk.lines):
        return True
    pictures = [img.attributes.get("alt") or "" for img in area.tree.css("img[alt]")[:60] if area.is_own(img)]
    return any(name_overlap(text, name)[0] >= 0.5 for text in [*pictures, *paths] if text)


_TITLE_PARTS = re.compile(r"\s+[|–—·•:»]\s+|\s+-\s+|\s*\|\s*")
_FREE = re.compile(
    r"free(?:[ -]to[ -]play)?|play (?:now )?(?:for )?free|kostenlos(?: spielbar)?|gratuit|gratis|gratuito|"
    r"бесплатно|無料",
    re.IGNORECASE,
)


def _is_zero(price: Value) -> bool:
    return not price.raw.strip("0.,")


def _is_free(area: Area) -> bool:
    return any(_FREE.fullmatch(line.text.strip()) and area.is_own(line.node) for line in area.walk.lines)


def open_area(tree: LexborHTMLParser, facts: PageFacts) -> Area:
    """The part of the page about its own product."""
    area = Area(tree, facts)
    exclude_related(area)
    return area


def _read_contradiction(area: Area, stated: list[Value]) -> list[Value]:
    return read_buyable(area) if state_sold_out(stated) else read_stock_contradiction(area)


def read_dom(area: Area, known: Values) -> Findings:
    """What `known` lacks, and always the price to be compared."""
    values = read_prices(area)
    if "price" in known and any(_is_zero(price) for price in known["price"]) and _is_free(area):
        values.pop("price_main", None)  # what costs nothing: the price shown is that of something besides
    stock = _read_contradiction(area, known["availability"]) if "availability" in known else read_stock(area)
    if stock:
        values["availability_seen" if "availability" in known else "availability"] = stock
    priced = bool(values) or "price" in known
    if (
        priced
        and not any(price.currency for price in known.get("price", []))
        and (currency := read_page_currency(area.tree))
    ):
        values["currency"] = currency
    if not values:
        return Findings({}, "neither price nor stock to be seen")
    name = _name(area)[:MAX_TITLE]
    if name:
        values["title"] = [Value(name, Strategy.DOM, "h1")]
    return Findings(values)
