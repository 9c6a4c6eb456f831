"""Which of the candidates is the selling price. Candidates that disagree decide nothing (P-029)."""

from __future__ import annotations

import msgspec

from winnow.extract.draft import Draft, Value
from winnow.normalise.money.currencies import exponent, read_currency
from winnow.normalise.money.display import format_money
from winnow.normalise.money.read import parse_money, parse_number
from winnow.normalise.money.signs import SIGN, decide_currency
from winnow.normalise.record import Money, Problem, Trouble

# A text that names more than one amount is evidence against any single one.
_CONTRADICTS = frozenset([Trouble.RANGE, Trouble.FROM_PRICE, Trouble.SEVERAL])
# Fields that are prices but not the selling price, and what it means when there is nothing better.
_SUBSTITUTES = (
    ("price_rival", Trouble.SEVERAL),
    ("price_from", Trouble.FROM_PRICE),
    ("price_net", Trouble.NET),
    ("price_unit", Trouble.PER_UNIT),
)
# Where tax is added at the till and prices are stated without it, a price without tax is the price.
_TAXED_AT_THE_TILL = frozenset(["USD", "CAD"])


class Hints(msgspec.Struct, frozen=True):
    """What the page and the source say about currency and spelling, apart from the price itself."""

    currency: str | None = None  # stated once for the whole page
    locale: str | None = None
    usual: str | None = None  # the source's currency: decides only where the page states none
    country: str | None = None  # what people pay in under the shop's country domain: where nothing else says anything


class PriceChoice(msgspec.Struct, frozen=True):
    """`sources` is how many strategies say the same amount."""

    money: Money | None = None
    value: Value | None = None
    problem: Problem | None = None
    notes: list[str] = []
    sources: int = 1


class Sight(msgspec.Struct, frozen=True):
    """What the page shows a customer: its one price if it has one, all that could be it, those that nearly must be,
    every amount not said to be something else, and all it strikes through."""

    main: Money | None = None
    value: Value | None = None
    shown: frozenset[int] = frozenset()
    firm: frozenset[int] = frozenset()
    seen: frozenset[int] = frozenset()
    struck: frozenset[int] = frozenset()
    net: frozenset[int] = frozenset()
    gross: frozenset[int] = frozenset()
    member: frozenset[int] = frozenset()
    ranges: frozenset[int] = frozenset()
    shown_prices: list[Money] = []  # as money, for people
    range_prices: list[Money] = []
    problem: Problem | None = None


def choose_price(draft: Draft, hints: Hints) -> PriceChoice:
    """The rules, in order:

    1. Claims that agree are the price, unless the page firmly shows another one and this one nowhere, or strikes it
    through: then a lower price the page shows is it.
    2. Claims that disagree (variants, sellers, a range) are settled by the one price the page shows, if it is
    among them.
    3. Without a readable claim the one price the page shows is the price.
    4. Everything else stays undecided. A claim of zero beside a shown price claims nothing.
    """
    claims = draft.values.get("price") or _pushed(draft, hints)
    read = [(value, read_price(value, hints)) for value in claims]
    prices = [(value, money) for value, money in read if isinstance(money, Money)]
    prices = _above_zero(_in_usual_currency(prices, hints.usual), draft)
    problems = [problem for _, problem in read if isinstance(problem, Problem)]
    sight = _seen(draft, hints, prices) if _is_seen(draft) else _NOTHING
    choice = _decide(prices, problems) if prices or problems else PriceChoice(problem=_substitute(draft))
    return _compared(choice, prices, sight, _reduced_in(claims, draft))


_NOTHING = Sight()
# Rates of value added tax, in tenths of a percent: a script's price that differs from the shown one by one of them was
# stated without tax.
_TAX_RATES = """
    50 55 60 70 77 80 81 90 95 100 120 130 135 140 150 160 170 180 190 200 210 220 230 240 250 255 270
"""
_RATES = tuple(map(int, _TAX_RATES.split()))


def _pushed(draft: Draft, hints: Hints) -> list[Value]:
    """What a page's scripts were told, unless it is the shown price without its tax."""
    found = draft.values.get("price_pushed", [])
    main = draft.first("price_main")
    shown = read_price(main, hints) if main else None
    if not isinstance(shown, Money):
        return found
    return [value for value in found if not _is_without_tax(read_price(value, hints), shown)]


