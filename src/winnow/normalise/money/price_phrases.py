"""Words around a price that decide what the number is: a range, a starting price, a unit price, an old
price, a saving. English, Dutch, German, French, Spanish, and the short words of their neighbours."""

from __future__ import annotations

import re

from winnow.extract.dom.money_words import NET_WORDS
from winnow.normalise.money.signs import SIGN
from winnow.vocabulary.lazy_pattern import lazy_pattern

_SIGN = rf"(?:{SIGN.pattern})"
NUMBER = r"\d+(?:(?:[.,']| (?=\d{3}(?:\D|$)))\d+)*"
_MONEY = rf"(?:{_SIGN}\s?)?{NUMBER}(?:\s?{_SIGN}\.?)?"
_SMALL_MONEY = r"\d+(?:[.,]\d+)?\s?(?:p|¢|ct)"  # pence and cents are what unit prices are stated in


def _words(text: str) -> str:
    return "|".join(re.escape(word.strip()) for word in text.strip().split("|"))


_FROM = _words(
    "from|starting at|starts at|starting from|as low as|low as|vanaf|ab|à partir de|a partir de|dès|desde|"
    "a partire da|od|fra|från|från-pris|alkaen|от|από|de la|começando em|min.|minimum|at least|mindestens|"
    "and up|& up|or more|up to|bis zu|tot wel|jusqu'à|hasta|starting|pris från|már|vanaf-prijs|ab-preis"
)
# A price that ends in a plus, in a wave or in "から" is where prices start.
FROM = lazy_pattern(
    rf"(?<![^\W_])(?:{_FROM})(?![^\W_])|\d\s?\+[\s.!]*$|\d\s?(?:{_SIGN})?\s?(?:[~〜～]|から)\s*$", re.IGNORECASE
)

_TO = _words("to|bis|tot|à|a|al|hasta|til|till|do|through|thru|и|до")
BETWEEN = lazy_pattern(rf"\s*(?:-+|–|—|−|~|〜|/|(?<![^\W_])(?:{_TO})(?![^\W_]))\s*", re.IGNORECASE)

_MEASURE = (
    r"kg|kilo(?:gram)?s?|g|gr|gram(?:s|m)?|mg|lb|lbs|pound|oz|ounce|l|liter|litre|ltr|ml|cl|dl|gal(?:lon)?|"
    r"m|cm|mm|foot|yard|yd|meter|metre|m²|m2|m³|m3|sq\.? ?ft|rd|rds|round|rounds|rnd|shot|count|ct|sheet|"
    r"wash|wasbeurt|tablet|capsule|dose|dosis|100 ?st(?:ück|k)?|"
    r"mo|month|monat|maand|mois|mes|mtl|mnd|yr|year|jahr|jaar|an|año|week|woche|day|tag|dag|jour|hour|hr|h|stunde|"
    r"night|nacht|nuit|person|persoon|user|seat"
)
_PER = r"(?:/|\ble\b|\bles\b(?= \d)|\bel\b|\bper\b|\bpro\b|\bje\b|\bpar\b|\bpor\b|\bal\b|\ba\b(?= month)|\bdelivered\b)"
_AMOUNT = r"\d+(?:[.,]\d+)?"
UNIT_PRICE = lazy_pattern(
    rf"(?:{_MONEY}|{_SMALL_MONEY})\s*"
    rf"(?:{_PER}\s*(?:{_AMOUNT}\s*)?(?:{_MEASURE}|ft)\b\.?|(?:monthly|monatlich|mtl\.|p\.?m\.?\b|a month))"
    rf"|{_AMOUNT}\s*(?:{_MEASURE})\s*=\s*{_MONEY}|{_SMALL_MONEY}\s*(?:/|\bper\b)\s*[^\W\d_]+",
    re.IGNORECASE,
)
# "R$ 999,00 em até 10x de R$ 99,90": the price, and how it may be paid. Instalments alone are no price.
PAID_IN_PARTS = lazy_pattern(
    r"(?:(?<=[.,]\d\d)|(?<=[€$£₺]))\s*[,(]?\s*(?:ou|o|or|oder|em|en|in|até|hasta|of|eller)\s"
    r"(?:(?:em|en|in|até|hasta|up to)\s){0,2}"
    rf"\d+\s*[x×]\s*(?:de |à |of |a )?{_MONEY}(?:\s*(?:sem juros|s/ ?juros|sans frais|sin intereses))?\)?",
    re.IGNORECASE,
)
INSTALMENT = lazy_pattern(rf"\b\d+\s*[x×]\s*(?:de |à |of |a )?{_MONEY}", re.IGNORECASE)
MULTIBUY = lazy_pattern(
    rf"(?<![\d.,])\d{{1,2}}\s*(?:(?:for|für|voor|pour|por|/)\s*{_SIGN}\s?\d|(?:for|für|voor|pour)\s*\d)",
    re.IGNORECASE,
)
_PIECES = r"pcs|pieces|pk|pack|stuks|stück|stk|pièces|unidades|boxes"
QUANTITY = lazy_pattern(
    rf"(?<![\d.,])(?<!\d )(?:{_AMOUNT}\s?(?:{_MEASURE})|\d+[\s-]?(?:{_PIECES}))\b(?!\s*=)"
    r"|(?<![^\W_])(?:(?:pack|set|box|case|lot) of|(?:lot|pack|paquete) de|set van|confezione da) "
    r"\d{1,4}(?![\d.,])(?:\s*[-–—:])?",
    re.IGNORECASE,
)
PERCENT = lazy_pattern(
    r"(?:(?<![^\W_])(?:you save|save|up to|spare|sparen|bespaar|ahorra|économisez)\s?)?"
    r"[-+−–]?\s?\d+(?:[.,]\d+)?\s?(?:%|percent(?![^\W_]))"
    r"(?:\s?(?:savings?|off|rabatt|korting|de remise|de descuento|descuento|sconto|zniżki|rabat))?(?![^\W_])",
    re.IGNORECASE,
)

