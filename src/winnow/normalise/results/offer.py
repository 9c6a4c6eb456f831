"""Draft -> Offer: every value read, chosen and traced back to where it stood on the page."""

from __future__ import annotations

import msgspec

from winnow.errors import UrlRefused
from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Strategy, Value
from winnow.extract.page_facts import absolute
from winnow.extract.target_choice import PROBLEM
from winnow.normalise.gtin import read_gtin
from winnow.normalise.identity import identify
from winnow.normalise.locales import country_currency, locale_of
from winnow.normalise.money.price_choice import Hints, PriceChoice, choose_price, read_price, stated_currency
from winnow.normalise.pack import with_pack
from winnow.normalise.record import Availability, Money, Offer, Problem, Trouble
from winnow.normalise.stock import mentions_sold_out, read_availability
from winnow.normalise.urls import canonical_url
from winnow.vocabulary.stock import PRESSABLE

MAX_TITLE = 512  # C-031
MAX_DESCRIPTION = 5_000
_PLACEHOLDERS = frozenset(["n/a", "na", "none", "null", "undefined", "-", "tbd", "0", "unknown", "default"])
# Confidence of a strategy by its distance from the visible page; two that agree count more than either.
CONFIDENCE = {
    Strategy.ADAPTER: 0.98,
    Strategy.HYDRATION: 0.95,
    Strategy.JSON_LD: 0.95,
    Strategy.MICRODATA: 0.93,
    Strategy.FEED: 0.9,
    Strategy.DOM: 0.75,
}
# If several variants or sellers differ, the offer is as available as the best of them.
_BEST_FIRST = (Availability.IN_STOCK, Availability.BACKORDER, Availability.OUT_OF_STOCK)


def normalise_offer(draft: Draft, ctx: Context, adapter_id: str, adapter_version: str) -> Offer:
    canonical = _canonical(ctx.url)
    hints = _hints(draft, ctx)
    price = _choice_problem(draft) or choose_price(draft, hints)
    sku, product_id = _identifier(draft, "sku"), _identifier(draft, "product_id")
    identity, passed_over = identify(product_id, sku, canonical or ctx.url)
    stock = _availability(draft)
    if ctx.assume_in_stock:
        stock = _assumed_stock(stock, draft)
    title = _text(draft, "title", MAX_TITLE)
    return Offer(
        url=ctx.url,
        canonical_url=canonical,
        observed_at=ctx.now,
        adapter_id=adapter_id,
        adapter_version=adapter_version,
        identity=identity,
        title=title,
        price=price.money,
        list_price=_list_price(draft, hints, price.money),
        shipping=_money(draft, "shipping", hints),
        availability=stock.availability,
        sku=sku,
        product_id=product_id,
        gtin=next((g for g in map(read_gtin, _raws(draft, "gtin")) if g), None),
        mpn=_identifier(draft, "mpn"),
        brand=_text(draft, "brand", 255),
        image_url=_image(draft, ctx.url),
        category=_text(draft, "category", 255),
        description=_text(draft, "description", MAX_DESCRIPTION),
        condition=_condition(draft),
        attributes=with_pack(_attributes(draft), title, price.money),
        provenance=_provenance(draft, price, hints, stock),
        notes=[*price.notes, *passed_over, *stock.notes],
        problems=_problems(price=price.problem, availability=stock.problem),
        confidence=_confidence(price, draft),
    )


def _choice_problem(draft: Draft) -> PriceChoice | None:
    """The problem of a target whose chosen variant or selector is not on its page: no other price may replace it."""
    problem = draft.first(PROBLEM)
    return None if problem is None else PriceChoice(problem=Problem(Trouble.CHOICE, problem.raw))


def _problems(**found: Problem | None) -> dict[str, Problem]:
    return {field: problem for field, problem in found.items() if problem is not None}


def _canonical(url: str) -> str:
    """Empty when the URL may not be stored at all; the gate of P-013 INVALID_URL sees that."""
    try:
        return canonical_url(url)
    except UrlRefused:
        return ""


def _hints(draft: Draft, ctx: Context) -> Hints:
    lang, stated = draft.first("lang"), draft.first("currency")
    spoken = lang.raw if lang else ""
    locale = (spoken or ctx.locale) if ctx.currency else locale_of(spoken, ctx.url, ctx.locale)
    hints = Hints(None, locale, ctx.currency, country_currency(ctx.url))
    return msgspec.structs.replace(hints, currency=stated_currency(stated.raw, hints) if stated else None)


def _raws(draft: Draft, field: str) -> list[str]:
    return [value.raw for value in draft.values.get(field, [])]


def _text(draft: Draft, field: str, limit: int) -> str | None:
    for value in draft.values.get(field, ()):
        text = " ".join(value.raw.split())[:limit].rstrip()
        if text:
            return text
    return None


def _identifier(draft: Draft, field: str) -> str | None:
    for value in draft.values.get(field, ()):
        text = value.raw.strip()
        if text and text.lower() not in _PLACEHOLDERS:
            return text
    return None


class _Stock(msgspec.Struct, frozen=True):
    availability: Availability
    notes: list[str] = []
    problem: Problem | None = None
    assumed: bool = False


def _assumed_stock(stock: _Stock, draft: Draft) -> _Stock:
    """A source may be set so that a page which says nothing about stock counts as in stock. Words of a sold out product,
    however unclear, are not nothing."""
    lines = [*_raws(draft, "availability"), *_raws(draft, "availability_seen")]
    if stock.availability is not Availability.UNKNOWN or any(map(mentions_sold_out, lines)):
        return stock
    return _Stock(Availability.IN_STOCK, ["availability: assumed, the page says nothing"], assumed=True)


