"""What an amount means, read from its tag (`del`), from the names of the elements around it (`old-price`, `unit`,
`klarna`), and by the words beside it (P-027 … P-031)."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from winnow.extract.dom.area import Area, ancestors, names_of, text_of, words_of
from winnow.extract.dom.money_words import AFTER, BEFORE, Meaning
from winnow.extract.dom.signs import AMOUNTS, SIGN, SIGNS, amount_in
from winnow.extract.dom.tiers import tier_meaning


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STRUCK = _set(
    "old was before previous former strike striked strikethrough cross crossed crossprice listprice msrp "
    "rrp srp uvp mrp compare compareat "
    "original originally orig oldprice wasprice undiscounted nonsale linethrough through advies "
    "adviesprijs barre tachado "
    "anterior antes oude vorher streichpreis ancien del strikeout beforeprice fullprice regularpricewas pseudo "
    "instead originalprice stroke barred barrato slashed scratched priceold pricewas"
)
# Words that mean the price before only beside a word for price.
_LISTED = _set("list standard retail")
_REGULAR = _set("regular regularprice normal normalprice full")
_UNIT = _set("unit unitprice perunit grundpreis baseprice ppu measure measurement basispreis per pum priceper uom")
_MEASURED = _set("measure measurement base baseprice grundpreis basispreis uom ppu pum kg")
_NET = _set("excl exc exclusive net netto ht extax exvat withouttax excltax nontax excluding")
_ASIDE = _set(
    "instalment instalments installment installments klarna afterpay monthly finance financing affirm sezzle clearpay "
    "alma oney leasing lease paypal scalapay shipping versand versandkosten verzending verzendkosten livraison envio "
    "freight tier tiers tierprice bulk staffel staffelprijs staffelpreise save saving savings saved korting besparing "
    "rabatt ersparnis economie ahorro percent subscribe subscription autoship points "
    "deposit pfand statiegeld coupon voucher warranty insurance threshold addon addons swatch "
    "protection shippingcost giftcard trade tradein subtotal usp together emi otherprice elsewhere preowned openbox"
)
_MEMBER = _set("member members club loyalty reward rewards")
# Said of an amount by its own element or the next; further out they name a part of the page that may hold the price.
_ASIDE_NEARBY = _set(
    "rate rates delivery qty quantity volume badge range slider filter rating count counter sku reviews option options "
    "banner total discount other used"
)
_PRICED = _set("price prices pricing preis prijs prix precio prezzo amount")
_SALE = _set(
    "sale sales special current now final discounted offer promo actual actie action specialprice saleprice our "
    "pricenew newprice pricenow"
)

_BEFORE_WORDS = [
    (m, re.compile(rf"(?<![^\W_])(?:{p})[\s:.>]*(?:{SIGN})?\s*$", re.IGNORECASE)) for m, p in BEFORE.items()
]
_AFTER_WORDS = [(m, re.compile(rf"\s*[*†¹]?\s*(?:{p})", re.IGNORECASE)) for m, p in AFTER.items()]
_STRUCK_TAGS = frozenset(["del", "s", "strike"])
_AROUND = 160  # characters of the element around an amount in which words still belong to it


def meaning_of(node: LexborNode, text: str, area: Area) -> Meaning:
    around = [above for above in ancestors(node, 6) if above.mem_id not in area.spine]
    if any(above.tag in _STRUCK_TAGS or _is_struck_style(above) for above in around):
        return Meaning.STRUCK
    if _is_extra(around):
        return Meaning.ASIDE
    if (tier := tier_meaning(around, area)) is not None:
        return tier
    named = _named(around)
    if named is Meaning.UNIT and _is_price_of_one(around, node, text, area):
        return Meaning.EACH
    if named not in (None, Meaning.SELLING) or len(AMOUNTS.findall(text)) > 2:
        return named or Meaning.SELLING
    worded = _worded(node, text, area)
    # A name that says "sale" is nearer to the amount than any word.
    return Meaning.SELLING if named is Meaning.SELLING and worded is Meaning.STRUCK else worded


def is_listed_by_word(node: LexborNode, area: Area) -> bool:
    """Only a word calls the amount a list price: "MRP ₹320". Neither its tag nor a name strikes it through."""
    around = [above for above in ancestors(node, 6) if above.mem_id not in area.spine]
    if any(above.tag in _STRUCK_TAGS or _is_struck_style(above) for above in around):
        return False
    return _named(around) is not Meaning.STRUCK


def _is_price_of_one(around: list[LexborNode], node: LexborNode, text: str, area: Area) -> bool:
    """`pricePerUnit` of "£3.50 / unit": what one costs. (`pricePerMeasure` is what a kilogram costs.)"""
    words = frozenset().union(*(words_of(names_of(above)) for above in around[:2]))
    return "unit" in words and not words & _MEASURED and _worded(node, text, area) is Meaning.EACH


def _named(around: list[LexborNode]) -> Meaning | None:
    """The nearest name that says something decides."""
    for level, above in enumerate(around[:5]):
        names = f"{names_of(above)} {_spoken(above)}"
        found = _meaning_of_words(words_of(_ELEMENT.sub(" ", names)), level < 2) if "__" in names else None
        found = found or (Meaning.STRUCK if level < 2 and _is_list_price(names) else None)
        found = found or _meaning_of_words(words_of(names), level < 2)
        if found is not None:
            return found
    return None


# The block of a BEM name (`sales-price__former`) says where an element is, the rest what it is.
_ELEMENT = re.compile(r"[\w-]*?__")


def _spoken(node: LexborNode) -> str:
    """The label for screen readers: "original price", "current price"."""
    label = node.attributes.get("aria-label") or ""
    return label if len(label) <= MAX_SPOKEN_LABEL else ""


MAX_SPOKEN_LABEL = 60  # characters of a label of one amount
_BOTH = _set("and")  # `price-and-saving` holds the price too
_NOT_ON_SALE = _set("non sale")
_CURRENT, _FORMER = _set("current"), _set("original old was")  # beside each other, `current` is only a style


def _is_list_price(names: str) -> bool:
    """One class that says both: `list-price`, `priceRetail`. (`list-unstyled prices` says nothing.)"""
    parts = map(words_of, names.split())
    return any(part & _LISTED and part & _PRICED and not part & _SALE for part in parts)


def _meaning_of_words(words: frozenset[str], nearby: bool) -> Meaning | None:
    if words >= _NOT_ON_SALE:
        return Meaning.STRUCK
    if (words & _SALE and not (words & _SALE == _CURRENT and words & _FORMER)) or "sellable" in words:
        return Meaning.SELLING
    if words & _STRUCK:
        return Meaning.STRUCK
    for meaning, known in (
        (Meaning.UNIT, _UNIT),
        (Meaning.ASIDE, _ASIDE),
        (Meaning.MEMBER, _MEMBER),
        (Meaning.NET, _NET),
    ):
        if words & known and not (meaning is Meaning.ASIDE and words >= _BOTH and words & _PRICED):
            return meaning
    if nearby and words & _ASIDE_NEARBY and not (words & _PRICED and "discount" in words):
        return Meaning.ASIDE
    return Meaning.REGULAR if words & _REGULAR else None


def _worded(node: LexborNode, own: str, area: Area) -> Meaning:
    """What the words before and after the amount say, in its own element or in the one around it."""
    own = own if own in area.spaced(node) else area.spaced(node)
    for holder in ancestors(node, 3):
        text = area.spaced(holder)
        if len(text) > _AROUND:
            break
        at = text.find(own)
        number = amount_in(own)
        if at < 0 or number is None:
            break
        before, after = text[: at + number.start()], text[at + number.end() :].lstrip()
        before = _without_hidden(before, holder)
        sign = SIGNS.match(after)
        after = after[sign.end() :] if sign else after
        for meaning, pattern in _AFTER_WORDS:
            if (found := pattern.match(after)) and not (meaning is Meaning.FROM and _repeats(number[0], after, found)):
                return meaning
        for meaning, pattern in _BEFORE_WORDS:
            if pattern.search(before):
                return meaning
    return Meaning.SELLING


_HIDDEN = '[style*="display:none"], [style*="display: none"], [hidden]'


def _without_hidden(before: str, holder: LexborNode) -> str:
    """Words before an amount, but not "from" in an element that is shown for other products only."""
    if not before or before.isspace():
        return before
    for node in holder.css(_HIDDEN)[:4]:
        hidden = text_of(node)
        if hidden and before.rstrip().endswith(hidden):
            return before.rstrip().removesuffix(hidden)
    return before


def _repeats(number: str, after: str, found: re.Match[str]) -> bool:
    """`449,– € 449,00`: the same amount again, not the end of a range."""
    other = AMOUNTS.search(after, found.end() - 1)
    return other is not None and _bare(other[0]) == _bare(number)


def _bare(number: str) -> str:
    return re.sub(r"\D", "", re.sub(r"[.,]00$", "", number))


def _is_extra(around: list[LexborNode]) -> bool:
    """Something that is ticked to be bought besides."""
    label = next((above for above in around if above.tag == "label"), None)
    return label is not None and label.css_first('input[type="checkbox"]') is not None


def _is_struck_style(node: LexborNode) -> bool:
    own = node.attributes
    return "line-through" in (own.get("style") or "") or own.get("data-a-strike") == "true"
