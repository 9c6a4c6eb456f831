"""Reads availability from a text (P-009). Without a signal, or with two that contradict, it is UNKNOWN."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

import msgspec

from winnow.normalise.record import Availability
from winnow.vocabulary.phrases import any_of
from winnow.vocabulary.stock import PRESSABLE, phrases

MAX_TEXT = 300  # a stock line is short; a paragraph that mentions stock is not a signal

# schema.org ItemAvailability. PreOrder, PreSale and MadeToOrder can be ordered and come later: BACKORDER.
_SCHEMA_ORG = {
    "instock": Availability.IN_STOCK,
    "limitedavailability": Availability.IN_STOCK,
    "onlineonly": Availability.IN_STOCK,
    "instoreonly": Availability.IN_STOCK,
    "outofstock": Availability.OUT_OF_STOCK,
    "soldout": Availability.OUT_OF_STOCK,
    "discontinued": Availability.OUT_OF_STOCK,
    "reserved": Availability.OUT_OF_STOCK,
    "backorder": Availability.BACKORDER,
    "preorder": Availability.BACKORDER,
    "presale": Availability.BACKORDER,
    "madetoorder": Availability.BACKORDER,
}

_COUNT = r": ?0(?![.,]?\d)"
_SOME_LEFT = r"stock(?: level)?: ?[1-9]\d*"
_NOT_A_SIGNAL = re.compile(r"(?<!\w)(?:availability|check|select|choose|shipping)(?!\w)[^.]*\?|if available")


# Here "not available" is said of a picture, a chat or a delivery option, not of the product.
_ABOUT_OTHERS = re.compile(
    r"(?:image|photo|picture|video|preview|bild|foto|imagen|immagine|afbeelding|live chat|chat|gift[- ]wrap\w*|"
    r"reviews?|pick-?up|in-?store pick-?up|click (?:&|and) collect|installation|financing|warranty)s?"
    r"(?: (?:is|are|ist|est|is currently|currently|derzeit|noch))?"
    r" (?:not (?:yet )?available|unavailable|coming soon|nicht verfügbar|non disponible|no disponible|non disponibile|"
    r"niet beschikbaar)(?: for [\w ]{1,20}:?| (?:at|in) [\w ]{1,30})?|"
    # how many kinds there are, not whether one can be had
    r"(?:options?|offers?|colou?rs?|sizes?|styles?|variants?|formats?|editions?|coupons?|discounts?|"
    r"downloads?) available"
)


class _Patterns(msgspec.Struct, frozen=True):
    """Asked in this order: "not in stock" contains "in stock", "back in stock soon" announces the opposite."""

    out: re.Pattern[str]
    later: re.Pattern[str]
    available: re.Pattern[str]
    promised: re.Pattern[str]  # beside "sold out" it makes a text contradict itself


@cache
def _patterns() -> _Patterns:
    """Compiled when they are first asked: most processes that import this module never are."""
    none_left = f"(?:{any_of(phrases('counted'))})(?: \\w+)?{_COUNT}"
    return _Patterns(
        _bordered(phrases("sold_out", "sold_out_button", "sold_out_line"), none_left),
        _bordered(phrases("later", "later_button", "later_line")),
        _bordered(phrases("promised", "in_stock"), _SOME_LEFT, re.escape(PRESSABLE)),
        _bordered(phrases("promised")),
    )


def _bordered(words: list[str], *patterns: str) -> re.Pattern[str]:
    """Whole words; scripts that do not separate words have no borders to ask for."""
    wide = any_of(word for word in words if word[0] >= "\u0e00")
    bordered = rf"(?<!\w)(?:{'|'.join([any_of(words), *patterns])})(?!\w)"
    return re.compile(f"{bordered}|{wide}" if wide else bordered)


@lru_cache(1_024)
def read_availability(text: str | None) -> Availability:
    """A schema.org value, a feed's word, or a phrase in one of the languages of `vocabulary/data/stock.json`."""
    if not text:
        return Availability.UNKNOWN
    word = re.sub(r"[\s_-]", "", re.split(r"[/#:]", text.strip("/ \n\t"))[-1].lower())
    return _SCHEMA_ORG.get(word) or read_stock_phrase(text)


def mentions_sold_out(text: str) -> bool:
    """Whether a text has words of a sold out product, even if it says more than that."""
    return _patterns().out.search(" ".join(text.split()).lower().replace("’", "'")) is not None


def read_stock_phrase(text: str) -> Availability:
    plain = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip().lower().replace("’", "'")
    plain = _ABOUT_OTHERS.sub(" ", plain)
    if len(plain) > MAX_TEXT or _NOT_A_SIGNAL.search(plain):
        return Availability.UNKNOWN
    known = _patterns()
    rest, denials = known.out.subn(" ", plain)
    if known.later.search(rest):
        return Availability.BACKORDER
    if denials:
        return Availability.UNKNOWN if known.promised.search(rest) else Availability.OUT_OF_STOCK
    return Availability.IN_STOCK if known.available.search(rest) else Availability.UNKNOWN
