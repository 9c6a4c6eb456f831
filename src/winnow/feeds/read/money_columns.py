"""Sale, regular and list price of a batch -> minor units and currency (F-076, F-077).

price = sale price, else regular price. A sale price of 0 is how files say that there is no sale. A sale price that
cannot be read costs the row: the regular price is not what is charged then.
list price = the explicit one, else the regular price when a sale price was used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import compress
from operator import lt
from typing import TYPE_CHECKING

from winnow.feeds.read import row as codes
from winnow.feeds.read.values import NO_PRICE, Currencies, Prices
from winnow.judge.gates import max_minor
from winnow.normalise.money.currencies import exponent, min_minor
from winnow.normalise.money.display import format_money

if TYPE_CHECKING:
    from winnow.feeds.read.mapping import Mapped

Reading = tuple[int, str] | str  # minor units and currency, or why not
Priced = tuple[list[int], list[int | None], list[str]]  # price, list price, currency
ZERO: tuple[int, str] = (0, "")
_NOT_ZERO = frozenset("123456789") | {""}  # how a price begins that is not 0, or none
_PLAIN = re.compile(r"(?:[0-9]{1,11}\.[0-9]{2} )+")  # of a whole column, with a space behind each


def _hundredths(texts: list[str]) -> list[int] | None:
    """Minor units of a whole column, if every text is 1 to 11 digits, a dot and two digits."""
    joined = " ".join(texts) + " "
    if _PLAIN.fullmatch(joined) is None:
        return None if texts else []
    digits = joined.replace(".", "").split()
    return list(map(int, digits)) if len(digits) == len(texts) else None


def _chosen(sale: list[str], regular: list[str], explicit: list[str]) -> tuple[list[str], list[str]]:
    """The texts of price and list price."""
    if all(sale) and not any(explicit):
        return sale, regular
    chosen = [s or r for s, r in zip(sale, regular, strict=True)] if any(sale) else regular
    return chosen, [e or (r if s else "") for e, s, r in zip(explicit, sale, regular, strict=True)]


class MoneyColumns:
    def __init__(self, default_currency: str) -> None:
        self.default = default_currency
        self.currencies = Currencies(default_currency)
        self.tables: dict[str | None, Prices] = {}

    def plain(self, cells: Mapping[str, list[str]]) -> Priced | None:
        """The same as `read` of columns of nothing but `123.45` in one currency; None when anything has to be looked
        at: a 0, a word, another way to write it."""
        stated = set(cells["currency"])
        text = stated.pop() if len(stated) == 1 else None
        code = self.currencies[text] if text else self.default
        if text is None or code is None or exponent(code) != 2:
            return None
        return self._quick(*_chosen(cells["sale_price"], cells["price"], cells["list_price"]), code)

    def read(self, batch: Mapped, cells: Mapping[str, list[str]]) -> Priced:
        sale, regular, explicit = cells["sale_price"], cells["price"], cells["list_price"]
        stated = self._stated(batch, cells["currency"])
        if not {text[:1] for text in sale} <= _NOT_ZERO:
            sale = self._without_zero(sale, regular, stated)
        if not {text[:1] for text in explicit} <= _NOT_ZERO:
            explicit = self._without_none(explicit, stated)
        chosen, listed = _chosen(sale, regular, explicit)
        currency = self._only_currency(stated)
        if currency is not None and (quick := self._quick(chosen, listed, currency)) is not None:
            return quick
        price, currencies = self._prices(batch, self._values(chosen, stated))
        return price, self._list_prices(batch, listed, stated, price, currencies), currencies

    def _only_currency(self, stated: Sequence[str | None]) -> str | None:
        """The currency of every row, if it is one and counts in hundredths."""
        kinds = set(stated)
        currency = (kinds.pop() or self.default) if len(kinds) == 1 else None
        return currency if currency is not None and exponent(currency) == 2 else None

    def _quick(self, chosen: list[str], listed: list[str], currency: str) -> Priced | None:
        """Columns of nothing but `123.45`, as most are; None when anything has to be looked at."""
        price = _hundredths(chosen)
        above = _hundredths(listed if all(listed) else list(filter(None, listed)))
        if price is None or above is None or 0 in price or max(price, default=0) > max_minor(currency):
            return None
        if any(map(lt, above, compress(price, listed))):  # a list price below the price
            return None
        found: list[int | None] = [*above]
        if len(above) < len(listed):
            numbers = iter(above)
            found = [next(numbers) if text else None for text in listed]
        return price, found, [currency] * len(price)

    def _stated(self, batch: Mapped, texts: Sequence[str]) -> list[str | None]:
        kinds = set(texts)
        if len(kinds) == 1 and (text := kinds.pop()):
            if (code := self.currencies[text]) is not None:
                return [code] * len(texts)
        elif not any(texts):
            return [None] * len(texts)
        found = [self.currencies[text] if text else None for text in texts]
        for i, (text, code) in enumerate(zip(texts, found, strict=True)):
            if text and code is None:
                batch.refuse(i, codes.INVALID_CURRENCY, f"{text[:40]!r} is not a currency")
        return found

    def _table(self, stated: str | None) -> Prices:
        table = self.tables.get(stated)
        if table is None:
            table = self.tables[stated] = Prices(stated, self.default)
        return table

    def _values(self, texts: Sequence[str], stated: Sequence[str | None]) -> list[Reading]:
        kinds = set(stated)
        if len(kinds) == 1:
            return list(map(self._table(kinds.pop()).__getitem__, texts))
        return [self._table(code)[text] for text, code in zip(texts, stated, strict=True)]

    def _without_zero(self, sale: Sequence[str], regular: Sequence[str], stated: Sequence[str | None]) -> list[str]:
        values = self._values(sale, stated)
        return [
            "" if s and r and not isinstance(v, str) and v[0] == 0 else s
            for s, r, v in zip(sale, regular, values, strict=True)
        ]

    def _without_none(self, explicit: Sequence[str], stated: Sequence[str | None]) -> list[str]:
        """List prices of 0, or without a digit (CJ's FROMPRICE says No), are none; then the regular one may serve."""
        values = self._values(explicit, stated)
        return [
            text if any(map(str.isdigit, text)) and (isinstance(value, str) or value[0]) else ""
            for text, value in zip(explicit, values, strict=True)
        ]

    def _prices(self, batch: Mapped, values: Sequence[Reading]) -> tuple[list[int], list[str]]:
        clean = [ZERO if isinstance(value, str) else value for value in values]
        price, currency = [value[0] for value in clean], [value[1] for value in clean]
        most = min((max_minor(code) for code in set(currency) if code), default=0)
        if 0 in price or max(price, default=0) > most or any(map(min_minor, set(currency))):
            for i, value in enumerate(values):
                self._judge(batch, i, value)
        return price, currency

    def _judge(self, batch: Mapped, i: int, value: Reading) -> None:
        if isinstance(value, str):
            code = codes.MISSING_FIELD if value is NO_PRICE else codes.INVALID_PRICE
            batch.refuse(i, code, value)
        elif value[0] == 0:
            batch.refuse(i, codes.INVALID_PRICE, "the price is 0")
        elif value[0] < min_minor(value[1]):
            batch.refuse(i, codes.INVALID_PRICE, f"{format_money(*value)} is too little: {value[1]} was replaced")
        elif value[0] > max_minor(value[1]):
            batch.refuse(i, codes.INVALID_PRICE, f"{format_money(*value)} is more than any product costs")

    def _list_prices(
        self,
        batch: Mapped,
        texts: list[str],
        stated: Sequence[str | None],
        price: Sequence[int],
        currency: Sequence[str],
    ) -> list[int | None]:
        if not any(texts):
            return [None] * len(texts)
        values = self._values(texts, stated)
        found = [
            value[0] if not isinstance(value, str) and value[0] >= sold and value[1] == code else None
            for value, sold, code in zip(values, price, currency, strict=True)
        ]
        if found.count(None) > texts.count(""):
            self._note_refused(batch, texts, values, found)
        return found

    def _note_refused(
        self, batch: Mapped, texts: Sequence[str], values: Sequence[Reading], found: Sequence[object]
    ) -> None:
        for i, (value, kept) in enumerate(zip(values, found, strict=True)):
            if kept is None and texts[i] and value[0] != 0 and i not in batch.refused:  # 0: there is none
                batch.note(i, codes.LIST_PRICE_REFUSED, f"list price {texts[i][:60]!r} is not above the selling price")
