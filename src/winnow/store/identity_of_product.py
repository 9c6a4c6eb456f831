"""Which canonical product an offer is of: decided by its GTIN, else by brand and part number, else by the SKU under
which another source of the same retailer sells it; never by likeness. Pure.

What is ambiguous is a conflict for a person, not a guess:
    several_gtins     the offer has stated more than one GTIN
    brand_differs     a source whose GTINs are not trusted gives one that belongs to another brand's product
    several_products  brand and part number fit products with different GTINs, or the SKU different products
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import msgspec

from winnow.normalise.gtin import as_gtin14, is_internal, read_gtin

SKU = "sku"
MIN_PART_LENGTH = 3  # "1" or "XL" is no part number
# What shops write where they have nothing to write.
_NOTHING = frozenset({"none", "na", "null", "unknown", "default", "various", "other", "doesnotapply", "notapplicable"})
_NO_BRAND = _NOTHING | {"nobrand", "noname", "unbranded", "generic", "oem"}
_NO_PART = _NOTHING | {"nompn", "tbd", "000", "0000", "00000"}


class Offered(msgspec.Struct, frozen=True, kw_only=True):
    """An offer, as the resolver sees it. `trusted`: the GTINs of its source may be believed (P-094). `hidden`: no run
    that brought it is promoted."""

    id: int
    title: str
    brand: str | None = None
    mpn: str | None = None
    sku: str | None = None
    source_id: int = 0
    retailer_id: int | None = None
    category: str | None = None
    description: str | None = None
    image_url: str | None = None
    trusted: bool = False
    hidden: bool = False
    linked: int | None = None
    method: str | None = None
    gtins: list[str] = []


class CanonicalProduct(msgspec.Struct, kw_only=True):
    """A canonical product; without an id it is still to be made."""

    id: int | None = None
    name: str
    gtin: str | None = None
    brand: str | None = None
    mpn: str | None = None
    part: tuple[str, str] | None = None
    category: str | None = None
    description: str | None = None
    image_url: str | None = None
    changed: bool = False


class ProductLink(msgspec.Struct, frozen=True):
    offer: Offered
    product: CanonicalProduct
    method: str
    evidence: str


class IdentityConflict(msgspec.Struct, frozen=True):
    offer: Offered
    reason: str
    candidates: list[CanonicalProduct]
    evidence: str


# By retailer and SKU: which source of it sells which product.
Sold = dict[tuple[int, str], list[tuple[int, int]]]


class Catalogue:
    """The products that matter to one batch, found by what identifies them."""

    def __init__(self, known: Iterable[CanonicalProduct] = (), sold: Sold | None = None) -> None:
        self.sold = sold or {}
        self.by_id: dict[int, CanonicalProduct] = {}
        self.by_gtin: dict[str, CanonicalProduct] = {}
        self.by_part: dict[tuple[str, str], list[CanonicalProduct]] = {}
        self.new: list[CanonicalProduct] = []
        for product in known:
            self._index(product)

    def _index(self, product: CanonicalProduct) -> None:
        if product.id is not None:
            self.by_id[product.id] = product
        if product.gtin is not None:
            self.by_gtin[product.gtin] = product
        if product.part is not None:
            self.by_part.setdefault(product.part, []).append(product)

    def new_product(self, offer: Offered, gtin: str | None, part: tuple[str, str] | None) -> CanonicalProduct:
        made = CanonicalProduct(
            name=offer.title,
            gtin=gtin,
            brand=offer.brand,
            mpn=offer.mpn if part else None,
            part=part,
            category=offer.category,
            description=offer.description,
            image_url=offer.image_url,
        )
        self.new.append(made)
        self._index(made)
        return made

    def name_gtin(self, product: CanonicalProduct, gtin: str) -> CanonicalProduct:
        """Set the GTIN of a product that was known by its part number only."""
        product.gtin, product.changed = gtin, True
        self.by_gtin[gtin] = product
        return product


def resolve(offer: Offered, known: Catalogue) -> ProductLink | IdentityConflict | None:
    """None: nothing identifies it, a person has linked it, or nobody outside may see it."""
    if offer.method == "manual" or offer.hidden:
        return None
    gtins, part = gtins_of(offer), part_of(offer)
    if len(gtins) > 1:
        candidates = [p for g in gtins if (p := known.by_gtin.get(g)) is not None]
        return IdentityConflict(offer, "several_gtins", candidates, ", ".join(gtins))
    if gtins:
        return _by_gtin(offer, gtins[0], part, known)
    return _by_sku(offer, known) if part is None else _by_part(offer, part, known)


def _by_gtin(
    offer: Offered, gtin: str, part: tuple[str, str] | None, known: Catalogue
) -> ProductLink | IdentityConflict:
    there = known.by_gtin.get(gtin)
    if there is None:
        nameless = [p for p in known.by_part.get(part, []) if p.gtin is None] if part else []
        found = known.name_gtin(nameless[0], gtin) if nameless else known.new_product(offer, gtin, part)
        return ProductLink(offer, found, "gtin", gtin)
    theirs, ours = key_of(there.brand), key_of(offer.brand)
    if not offer.trusted and theirs and ours and theirs != ours:
        return IdentityConflict(offer, "brand_differs", [there], f"{gtin} is {there.brand}'s")
    return ProductLink(offer, there, "gtin", gtin)


def _by_part(offer: Offered, part: tuple[str, str], known: Catalogue) -> ProductLink | IdentityConflict:
    found = known.by_part.get(part, [])
    evidence = f"{offer.brand} {offer.mpn}"
    if len(found) > 1:
        return IdentityConflict(offer, "several_products", found, evidence)
    return ProductLink(offer, found[0] if found else known.new_product(offer, None, part), "brand_mpn", evidence)


def _by_sku(offer: Offered, known: Catalogue) -> ProductLink | IdentityConflict | None:
    """A retailer's own number means nothing elsewhere, and makes no product by itself; the offer's own link is no
    proof (F-139)."""
    sold = sold_as(offer)
    others = {product for source, product in known.sold.get(sold, ()) if source != offer.source_id} if sold else ()
    found = [known.by_id[product] for product in sorted(others)]
    if len(found) > 1:
        return IdentityConflict(offer, "several_products", found, f"SKU {offer.sku}")
    return ProductLink(offer, found[0], SKU, f"SKU {offer.sku}") if found else None


def sold_as(offer: Offered) -> tuple[int, str] | None:
    return None if offer.retailer_id is None or not offer.sku else (offer.retailer_id, offer.sku)


def gtins_of(offer: Offered) -> list[str]:
    """In one form, and only those that mean the same in every shop."""
    read = [g for text in offer.gtins if (g := read_gtin(text)) is not None and not is_internal(g)]
    return sorted({as_gtin14(g) for g in read})


def part_of(offer: Offered) -> tuple[str, str] | None:
    brand, part = key_of(offer.brand), key_of(offer.mpn)
    if brand is None or part is None or brand in _NO_BRAND or part in _NO_PART or len(part) < MIN_PART_LENGTH:
        return None
    return brand, part


def key_of(text: str | None) -> str | None:
    """Case, spaces and punctuation away; letters of every script stay what they are."""
    folded = unicodedata.normalize("NFKC", text or "").casefold()
    return "".join(c for c in folded if c.isalnum()) or None
