"""Addresses of offers whose file has none: `https://shop.example.com/products/{Handle}`.

Exports of Shopify and WooCommerce name a product by its handle or id. A placeholder is the name of a column, or of a
field of a row (`{sku}`). The host is never filled in from the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from winnow.errors import InvalidInput
from winnow.feeds.failures import BadFile
from winnow.feeds.read.column_names import casefold_name, name_key
from winnow.feeds.read.web_address import is_address

MAX_TEMPLATE = 2_000
_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
_HOST = re.compile(r"https?://[^/?#{}\s]+/", re.IGNORECASE)


def check_template(template: str) -> None:
    """Refuses a template that cannot give addresses of one host."""
    plain = _PLACEHOLDER.sub("x", template)
    if len(template) > MAX_TEMPLATE or not _HOST.match(template) or not is_address(plain):
        raise InvalidInput(
            "url_template must be an http(s) address such as https://shop.example.com/products/{Handle}", "url_template"
        )
    if plain == template or "{" in plain or "}" in plain:
        raise InvalidInput("url_template must name a column in braces, as in {Handle}", "url_template")


def check_columns(template: str, header: Sequence[str], columns: Mapping[str, tuple[int, ...]]) -> None:
    """Refuses a file that lacks a column of the template."""
    if missing := UrlTemplate(template, header, columns).missing:
        raise BadFile(f"the file has no column {', '.join(missing)}, which the feed's url_template names")


class UrlTemplate:
    """A template for the columns of one header."""

    def __init__(self, template: str, header: Sequence[str], columns: Mapping[str, tuple[int, ...]]) -> None:
        self._texts = _PLACEHOLDER.split(template)[::2]
        exact = {casefold_name(name): i for i, name in reversed(list(enumerate(header)))}
        loose = {name_key(name): i for i, name in reversed(list(enumerate(header)))}
        self._places: list[int] = []
        self.missing: list[str] = []  # columns that this header does not have
        for name in _PLACEHOLDER.findall(template):
            role = columns.get(name.strip().casefold(), (-1,))[0]
            self._places.append(exact.get(casefold_name(name), loose.get(name_key(name), role)))
            if self._places[-1] < 0:
                self.missing.append(name)

    def fill(self, cells: Sequence[str]) -> str:
        """The address of a row; "" where a cell that it needs is empty."""
        values = [cells[place].strip() for place in self._places]
        if self.missing or not all(values):
            return ""
        parts = [quote(value, safe="/") + text for value, text in zip(values, self._texts[1:], strict=True)]
        return self._texts[0] + "".join(parts)
