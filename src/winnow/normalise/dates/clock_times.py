"""Times of day in a text: "20.30 uur", "8-10pm", "kl 18-20", "19h30"."""

from __future__ import annotations

import re
from collections.abc import Callable

from winnow.normalise.dates.names import MONTHS

_LETTERS = r"[^\W\d_]+"
_MERIDIEM = r"(?:a\.?m\.?|p\.?m\.?)(?![a-z])"
_OCLOCK = r"(?:uhr|uur|u\b|hrs?\b|h\b|horas?\b|heures?\b|o'clock)"
_CLOCK = re.compile(
    rf"(?<![\d.:])(?:\b(?P<pre>um|om|at|kl\.?|klokke|klo|godz\.?|saat|kell|plkst\.?|alle|ore|a las|@|dalle|vanaf|ab|from)\s)?(?P<h>\d{{1,2}})"
    rf"(?:\s?(?P<sep>[:hu]|\.(?!\s))\s?(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d)(?:[.,]\d+)?)?)?\s?(?P<mer>{_MERIDIEM})?\s?(?P<word>{_OCLOCK})?(?!\d)"
)
# What stands before a time only.
_CALLED_TEXT = """
    at @ um kl kl. klo godz godz. saat kell plkst plkst. alle ore om
"""
_CALLED = frozenset([*_CALLED_TEXT.split(), "a las"])
_BETWEEN_TIMES = frozenset(["-", "to", "bis", "tot", "a", "til", "until", "y", "e", "au", "al"])


# "March 7 at 6", "7:30": where clocks have twelve hours, nobody says of which half of the day.
_OPEN_HALF = re.compile(
    r"(?<![\d:.])(?:(?:at|@|from)\s?(?:[1-9]|1[01])(?![\d:.])|(?:[1-9]|1[01]):[0-5]\d(?![\d:]))(?!\s?(?:[ap]\b|[ap]\.?\s?m|h))"
)
_HALF = re.compile(
    r"\b(?:[ap]\.?\s?m|noon|midnight|morning|afternoon|evening|night|tonight|hrs|hours)\b|\d\s?[ap]\.?m|t\d\d:"
)
_TWELVE_HOURS = frozenset(["US", "CA", "AU", "NZ", "PH", "PR"])


def is_half_open(folded: str, locale: str | None) -> bool:
    """Whether an hour is written in the way of twelve hours without its half, in a country that counts so."""
    language, _, region = (locale or "").partition("-")
    if language != "en" or region not in _TWELVE_HOURS:
        return False
    return bool(_OPEN_HALF.search(folded)) and not _HALF.search(folded)


def mark_clocks(text: str, mark: Callable[[str, str], str]) -> str:
    """Marks every time of day. A bare number is a time only with "pm", "Uhr", or beside one that has it."""
    spans = [(m, _clock(m, text)) for m in _CLOCK.finditer(text)]
    pieces, at, before = [], 0, None
    for index, (match, value) in enumerate(spans):
        value = _borrowed(index, spans, text) or value or _continued(match, before, text)
        before = match if value else None
        if value is not None:
            pieces += [text[at : match.start()], mark("t", value)]
            at = match.end()
    return "".join([*pieces, text[at:]])


def _clock(match: re.Match[str], text: str) -> str | None:
    hour, minute = int(match["h"]), int(match["m"] or 0)
    stated = match["mer"] or match["word"] or (match["sep"] in (":", "h", "u") and match["m"])
    dotted = match["sep"] == "." and match["m"] and (match["pre"] or _is_alone(match, text))
    called = match["pre"] in _CALLED and match["sep"] is None and not _is_day(match, text)
    if not (stated or dotted or called):
        return None
    return hour_of_day(hour, minute, match["mer"])


def _is_day(match: re.Match[str], text: str) -> bool:
    """ "um 12. Mai", "at 12 May": a number before a month is a day, whatever stands before it."""
    following = re.match(rf"\.?\s*(?:de\s+|of\s+)?({_LETTERS})", text[match.end() :])
    return following is not None and following[1] in MONTHS


def _is_alone(match: re.Match[str], text: str) -> bool:
    """20.30 not followed by another dot: a date would have one, or a month that exists."""
    return text[match.end() : match.end() + 1] != "." and (int(match["m"]) > 12 or match["m"] == "00")


def hour_of_day(hour: int, minute: int, meridiem: str | None) -> str | None:
    if meridiem:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if meridiem[0] == "p" else 0)
    return f"{hour:02}:{minute:02}" if hour < 24 or (hour, minute) == (24, 0) else None


_BEHIND_WEEKDAY = re.compile(r"\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)\s$")


def _borrowed(index: int, spans: list[tuple[re.Match[str], str | None]], text: str) -> str | None:
    """ "8-10pm", "1:00 - 4:00 p.m.", "19 bis 21 Uhr": what the second time is called holds for the first, right before a dash."""
    match = spans[index][0]
    if match["mer"] or match["word"] or index + 1 >= len(spans) or spans[index + 1][1] is None:
        return None
    following = spans[index + 1][0]
    between = text[match.end() : following.start()].strip()
    if not (following["mer"] or (following["word"] and not match["sep"])) or between not in _BETWEEN_TIMES:
        return None
    if between == "a" and _BEHIND_WEEKDAY.search(text[: match.start()]):
        return None  # "samedi 16 à 18h": a day and its hour
    hour, minute, meridiem = int(match["h"]), int(match["m"] or 0), following["mer"]
    if meridiem is None or hour > 12:
        return hour_of_day(hour, minute, None) if not match["sep"] else None
    if hour % 12 > int(following["h"]) % 12:  # 11-2pm, 9-12pm, 11-2am
        meridiem = "am" if meridiem[0] == "p" else "pm"
    return hour_of_day(hour, minute, meridiem)


def _continued(match: re.Match[str], before: re.Match[str] | None, text: str) -> str | None:
    """ "klo 18-20", "19:00 - 22": a bare number right behind a time and a dash, unless a day or a date begins there."""
    if before is None or match["sep"] or text[before.end() : match.start()].strip() != "-" or _is_day(match, text):
        return None
    begins_date = re.match(r"\s?[./-]\s?\d|\s?\.(?=\s|$)|st|nd|rd|th", text[match.end() :])
    return None if begins_date or int(match["h"]) <= int(before["h"]) else hour_of_day(int(match["h"]), 0, None)
