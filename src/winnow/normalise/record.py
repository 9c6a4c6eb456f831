"""Normalised, typed values: what judge decides about and store keeps."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from enum import StrEnum

import msgspec


class Availability(StrEnum):
    """P-009. UNKNOWN means the page gave no explicit signal; it is never a guess."""

    IN_STOCK = "IN_STOCK"
    OUT_OF_STOCK = "OUT_OF_STOCK"
    BACKORDER = "BACKORDER"
    UNKNOWN = "UNKNOWN"


class Money(msgspec.Struct, frozen=True, gc=False):
    """Integer minor units and the ISO 4217 code whose exponent they follow. Never a float."""

    minor: int
    currency: str


class Trouble(StrEnum):
    """What stopped a text from becoming a value. The first group leaves the price open, the second says
    there is none, the third is about stock, the last about the currency."""

    RANGE = "range"
    FROM_PRICE = "from_price"
    PER_UNIT = "per_unit"
    NET = "net"  # without the tax a customer pays on top
    SEVERAL = "several"
    SEPARATOR = "separator"
    CHOICE = "choice"  # the chosen variant or selector is not on the page

    NO_NUMBER = "no_number"
    DIGITS = "digits"
    NEGATIVE = "negative"
    PRECISION = "precision"
    TOO_LARGE = "too_large"
    TOO_LONG = "too_long"
    NOTATION = "notation"

    STOCK_CONFLICT = "stock_conflict"

    CURRENCY_UNKNOWN = "currency_unknown"
    CURRENCY_CONFLICT = "currency_conflict"


class Problem(msgspec.Struct, frozen=True, gc=False):
    """Why a value could not be read; `details` quotes what stood there, shortened."""

    code: Trouble
    details: str = ""


class Identity(msgspec.Struct, frozen=True, gc=False):
    """Which offer of its source this is (P-023): PID, SKU or URL, and the value."""

    type: str
    value: str

    @property
    def key(self) -> str:
        return f"{self.type}:{self.value}"


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """One observation of one offer (P-015 … P-017). None means the page did not say.

    `observed_at` is when the page was fetched (P-018), `provenance` names strategy and place of
    each value taken, `notes` what normalising had to decide, `problems` (by field) what it could not
    read: a price that is None with a problem is undecided, one without is not on the page.
    """

    url: str
    canonical_url: str
    observed_at: datetime
    adapter_id: str
    adapter_version: str
    identity: Identity
    title: str | None = None
    price: Money | None = None
    list_price: Money | None = None
    shipping: Money | None = None
    availability: Availability = Availability.UNKNOWN
    sku: str | None = None
    product_id: str | None = None
    gtin: str | None = None
    mpn: str | None = None
    brand: str | None = None
    image_url: str | None = None
    category: str | None = None
    description: str | None = None
    condition: str | None = None
    attributes: dict[str, str] = {}
    provenance: dict[str, str] = {}
    notes: list[str] = []
    problems: dict[str, Problem] = {}
    confidence: float = 1.0


class ProductImage(msgspec.Struct, frozen=True, gc=False):
    """A picture of a product, in the order of the page; the first one is `primary` (C-036)."""

    url: str
    alt: str = ""
    type: str = "gallery"


class Product(Offer, frozen=True, kw_only=True):
    """A product of the catalogue: it needs a name only (C-031, C-032). `price` is what its page states if that can be
    believed; `price_withheld` says why it cannot. A price enters the history if its stock is known too (P-090).
    `field_confidence` is how sure each field is (C-068)."""

    rating: Decimal | None = None
    review_count: int | None = None
    images: list[ProductImage] = []
    breadcrumbs: list[str] = []
    price_withheld: str | None = None
    field_confidence: dict[str, float] = {}

    @property
    def enters_history(self) -> bool:
        return self.price is not None and self.availability is not Availability.UNKNOWN