# The price of every day: the selling price where no other one stands beside it.
_REGULAR = _words(
    "regular price|usual price|běžná cena|bežná cena|cena regularna|harga normal|通常価格|ord. pris|ord.pris"
)
REGULAR = lazy_pattern(rf"(?:{_REGULAR})\s*:?\s*({_MONEY})\s*[*†]?", re.IGNORECASE)

_OLD = _words(
    "was|were|reg|reg.|regular|regular price|regularly|list|list price|msrp|rrp|srp|retail|retail price|old price|"
    "original|original price|originally|compare at|before|uvp|statt|vorher|früher|bisher|listenpreis|van|adviesprijs|"
    "oude prijs|was-prijs|au lieu de|prix conseillé|prix barré|ancien prix|antes|precio anterior|pvpr|pvp|invece di|"
    "before|førpris|før|ord. pris|ord.pris|m.r.p.|m.r.p|mrp|usual price|cena regularna|běžná cena|bežná cena|"
    "prezzo consigliato|avant|prima|anziché|"
    "prezzo di listino|norm.|eredeti ár|eski fiyat|старая цена|стара ціна|定価|通常価格|参考価格|正常價|原價|原价|"
    "정가|harga normal|"
    "giá gốc|preis war|prix initial était|precio original era|prezzo originale era|prijs was|cena wynosiła|"
    "priset var|opprinnelige prisen var|oprindelige pris var|preço original era"
)
# The lowest price of the last 30 days, which EU shops state beside a reduced one (directive 2019/2161).
_LOWEST = (
    r"(?:najniższa cena|lowest price|tiefst(?:er )?preis|niedrigster preis|prix le plus bas|laagste prijs)"
    r"[^:\d]{0,30}(?:30[^:\d]{0,40})?"
)
_OVER = _words(
    "orders over|order over|shipping over|delivery over|shipping on orders over|shipping from|versandkostenfrei ab|"
    "gratis verzending vanaf|livraison offerte dès|envío gratis desde|spend"
)
_SAVE = _words(
    "save|you save|saving|savings|discount|off|spar|sparen|sie sparen|ersparnis|rabatt|bespaar|u bespaart|korting|"
    "économisez|vous économisez|remise|ahorra|ahorras|descuento|coupon"
)
_EXTRA = _words(
    "shipping|delivery|versand|versandkosten|verzending|verzendkosten|bezorging|livraison|port|envío|postage|deposit|"
    "pfand|statiegeld|zzgl|zzgl.|plus|excl. verzendkosten"
)
ASIDE = lazy_pattern(
    rf"(?<![^\W_])(?:{_OLD}|{_SAVE}|{_EXTRA}|{_OVER}|{_LOWEST})\b\.?\s*(?:of|price|preis|prijs)?\s*:?\s*(?:\+\s*)?{_MONEY}"
    rf"|\+\s*{_MONEY}\s*(?:{_EXTRA})\b|{_MONEY}\s*(?:off|rabatt|korting|de remise)\b",
    re.IGNORECASE,
)

# An amount said to be without tax is set aside where another one is left.
NET_IN_BRACKETS = lazy_pattern(
    rf"\(\s?(?:{NET_WORDS})\s?:?\s?{_MONEY}\s?\)|税[抜別](?:価格)?\s?:?\s?{_MONEY}", re.IGNORECASE
)
NET_PRICE = lazy_pattern(rf"\(?\s*{_MONEY}\s*\(?\s*(?:{NET_WORDS})\.?\s*\)?", re.IGNORECASE)

# A label may stand before a number whose groups are split by spaces; any other word there may itself end in
# a number ("pack of 3 199 kr"), and then the text is not read.
_LABEL_WORDS = """
    price our now only sale special nur jetzt preis aktionspreis angebotspreis nu voor prijs actieprijs prix
    maintenant seulement precio ahora oferta pris nå kampanjpris cena цена от prezzo hinta ár incl inkl vat tax
    total current your today's deal ttc net brutto netto naše naša vaše běžná bežná regular
"""
_LABELS = frozenset(_LABEL_WORDS.split())


def unknown_words(text: str, end: int) -> list[str]:
    """Words before position `end` that are neither a currency nor a usual label of a price."""
    without_signs = SIGN.sub(lambda sign: " " * len(sign[0]), text)
    return [word for word in re.findall(r"[^\W\d_]+", without_signs[:end].lower()) if word not in _LABELS]
