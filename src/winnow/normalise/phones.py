"""Telephone numbers -> E.164, by the numbering plans that come with the `phonenumbers` library."""

from __future__ import annotations

import re

import phonenumbers
from phonenumbers import NumberParseException, PhoneNumber, PhoneNumberType

from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.reserved import is_made_up

MAX_TEXT = 60  # "Tel.: +49 (0) 89 / 123 456 - 78 (Zentrale)" has 44
_EXTENSION = re.compile(
    r"\s*(?:ext\.?|extension|x|durchwahl|toestel|poste|interno|ramal|#)\s*[:.]?\s*\d{1,6}\s*$", re.IGNORECASE
)
_TRUNK_ZERO = re.compile(r"\(\s*0\s*\)")
_DATE = re.compile(r"\b(?:\d{1,2}[./-]\d{1,2}[./-](?:19|20)?\d\d|(?:19|20)\d\d[./-]\d{1,2}[./-]\d{1,2})\b")
_YEARS = re.compile(r"(?:19|20)\d\d\s?[-–]\s?(?:19|20)\d\d")
_REPEATED = re.compile(r"(\d)\1{6,}")  # 0000000: a form's placeholder
# Plans reserve these for films and documentation: 555-01xx, 1-555-5555, 01632 960xxx, 020 7946 0xxx.
_FICTION = re.compile(r"\+1\d{3}555(?:01\d\d|1212|1234|5555|4567)|\+44(?:1632960|2079460|1134960|7700900)\d{3}|\+1(\d)\1{2}\d{7}"
                      r"|\+1123456\d{4}|\+11?234567890?")  # fmt: skip
# Only North American numbers are grouped like this.
_AMERICAN = re.compile(r"(?:1[-. ])?(?:\([2-9]\d\d\)\s?|[2-9]\d\d\s?[-.]\s?|[2-9]\d\d )[2-9]\d\d\s?[-. ]\s?\d{4}")
_PREMIUM = frozenset([PhoneNumberType.PREMIUM_RATE, PhoneNumberType.PAGER, PhoneNumberType.VOICEMAIL])


def read_phone(raw: str, country: str | None = None, url: str = "") -> str | Unread:
    """`country` (ISO code) is where a number without a prefix would be dialled; without it only +… is read. `url` is the
    page's."""
    text = _bare(raw)
    if not text or len(text) > MAX_TEXT:
        return unread(Doubt.EMPTY if not text else Doubt.TOO_LONG, raw)
    if _DATE.search(text) or _YEARS.search(text):
        return unread(Doubt.INVALID, raw)
    number = _parsed(text, country)
    if number is None:
        return unread(Doubt.UNREADABLE, raw)
    found = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    if _REPEATED.search(found) or (_FICTION.fullmatch(found) and not is_made_up(url)):
        return unread(Doubt.PLACEHOLDER, raw)
    return found


def _bare(raw: str) -> str:
    text = raw.strip().removeprefix("tel:").replace("%20", " ").replace("\u2011", "-").replace("\u00a0", " ")
    return _TRUNK_ZERO.sub(" ", _EXTENSION.sub("", text)).strip()


def _parsed(text: str, country: str | None) -> PhoneNumber | None:
    if text.startswith("00") and not text.startswith("000"):
        text = "+" + text[2:]
    for region in dict.fromkeys([country, "US" if _AMERICAN.fullmatch(text) else None]):
        try:
            number = phonenumbers.parse(text, region)
        except NumberParseException:
            continue
        if phonenumbers.is_valid_number(number) and phonenumbers.number_type(number) not in _PREMIUM:
            return number
    return None
