"""The price a customer sees: the one amount in the product's own part of the page that is a selling price.

`price_main` is that amount when one stands out clearly; `price_shown` are all that could be it, `price_firm` those that
nearly must be, `price_seen` every amount that is not marked as something else, `price_net` those marked as without tax,
`price_member` those that only members pay.
None of them is chosen here over what structured data says: `normalise/` compares them.
"""

from __future__ import annotations

import re
from collections import Counter

import msgspec
from selectolax.lexbor import LexborNode

from winnow.extract.dom.area import Area, ancestors, text_of
from winnow.extract.dom.buttons import cart_button, is_cart_button
from winnow.extract.dom.cms import Shop
from winnow.extract.dom.meaning import is_listed_by_word
from winnow.extract.dom.money_elements import Token, is_amount, is_emphasised, tokens
from winnow.extract.dom.money_words import ORDINARY, RANGE_MARK, Meaning
from winnow.extract.dom.tax import is_gross, is_untaxed
from winnow.extract.draft import Strategy, Value
from winnow.extract.structured.schema_price import Values

MAX_SHOWN = 24
# Signs of the price add up; the figures only order them. An amount needs at least two signs to be one, and one strong
# sign more than any other amount to be the one.
_NAMED = 2  # its element is called a price
_NEAR = 2  # in the smallest part of the page with heading and price, or with cart button and price
_WHOLE_PAGE = 1  # the same, where that part is the whole page
_EMPHASISED = 1
_REPEATED = 1  # shown twice: in the header that sticks, beside the button
_FIRST = 1  # the first after the heading
STRONG = 3
FIRM = 4  # what it takes to speak against a price that is stated for machines
MARGIN = 2
_SAME_BOX = 6  # levels up to an element that holds an amount in two ways of showing it
_RANGE_LEVELS = 4  # from an amount up to the element that holds both ends of a range
_MRP = re.compile(r"m\.?r\.?p\b", re.IGNORECASE)
_COULD_BE = (Meaning.SELLING, Meaning.REGULAR, Meaning.EACH)


class Weighed(msgspec.Struct, frozen=True):
    """`near`: in the part of the page that holds the heading and the button of buying."""

    token: Token
    weight: int
    near: bool = True


def read_prices(area: Area) -> Values:
    shown = _listed(_visible(tokens(area)), area)
    own = _of_shop(area, area.shop, shown) if area.shop else []
    pool = own or shown
    weighed = _weighed(_level(pool), area, pool)
    main = _main(weighed, pool)
    net_is_marked = any(token.meaning is Meaning.NET for token in pool)
    if main is not None and not net_is_marked and is_untaxed(main.node, area):
        pool = [msgspec.structs.replace(t, meaning=Meaning.NET) if t.digits == main.digits else t for t in pool]
        return _values(pool, [], None, area)
    return _values(pool, weighed, main, area)


def _visible(found: list[Token]) -> list[Token]:
    """Without what is written for screen readers, unless the page has its amounts only there: some shops draw the price
    by style, and show nothing but sentences about instalments as text."""
    shown = [token for token in found if not token.spoken]
    plain = any(token.meaning in _COULD_BE and is_amount(token.text) for token in shown)
    spoken = any(token.meaning is Meaning.SELLING and token.named for token in found if token.spoken)
    return shown if plain or not spoken else found


def _listed(found: list[Token], area: Area) -> list[Token]:
    """Where the page shows no other price, the one amount it calls its list price may be what it costs: "MRP ₹320" in
    India, where shops write that before any price; "Regular price $159", alone or beside what members pay."""
    struck = [token for token in found if token.meaning is Meaning.STRUCK]
    others = any(token.meaning in (*_COULD_BE, Meaning.FROM) for token in found)
    if others or len({token.digits for token in struck}) != 1:
        return found
    if not all(is_listed_by_word(token.node, area) for token in struck):
        return found
    for_members = any(token.meaning is Meaning.MEMBER for token in found)
    if not for_members and not all(_is_maximum_price(token, area) or _is_ordinary(token, area) for token in struck):
        return found
    meaning = Meaning.REGULAR if for_members else Meaning.LISTED
    return [msgspec.structs.replace(t, meaning=meaning) if t.meaning is Meaning.STRUCK else t for t in found]


def _is_maximum_price(token: Token, area: Area) -> bool:
    return any(_MRP.match(area.spaced(above).strip()) for above in ancestors(token.node, 3))