def _is_without_tax(told: Money | Problem, shown: Money) -> bool:
    if isinstance(told, Problem):
        return told.code is Trouble.CURRENCY_UNKNOWN
    return any(abs(told.minor * (1_000 + rate) - shown.minor * 1_000) <= 1_000 for rate in _RATES)


_SIGHTS = ("price_main", "price_shown", "price_struck", "price_net", "price_range", "price_member")


def _is_seen(draft: Draft) -> bool:
    return any(field in draft.values for field in _SIGHTS)


def _seen(draft: Draft, hints: Hints, prices: list[tuple[Value, Money]]) -> Sight:
    """Read with the currency the claims are in, where they are in one."""
    currencies = {money.currency for _, money in prices}
    known = hints.currency or (currencies.pop() if len(currencies) == 1 else None)
    hints = Hints(known, hints.locale, hints.usual, hints.country)
    value = draft.first("price_main") or _net_where_usual(draft, hints) or _struck_with_tax(draft, hints)
    main = read_price(value, hints) if value else None
    problem = main if isinstance(main, Problem) else _first_problem(draft, hints) if value is None else None
    shown, ranges, seen = (_moneys(draft, field, hints) for field in ("price_shown", "price_range", "price_seen"))
    return Sight(
        main=main if isinstance(main, Money) else None,
        value=value,
        shown=frozenset(money.minor for money in shown),
        shown_prices=shown if len(set(shown)) > 1 else [*shown, *seen],
        firm=_amounts(draft, "price_firm", hints),
        seen=frozenset(money.minor for money in seen),
        struck=_amounts(draft, "price_struck", hints),
        net=frozenset(money.minor for money in _untaxed(draft, hints)),
        gross=_amounts(draft, "price_gross", hints),
        member=_amounts(draft, "price_member", hints),
        ranges=frozenset(money.minor for money in ranges),
        range_prices=ranges,
        problem=problem,
    )


def _first_problem(draft: Draft, hints: Hints) -> Problem | None:
    """Why the first amount that could be the price cannot be read; None where it can, or there is none."""
    first = draft.first("price_shown")
    read = read_price(first, hints) if first else None
    return read if isinstance(read, Problem) else None


def _untaxed(draft: Draft, hints: Hints) -> list[Money]:
    read = (read_price(value, hints) for value in draft.values.get("price_net", []))
    return [m for m in read if isinstance(m, Money) and m.currency not in _TAXED_AT_THE_TILL]


def _net_where_usual(draft: Draft, hints: Hints) -> Value | None:
    """The one price a page shows without tax, in a currency whose prices are stated so."""
    values = draft.values.get("price_net", []) if "price_shown" not in draft.values else []
    read = [(value, money) for value in values if not _is_nothing(money := read_price(value, hints))]
    amounts = {money for _, money in read}
    usual = len(amounts) == 1 and all(isinstance(m, Money) and m.currency in _TAXED_AT_THE_TILL for m in amounts)
    return read[0][0] if usual else None


def _struck_with_tax(draft: Draft, hints: Hints) -> Value | None:
    """The one amount a theme names `price-old`, on a page that shows no other: with the same amount without its tax
    beside it, it is what one pays now."""
    if "price_shown" in draft.values or "price_seen" in draft.values:
        return None
    struck, net = set(_moneys(draft, "price_struck", hints)), set(_moneys(draft, "price_net", hints))
    if len(struck) != 1 or len(net) != 1:
        return None
    return draft.first("price_struck") if _is_untaxed(net.pop(), struck.pop()) else None


def _is_nothing(money: Money | Problem) -> bool:
    return isinstance(money, Money) and not money.minor


def _amounts(draft: Draft, field: str, hints: Hints) -> frozenset[int]:
    return frozenset(money.minor for money in _moneys(draft, field, hints))


def _moneys(draft: Draft, field: str, hints: Hints) -> list[Money]:
    read = (read_price(value, hints) for value in draft.values.get(field, []))
    return [money for money in read if isinstance(money, Money)]


def _compared(
    choice: PriceChoice, prices: list[tuple[Value, Money]], sight: Sight, reduced: list[Value]
) -> PriceChoice:
    if choice.money is not None:
        return _confirmed(choice, choice.money, sight)
    if sight.main is None:
        return choice if choice.problem or not (sight.shown or sight.problem) else _undecided(sight)
    return _settled(choice, prices, sight, reduced)


