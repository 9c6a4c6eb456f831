"""What shops call the size and the colour of a variant, by language (`data/variant_options.json`)."""

from __future__ import annotations

from functools import cache

import msgspec

from winnow.vocabulary.load import load


class VariantOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whole names of options, in lower case."""

    size: tuple[str, ...]
    colour: tuple[str, ...]


@cache
def _names() -> dict[str, str]:
    words = load("variant_options", dict[str, VariantOptions]).values()
    sizes = {name: "size" for known in words for name in known.size}
    return sizes | {name: "colour" for known in words for name in known.colour}


def option_name(name: str) -> str:
    """`size` or `colour` where a shop calls an option so in its language; else its own name in lower case."""
    plain = " ".join(name.replace("_", " ").replace("-", " ").split()).rstrip(" :").lower()
    return _names().get(plain, plain)
