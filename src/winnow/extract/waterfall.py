"""The generic extractor: every strategy in the order it is trusted, until the page has been read.

A later strategy fills what the earlier ones left out, and its price stands beside theirs: agreement makes the price
surer, disagreement is settled or held by `normalise/`. What a customer sees (`dom`) is always looked at when there is a
DOM. `fast` answers from the bytes alone; `waterfall` does everything and gives the same answer where `fast` gives one.
"""

from __future__ import annotations

from collections.abc import Callable

from selectolax.lexbor import LexborHTMLParser

from winnow.extract.dom.area import Area
from winnow.extract.dom.stock import state_sold_out
from winnow.extract.dom.visible_product import open_area, read_dom
from winnow.extract.draft import Attempt, Draft, Extracted, Extraction, Failure, Reason, Strategy, Value
from winnow.extract.fast.visible_price import find_visible_price
from winnow.extract.fast.visible_stock import may_be_bought, may_contradict_stock
from winnow.extract.limits import MAX_BODY, too_deep
from winnow.extract.page import Page
from winnow.extract.page_facts import PageFacts, facts_from_bytes, facts_from_dom, og_type
from winnow.extract.page_type import PageType, TypeSigns, decide_page_type, may_be_other_type
from winnow.extract.page_without_offer import type_without_offer
from winnow.extract.product_evidence import shows_product
from winnow.extract.refusal import find_not_found_phrase, refusal
from winnow.extract.state.hydration import read_hydration
from winnow.extract.state.script_events import read_script_events
from winnow.extract.structured.json_ld import read_json_ld, read_json_ld_fast
from winnow.extract.structured.main_item import NO_PRODUCT, name_overlap
from winnow.extract.structured.meta_tags import read_meta
from winnow.extract.structured.microdata import read_microdata
from winnow.extract.structured.microdata_scan import read_microdata_fast
from winnow.extract.structured.rdfa import read_rdfa
from winnow.extract.structured.schema_draft import Findings
from winnow.extract.structured.schema_price import Values

Reader = Callable[[LexborHTMLParser, PageFacts], Findings]

# Hydration is the first in trust of DESIGN §6, but also the most expensive to read and the least plainly named: it is
# asked when the data made for machines to read has left something open.
_STRATEGIES: tuple[tuple[Strategy, str, Reader], ...] = (
    (Strategy.JSON_LD, "json_ld", read_json_ld),
    (Strategy.MICRODATA, "microdata", read_microdata),
    (Strategy.MICRODATA, "rdfa", read_rdfa),
    (Strategy.HYDRATION, "hydration", read_hydration),
    (Strategy.MICRODATA, "meta", read_meta),
)
_UNLESS_COMPLETE = frozenset(["rdfa", "hydration"])
# The visible page is read in addition to every other strategy.
_SIGHTS = frozenset(
    [
        "price_main",
        "price_shown",
        "price_firm",
        "price_seen",
        "price_struck",
        "price_net",
        "price_gross",
        "price_range",
        "price_member",
    ]
)
CATALOGUE = "product"  # the kind of draft that needs no price
_DATA = frozenset([Strategy.JSON_LD, Strategy.MICRODATA, Strategy.HYDRATION])
_SAME_TITLE = 0.5  # half of the words: two descriptions of one product, not of two


def fast(page: Page, kind: str) -> Extraction | None:
    """Only when one clean, complete product is in the JSON-LD (or, where that has none, in the microdata) and the bytes
    show no other price for it; otherwise None: run `waterfall`."""
    if len(page.body) > MAX_BODY:
        return None
    facts = facts_from_bytes(page)
    strategy, found = Strategy.JSON_LD, read_json_ld_fast(page, facts)
    if found is not None and found.note == NO_PRODUCT:
        strategy, found = Strategy.MICRODATA, read_microdata_fast(page, facts)
    if found is None or may_be_other_type(found.types):
        return None
    if not is_complete(found.values) or _disagree(found.values["price"]):
        return None
    price = found.values["price"][0]
    shown = None if is_zero(price) else find_visible_price(page, price)
    if shown is None or _may_contradict(page, found.values["availability"], facts.lang, shown):
        return None
    trace = [Attempt(strategy, 1, found.note)]
    return Extracted([_draft(kind, found.values, facts)], strategy, trace)


def waterfall(page: Page, kind: str) -> Extraction:
    if not page.body or page.body.isspace():
        return Failure(Reason.EMPTY_PAGE, "the body is empty")
    return fast(page, kind) or _slow(page, kind)


def _slow(page: Page, kind: str) -> Extraction:
    if len(page.body) > MAX_BODY or too_deep(page.body):
        return Failure(Reason.PAGE_STRUCTURE_CHANGED, "limit: too large or too deeply nested to be read")
    return _from_dom(page, kind)


