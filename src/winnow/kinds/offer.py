"""Offers: a product as one source sells it, with its price. Read by the waterfall, judged by the gates of prices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from winnow.errors import InvalidInput
from winnow.extract.adapter import Context
from winnow.extract.adapters.missing_price import classify_missing_price
from winnow.extract.draft import Draft, Extraction
from winnow.extract.page import Page
from winnow.extract.page_facts import absolute
from winnow.extract.waterfall import fast, waterfall
from winnow.judge.compare import Facts
from winnow.judge.gates import judge_offer
from winnow.judge.verdict import Hold, Reject, Verdict
from winnow.kinds.kind import Content, FieldProblem, Kind, Payload, digest
from winnow.normalise.money.currencies import exponent
from winnow.normalise.record import Money, Offer
from winnow.normalise.results.offer import normalise_offer

AnyOffer = TypeVar("AnyOffer", bound=Offer)
GENERIC = "generic"
VERSION = "1.4.0"
WRITER = "winnow.kinds.writers.offers:OffersWriter"
FIELDS = (
    "title", "price", "list_price", "shipping", "availability", "identity", "sku", "product_id", "gtin", "mpn", "brand",
    "image_url", "category", "condition", "description", "attributes",
)  # fmt: skip
# Verdicts with a counter of their own in a run (P-086, P-090).
_GAUGES = {Hold.ZERO_PRICE_EXTRACTED: "zero_price", Reject.UNKNOWN_AVAILABILITY: "unknown_availability"}
_OBSERVED_AT = b'"observed_at"'


def read(page: Page, ctx: Context) -> Extraction:
    return classify_missing_price(waterfall(page, "offer"))


def read_fast(page: Page, ctx: Context) -> Extraction | None:
    return fast(page, "offer")


def normalise(draft: Draft, ctx: Context) -> Offer:
    """Of a list, each entry has the address it links to."""
    own = own_url(draft, ctx)
    near = ctx if own is None else msgspec.structs.replace(ctx, url=own)
    return normalise_offer(draft, near, ctx.adapter_id, ctx.adapter_version)


def own_url(draft: Draft, ctx: Context) -> str | None:
    stated = draft.first("url") if ctx.listing else None
    return None if stated is None else absolute(stated.raw, ctx.url)


def judge(offer: Offer, _draft: Draft, ctx: Context) -> Verdict:
    return judge_offer(offer, ctx.currency and [ctx.currency])


def key(offer: Offer, ctx: Context) -> str:
    """The record's identity. An entry of a list with neither an id nor a URL of its own has none."""
    if ctx.listing and offer.identity.type == "URL" and offer.url == ctx.url:
        return ""
    return offer.identity.key


def content(offer: Offer, _ctx: Context) -> Content:
    """When it was seen is no part of what it says."""
    payload = msgspec.json.encode(offer)
    stated = payload.replace(_OBSERVED_AT + b":" + msgspec.json.encode(offer.observed_at), b"", 1)
    return Content(
        payload=payload,
        digest=digest(stated),
        provenance=offer.provenance,
        problems={field: FieldProblem(p.code.value, p.details) for field, p in offer.problems.items()},
        confidence=offer.confidence,
    )


def facts(payload: Payload) -> Facts:
    offer: Offer = decode(payload)
    formatted = {
        "price": format_money(offer.price),
        "list_price": format_money(offer.list_price),
        "shipping": format_money(offer.shipping),
        "availability": offer.availability.value,
        "identity": offer.identity.key,
        "attributes": ", ".join(f"{name}={value}" for name, value in sorted(offer.attributes.items())),
    }
    plain = {name: getattr(offer, name) for name in FIELDS if name not in formatted}
    found = {**plain, **formatted}
    return {name: str(found[name]) for name in FIELDS if found[name]}


def decode(payload: Payload, record: type[AnyOffer] = Offer) -> AnyOffer:  # type: ignore[assignment]
    try:
        return msgspec.convert(payload, record)
    except msgspec.ValidationError as wrong:
        raise InvalidInput(f"the record was written by another version and cannot be read: {wrong}") from None


def judge_stored(payload: Payload, currency: str | None) -> Verdict:
    return judge_offer(decode(payload), currency and [currency])


def corrected(payload: Payload, values: Mapping[str, Any]) -> Payload:
    builtins: dict[str, Any] = msgspec.to_builtins(correct(decode(payload), values))
    return builtins


def correct(offer: AnyOffer, values: Mapping[str, Any]) -> AnyOffer:
    """As a person accepts it: stock that data and page disagree about is taken as it was read, and a price that is
    given replaces what was read."""
    settled = {"availability", *values}
    others = {field: problem for field, problem in offer.problems.items() if field not in settled}
    offer = msgspec.structs.replace(offer, problems=others)
    price = values.get("price")
    if isinstance(price, Money):
        listed = offer.list_price if offer.list_price and offer.list_price.currency == price.currency else None
        offer = msgspec.structs.replace(offer, price=price, list_price=listed)
    return offer


def gauges(verdict: Verdict) -> tuple[str, ...]:
    found = _GAUGES.get(verdict.reason or "")  # type: ignore[call-overload]
    return () if found is None else (found,)


def format_money(money: Money | None) -> str | None:
    """`19.99 USD`, exactly."""
    if money is None:
        return None
    places = exponent(money.currency)
    sign, digits = ("-", str(-money.minor)) if money.minor < 0 else ("", str(money.minor))
    digits = digits.zfill(places + 1)
    amount = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"{sign}{amount} {money.currency}"


OFFER = Kind(
    name="offer",
    version=VERSION,
    adapter_id=GENERIC,
    fields=FIELDS,
    read=read,
    fast=read_fast,
    normalise=normalise,
    judge=judge,
    key=key,
    content=content,
    facts=facts,
    judge_stored=judge_stored,
    corrected=corrected,
    gauges=gauges,
    writer=WRITER,
    needs_retailer=True,
    needs_price=True,
    blames_adapter=True,
)
