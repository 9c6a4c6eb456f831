"""Hours in words and parts of the day: "half acht 's avonds", "a quarter past 8", "8 in the evening" -> 19:30, 8:15, 20:00.

All folded. A spoken hour is one of twelve. Without a part of the day it is read as one after noon, as evenings are
announced, and marked as inferred; from ten to twelve nothing tells the two apart, and there is no hour.
"""

from __future__ import annotations

import re
from enum import StrEnum

import msgspec

from winnow.normalise.dates.words import NUMBERS
from winnow.normalise.text import fold
from winnow.vocabulary.dates import AddedDates, added_dates
from winnow.vocabulary.phrases import any_word

_ADDED = tuple(added_dates().values())
SPOKEN = "\x1f"  # behind an hour that was spoken, until it is known which half of the day it is in
LAST_INFERRED = 9  # "half ten" is as well in the morning


class Part(StrEnum):
    MORNING = "morning"
    AFTERNOON = "afternoon"
    EVENING = "evening"
    NIGHT = "night"


class Hours(msgspec.Struct, frozen=True):
    """The text with its hours in digits. `inferred`: an hour was spoken and nothing says which half of the day it is in;
    `doubtful`: the part of the day does not fit the hour."""

    text: str
    inferred: bool = False
    doubtful: bool = False


_M = rf"(?P<m>\b[1-5]?\d(?!\d)|\b(?:{any_word(sorted(NUMBERS, key=len, reverse=True))})\b)"
_DIGITS = r"\b(?:1[0-2]|0?[1-9])(?![\d:./])"


def _spoken(field: str, digits: str = _DIGITS + "|") -> re.Pattern[str] | None:
    """Each language with its own hours: "half seven" is an hour later than "half zeven"."""
    named = [(template, added) for added in _ADDED for template in getattr(added, field)]
    found = [_with_groups(fold(template), added, n, digits) for n, (template, added) in enumerate(named)]
    return re.compile("|".join(rf"(?<![\w:.]){each}(?!\w)" for each in found)) if found else None


def _with_groups(template: str, added: AddedDates, n: int, digits: str) -> str:
    """Groups with a number of their own: the first that fits is the one that counts."""
    numbers = {fold(w) for number, words in added.numbers.items() if 1 <= number <= 12 for w in words if len(w) > 1}
    hour = rf"(?P<h{n}>{digits}\b(?:{any_word(sorted(numbers, key=len, reverse=True))})\b)"
    escaped = re.escape(template).replace(r"\ ", r"\s")
    return escaped.replace(r"\{h\}", hour).replace(r"\{m\}", _M.replace("<m>", f"<m{n}>"))


# Minutes from the hour: those of the field, and the sign of what {m} counts.
_FIELDS = (
    ("to_half_to", -30, -1),
    ("past_half_to", -30, 1),
    ("half_to", -30, 0),
    ("quarter_past", 15, 0),
    ("quarter_to", -15, 0),
    ("half_past", 30, 0),
    ("past", 0, 1),
    ("to", 0, -1),
)
_PATTERNS = [(p, minutes, sign) for name, minutes, sign in _FIELDS if (p := _spoken(name)) is not None]
_OCLOCK = _spoken("oclock", digits="")
_COUNTED = re.compile(r"(?:over|in|binnen|vor|dans|within|hace|nog)\s$")  # "over drie uur" is in three hours
_MAYBE_SPOKEN = re.compile(
    r"\b(?:"
    + any_word(
        sorted({w for w in (fold(t.split("{")[0]).strip() for a in _ADDED for f, _, _ in _FIELDS for t in getattr(a, f)) if w})
    )
    + r")\b|\b(?:past|over|voor|nach|vor|et|moins|to)\b"
)  # fmt: skip


def _number(word: str) -> int:
    return int(word) if word.isdigit() else NUMBERS[word]


def _first(match: re.Match[str], letter: str) -> str | None:
    return next((v for k, v in match.groupdict().items() if k.startswith(letter) and v is not None), None)


def _in_digits(text: str) -> str:
    for pattern, minutes, sign in _PATTERNS if _MAYBE_SPOKEN.search(text) else ():
        text = pattern.sub(lambda m, minutes=minutes, sign=sign: _clock(m, minutes, sign), text)  # type: ignore[misc]
    return _OCLOCK.sub(lambda m: _clock(m, 0, 0), text) if _OCLOCK else text


