"""Exports of Shopify: a product is several rows, and only the first has its title, vendor and status. Rows of further
variants take these from the first row of their handle; rows that only add a picture are no offers.

Exports of WooCommerce: a product with variations has a row of its own without a price; its variations are the offers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from winnow.feeds.read.column_names import name_key

_HANDLES, _PRICES, _SKUS = ("handle", "urlhandle"), ("variantprice", "price"), ("variantsku", "sku")
_OF_PRODUCT = frozenset([
    "title", "bodyhtml", "description", "vendor", "type", "productcategory", "tags", "published", "status",
    "publishedononlinestore", "imagesrc", "productimageurl",
])  # fmt: skip
_OPTIONS = ("option1value", "option2value", "option3value")
_NO_OPTION = frozenset(["", "default title"])


_PARENTS = frozenset(["variable", "variable-subscription", "grouped"])


class ParentRows:
    """The rows of products that are sold only as their variations or their parts."""

    def __init__(self, header: Sequence[str]) -> None:
        places = {name_key(name): i for i, name in enumerate(header)}
        self.used = {"type", "parent", "regularprice"} <= places.keys()
        self.kind, self.price = places.get("type", -1), places.get("regularprice", -1)

    def is_parent(self, cells: Sequence[str]) -> bool:
        if not self.used or len(cells) <= max(self.kind, self.price) or cells[self.price].strip():
            return False
        return not _PARENTS.isdisjoint(word.strip() for word in cells[self.kind].casefold().split(","))


class VariantRows:
    """Completes the rows of one file, in their order."""

    def __init__(self, header: Sequence[str]) -> None:
        places = {name_key(name): i for i, name in enumerate(header)}
        self.handle, price, sku = (_first_place(places, names) for names in (_HANDLES, _PRICES, _SKUS))
        self.title, option = places.get("title", -1), places.get("option1value", -1)
        self.of_variant = (price, sku, option)
        self.used = min(self.handle, self.title, *self.of_variant) >= 0
        self.shared = [i for name, i in places.items() if name in _OF_PRODUCT]
        self.options = [places[name] for name in _OPTIONS if name in places]
        self.first: list[str] = []

    def complete(self, table: list[list[str]]) -> list[list[str]]:
        return [self._completed(list(cells)) for cells in table]

    def is_picture(self, cells: Sequence[str]) -> bool:
        """Whether a row adds a picture to the product above and is no variant."""
        return self.used and not any(cells[place].strip() for place in self.of_variant if place < len(cells))

    def _completed(self, cells: list[str]) -> list[str]:
        handle, title = self.handle, self.title
        if cells[title].strip() or not self.first or cells[handle] != self.first[handle]:
            self.first = list(cells)
        else:
            for place in self.shared:
                cells[place] = cells[place] or self.first[place]
        chosen = [cells[i].strip() for i in self.options if cells[i].strip().casefold() not in _NO_OPTION]
        if chosen and cells[title].strip():
            cells[title] = f"{cells[title].strip()} - {' / '.join(chosen)}"
        return cells


def _first_place(places: Mapping[str, int], names: Sequence[str]) -> int:
    return next((places[name] for name in names if name in places), -1)
