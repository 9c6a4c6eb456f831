"""A header row -> which column serves which role."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache

import msgspec

from winnow.errors import InvalidInput
from winnow.feeds.read.column_names import essence, folded, in_a_language, reduced, spelled, with_tax
from winnow.feeds.read.columns import (
    PRICE_LAST,
    PRICE_OF_LAST_RESORT,
    PRICE_PAID,
    PRICES_WITH_TAX,
    ROLES,
    layout_of,
    priorities,
)
from winnow.feeds.read.values import read_currency

_UNPRINTABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f\ufeff\ud800-\udfff]")  # no table and no log takes them
_AMOUNT = re.compile(r"\d+[.,]\d+")
_POSITION = re.compile(r"#([1-9]\d{0,3})")
# Price (EUR), price_usd, Price in €, EUR Price, priceUSD, Prix (€ TTC): words, signs, and dollars with their country
_PARTS = re.compile(r"[A-Z]{1,2}\$|[€£₽₴₺₹]|[A-Z]{2,}(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]|\d+")
_IN = frozenset(["in", "en", "v", "w", "i"])
_WORDS_TOO = frozenset(["all", "top"])  # codes that say something else of a price: Albania's and Tonga's
_TRANSLATED = re.compile(r"\s+[/|]\s+")
# What an override may be called: the fields of Row where they differ from the role.
FIELD_ROLES = {
    "in_stock": "stock",
    "upc": "gtin",
    "image": "image_url",
    "title": "name",
    "original_price": "list_price",
}
_CURRENCY_ATTRIBUTES = ("currency", "curr", "cur", "ccy", "currencycode", "currency_code", "currencyid", "iso")
# Not of these: a merchant's id is no product's, and `Sale price to` is a day.
_TO_THE_WORD = ("item_id", "sku", "sale_dates", "sale_begins", "sale_ends")
_IN_A_LANGUAGE = ("name", "url", "category", "description")  # a price with a country is that country's
NONE: Mapping[str, str] = {}
NEEDED = ("name", "url", "price")


class Plan(msgspec.Struct, frozen=True):
    """Role -> columns in order; the first that holds something wins. `twins`: columns of one and the same name."""

    width: int
    header: tuple[str, ...]
    columns: Mapping[str, tuple[int, ...]]
    twins: Mapping[str, tuple[tuple[int, ...], ...]] = {}
    absent: tuple[str, ...] = ()  # columns an override names that the file does not have
    currency: str | None = None  # named by the columns of prices
    network: str = "IMPACT"  # whose names came first

    def names(self, role: str) -> tuple[str, ...]:
        return tuple(self.header[i] if i < len(self.header) else f"#{i + 1}" for i in self.columns.get(role, ()))

    @property
    def missing(self) -> list[str]:
        """Roles without which no row can be used."""
        needed = [role for role in NEEDED[:2] if role not in self.columns]
        return needed if "price" in self.columns or "sale_price" in self.columns else [*needed, "price"]


def plan(header: Sequence[str], network: str, overrides: Mapping[str, str] = NONE) -> Plan:
    network = layout_of(header, network)
    told = [_priced_in(_in_one_language(name, network), network) for name in header]
    several = len({code for _, code in told if code}) > 1  # then none of them is the one, unless somebody said which
    found = _plan(header, ["" if code and several else name for name, code in told], network, overrides)
    paid = (*found.columns.get("sale_price", ()), *found.columns.get("price", ()))
    codes = {told[i][1] for i in paid if i < len(told)} - {None}
    return msgspec.structs.replace(found, currency=codes.pop()) if len(codes) == 1 else found


def _in_one_language(name: str, network: str) -> str:
    """`Price / Preis` without its translation, where both say the same."""
    parts = _TRANSLATED.split(name)
    if len(parts) == 1:
        return name
    roles = [{role for role in ROLES if folded(part) in _keys(network, role)} for part in parts]
    return parts[0] if set.intersection(*roles) else name


@lru_cache(8_192)
def _priced_in(name: str, network: str) -> tuple[str, str | None]:
    """The name of a column of prices without the currency in it, and the currency."""
    parts = _PARTS.findall(name)
    told = [None if part.lower() in _WORDS_TOO else read_currency(part) for part in parts]
    codes = set(filter(None, told))
    if len(codes) != 1:
        return name, None
    kept = [part for i, part in enumerate(parts) if not told[i] and not (part.lower() in _IN and any(told[i + 1 :]))]
    called = " ".join(kept)
    is_price = folded(called) in _price_keys(network) or with_tax(called) in _price_essences(network)
    return (called, codes.pop()) if is_price else (name, None)


def _plan(header: Sequence[str], called: Sequence[str], network: str, overrides: Mapping[str, str]) -> Plan:
    """`called`: the header as it is looked up."""
    given = _overrides(overrides, header)
    exact, loose = _places(called, spelled), _places(called, folded)
    columns: dict[str, tuple[int, ...]] = {}
    twins: dict[str, tuple[tuple[int, ...], ...]] = {}
    for role in ROLES:
        names = priorities(network, role)
        both = [(exact.get(spelled(name), ()), loose.get(folded(name), ())) for name in names]
        found = [group for pair in both for group in pair if group]
        columns[role] = tuple(dict.fromkeys(i for group in found for i in group))
        twins[role] = tuple(dict.fromkeys(group for group in found if len(group) > 1 and group in exact.values()))
    _read_otherwise(columns, called, network)
    taxed = tuple(i for name in PRICES_WITH_TAX for i in loose.get(folded(name), ()))
    taxed += tuple(i for i, name in enumerate(called) if with_tax(name) in _price_essences(network))
    columns["price"] = tuple(dict.fromkeys((*taxed, *columns["price"])))
    _put_paid_first(columns, loose, keep=bool(taxed))
    columns.update(given)
    if "price" in given and "sale_price" not in given:
        columns["sale_price"] = ()
    if not columns["price"]:
        columns["price"] = tuple(i for name in PRICE_OF_LAST_RESORT for i in exact.get(spelled(name), ()))
    columns["price"] = columns["price"] or _loose_last_resort(loose)
    if "list_price" not in given:  # what is paid when there is no sale is no price to compare it with
        columns["list_price"] = tuple(i for i in columns["list_price"] if i not in columns["price"][:1])
    columns["currency"] = columns["currency"] or _beside_prices(header, columns)
    columns["tracking_url"] = tuple(i for i in columns["tracking_url"] if columns["url"][:1] != (i,))
    return Plan(
        _width(header),
        tuple(_UNPRINTABLE.sub("", name).strip() for name in header),
        {role: found for role, found in columns.items() if found},
        {role: groups for role, groups in twins.items() if groups and role not in given},
        tuple(column for field, column in overrides.items() if FIELD_ROLES.get(field, field) not in given),
        network=network,
    )


def _put_paid_first(columns: dict[str, tuple[int, ...]], loose: Mapping[str, tuple[int, ...]], *, keep: bool) -> None:
    """Of several prices the one that says it is paid serves as a sale does: before the other, and 0 is none."""
    last = {i for name in PRICE_LAST for i in loose.get(folded(name), ())}
    price = sorted(columns["price"], key=last.__contains__)
    paid = tuple(i for name in PRICE_PAID for i in loose.get(folded(name), ()) if i in price)
    others = tuple(i for i in price if i not in paid)
    columns["price"] = tuple(price)
    if paid and others and not keep and not columns["sale_price"]:
        columns["sale_price"], columns["price"] = tuple(dict.fromkeys(paid)), others


def _read_otherwise(columns: dict[str, tuple[int, ...]], called: Sequence[str], network: str) -> None:
    """Roles that no column names outright, from columns that name nothing else outright."""
    taken = {i for found in columns.values() for i in found}
    places: dict[str, tuple[int, ...]] = {}
    for i, name in enumerate(called):
        for word in reduced(name) if i not in taken else ():
            places[word] = (*places.get(word, ()), i)
    for role in [role for role in ROLES if not columns[role]]:
        reads = (folded,) if role in _TO_THE_WORD else (folded, essence)
        ways = [read(name) for name in priorities(network, role) for read in reads]
        columns[role] = tuple(dict.fromkeys(i for way in ways for i in places.get(way, ())))
    for role in [role for role in _IN_A_LANGUAGE if not columns[role]]:
        keys = _keys(network, role)
        columns[role] = tuple(i for i, name in enumerate(called) if i not in taken and in_a_language(name) in keys)


def _beside_prices(header: Sequence[str], columns: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """`<price ccy="GBP">`: an attribute of the price itself."""
    paid = [f"{spelled(header[i])}@" for i in (*columns["sale_price"], *columns["price"]) if i < len(header)]
    names = {f"{price}{attribute}" for price in paid for attribute in _CURRENCY_ATTRIBUTES}
    return tuple(i for i, name in enumerate(header) if spelled(name) in names)


def _loose_last_resort(loose: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(i for name in PRICE_OF_LAST_RESORT for i in loose.get(folded(name), ())))


def score(cells: Sequence[str], network: str, overrides: Mapping[str, str] = NONE) -> int:
    """How many roles a row names, were it the header. A row of data names none."""
    if any("://" in cell for cell in cells):
        return 0
    cells = [_in_one_language(cell, network) for cell in cells]
    keys = {folded(cell) for cell in cells}.union(*map(reduced, cells))
    named = sum(1 for role in ROLES if keys & _keys(network, role))
    return named + sum(1 for name in overrides.values() if folded(name) in keys)


def header_like(cells: Sequence[str], network: str) -> Plan | None:
    """What a row would mean were it the header, if it could be one by itself."""
    if any(_AMOUNT.fullmatch(cell) for cell in cells):  # no column is called so, and most rows hold one
        return None
    if score(cells, network) < len(NEEDED):
        return None
    found = plan(cells, network)
    return None if found.missing else found


def _width(header: Sequence[str]) -> int:
    """A delimiter at the end of the header names no column."""
    width = len(header)
    while width > 1 and not header[width - 1].strip():
        width -= 1
    return width


def _places(header: Sequence[str], key: Callable[[str], str]) -> dict[str, tuple[int, ...]]:
    places: dict[str, tuple[int, ...]] = {}
    for i, name in enumerate(header):
        word = key(name)
        if word:
            places[word] = (*places.get(word, ()), i)
    return places


def _overrides(overrides: Mapping[str, str], header: Sequence[str]) -> dict[str, tuple[int, ...]]:
    exact, loose = _places(header, spelled), _places(header, folded)
    given: dict[str, tuple[int, ...]] = {}
    for field, column in overrides.items():
        role = FIELD_ROLES.get(field, field)
        if role not in ROLES:
            raise InvalidInput(f"there is no field {field!r} to map a column to", field="columns")
        position = _POSITION.fullmatch(column.strip())
        found = (int(position[1]) - 1,) if position else exact.get(spelled(column)) or loose.get(folded(column))
        if found:
            given[role] = found
    return given


def is_known(name: str) -> bool:
    """Whether a column of this name means something here."""
    return any(folded(name) in _keys("IMPACT", role) for role in ROLES)


@lru_cache(8_192)
def is_wanted(name: str) -> bool:
    """Whether a named property of a product, beside its size and colour, is one that a catalogue may tell so only."""
    return any(folded(name) in _keys("IMPACT", role) for role in ("gtin", "brand", "mpn"))


@cache
def _price_keys(network: str) -> frozenset[str]:
    last = frozenset(map(folded, PRICE_OF_LAST_RESORT))
    return last.union(*(_keys(network, role) for role in ("sale_price", "price", "list_price")))


@cache
def _keys(network: str, role: str) -> frozenset[str]:
    names = [*priorities(network, role), *(PRICES_WITH_TAX if role == "price" else ())]
    return frozenset(map(folded, names)) | frozenset(map(essence, names)) - {""}


@cache
def _price_essences(network: str) -> frozenset[str]:
    return frozenset(map(essence, priorities(network, "price"))) - {""}
