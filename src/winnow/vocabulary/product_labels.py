"""Labels beside the facts of a product page, by language (`data/product_labels.json`)."""

from __future__ import annotations

from functools import cache

import msgspec

from winnow.vocabulary.load import load

Labels = tuple[str, ...]


class ProductLabels(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """In small letters. `description` are headings; `reviews` stand behind a number of them, `out_of` between a rating
    and the best one."""

    gtin: Labels = ()
    mpn: Labels = ()
    brand: Labels = ()
    description: Labels = ()
    reviews: Labels = ()
    review_count: Labels = ()
    out_of: Labels = ()


@cache
def product_labels(name: str) -> frozenset[str]:
    """Of all languages."""
    languages = load("product_labels", dict[str, ProductLabels])
    return frozenset(label for labels in languages.values() for label in getattr(labels, name))
