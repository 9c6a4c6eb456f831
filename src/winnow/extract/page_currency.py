"""The currency a page states once for everything, in its scripts or attributes. Two different ones state nothing."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

from winnow.extract.draft import Strategy, Value

MAX_TEXT = 2 * 1024 * 1024
_STATED = re.compile(
    r"(?:currency|priceCurrency|currencyCode|currency_code|currencyIso\w*|activeCurrency|\"active\"|baseCurrency)"
    r"(?:Code|ISO)?\\*[\"']?\s*[:=,]\s*\\*[\"']([A-Z]{3})\\*[\"']",
)


def read_page_currency(tree: LexborHTMLParser) -> list[Value]:
    marked = [
        node.attributes.get("content") or node.text(strip=True) for node in tree.css('[itemprop="priceCurrency"]')[:20]
    ]
    found = {code.strip().upper() for code in marked if code}
    room = MAX_TEXT
    for node in tree.css("script:not([src])")[:200]:
        text = node.text() or ""
        room -= len(text)
        if room < 0:
            break
        if "urrency" in text:
            found.update(_STATED.findall(text))
    return [Value(found.pop(), Strategy.DOM, "script")] if len(found) == 1 else []
