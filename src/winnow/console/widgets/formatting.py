"""Formats values for display: times, numbers, money, states. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from winnow.normalise.money.currencies import exponent
from winnow.normalise.money.display import decimal_text

NOTHING = "–"
_STEPS = ((60, 1, "s"), (3600, 60, "min"), (86_400, 3600, "h"), (86_400 * 60, 86_400, "d"), (1 << 62, 2_629_800, "mo"))

# One colour per meaning, on every page.
GOOD, INFO, WARN, BAD, NEUTRAL = "good", "info", "warn", "bad", "neutral"
TONES = {
    GOOD: "ok done accept accepted valid succeeded success completed complete healthy active enabled closed delivered "
    "in_stock sent",
    INFO: "running queued pending new in_progress half_open sending resuming parsing",
    WARN: "hold held paused warn warning quarantined unchanged stale degraded review suspect disabled partial P2 "
    "retrying blocked",
    BAD: "fail failed error reject rejected open dead critical timeout refused too_large robots_blocked broken P1 "
    "out_of_stock expired revoked locked",
}
_TONE_OF = {word: tone for tone, words in TONES.items() for word in words.split()}


def tone_of(state: object) -> str:
    return _TONE_OF.get(str(state), NEUTRAL)


def duration(seconds: float) -> str:
    """12 s, 5 min, 3 h, 2 d."""
    for limit, size, unit in _STEPS:
        if seconds < limit:
            return f"{int(seconds // size)} {unit}"
    raise AssertionError("the last step has no end")


def ago(moment: datetime, now: datetime) -> str:
    seconds = (now - moment).total_seconds()
    if abs(seconds) < 5:
        return "now"
    return f"{duration(seconds)} ago" if seconds > 0 else f"in {duration(-seconds)}"


def absolute(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def number(value: float | None) -> str:
    """1 234 567, with narrow spaces."""
    if value is None:
        return NOTHING
    shown = f"{value:,.1f}" if isinstance(value, float) and not value.is_integer() else f"{int(value):,}"
    return shown.replace(",", "\u202f")


def count(n: int, noun: str, plural: str = "") -> str:
    """1 price, 2 prices, 1 234 companies."""
    return f"{number(n)} {noun if n == 1 else plural or noun + 's'}"


def percent(part: float | None, whole: float | None) -> str:
    return NOTHING if not whole or part is None else f"{100 * part / whole:.0f} %"


def money(minor: int | None, currency: str | None) -> str:
    if minor is None or not currency:
        return NOTHING
    amount = Decimal(decimal_text(minor, exponent(currency)))
    return f"{amount:,} {currency}".replace(",", "\u202f")


def humanize(name: object) -> str:
    """zero_price_extracted -> Zero price extracted."""
    text = str(name).replace("_", " ").strip()
    return text[:1].upper() + text[1:]


def kinds(kind: str) -> str:
    """What a source or an adapter reads: company -> companies."""
    return {"offer": "offers (prices)", "company": "companies"}.get(kind, f"{kind.replace('_', ' ')}s")


def text(value: Any) -> str:
    """Any stored value as text."""
    if value is None or value == "":
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return absolute(value)
    if isinstance(value, timedelta):
        return duration(value.total_seconds())
    if isinstance(value, list | tuple | set):
        return ", ".join(map(text, value)) or NOTHING
    return str(value)
