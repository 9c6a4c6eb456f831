"""What the sections of shops are called in the paths of their URLs (`data/shop_paths.json`)."""

from __future__ import annotations

from functools import cache

import msgspec

from winnow.vocabulary.load import gather, load


class ShopPaths(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Segments of paths, in lower case: of pages of one product, of lists of products, of pages about the shop, and of
    pages that a visitor without an account has nothing to read on."""

    product: tuple[str, ...] = ()
    listing: tuple[str, ...] = ()
    info: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


@cache
def segments(section: str) -> frozenset[str]:
    return frozenset(gather(_words(), section))


@cache
def _words() -> dict[str, ShopPaths]:
    return load("shop_paths", dict[str, ShopPaths])