def _confirmed(choice: PriceChoice, money: Money, sight: Sight) -> PriceChoice:
    """Rule 1."""
    if _is_reduced(money, sight):
        notes = [*choice.notes, f"price: {show(money)} claimed, struck through"]
        return PriceChoice(sight.main, sight.value, None, notes)
    if sight.main == money:
        notes = [*choice.notes, "price: the page shows it"]
        return msgspec.structs.replace(choice, notes=notes, sources=choice.sources + 1)
    if _is_for_members(money, sight):
        return _without_membership(choice, money, sight)
    if _is_taxed_beside(money, sight):
        details = f"{show(money)} claimed, and shown with its tax added"
        return PriceChoice(problem=Problem(Trouble.NET, details), notes=choice.notes)
    if money.minor in sight.ranges and money.minor not in sight.shown:
        details = f"{show(money)} claimed, {_listed(sight.range_prices)} shown as a range"
        return PriceChoice(problem=Problem(Trouble.RANGE, details), notes=choice.notes)
    if money.minor in sight.shown or money.minor in sight.seen:
        return choice
    if money.minor in _PLACEHOLDERS.get(exponent(money.currency), ()):
        details = f"{show(money)} claimed, which the page shows nowhere: it may stand for none"
        return PriceChoice(problem=Problem(Trouble.SEVERAL, details), notes=choice.notes)
    if sight.main and sight.main.currency == money.currency and _is_untaxed(money, sight.main):
        notes = [*choice.notes, f"price: {show(money)} claimed, which is without tax"]
        return PriceChoice(sight.main, sight.value, None, notes)
    if money.minor in sight.net:
        return PriceChoice(
            problem=Problem(Trouble.NET, f"{show(money)} claimed, shown as without tax"), notes=choice.notes
        )
    if sight.problem and sight.problem.code is Trouble.CURRENCY_CONFLICT:
        return PriceChoice(problem=sight.problem, notes=choice.notes)
    if sight.firm or money.minor in sight.struck:
        where = "and struck through" if money.minor in sight.struck else f"{_listed(sight.shown_prices)} shown"
        return PriceChoice(problem=Problem(Trouble.SEVERAL, f"{show(money)} claimed, {where}"), notes=choice.notes)
    return choice


# What is entered where a price is computed later: one unit, or the least there is, in minor units by decimals.
_PLACEHOLDERS = {0: (1,), 2: (1, 100), 3: (1, 1_000)}


def _is_for_members(money: Money, sight: Sight) -> bool:
    return money.minor in sight.member and money.minor not in sight.shown | sight.seen


def _without_membership(choice: PriceChoice, money: Money, sight: Sight) -> PriceChoice:
    """The data give what members pay: the one price the page shows for everybody is it, if there is one."""
    main = sight.main
    if main is not None and main.currency == money.currency and main.minor > money.minor:
        return PriceChoice(main, sight.value, None, [*choice.notes, f"price: {show(money)} claimed, for members"])
    return PriceChoice(problem=Problem(Trouble.SEVERAL, f"{show(money)} claimed, for members"), notes=choice.notes)


def _is_taxed_beside(money: Money, sight: Sight) -> bool:
    """The page shows the claimed amount and, with words that say so, the same with tax."""
    if money.currency in _TAXED_AT_THE_TILL or money.minor in sight.gross:
        return False
    return any(_is_without_tax(money, Money(amount, money.currency)) for amount in sight.gross)


def _is_untaxed(money: Money, main: Money) -> bool:
    """The data give the shown price without its tax: to the cent, at a rate that some country has."""
    return money.currency not in _TAXED_AT_THE_TILL and _is_without_tax(money, main)


def _is_reduced(money: Money, sight: Sight) -> bool:
    """The data give the price before: struck through, beside a lower one that the page shows as its only price."""
    main = sight.main
    if main is None or main.currency != money.currency or money.minor not in sight.struck:
        return False
    return money.minor // _DEEPEST_CUT < main.minor < money.minor and money.minor not in sight.shown


_DEEPEST_CUT = 4  # a shown price below a quarter of the claimed one is more likely something else: that is held


