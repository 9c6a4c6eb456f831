"""A header row -> which column serves which role."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import msgspec

from winnow.errors import InvalidInput
from winnow.feeds.columns import PRICE_OF_LAST_RESORT, PRICE_WITH_TAX, ROLES, priorities
from winnow.feeds.values import read_currency

_SIGNS = re.compile(r"[\W_]+")
_POSITION = re.compile(r"#([1-9]\d{0,3})")
_CURRENCY = re.compile(r"(.*\w)[\s_(\[-]+([A-Z]{3}|[€£])\s*[)\]]?", re.IGNORECASE)  # Price (EUR), price_usd
_UNIT = re.compile(r"^(?:g|c|product):")  # Google's namespaces in tab-separated files: g:price, c:label
# What an override may be called: the fields of Row where they differ from the role.
FIELD_ROLES = {
    "in_stock": "stock",
    "upc": "gtin",
    "image": "image_url",
    "title": "name",
    "original_price": "list_price",
}
NONE: Mapping[str, str] = {}


class Plan(msgspec.Struct, frozen=True):
    """Role -> columns in order; the first that holds something wins. `twins`: columns of one and the same name."""

    width: int
    header: tuple[str, ...]
    columns: Mapping[str, tuple[int, ...]]
    twins: Mapping[str, tuple[tuple[int, ...], ...]] = {}
    absent: tuple[str, ...] = ()  # columns an override names that the file does not have
    currency: str | None = None  # named by the columns of prices

    def names(self, role: str) -> tuple[str, ...]:
        return tuple(self.header[i] if i < len(self.header) else f"#{i + 1}" for i in self.columns.get(role, ()))

    @property
    def missing(self) -> list[str]:
        """Roles without which no row can be used."""
        needed = [role for role in ("name", "url") if role not in self.columns]
        return needed if "price" in self.columns or "sale_price" in self.columns else [*needed, "price"]


def spelled(name: str) -> str:
    """F-076: without case; a mark at the beginning, spaces around and Google's prefix do not count."""
    return _UNIT.sub("", name.strip().strip("\ufeff\"'*").strip().casefold())


def folded(name: str) -> str:
    return _SIGNS.sub("", spelled(name))


def plan(header: Sequence[str], network: str, overrides: Mapping[str, str] = NONE) -> Plan:
    found = _plan(header, network, overrides)
    if "price" not in found.missing:
        return found
    codes = {code for name in header if (code := _priced_in(name)[1])}
    if len(codes) != 1:  # of several, none is the one
        return found
    told = _plan([_priced_in(name)[0] for name in header], network, overrides)
    return msgspec.structs.replace(told, header=found.header, currency=codes.pop())


def _priced_in(name: str) -> tuple[str, str | None]:
    """The name of a column without the currency in it, and the currency."""
    found = _CURRENCY.fullmatch(name.strip())
    code = read_currency(found[2]) if found else None
    return (found[1], code) if found and code else (name, None)


def _plan(header: Sequence[str], network: str, overrides: Mapping[str, str]) -> Plan:
    given = _overrides(overrides, header)
    exact, loose = _places(header, spelled), _places(header, folded)
    columns: dict[str, tuple[int, ...]] = {}
    twins: dict[str, tuple[tuple[int, ...], ...]] = {}
    for role in ROLES:
        names = priorities(network, role)
        both = [(exact.get(spelled(name), ()), loose.get(folded(name), ())) for name in names]
        found = [group for pair in both for group in pair if group]
        columns[role] = tuple(dict.fromkeys(i for group in found for i in group))
        twins[role] = tuple(dict.fromkeys(group for group in found if len(group) > 1 and group in exact.values()))
    taxed = tuple(i for name in PRICE_WITH_TAX for i in loose.get(folded(name), ()))
    columns["price"] = tuple(dict.fromkeys((*taxed, *columns["price"])))
    columns.update(given)
    if "price" in given and "sale_price" not in given:
        columns["sale_price"] = ()
    if not columns["price"]:
        columns["price"] = tuple(i for name in PRICE_OF_LAST_RESORT for i in exact.get(spelled(name), ()))
    columns["price"] = columns["price"] or _loose_last_resort(loose)
    columns["tracking_url"] = tuple(i for i in columns["tracking_url"] if columns["url"][:1] != (i,))
    return Plan(
        _width(header),
        tuple(name.strip().strip("\ufeff") for name in header),
        {role: found for role, found in columns.items() if found},
        {role: groups for role, groups in twins.items() if groups and role not in given},
        tuple(column for field, column in overrides.items() if FIELD_ROLES.get(field, field) not in given),
    )


def _loose_last_resort(loose: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(i for name in PRICE_OF_LAST_RESORT for i in loose.get(folded(name), ())))


def score(cells: Sequence[str], network: str, overrides: Mapping[str, str] = NONE) -> int:
    """How many roles a row names, were it the header. A row of data names none."""
    if any("://" in cell for cell in cells):
        return 0
    keys = {folded(cell) for cell in cells}
    named = sum(1 for role in ROLES if keys & _keys(network, role))
    return named + sum(1 for name in overrides.values() if folded(name) in keys)


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


@cache
def _keys(network: str, role: str) -> frozenset[str]:
    names = [*priorities(network, role), *(PRICE_WITH_TAX if role == "price" else ())]
    return frozenset(map(folded, names))
