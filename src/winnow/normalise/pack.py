"""How much is in the box, and what one of it costs (P-016, P-017, P-031).

Derived after the price is known and never the other way round: a "per round" price on the page is not read. A title
that names two different quantities names none.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

import msgspec

from winnow.normalise.record import Money

MAX_COUNT = 100_000  # rounds or pieces of one offer; a pallet has fewer
_DIGIT = re.compile(r"\d")
_COUNT = r"(?<![\d.,/-])(\d{1,3}(?:,\d{3})+|\d{1,6})"
_ROUNDS = re.compile(rf"{_COUNT}\s?-?(?:rounds?|rds?|rnds?|shotshells|shells|cartridges)\b", re.IGNORECASE)
_PIECES = re.compile(
    rf"\b(?:pack|box|set|case|lot) of (\d{{1,5}})\b"
    rf"|{_COUNT}\s?-?(?:pack|pk|pcs|pieces|count|ct|stück|stk|stuks|pièces|unidades|er[- ]?(?:pack|set))\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"(?<![\d.,/-])(?:(\d{1,3})\s?[x×]\s?)?(\d{1,5}(?:[.,]\d{1,3})?)\s?(kg|g|mg|l|ml|cl|oz|lbs?)\b(?!\s?/)",
    re.IGNORECASE,
)
# Into kilograms or litres; ounce and pound are the avoirdupois ones (exactly 28.349523125 g and 453.59237 g).
_SCALE = {
    "kg": ("kg", "1"), "g": ("kg", "0.001"), "mg": ("kg", "0.000001"), "oz": ("kg", "0.028349523125"),
    "lb": ("kg", "0.45359237"), "lbs": ("kg", "0.45359237"), "l": ("l", "1"), "cl": ("l", "0.01"), "ml": ("l", "0.001"),
}  # fmt: skip


class Pack(msgspec.Struct, frozen=True):
    """`unit` is round, piece, kg or l; `quantity` how many of it one buys."""

    unit: str
    quantity: Decimal


def read_pack(title: str, attributes: dict[str, str]) -> Pack | None:
    """Rounds, else pieces, else a weight or volume: the first that the title (or a property of that name) states."""
    stated = attributes.get("round_count", "").replace(",", "")
    if stated.isascii() and stated.isdigit():
        return _counted("round", {int(stated)})
    if _DIGIT.search(title) is None:
        return None  # most titles: every pattern below needs a digit
    rounds = {_whole(match[1]) for match in _ROUNDS.finditer(title)}
    if rounds:
        return _counted("round", rounds)
    pieces = {_whole(match[1] or match[2]) for match in _PIECES.finditer(title)}
    return _counted("piece", pieces) if pieces else _measured(title)


def cost_per_unit(price: Money, pack: Pack) -> int:
    """Minor units for one round, piece, kilogram or litre, rounded half up."""
    return int((Decimal(price.minor) / pack.quantity).to_integral_value(ROUND_HALF_UP))


def with_pack(attributes: dict[str, str], title: str | None, price: Money | None) -> dict[str, str]:
    """`attributes` with what is in the box and what one of it costs, where both are known."""
    pack = read_pack(title or "", attributes)
    if pack is None or (price is None and pack.unit not in ("round", "piece")):
        return attributes
    name = {"round": "round_count", "piece": "pack_count"}.get(pack.unit, f"quantity_{pack.unit}")
    found = {**attributes, name: f"{pack.quantity.normalize():f}"}
    if price is not None and price.minor:
        suffix = "cents" if pack.unit == "round" else "minor"
        found[f"cost_per_{pack.unit}_{suffix}"] = str(cost_per_unit(price, pack))
    return found


def _whole(text: str) -> int:
    return int(text.replace(",", ""))


def _counted(unit: str, counts: set[int]) -> Pack | None:
    count = counts.pop() if len(counts) == 1 else 0
    return Pack(unit, Decimal(count)) if 1 < count <= MAX_COUNT else None


def _measured(title: str) -> Pack | None:
    found = {_amount(match) for match in _MEASURE.finditer(title)}
    if len(found) != 1:
        return None
    unit, quantity = found.pop()
    return Pack(unit, quantity) if quantity > 0 else None


def _amount(match: re.Match[str]) -> tuple[str, Decimal]:
    unit, scale = _SCALE[match[3].lower()]
    return unit, int(match[1] or 1) * Decimal(match[2].replace(",", ".")) * Decimal(scale)