def _reduced_in(claims: list[Value], draft: Draft) -> list[Value]:
    """Claims that name several amounts: the price the page shows, and others only that it strikes through."""
    main = draft.first("price_main")
    struck = draft.values.get("price_struck", [])
    return [value for value in claims if _names_only(value, main, struck)] if main and struck else []


def _names_only(value: Value, main: Value, struck: list[Value]) -> bool:
    text = " ".join(value.raw.split())
    if main.raw not in text:
        return False
    for known in (main, *struck):
        text = text.replace(known.raw, " ")
    return not any(c.isdigit() for c in text)


def _settled(choice: PriceChoice, prices: list[tuple[Value, Money]], sight: Sight, reduced: list[Value]) -> PriceChoice:
    """Rules 2 and 3."""
    same = [value for value, money in prices if money == sight.main] or reduced
    if same:
        notes = [*choice.notes, "price: of several, the one the page shows"]
        return PriceChoice(sight.main, same[0], None, notes, 2)
    if prices:
        return choice
    notes = [f"price: {choice.problem.code} ({choice.problem.details})"] if choice.problem else []
    return PriceChoice(sight.main, sight.value, None, [*choice.notes, *notes])


def _undecided(sight: Sight) -> PriceChoice:
    if sight.problem is not None:
        return PriceChoice(problem=sight.problem)
    return PriceChoice(problem=Problem(Trouble.SEVERAL, f"{_listed(sight.shown_prices)} shown"))


def _listed(prices: list[Money]) -> str:
    """What a person reads in quarantine: amounts as money, the lowest first."""
    amounts = sorted({(money.currency, money.minor) for money in prices})
    return " | ".join(format_money(minor, currency) for currency, minor in amounts[:6])


def _decide(prices: list[tuple[Value, Money]], problems: list[Problem]) -> PriceChoice:
    notes = [f"price: {problem.code} ({problem.details})" for problem in problems][:5]
    amounts = sorted({show(money) for _, money in prices})
    against = [problem for problem in problems if problem.code in _CONTRADICTS]
    if len(amounts) > 1:
        return PriceChoice(problem=Problem(Trouble.SEVERAL, " | ".join(amounts[:6])), notes=notes)
    if against or not prices:
        return PriceChoice(problem=(against or problems)[0], notes=notes)
    value, money = prices[0]
    if len(prices) > 1:
        notes.append(f"price: {len(prices)} candidates agree")
    return PriceChoice(money, value, None, notes, len({value.strategy for value, _ in prices}))


def read_price(value: Value, hints: Hints) -> Money | Problem:
    stated = stated_currency(value.currency, hints) or hints.currency
    if value.numeric:
        return parse_number(value.raw, stated or hints.usual or hints.country)
    money = parse_money(value.raw, stated, hints.locale)
    for fallback in (hints.usual, hints.country):
        if fallback and isinstance(money, Problem) and money.code is Trouble.CURRENCY_UNKNOWN:
            money = parse_money(value.raw, fallback, hints.locale)
    return money


def stated_currency(text: str, hints: Hints) -> str | None:
    """An ISO code, or the sign some pages put where the code belongs."""
    code = read_currency(text)
    if code or not SIGN.fullmatch(text.strip()):
        return code
    decided = decide_currency([text.strip()], hints.usual, hints.locale)
    return None if isinstance(decided, Problem) else decided


def _in_usual_currency(prices: list[tuple[Value, Money]], usual: str | None) -> list[tuple[Value, Money]]:
    """A page with one price per currency: the source's own is the one that counts."""
    ours = [(value, money) for value, money in prices if money.currency == usual]
    return ours or prices


def _above_zero(prices: list[tuple[Value, Money]], draft: Draft) -> list[tuple[Value, Money]]:
    """A claim of nothing where the page shows a price is a field nobody filled in. (Alone it is held: P-034.)"""
    if "price_main" not in draft.values:
        return prices
    return [(value, money) for value, money in prices if money.minor]


def _substitute(draft: Draft) -> Problem | None:
    for field, trouble in _SUBSTITUTES:
        found = draft.values.get(field)
        if found:
            return Problem(trouble, " | ".join(value.raw for value in found[:6])[:120])
    return None


def show(money: Money) -> str:
    return format_money(money.minor, money.currency)