def _is_ordinary(token: Token, area: Area) -> bool:
    return any(ORDINARY.match(area.spaced(above).strip()) for above in ancestors(token.node, 4))


def _of_shop(area: Area, shop: Shop, everything: list[Token]) -> list[Token]:
    """What a known shop system writes, where it writes it."""
    for scope in shop.scopes:
        nodes = [node for node in area.tree.css(scope) if area.is_own(node)]
        inside = {node.mem_id for node in nodes[:1]}
        found = [t for t in everything if any(above.mem_id in inside for above in ancestors(t.node))]
        if _level(found):
            return found
    return []


def _level(found: list[Token]) -> list[Token]:
    """Selling prices; where there is none, regular ones (unless an old price says that a newer one was overlooked)."""
    for wanted in _COULD_BE:
        chosen = [token for token in found if token.meaning is wanted]
        if wanted is Meaning.EACH:
            chosen = [token for token in chosen if not _is_choice(token)] or chosen
        if wanted is Meaning.EACH and len({token.digits for token in chosen}) > 1:
            return []  # a shelf of several things, each with the price of one
        if chosen:
            reduced = wanted is not Meaning.SELLING and any(token.meaning is Meaning.STRUCK for token in found)
            return [] if reduced else chosen
    return []


def _is_choice(token: Token) -> bool:
    """On a button of its own: what each costs of so many ("Buy 2: $63.65/ea")."""
    return any(above.tag in ("button", "label", "option") for above in ancestors(token.node, 6))


def _weighed(found: list[Token], area: Area, pool: list[Token]) -> list[Weighed]:
    reduced = _boxes_of([token for token in pool if token.meaning is Meaning.STRUCK])
    head = _around(area.heading, found)
    cart = _around(cart_button(area), found)
    times = Counter(token.digits for token in found)
    first = _first(found, area)
    around = _bought_here(area)
    return [
        Weighed(
            token,
            _NAMED * (token.named or not reduced.isdisjoint(_boxes_of([token])))
            + _share(head, token)
            + _share(cart, token)
            + _EMPHASISED * is_emphasised(token.node)
            + _REPEATED * (times[token.digits] > 1)
            + _FIRST * (token is first),
            around is None or around in {above.mem_id for above in ancestors(token.node)},
        )
        for token in found
    ]


def _boxes_of(found: list[Token]) -> frozenset[int]:
    """The elements right around some amounts: what stands beside an old price there is the new one."""
    return frozenset(above.mem_id for token in found for above in ancestors(token.node)[1:2])


def _bought_here(area: Area) -> int | None:
    """The smallest part of the page with its heading and its cart button; None if there is no heading or no button."""
    button = cart_button(area)
    if button is None or area.heading is None:
        return None
    line = {above.mem_id for above in ancestors(button)}
    found = next((above for above in ancestors(area.heading) if above.mem_id in line), None)
    return found.mem_id if found is not None else None


class _Block(msgspec.Struct, frozen=True):
    inside: frozenset[int] = frozenset()
    is_page: bool = False


def _around(anchor: LexborNode | None, found: list[Token]) -> _Block:
    """The tokens in the smallest part of the page that holds the anchor and one of them."""
    lines = [(token, {above.mem_id for above in ancestors(token.node)}) for token in found] if anchor else []
    for above in ancestors(anchor) if lines else []:
        inside = frozenset(token.node.mem_id for token, line in lines if above.mem_id in line)
        if inside:
            return _Block(inside, above.tag in ("body", "html"))
    return _Block()


def _share(block: _Block, token: Token) -> int:
    if token.node.mem_id not in block.inside:
        return 0
    return _WHOLE_PAGE if block.is_page else _NEAR


def _first(found: list[Token], area: Area) -> Token | None:
    """The first after the heading, or the last before it."""
    start = area.walk.order.get(area.heading.mem_id, 0) if area.heading is not None else 0
    return next((token for token in found if token.order >= start), found[-1] if found else None)


def _main(weighed: list[Weighed], found: list[Token]) -> Token | None:
    best = max(weighed, key=lambda w: w.weight, default=None)
    if best is None or best.weight < STRONG or _is_range_end(best.token, found) or not _is_stated(best):
        return None
    if not best.token.named and any(t.meaning is Meaning.FROM and t.named and not t.spoken for t in found):
        return None  # what is called a price is where prices start
    rivals = [w for w in weighed if w.token.digits != best.token.digits]
    if any(best.weight - rival.weight < _margin(best.token, rival.token) for rival in rivals):
        return None
    return best.token


