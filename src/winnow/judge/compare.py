"""What two readings of one page say differently, field by field. Used by recorded pages, replay and shadow."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from winnow.judge.assess import Assessment
from winnow.judge.verdict import Decision
from winnow.normalise.money.currencies import exponent
from winnow.normalise.record import Money, Offer

Facts = dict[str, str]  # what is not on the page is not in it

# Everything an offer keeps; `verdict` last, because it follows from the others.
FIELDS = (
    "title", "price", "list_price", "shipping", "availability", "identity", "sku", "product_id", "gtin", "mpn", "brand",
    "image_url", "category", "condition", "description", "attributes", "verdict", "reason",
)  # fmt: skip


class Kind(StrEnum):
    CHANGED = "changed"
    FOUND = "found"  # only the second reading has it
    LOST = "lost"  # only the first one had it


class Difference(msgspec.Struct, frozen=True):
    field: str
    kind: Kind
    before: str | None
    after: str | None


def facts_of(assessment: Assessment) -> Facts:
    """The verdict is the one without a history: a page alone says the same today and in a year."""
    if assessment.offer is None or assessment.verdict is None:
        return {"verdict": "failure", "reason": assessment.failure.value if assessment.failure else "nothing found"}
    return facts_of_offer(assessment.offer, assessment.verdict.decision, assessment.verdict.reason)


def facts_of_offer(offer: Offer, decision: Decision, reason: str | None) -> Facts:
    said = {
        "price": _money(offer.price),
        "list_price": _money(offer.list_price),
        "shipping": _money(offer.shipping),
        "availability": offer.availability.value,
        "identity": offer.identity.key,
        "attributes": ", ".join(f"{name}={value}" for name, value in sorted(offer.attributes.items())),
        "verdict": decision.value,
        "reason": reason,
    }
    plain = {name: getattr(offer, name) for name in FIELDS if name not in said}
    found = {**plain, **said}
    return {name: str(found[name]) for name in FIELDS if found[name]}


def differences(before: Mapping[str, str], after: Mapping[str, str]) -> list[Difference]:
    return [
        Difference(name, _kind(before.get(name), after.get(name)), before.get(name), after.get(name))
        for name in FIELDS
        if before.get(name) != after.get(name)
    ]


def _kind(before: str | None, after: str | None) -> Kind:
    if before is None:
        return Kind.FOUND
    return Kind.LOST if after is None else Kind.CHANGED


def _money(money: Money | None) -> str | None:
    """`19.99 USD`, exactly."""
    if money is None:
        return None
    places = exponent(money.currency)
    sign, digits = ("-", str(-money.minor)) if money.minor < 0 else ("", str(money.minor))
    digits = digits.zfill(places + 1)
    amount = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"{sign}{amount} {money.currency}"