def _availability(draft: Draft) -> _Stock:
    values = draft.values.get("availability", [])
    read = {read_availability(value.raw) for value in values if value.strategy is not Strategy.DOM}
    read -= {Availability.UNKNOWN}
    if not read:
        return _visible_stock([value for value in values if value.strategy is Strategy.DOM])
    best = next((a for a in _BEST_FIRST if a in read), Availability.UNKNOWN)
    notes = [f"availability: offers differ ({', '.join(sorted(read))})"] if len(read) > 1 else []
    return _compare_visible_stock(best, draft, notes)


def _compare_visible_stock(stated: Availability, draft: Draft, notes: list[str]) -> _Stock:
    """Data that say "in stock" on every page are common. The button of buying is believed over them; a line that
    contradicts them leaves it open, and so does a button that can be pressed beside data that say "sold out"."""
    seen = draft.first("availability_seen")
    shown = read_availability(seen.raw) if seen else Availability.UNKNOWN
    if seen is None or shown in (stated, Availability.UNKNOWN):
        return _Stock(stated, notes)
    conflict = f"the data say {stated}, the page says {seen.raw[:60]!r}"
    if stated is Availability.OUT_OF_STOCK and shown is Availability.IN_STOCK:
        return _Stock(stated, notes, Problem(Trouble.STOCK_CONFLICT, conflict))
    if stated is not Availability.IN_STOCK:
        return _Stock(stated, notes)
    if seen.path.startswith(_BUTTONS):
        return _Stock(shown, [*notes, f"availability: {conflict}"])
    return _Stock(stated, notes, Problem(Trouble.STOCK_CONFLICT, conflict))


_BUTTONS = ("button", "input", "a.")


def _visible_stock(values: list[Value]) -> _Stock:
    """Lines of the page are in the order they are trusted: the first that says something decides, unless another stock
    line or a button labelled so says the opposite. (Loose lines speak only where nothing else does.)"""
    read = [(value, found) for value in values if (found := read_availability(value.raw)) is not Availability.UNKNOWN]
    if not read:
        return _Stock(Availability.UNKNOWN)
    first, stated = read[0]
    against = next((v for v, found in read if {found, stated} == _OPPOSITES and _contradicts(v, first)), None)
    if against is None:
        return _Stock(stated)
    conflict = f"the page says {first.raw[:60]!r} and {against.raw[:60]!r}"
    return _Stock(stated, [], Problem(Trouble.STOCK_CONFLICT, conflict))


def _contradicts(value: Value, first: Value) -> bool:
    """A button that can be pressed does not: some shops leave it there when the stock line says sold out. Where only
    the class of an element says so, which may be hidden until it is true, the button is as good."""
    if value.raw == PRESSABLE:
        return first.path.endswith(_BY_CLASS)
    return not value.path.endswith(_LOOSE)


_OPPOSITES = {Availability.IN_STOCK, Availability.OUT_OF_STOCK}
_BY_CLASS = "(class)"
_LOOSE = ("(text)", _BY_CLASS)  # ends of the paths of loose lines, and of states that only a class names


def _money(draft: Draft, field: str, hints: Hints) -> Money | None:
    value = draft.first(field)
    money = read_price(value, hints) if value else None
    return None if isinstance(money, Problem) else money


def _list_price(draft: Draft, hints: Hints, price: Money | None) -> Money | None:
    """A list price is one only above the selling price."""
    listed = _money(draft, "list_price", hints) or _money(draft, "price_struck", hints)
    if listed is None or (price and (listed.currency != price.currency or listed.minor <= price.minor)):
        return None
    return listed


def _image(draft: Draft, base: str) -> str | None:
    for value in draft.values.get("image", ()):
        url = absolute(base, value.raw)
        if url.startswith(("http://", "https://")):
            return url
    return None


def _condition(draft: Draft) -> str | None:
    text = _text(draft, "condition", 255)
    word = text.rstrip("/").rpartition("/")[2].lower().removesuffix("condition") if text else None
    return word or None


def _attributes(draft: Draft) -> dict[str, str]:
    prefix = "attribute."
    return {f.removeprefix(prefix): v[0].raw[:500] for f, v in draft.values.items() if f.startswith(prefix)}


ASSUMED = "assumed:"  # in a provenance: set for the source or usual for its domain, not stated by the page


def _provenance(draft: Draft, price: PriceChoice, hints: Hints, stock: _Stock) -> dict[str, str]:
    found = {field: f"{values[0].strategy}:{values[0].path}" for field, values in draft.values.items() if values}
    if price.value is not None:
        found["price"] = f"{price.value.strategy}:{price.value.path}"
    if price.value is not None and price.money is not None and (why := _why_assumed(price.value, price.money, hints)):
        found["currency"] = ASSUMED + why
    if stock.assumed:
        found["availability"] = ASSUMED + "the source is set to count as in stock"
    return found


def _why_assumed(value: Value, money: Money, hints: Hints) -> str:
    """Why this currency was taken where neither the price nor the page names it; "" where one does."""
    if value.currency or hints.currency:
        return ""
    stated = Problem(Trouble.CURRENCY_UNKNOWN, "") if value.numeric else read_price(value, _NO_HINTS)
    if isinstance(stated, Money) and stated.currency == money.currency:
        return ""
    if hints.usual == money.currency:
        return "the source is set to it"
    return "usual for the site's country or language"


_NO_HINTS = Hints()


_SCRIPT_ONLY = 0.6  # only scripts state it; the page does not display it


def _confidence(price: PriceChoice, draft: Draft) -> float:
    if price.value is None:
        return 0.0
    if price.value in draft.values.get("price_pushed", []):
        return _SCRIPT_ONLY + 0.2 * (price.sources > 1)
    return min(1.0, CONFIDENCE[price.value.strategy] + 0.05 * (price.sources - 1))