def _clock(match: re.Match[str], minutes: int, sign: int) -> str:
    if _COUNTED.search(match.string[: match.start()]):
        return match[0]
    more = _first(match, "m")
    total = (_number(_first(match, "h") or "0") % 12) * 60 + minutes + sign * (_number(more) if more else 0)
    hour, minute = divmod(total % 720, 60)
    return f"{hour or 12}:{minute:02}{SPOKEN}"


_PART_OF = {fold(w): Part(part) for a in _ADDED for part, words in a.parts.items() for w in words}
_PART_WORDS = any_word(sorted(_PART_OF, key=len, reverse=True))
_PART = re.compile(rf"(?:(?<=\s)|(?<=^)|(?<=,)|(?<=\d)|(?<=d'))(?P<part>{_PART_WORDS})(?!\w)")
_UNIT = r"(?:uur|uhr|u|h|heures?|o'?clock)"
# A time that does not say itself which half of the day it is in.
_PLAIN = re.compile(
    rf"(?<![\d.:/-])(?P<h>\d{{1,2}})(?:[:.h](?P<m>[0-5]\d)(?P<spoken>{SPOKEN})?(?:\s?{_UNIT}\b)?|\s?{_UNIT}\b(?:\s(?P<m2>[0-5]\d)\b)?)"
    r"(?!\s?[ap]\.?m\b|[\d:./])"
)
_CALLED = re.compile(r"\b(?P<pre>at|om|um|@|a)\s(?P<h>\d{1,2})(?![\d:./h]|\s?[ap]\.?m|\s[a-z])")

_BEFORE_PART = re.compile(
    rf"(?<![\d.:/-])(?<!uur )(?<!uhr )(?<!h )(\d{{1,2}})\s(?=(?:\d{{4}}-\d\d-\d\d\s)?(?:{_PART_WORDS})(?!\w))"
)
_BARE_RANGE = re.compile(r"(?<![\d.:/-])(\d{1,2})\s?(?:-|tot|bis|to|till|until|a)\s?(\d{1,2})(?![\d:.h/-]|\s?[a-z])")


def read_hours(text: str) -> Hours:
    """Write spoken hours, and hours beside a part of the day, as digits."""
    text = _in_digits(text)
    found = {_PART_OF[m["part"]] for m in _PART.finditer(text)}
    if not found:
        return _without_part(text)
    if len(found) > 1:
        return Hours(text.replace(SPOKEN, ""), doubtful=True)
    part = found.pop()
    text = _PART.sub(" ", _BEFORE_PART.sub(r"\1:00 ", text))
    text = _BARE_RANGE.sub(r"\1:00 - \2:00", _CALLED.sub(r"\g<pre> \g<h>:00", text))
    return _in_part(text, part)


def _without_part(text: str) -> Hours:
    if SPOKEN not in text:
        return Hours(text)
    inferred = False
    text = re.sub(rf"{SPOKEN}(?=\s?[ap]\.?m\b)", "", text)

    def afternoon(match: re.Match[str]) -> str:
        nonlocal inferred
        hour = int(match[1])
        if LAST_INFERRED < hour < 12:
            return " "
        inferred = True
        return f"{hour % 12 + 12}:{match[2]}"

    return Hours(re.sub(rf"(\d{{1,2}}):(\d\d){SPOKEN}(?:\s?{_UNIT}\b)?", afternoon, text), inferred)


def _in_part(text: str, part: Part) -> Hours:
    doubtful = False

    def moved(match: re.Match[str]) -> str:
        nonlocal doubtful
        hour = _hour_in(int(match["h"]), part)
        doubtful |= hour is None
        return f"{hour or 0:02}:{match['m'] or match['m2'] or '00'}"

    return Hours(_PLAIN.sub(moved, text), doubtful=doubtful)


def _hour_in(hour: int, part: Part) -> int | None:
    """The hour of 24; None where the part does not decide it: twelve in the evening is no time of that day."""
    if hour > 12 or hour == 0:
        return hour
    if part is Part.AFTERNOON:
        return 12 if hour == 12 else hour + 12 if hour <= 6 else None
    if part is Part.EVENING:
        return hour + 12 if 4 < hour < 12 else None
    if part is Part.NIGHT:
        return None if hour == 12 else hour + 12 if hour > 5 else hour
    return hour if hour < 12 else None
