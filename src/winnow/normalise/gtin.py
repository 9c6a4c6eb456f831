"""GTIN-8/12/13/14 and ISBN-10: a number counts only when its check digit is right."""

from __future__ import annotations

import re

_LENGTHS = (8, 12, 13, 14)
_GAPS = re.compile(r"[\s\-–]")
_LABEL = re.compile(r"^(?:urn:)?(?:gtin|ean|upc|isbn)(?:-?1[0-4]|-?8)?:", re.IGNORECASE)
_ISBN10 = re.compile(r"\d{9}[\dXx]", re.ASCII)
# GS1 keeps these for use inside one shop: restricted circulation numbers say nothing outside it.
_INTERNAL_13 = ("02", "04", "2")


def read_gtin(text: str | None) -> str | None:
    """The digits as printed (ISBN-10 as its ISBN-13), or None when this is no valid GTIN."""
    cleaned = text if text and text.isdigit() else _LABEL.sub("", _GAPS.sub("", text or ""))
    if _ISBN10.fullmatch(cleaned):
        return _from_isbn10(cleaned.upper())
    if not (cleaned.isascii() and cleaned.isdigit()) or len(cleaned) not in _LENGTHS:
        return None
    return cleaned if has_valid_check_digit(cleaned) and cleaned.strip("0") else None


def has_valid_check_digit(digits: str) -> bool:
    return check_digit(digits[:-1]) == digits[-1]


def check_digit(payload: str) -> str:
    """GS1 general specifications 7.9: weights 3 and 1 from the right."""
    total = 3 * sum(map(int, payload[::-2])) + sum(map(int, payload[-2::-2]))
    return str(-total % 10)


def as_gtin14(gtin: str) -> str:
    """One form for comparing: a UPC and the EAN of the same product become equal."""
    return gtin.zfill(14)


def is_internal(gtin: str) -> bool:
    return as_gtin14(gtin)[1:].startswith(_INTERNAL_13)


def _from_isbn10(isbn: str) -> str | None:
    total = sum((10 - i) * (10 if c == "X" else int(c)) for i, c in enumerate(isbn))
    if total % 11:
        return None
    payload = "978" + isbn[:9]
    return payload + check_digit(payload)