def _is_stated(best: Weighed) -> bool:
    """Called a price, or an amount and nothing else in the part of the page that holds heading and button: an amount
    in a sentence, in a strip across the page, or past the button, is no price by itself. "Add to bag | $48" is one."""
    return best.token.named or (best.near and is_amount(best.token.text)) or _is_on_button(best.token)


def _is_on_button(token: Token) -> bool:
    return any(above.tag in ("button", "a") and is_cart_button(above) for above in ancestors(token.node, 3))


def _margin(best: Token, rival: Token) -> int:
    """Two amounts side by side are mostly the price now and before: being first or bold does not tell which."""
    around = {above.mem_id for above in ancestors(best.node)[1:3]}
    return MARGIN + 2 * any(above.mem_id in around for above in ancestors(rival.node)[1:3])


def _is_range_end(main: Token, found: list[Token]) -> bool:
    """Another amount right beside it says that this is where prices start or end; or the same amount does, shown a
    second time: "From £2.98 (£2.98 inc. VAT)"."""
    around = {above.mem_id for above in ancestors(main.node)[1:2]}
    return any(
        token.meaning is Meaning.FROM
        and token.node.parent is not None
        and (
            token.node.parent.mem_id in around
            or _are_ends_of_range(token.node, main.node)
            or _stands_before_box(token, main)
            or (token.digits == main.digits and _is_next_to(token.node, main.node))
        )
        for token in found
    )


def _stands_before_box(start: Token, main: Token) -> bool:
    """ "From €70.50", and right behind it a box with €78.50: what it cost before, or where the range ends."""
    box = main.node.parent
    before = box.prev if box is not None else None
    while before is not None and before.tag in ("-text", "-comment"):
        before = before.prev
    return before is not None and before.mem_id == start.node.mem_id and not main.named


def _is_next_to(node: LexborNode, other: LexborNode) -> bool:
    lines = {above.mem_id for above in ancestors(other, _SAME_BOX)}
    return any(above.mem_id in lines for above in ancestors(node, _SAME_BOX))


def _are_ends_of_range(start: LexborNode, end: LexborNode) -> bool:
    """Nothing but the mark of a range stands between two amounts, however many elements each is wrapped in."""
    lines = {above.mem_id for above in ancestors(start, _RANGE_LEVELS)}
    holder = next((above for above in ancestors(end, _RANGE_LEVELS) if above.mem_id in lines), None)
    if holder is None:
        return False
    text, first, second = text_of(holder), text_of(start), text_of(end)
    at = text.find(first)
    beyond = text.find(second, at + len(first)) if at >= 0 else -1
    return beyond > 0 and RANGE_MARK.fullmatch(text[at + len(first) : beyond].strip()) is not None


def _ranges(found: list[Token], area: Area) -> list[Token]:
    """Ends of a range, or where prices start, that stand where the price would: the page has no single price."""
    weighed = _weighed([token for token in found if token.meaning is Meaning.FROM and not token.spoken], area, [])
    return [w.token for w in weighed if w.weight >= FIRM and _is_stated(w)]


def _values(found: list[Token], weighed: list[Weighed], main: Token | None, area: Area) -> Values:
    values: Values = {}
    least = max((w.weight for w in weighed), default=0) - MARGIN
    shown = [w.token for w in weighed if w.weight >= max(STRONG, least)]
    firm = [w.token for w in weighed if w.weight >= max(FIRM, least) and _is_stated(w)]
    _put(values, "price_main", [main] if main else [])
    _put(values, "price_shown", shown)
    _put(values, "price_firm", firm)
    _put(values, "price_seen", [t for t in found if t.meaning in (*_COULD_BE, Meaning.LISTED)])
    _put(values, "price_member", [token for token in found if token.meaning is Meaning.MEMBER])
    _put(values, "price_struck", [token for token in found if token.meaning is Meaning.STRUCK])
    _put(values, "price_net", [token for token in found if token.meaning is Meaning.NET])
    _put(values, "price_gross", [token for token in shown if is_gross(token.node, area)])
    _put(values, "price_range", _ranges(found, area) if main is None else [])
    _put(values, "price_from", [token for token in found if token.meaning is Meaning.FROM] if not shown else [])
    return values


def _put(values: Values, field: str, found: list[Token]) -> None:
    if found:
        values[field] = [Value(token.text, Strategy.DOM, token.path) for token in found[:MAX_SHOWN]]
