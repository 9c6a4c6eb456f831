"""CSS selectors that people write, asked in a way the HTML parser answers rightly.

Lexbor looks for `:is(#box) .price` and `:where(#box) .price` in the parent only, never further up, unless a type stands
before the pseudo-class. `*:is(#box) .price` means the same and is found at any depth.
"""

from __future__ import annotations

import re
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

Scope = LexborHTMLParser | LexborNode
_BARE = re.compile(r"(^|[\s>+~,(])(?=:(?:is|where)\()")


def select(scope: Scope, css: str) -> list[LexborNode]:
    return scope.css(_typed(css))


def select_first(scope: Scope, css: str) -> LexborNode | None:
    return scope.css_first(_typed(css))


@lru_cache(1_024)
def _typed(css: str) -> str:
    return _BARE.sub(r"\1*", css)