def _from_dom(page: Page, kind: str) -> Extraction:
    tree = LexborHTMLParser(page.body if page.is_utf8 else page.text())
    for sheet in tree.css("body style"):  # style sheets in headings and stock lines are no text
        sheet.decompose()
    facts = facts_from_dom(page, tree)
    values: Values = {}
    trace: list[Attempt] = []
    signs = TypeSigns(og_type=og_type(tree))
    for strategy, name, reader in _STRATEGIES:
        if name in _UNLESS_COMPLETE and is_complete(values):
            continue
        found = reader(tree, facts)
        signs = signs.add(found.types, found.listed)
        trace.append(Attempt(strategy, int("title" in found.values), f"{name}: {found.note}" if found.note else name))
        values = _filled(values, found.values)
    if not any(field.startswith("price") for field in values):
        pushed = read_script_events(tree, facts)
        trace.append(
            Attempt(
                Strategy.HYDRATION, int("title" in pushed.values), f"script: {pushed.note}" if pushed.note else "script"
            )
        )
        values = _filled(values, pushed.values)
    area = open_area(tree, facts)
    seen = read_dom(area, values)
    trace.append(Attempt(Strategy.DOM, int("title" in seen.values), f"dom: {seen.note}" if seen.note else "dom"))
    values = _filled(values, seen.values)
    if _has_offer(values) or _is_described(kind, values):
        decided = decide_page_type(area, values, signs)
        if decided.type is not PageType.PRODUCT:
            details = f"page type: {decided.type} ({decided.sign})"
            return Failure(Reason.PRICE_NOT_FOUND, details, trace)
        if kind == CATALOGUE and not shows_product(area, values, page.url):
            return Failure(Reason.PRICE_NOT_FOUND, "page type: other (a single sign of a product)", trace)
    return _conclude(kind, values, facts, trace, area, signs)


def _is_described(kind: str, values: Values) -> bool:
    """A product of the catalogue needs no price: data that describe one by name are enough (C-031)."""
    titles = values.get("title", [])
    return kind == CATALOGUE and bool(titles) and titles[0].strategy in _DATA


def _has_offer(values: Values) -> bool:
    return any(field.startswith("price") or field == "availability" for field in values)


def _conclude(
    kind: str, values: Values, facts: PageFacts, trace: list[Attempt], area: Area, signs: TypeSigns
) -> Extraction:
    if "price_rival" in values and facts.titles and "title" not in values:
        values = {"title": [Value(facts.titles[0], Strategy.DOM, "title")], **values}
    if _has_offer(values) or _is_described(kind, values):
        if not values.get("title"):
            return Failure(Reason.TITLE_NOT_FOUND, "a product without a name", trace)
        if values["title"][0].strategy is Strategy.DOM and (phrase := find_not_found_phrase(facts)):
            return Failure(Reason.PRICE_NOT_FOUND, f"the page says: {phrase}", trace)
        return Extracted([_draft(kind, values, facts)], _winner(values), trace)
    reason, details = refusal(area.tree, facts, has_title=bool(values.get("title")))
    if reason is Reason.PRICE_NOT_FOUND:
        decided = type_without_offer(area, signs)
        details = f"page type: {decided.type} ({decided.sign})"
    return Failure(reason, details, trace)


def _draft(kind: str, values: Values, facts: PageFacts) -> Draft:
    lang = [Value(facts.lang, _winner(values), "html[lang]")] if facts.lang else []
    return Draft(kind, {**values, "lang": lang} if lang else values)


def _winner(values: Values) -> Strategy:
    """The strategy that gave the price, or else the title."""
    for field in (
        "price",
        "price_from",
        "price_rival",
        "price_main",
        "price_shown",
        "price_pushed",
        "title",
        "availability",
    ):
        if values.get(field):
            return values[field][0].strategy
    return Strategy.JSON_LD


def is_complete(values: Values) -> bool:
    prices = values.get("price", [])
    stated = all(price.currency for price in prices)
    return bool(prices and stated and values.get("title") and values.get("availability"))


def _may_contradict(page: Page, stated: list[Value], lang: str, price_at: int) -> bool:
    """Whether the page may show another stock than its data state."""
    if state_sold_out(stated):
        return may_be_bought(page, price_at)
    available = any("in" in value.raw.lower().replace("_", "").rpartition("/")[2][:2] for value in stated)
    return available and may_contradict_stock(page, lang, price_at)


def is_zero(price: Value) -> bool:
    return not price.raw.strip("0.,")


def _disagree(prices: list[Value]) -> bool:
    return len({(price.raw, price.currency) for price in prices}) > 1


def _filled(values: Values, more: Values) -> Values:
    """`values` with what it lacks from `more`, and the price of both, if both are about the same product. What the page
    shows is compared whatever it calls the product: data may name it in another language."""
    if not values or not more:
        return values or more
    if not _same_product(values, more):
        return {**values, **{f: v for f, v in more.items() if f in _SIGHTS and f not in values}}
    known = any(field in values for field in ("price", "price_rival"))
    taken = {
        f: v for f, v in more.items() if f not in values and (not known or not f.startswith("price") or f in _SIGHTS)
    }
    if "price" in values and "price" in more and "title" in more:
        taken["price"] = values["price"] + more["price"]
    if "availability" in values and "availability" in more:
        taken["availability"] = values["availability"] + more["availability"]
    return {**values, **taken}


def _same_product(values: Values, more: Values) -> bool:
    mine, theirs = values.get("title"), more.get("title")
    if not mine or not theirs:
        return True
    return max(name_overlap(mine[0].raw, theirs[0].raw)) >= _SAME_TITLE
