"""Hours that are not when it begins: of the doors, and of an end that is left open.

All folded. Doors are never the start: a text that only names their hour has none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from winnow.normalise.text import fold
from winnow.vocabulary.dates import AddedDates, added_dates
from winnow.vocabulary.phrases import any_word


def _words(choose: Callable[[AddedDates], Iterable[str]]) -> str:
    found = {fold(word) for added in added_dates().values() for word in choose(added)}
    return any_word(sorted(found, key=len, reverse=True))


_UNIT = r"(?:\s?(?:uhr|uur|u|h|hrs?|[ap]\.?m\.?)(?![a-z]))?"
_TIME = rf"\d{{1,2}}(?:\s?[:.h]\s?[0-5]\d)?{_UNIT}(?![\d:])"
_BARE_RANGE = r"(?!\s?-\s?\d{1,2}[:.h]\d\d)"  # "zaal 10:00 - 17:00" is how long it is open
_AT = r"\s*(?:ab|at|um|om|from|vanaf|a|:|=)*\s*"
_DOORS, _BEGINS = _words(lambda a: a.doors), _words(lambda a: a.begins)
_LABEL = re.compile(rf"(?<!\w)(?:{_DOORS}|{_BEGINS})(?!\w)")
_ANY_DOORS = re.compile(rf"(?<!\w)(?:{_DOORS})(?!\w)|開場")
_DOORS_BEFORE = re.compile(rf"(?<!\w)(?:{_DOORS})(?!\w){_AT}(?P<time>{_TIME}){_BARE_RANGE}[,;/|)-]?")
_DOORS_BEHIND = re.compile(rf"(?<![\d:.])(?P<time>{_TIME})\s?(?:(?:{_DOORS})(?!\w)[,;/|-]?|[(](?:{_DOORS})[)])")
_SIGNED = re.compile(r"[(（]?\d{1,2}(?::|時)(?:\d\d分?|半)?\s?開場[)）]?")
_FULL_TIME = re.compile(
    r"(?<![\d.:/-])\d{1,2}\s?[:.h]\s?[0-5]\d(?![\d:.])|(?<![\d.:/-])\d{1,2}\s?(?:uhr|uur|[ap]\.?m\b\.?)"
)
_LATE = re.compile(
    rf"\s*(?:-|\btot|\btill?|\buntil|\bto|\bbis|\bjusqu'a la|\ben)\s*(?:{_words(lambda a: a.ends_late)})(?!\w)"
)


def without_doors(text: str) -> str:
    """The text without the hour of the doors and without an end such as "late"."""
    text = _LATE.sub(" ", text)
    if not _ANY_DOORS.search(text):
        return text
    text = _SIGNED.sub(" ", text)
    before, behind = _DOORS_BEFORE.search(text), _DOORS_BEHIND.search(text)
    if before is None or behind is None:
        return (_DOORS_BEFORE if before else _DOORS_BEHIND).sub(" ", text)
    label, first = _LABEL.search(text), _FULL_TIME.search(text)
    if label is not None and (first is None or label.start() < first.start()):
        return _DOORS_BEFORE.sub(" ", text)
    return (_DOORS_BEHIND if _is_earlier(behind["time"], before["time"]) else _DOORS_BEFORE).sub(" ", text)


def _is_earlier(time: str, other: str) -> bool:
    """Of "20:30 zaal open 19:30" the earlier one is the hour of the doors."""
    first, second = ([int(n) for n in re.findall(r"\d+", text)] for text in (time, other))
    return first < second
