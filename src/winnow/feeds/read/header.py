"""A header row -> which column serves which role."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache

import msgspec

from winnow.errors import InvalidInput
from winnow.feeds.read.column_names import (
    alternative_keys,
    casefold_name,
    name_key,
    without_language_code,
    without_tax_words,
    words_key,
)
from winnow.feeds.read.columns import (
    NAME_OF_LAST_RESORT,
    PRICE_LAST,
    PRICE_OF_LAST_RESORT,
    PRICE_PAID,
    PRICES_WITH_TAX,
    ROLES,
    ignored_columns,
    layout_of,
    priorities,
)
from winnow.feeds.read.values import read_currency

_UNPRINTABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f\ufeff\ud800-\udfff]")  # no table and no log takes them
_AMOUNT = re.compile(r"\d+[.,]\d+")
_POSITION = re.compile(r"#([1-9]\d{0,3})")
# Price (EUR), price_usd, Price in €, EUR Price, priceUSD, Prix (€ TTC): words, signs, and dollars with their country
_NAME_PARTS = re.compile(r"[A-Z]{1,2}\$|[€£₽₴₺₹]|[A-Z]{2,}(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]|\d+")
_IN = frozenset(["in", "en", "v", "w", "i"])
_RETAIL = re.compile(r"(?<=price)R(?=[A-Z]{3}$)")  # `priceRUAH` of Ukrainian price lists is the one of retail
_CODES_THAT_ARE_WORDS = frozenset(["all", "top"])  # currency codes of Albania and Tonga
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
_EXACT_ROLES = ("item_id", "sku", "sale_dates", "sale_begins", "sale_ends", "status", "handle", "deleted", "action")
# A row that names these only is no header: `Active` and `Status` are values as often.
_WEAK_ROLES = frozenset(["status", "handle", "deleted", "action"])
_TRANSLATED_ROLES = ("name", "url", "category", "description")  # a price with a country is that country's
NONE: Mapping[str, str] = {}
MAX_REMOVAL_COLUMNS = 4
NEEDED = ("name", "url", "price")


class ColumnPlan(msgspec.Struct, frozen=True):
    """Role -> columns in order; the first that holds something wins. `twins`: columns of one and the same name."""

    width: int
    header: tuple[str, ...]
    columns: Mapping[str, tuple[int, ...]]
    twins: Mapping[str, tuple[tuple[int, ...], ...]] = {}
    absent: tuple[str, ...] = ()  # columns an override names that the file does not have
    currency: str | None = None  # named by the columns of prices
    network: str = "IMPACT"  # whose names came first
    name_parts: tuple[int, ...] = ()  # type, vendor and model, which together are a name; the model is the last

    def names(self, role: str) -> tuple[str, ...]:
        return tuple(self.header[i] if i < len(self.header) else f"#{i + 1}" for i in self.columns.get(role, ()))

    @property
    def missing(self) -> list[str]:
        """Roles without which no row can be used. A list of what is to be removed needs an id and nothing else."""
        if self.columns.keys() & {"deleted", "action"} and self.columns.keys() & {"item_id", "sku"}:
            return []
        needed = [role for role in NEEDED[:2] if role not in self.columns]
        return needed if "price" in self.columns or "sale_price" in self.columns else [*needed, "price"]


def plan(header: Sequence[str], network: str, overrides: Mapping[str, str] = NONE) -> ColumnPlan:
    network = layout_of(header, network)
    ignored = ignored_columns(network)
    named = [_split_currency(_without_translation(name, network), network) for name in header]
    unused = _columns_of_other_currencies(named, network)
    called = ["" if i in unused or _is_ignored(header[i], ignored) else name for i, (name, _) in enumerate(named)]
    found = _plan(header, called, network, overrides)
    paid = (*found.columns.get("sale_price", ()), *found.columns.get("price", ()))
    codes = {named[i][1] for i in paid if i < len(named)} - {None}
    return msgspec.structs.replace(found, currency=codes.pop()) if len(codes) == 1 else found


def _columns_of_other_currencies(named: Sequence[tuple[str, str | None]], network: str) -> set[int]:
    """Columns of prices that cannot be used beside the others. Of prices in several currencies none is the one, unless
    an override names one. Of `Price` and `Price EUR` the first is in the currency that a column names; without such a
    column only the second says what it is in, and other prices beside it may be in any."""
    marked = {i for i, (_, code) in enumerate(named) if code}
    prices = {i for i, (name, _) in enumerate(named) if name_key(name) in _price_keys(network)} - marked
    if len({named[i][1] for i in marked}) > 1:
        return marked
    twins = {name_key(named[i][0]) for i in marked} & {name_key(named[i][0]) for i in prices}
    if not twins:
        return set()
    if any(name_key(name) in _keys(network, "currency") for name, _ in named):
        return marked
    sales = {i for i in prices if name_key(named[i][0]) in _keys(network, "sale_price")}
    return set() if sales - {i for i in sales if name_key(named[i][0]) in twins} else prices


def _is_ignored(name: str, ignored: frozenset[str]) -> bool:
    """By its name, or by what stands before a slash: `Price / Canada` is the price in one market of a shop."""
    word = casefold_name(name)
    return bool(ignored) and (word in ignored or f"{word.partition('/')[0].strip()} /" in ignored)


def _without_translation(name: str, network: str) -> str:
    """`Price / Preis` without its translation, where both say the same."""
    parts = _TRANSLATED.split(name)
    if len(parts) == 1:
        return name
    roles = [{role for role in ROLES if name_key(part) in _keys(network, role)} for part in parts]
    return parts[0] if set.intersection(*roles) else name


@lru_cache(8_192)
def _split_currency(name: str, network: str) -> tuple[str, str | None]:
    """The name of a column of prices without the currency in it, and the currency."""
    parts = _NAME_PARTS.findall(_RETAIL.sub("", name))
    named = [None if part.lower() in _CODES_THAT_ARE_WORDS else read_currency(part) for part in parts]
    codes = set(filter(None, named))
    if len(codes) != 1:
        return name, None
    kept = [part for i, part in enumerate(parts) if not named[i] and not (part.lower() in _IN and any(named[i + 1 :]))]
    called = " ".join(kept)
    is_price = name_key(called) in _price_keys(network) or without_tax_words(called) in _price_essences(network)
    return (called, codes.pop()) if is_price else (name, None)


def _plan(header: Sequence[str], called: Sequence[str], network: str, overrides: Mapping[str, str]) -> ColumnPlan:
    """`called`: the header as it is looked up."""
    overridden = _overrides(overrides, header)
    exact, loose = _places(called, casefold_name), _places(called, name_key)
    columns: dict[str, tuple[int, ...]] = {}
    twins: dict[str, tuple[tuple[int, ...], ...]] = {}
    for role in ROLES:
        names = priorities(network, role)
        both = [(exact.get(casefold_name(name), ()), loose.get(name_key(name), ())) for name in names]
        found = [group for pair in both for group in pair if group]
        columns[role] = tuple(dict.fromkeys(i for group in found for i in group))
        twins[role] = tuple(dict.fromkeys(group for group in found if len(group) > 1 and group in exact.values()))
    _match_by_words(columns, called, network)
    taxed = tuple(i for name in PRICES_WITH_TAX for i in loose.get(name_key(name), ()))
    taxed += tuple(i for i, name in enumerate(called) if without_tax_words(name) in _price_essences(network))
    columns["price"] = tuple(dict.fromkeys((*taxed, *columns["price"])))
    _put_paid_price_first(columns, loose, keep=bool(taxed))
    columns.update(overridden)
    if "price" in overridden and "sale_price" not in overridden:
        columns["sale_price"] = ()
    if not columns["price"]:
        columns["price"] = tuple(i for name in PRICE_OF_LAST_RESORT for i in exact.get(casefold_name(name), ()))
    columns["price"] = columns["price"] or _loose_last_resort(loose)
    if not columns["name"]:
        columns["name"] = tuple(i for name in NAME_OF_LAST_RESORT for i in loose.get(name_key(name), ()))[:1]
        columns["description"] = tuple(i for i in columns["description"] if i not in columns["name"])
    if "list_price" not in overridden:  # what is paid when there is no sale is no price to compare it with
        columns["list_price"] = tuple(i for i in columns["list_price"] if i not in columns["price"][:1])
    columns["currency"] = columns["currency"] or _currency_attributes(header, columns)
    columns["tracking_url"] = tuple(i for i in columns["tracking_url"] if columns["url"][:1] != (i,))
    return ColumnPlan(
        _width(header),
        tuple(_UNPRINTABLE.sub("", name).strip() for name in header),
        {role: found for role, found in columns.items() if found},
        {role: groups for role, groups in twins.items() if groups and role not in overridden},
        tuple(column for field, column in overrides.items() if FIELD_ROLES.get(field, field) not in overridden),
        network=network,
        name_parts=() if "name" in overridden else _name_parts(called),
    )


def _name_parts(called: Sequence[str]) -> tuple[int, ...]:
    """Of Yandex' YML: an offer of the type `vendor.model` has no name element."""
    places = {casefold_name(name): i for i, name in enumerate(called)}
    if not places.keys() >= {"currencyid", "vendor", "model"}:
        return ()
    return tuple(places[name] for name in ("typeprefix", "vendor", "model") if name in places)


