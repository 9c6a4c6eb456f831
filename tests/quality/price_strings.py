"""Price strings of every country of `shops/countries.py`, in the ways shops write them, each with what it says."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from tests.quality.shops.countries import COUNTRIES, Country

SEED = 7
AMOUNTS = (1, 95, 199, 1999, 4950, 12900, 129900, 1234560, 12345678)


@dataclass(frozen=True)
class Text:
    """`says` is "minor CURRENCY", or "-" where no single selling price is stated."""

    text: str
    hint: str | None
    locale: str | None
    says: str


# `@` is the amount as the country writes it, `#` the bare number, `^` another amount, `~` the currency code.
_STATED = (
    "@", " @ ", "@*", "@ *", "@ †", "(@)", "@@", "@ @", "# ~", "~ #", "~#", "#~", "@ ~", "Price: @", "Only @",
    "@ incl. VAT",
    "@ inkl. MwSt.", "@ TTC", "@ (20% off)", "-15% @", "@ -15%", "@ each", "@ + free shipping", "was ^ now @",
    "statt ^ nur @",
    "@ au lieu de ^", "Antes ^ Ahora @", "RRP ^ Our price @", "@ (save ^)", "UVP ^ @", "\u200e@", "@\u00a0", "@!",
    "@ / pc",
)  # fmt: skip
_NOT_STATED = (
    "from @", "ab @", "vanaf @", "à partir de @", "desde @", "@ - ^", "@ – ^", "@ to ^", "@ bis ^", "@ / kg",
    "@ per 100 g", "@/month",
    "3 x @", "12 × @", "Save @", "-@", "2 for @", "@ ^", "up to @", "@ & up",
)  # fmt: skip


def texts(seed: int = SEED) -> Iterator[Text]:
    dice = random.Random(seed)
    for country in COUNTRIES:
        for minor in AMOUNTS:
            amount = _payable(minor, country)
            if amount:
                for shape in dice.sample(_STATED, 6):
                    yield _text(shape, amount, country, f"{amount} {country.currency}")
        for shape in dice.sample(_NOT_STATED, 8):
            yield _text(shape, _payable(129900, country), country, "-")


def _payable(minor: int, country: Country) -> int:
    """An amount that can be written there: without cents where nobody writes them."""
    step = 10**country.decimals
    return minor if country.places else minor // step * step


def _text(shape: str, minor: int, country: Country, says: str) -> Text:
    other = minor + 5 * 10**country.decimals
    text = shape.replace("#", country.bare(minor)).replace("~", country.currency)
    text = text.replace("@", country.written(minor)).replace("^", country.written(other))
    return Text(text, country.currency, country.lang, says)
