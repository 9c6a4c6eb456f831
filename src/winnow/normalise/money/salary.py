"""Pay as job postings write it -> lowest and highest amount, currency and period. Nothing is annualised.

"$80k–$100k a year" -> 80 000–100 000 USD per year      "£15/hr" -> 15 GBP per hour
"€ 3.500 brutto pro Monat" -> 3 500 EUR per month       "Competitive" -> Unread
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from enum import StrEnum

import msgspec

from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.money.amount import Style, read_amount
from winnow.normalise.money.currencies import exponent, read_currency
from winnow.normalise.money.signs import SIGN, decide_currency
from winnow.normalise.record import Problem, Trouble
from winnow.normalise.text import clean_line, fold

MAX_TEXT = 200


class Period(StrEnum):
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


# Folded words of seven languages; the first that stands in the text decides, and two different ones decide nothing.
_PERIODS = {
    Period.HOUR: r"/\s?(?:h(?:r|our)?s?|std|stunde|uur|heure|ora|hora|godz|tim)\b|\b(?:hourly|p\.?/?h\b|an hour|per hour|per uur|pro stunde|die stunde|stundenlohn|stundlich|"
    r"bruto per uur|par heure|de l'heure|/heure|por hora|la hora|a hora|all'ora|orari[oa]|uurloon|/\s?uur|/\s?std|/\s?stunde|stunde|hour|horaire|na godzine|godz|i timmen)\b|時給|시급",
    Period.DAY: r"/\s?d(?:ay)?\b|\b(?:daily|per day|a day|pro tag|tagessatz|per dag|par jour|por dia|al giorno|tjm|day rate|day)\b",
    Period.WEEK: r"/\s?w(?:ee)?k\b|\b(?:weekly|per week|a week|pro woche|par semaine|por semana|a settimana|week)\b",
    Period.MONTH: r"/\s?(?:mo(?:nth|nat)?|mois|mes|mese|mies|maand|man|mesic)\b|\b(?:monthly|per month|a month|pro monat|im monat|monatlich|monatsgehalt|monatsbrutto|mtl|per maand|"
    r"maandelijks|/\s?maand|par mois|mensuels?|por mes|al mes|mensual(?:es)?|mensais|ao mes|al mese|mensili|month|monat|miesiecznie|na miesiac|i manaden|mesicne|p\.?m\.?)(?![a-z])|月給|月収|월급",
    Period.YEAR: r"/\s?(?:y(?:ea)?r|an|ano|jaar|jahr|anno|rok)\b|\b(?:yearly|annual(?:ly)?|annum|per year|a year|per annum|pro jahr|im jahr|jahrlich|jahresgehalt|p\.?\s?a\.?|"
    r"per jaar|/\s?jaar|/\s?jahr|/\s?ano|jaarlijks|par an|/\s?an|annuels?|brut annuel|anual(?:es|mente)?|al ano|por ano|ao ano|annu[oi]|all'anno|"
    r"lordi annui|ral|year|jahr|yr|pa|rocznie|om aret)(?![a-z])|年収|年俸|연봉",
}
_PATTERNS = {period: re.compile(pattern) for period, pattern in _PERIODS.items()}
_AMOUNT = re.compile(
    r"(\d{1,3}(?:[ \u00a0\u202f'’.,]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d{1,3}(?:,\d{2})+,\d{3}|\d+(?:[.,]\d{1,2})?(?!\d))"
    r"(?:\s?(k|tsd\.?|mil|mila|lakhs?|lpa|m)(?![^\W\d_]))?",
    re.IGNORECASE,
)
_UP_TO = re.compile(r"(?:up to|bis(?: zu)?|tot|max\.?|maximum|jusqu'a|hasta|fino a|ate|under)\s*\W{0,3}$")
_FROM = re.compile(
    r"(?:from|ab|vanaf|a partir de|desde|da|min\.?|minimum|starting at|mindestens|over|more than|at least)\s*\W{0,3}$"
)
_MORE = re.compile(r"^\s?(?:\+|or more|und mehr|en meer)")
_ASIDES = re.compile(
    r"\b\d+(?:[.,]\d+)?\s?(?:%|hours?|stunden|uur|uren|h/week|heures|days?|tage|dagen|jahre|years?|x\b|monatsgeh[aä]lter|geh[aä]lter|pagas|mensilit[aà])"
    r"(?:\s?(?:/|per|pro|a|par|por|in der)\s?(?:week|woche|semaine|semana|settimana))?",
    re.IGNORECASE,
)
_MYRIAD = re.compile(r"(\d+)\s?[万萬만]\s?(?=[円원])")  # 500万円
_LIKELY = {Period.HOUR: (1, 2_000), Period.MONTH: (100, 500_000), Period.YEAR: (1_000, 100_000_000)}
_UNIT_TEXT = {"HOUR": Period.HOUR, "DAY": Period.DAY, "WEEK": Period.WEEK, "MONTH": Period.MONTH, "YEAR": Period.YEAR,
              "HOURLY": Period.HOUR, "DAILY": Period.DAY, "WEEKLY": Period.WEEK, "MONTHLY": Period.MONTH,
              "YEARLY": Period.YEAR, "ANNUAL": Period.YEAR, "ANNUALLY": Period.YEAR, "ANN": Period.YEAR, "MON": Period.MONTH,
              "HUR": Period.HOUR}  # fmt: skip


class Salary(msgspec.Struct, frozen=True):
    """Minor units of `currency`; a side that is not stated is None ("up to £60,000")."""

    low: int | None
    high: int | None
    currency: str
    period: Period | None = None

    def text(self) -> str:
        """ "80000-100000 USD per year": one spelling, for comparing and for people."""
        amounts = [_plain(side, self.currency) for side in (self.low, self.high) if side is not None]
        if self.low is None:
            shown = f"up to {amounts[0]}"
        elif self.high is None:
            shown = f"from {amounts[0]}"
        else:
            shown = "-".join(dict.fromkeys(amounts))
        return f"{shown} {self.currency}" + (f" per {self.period.value}" if self.period else "")


def read_salary(raw: str, locale: str | None = None, currency: str | None = None) -> Salary | Unread:
    text = clean_line(raw, MAX_TEXT * 2)
    if not text or len(text) > MAX_TEXT:
        return unread(Doubt.TOO_LONG if text else Doubt.EMPTY, raw)
    bare = re.sub(r"[‐‑‒–—―−]", "-", text)
    bare = _MYRIAD.sub(r"\g<1>0000", bare)
    bare = _ASIDES.sub(lambda m: m[0] if SIGN.search(m[0]) else " ", bare)
    found = list(_AMOUNT.finditer(bare))
    decided = decide_currency(list(dict.fromkeys(SIGN.findall(bare))), currency, locale)
    if not found or len(found) > 2:
        return unread(Doubt.UNREADABLE if not found else Doubt.AMBIGUOUS, raw)
    if isinstance(decided, Problem):
        return _without_currency(decided, raw)
    amounts = _amounts(found, decided, bare, locale)
    if amounts is None:
        return unread(Doubt.UNREADABLE, raw)
    return _checked(amounts, found, bare, decided, raw)


def salary_of(low: str, high: str, currency: str, unit: str) -> Salary | Unread:
    """From fields of data (schema.org MonetaryAmount), whose numbers have a decimal point."""
    code = read_currency(currency)
    sides = [_minor(side, code) if code else None for side in (low, high)]
    if code is None or sides == [None, None]:
        return Unread(Doubt.INCOMPLETE, f"{low} {high} {currency}"[:80])
    if sides[0] is not None and sides[1] is not None and sides[1] < sides[0]:
        return Unread(Doubt.CONTRADICTION, f"{low} {high} {currency}"[:80])
    period = _UNIT_TEXT.get(unit.strip().upper().rpartition("/")[2])
    return Salary(sides[0], sides[1], code, period)


def _without_currency(problem: Problem, raw: str) -> Unread:
    return unread(Doubt.CONTRADICTION if problem.code is Trouble.CURRENCY_CONFLICT else Doubt.INCOMPLETE, raw)


def _minor(text: str, currency: str) -> int | None:
    text = SIGN.sub("", text).strip()
    try:
        amount = Decimal(text.replace(",", "") if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", text) else text)
    except InvalidOperation:
        return None
    return int(amount * 10 ** exponent(currency)) if amount.is_finite() and 0 < amount < 10**12 else None


def _amounts(found: list[re.Match[str]], currency: str, text: str, locale: str | None) -> list[int] | None:
    """Minor units; "60-80k" is sixty thousand to eighty thousand."""
    shared = found[-1][2] if len(found) == 2 and not found[0][2] and _is_smaller(found) else None
    amounts = [_amount(match, shared, currency, text, locale) for match in found]
    return [amount for amount in amounts if amount is not None] if None not in amounts else None


def _is_smaller(found: list[re.Match[str]]) -> bool:
    return len(re.sub(r"\D", "", found[0][1])) <= 3


def _amount(match: re.Match[str], shared: str | None, currency: str, text: str, locale: str | None) -> int | None:
    digits = re.sub(r"[\u00a0\u202f]", " ", match[1]).replace("’", "'")
    style = Style.SIGN_FIRST if SIGN.search(text[max(0, match.start() - 4) : match.start()]) else Style.SIGN_LAST
    minor = read_amount(digits, currency, style, locale)
    if minor is Trouble.SEPARATOR and re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", digits):
        minor = int(re.sub(r"\D", "", digits)) * 10 ** exponent(currency)  # salaries have no thousandths
    if isinstance(minor, Trouble):
        return None
    return minor * _multiple(match[2] or shared or "")


def _multiple(unit: str) -> int:
    unit = unit.lower().strip(".")
    return {
        "k": 1_000,
        "tsd": 1_000,
        "mila": 1_000,
        "mil": 1_000,
        "m": 1_000_000,
        "万": 10_000,
        "萬": 10_000,
        "만": 10_000,
    }.get(unit, 100_000 if unit.startswith("l") else 1)


def _checked(amounts: list[int], found: list[re.Match[str]], text: str, currency: str, raw: str) -> Salary | Unread:
    period = _period(fold(text))
    if isinstance(period, Unread):
        return period
    low, high = _sides(amounts, found, text)
    if low is not None and high is not None and high < low:
        return unread(Doubt.CONTRADICTION, raw)
    least, most = _LIKELY.get(period, (0, 10**12)) if period else (0, 10**12)
    known = [side / 10 ** exponent(currency) for side in (low, high) if side is not None]
    if (
        exponent(currency)
        and currency in ("USD", "EUR", "GBP", "CHF", "CAD", "AUD")
        and not all(least <= k <= most for k in known)
    ):
        return unread(Doubt.INVALID, raw)
    return Salary(low, high, currency, period)


def _sides(amounts: list[int], found: list[re.Match[str]], text: str) -> tuple[int | None, int | None]:
    if len(amounts) == 2:
        return amounts[0], amounts[1]
    before = fold(SIGN.sub(" ", text[: found[0].start()])).strip()
    if _UP_TO.search(before):
        return None, amounts[0]
    if _FROM.search(before) or _MORE.match(SIGN.sub("", text[found[0].end() :])):
        return amounts[0], None
    return amounts[0], amounts[0]


def _period(folded: str) -> Period | Unread | None:
    found = [period for period, pattern in _PATTERNS.items() if pattern.search(folded)]
    if len(found) > 1:
        return unread(Doubt.AMBIGUOUS, folded)
    return found[0] if found else None


def _plain(minor: int, currency: str) -> str:
    amount = Decimal(minor).scaleb(-exponent(currency))
    return format(amount.to_integral() if amount == amount.to_integral() else amount, "f")