def _put_paid_price_first(
    columns: dict[str, tuple[int, ...]], loose: Mapping[str, tuple[int, ...]], *, keep: bool
) -> None:
    """Of several prices the one that says it is paid serves as a sale does: before the other, and 0 is none."""
    last = {i for name in PRICE_LAST for i in loose.get(name_key(name), ())}
    price = sorted(columns["price"], key=last.__contains__)
    paid = tuple(i for name in PRICE_PAID for i in loose.get(name_key(name), ()) if i in price)
    others = tuple(i for i in price if i not in paid)
    columns["price"] = tuple(price)
    if paid and others and not keep and not columns["sale_price"]:
        columns["sale_price"], columns["price"] = tuple(dict.fromkeys(paid)), others


def _match_by_words(columns: dict[str, tuple[int, ...]], called: Sequence[str], network: str) -> None:
    """Roles that no column names outright, from columns that name nothing else outright."""
    taken = {i for found in columns.values() for i in found}
    places: dict[str, tuple[int, ...]] = {}
    for i, name in enumerate(called):
        for word in alternative_keys(name) if i not in taken else ():
            places[word] = (*places.get(word, ()), i)
    for role in [role for role in ROLES if not columns[role]]:
        reads = (name_key,) if role in _EXACT_ROLES else (name_key, words_key)
        ways = [read(name) for name in priorities(network, role) for read in reads]
        columns[role] = tuple(dict.fromkeys(i for way in ways for i in places.get(way, ())))
    for role in [role for role in _TRANSLATED_ROLES if not columns[role]]:
        keys = _keys(network, role)
        columns[role] = tuple(
            i for i, name in enumerate(called) if i not in taken and without_language_code(name) in keys
        )


def _currency_attributes(header: Sequence[str], columns: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """`<price ccy="GBP">`: an attribute of the price itself."""
    paid = [f"{casefold_name(header[i])}@" for i in (*columns["sale_price"], *columns["price"]) if i < len(header)]
    names = {f"{price}{attribute}" for price in paid for attribute in _CURRENCY_ATTRIBUTES}
    return tuple(i for i, name in enumerate(header) if casefold_name(name) in names)


def _loose_last_resort(loose: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(i for name in PRICE_OF_LAST_RESORT for i in loose.get(name_key(name), ())))


def count_roles(cells: Sequence[str], network: str, overrides: Mapping[str, str] = NONE) -> int:
    """How many roles a row names, were it the header. A row of data names none."""
    if any("://" in cell for cell in cells):
        return 0
    cells = [_without_translation(cell, network) for cell in cells]
    keys = {name_key(cell) for cell in cells}.union(*map(alternative_keys, cells))
    named = sum(1 for role in ROLES if role not in _WEAK_ROLES and keys & _keys(network, role))
    return named + sum(1 for name in overrides.values() if name_key(name) in keys)


def is_removal_list(cells: Sequence[str], network: str) -> bool:
    """Whether a narrow header names an id and whether to remove it, and so needs nothing else: `SKU,Deleted`."""
    keys = {name_key(cell) for cell in cells}
    ids, flags = ("item_id", "sku"), ("deleted", "action")
    return len(cells) <= MAX_REMOVAL_COLUMNS and all(
        any(keys & _keys(network, role) for role in roles) for roles in (ids, flags)
    )


def header_like(cells: Sequence[str], network: str) -> ColumnPlan | None:
    """What a row would mean were it the header, if it could be one by itself."""
    if any(_AMOUNT.fullmatch(cell) for cell in cells):  # no column is called so, and most rows hold one
        return None
    if count_roles(cells, network) < len(NEEDED) and not is_removal_list(cells, network):
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
    exact, loose = _places(header, casefold_name), _places(header, name_key)
    overridden: dict[str, tuple[int, ...]] = {}
    for field, column in overrides.items():
        role = FIELD_ROLES.get(field, field)
        if role not in ROLES:
            raise InvalidInput(f"there is no field {field!r} to map a column to", field="columns")
        position = _POSITION.fullmatch(column.strip())
        found = (int(position[1]) - 1,) if position else exact.get(casefold_name(column)) or loose.get(name_key(column))
        if found:
            overridden[role] = found
    return overridden


def is_known(name: str) -> bool:
    """Whether a column of this name means something here."""
    return any(name_key(name) in _keys("IMPACT", role) for role in ROLES)


@lru_cache(8_192)
def is_wanted(name: str) -> bool:
    """Whether a named property of a product, beside its size and colour, is one that a catalogue may tell so only."""
    return any(name_key(name) in _keys("IMPACT", role) for role in ("gtin", "brand", "mpn"))


@cache
def _price_keys(network: str) -> frozenset[str]:
    last = frozenset(map(name_key, PRICE_OF_LAST_RESORT))
    return last.union(*(_keys(network, role) for role in ("sale_price", "price", "list_price")))


@cache
def _keys(network: str, role: str) -> frozenset[str]:
    names = [*priorities(network, role), *(PRICES_WITH_TAX if role == "price" else ())]
    return frozenset(map(name_key, names)) | frozenset(map(words_key, names)) - {""}


@cache
def _price_essences(network: str) -> frozenset[str]:
    return frozenset(map(words_key, priorities(network, "price"))) - {""}
