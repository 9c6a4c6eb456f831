"""Turns written dates into tokens that do not depend on the language.

    "Fr., 12. – So., 14. Mai 2026, 20 bis 22 Uhr"  ->  w4 12 ~ w6 14 m05 y2026 r20:00/22:00

A token is one letter and its value: `d` a whole date, `n` a bare number (a day), `m` month, `y` year, `w` weekday, `t`
a time, `r` a range of times, `~` "to", `x` an unknown word.
"""

from __future__ import annotations

import re
from datetime import date

import msgspec

from winnow.normalise.dates.names import (
    MONTHS,
    WEEKDAYS_BESIDE_MONTH,
    Names,
    months_of,
    weekdays_of,
)
from winnow.normalise.dates.words import AND, DOORS, FILLERS, TO
from winnow.normalise.doubts import Doubt, Unread, unread

FIRST_YEAR, LAST_YEAR = 1900, 2100  # anything else on a page is a number, not a year
_YMD = re.compile(r"(?<!\d)((?:19|20)\d\d)(?:([-/.])(\d{1,2})\2|(\.) (\d{1,2})\. ?)(\d{1,2})(?!\d)(?:t(?=\d))?")
_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d\d)(\d\d)(\d\d)(?:t(\d\d)(\d\d)(\d\d)?)?(?![\d-])")
# A year of two digits stands close: "5.12. 20 Uhr" has none.
_DMY = re.compile(r"(?<![\d.:])(\d{1,2})\s?([-/.])\s?(\d{1,2})(?:\s?\2\s?((?:19|20)\d\d)|\2(\d\d))(?![\d:])")
_DM_DOTTED = re.compile(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.(?!\d)")
_DM_SLASH = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})(?![\d/])")
_MERIDIEM = r"(?:a\.?m\.?|p\.?m\.?)(?![a-z])"
_OCLOCK = r"(?:uhr|uur|u\b|hrs?\b|h\b|horas?\b|heures?\b|o'clock)"
_CLOCK = re.compile(
    rf"(?<![\d.:])(?:\b(?P<pre>um|om|at|kl\.?|klokke|klo|godz\.?|saat|kell|plkst\.?|alle|ore|a las|@|dalle|vanaf|ab|from)\s)?(?P<h>\d{{1,2}})"
    rf"(?:\s?(?P<sep>[:hu]|\.(?!\s))\s?(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d)(?:[.,]\d+)?)?)?\s?(?P<mer>{_MERIDIEM})?\s?(?P<word>{_OCLOCK})?(?!\d)"
)
_NOON = re.compile(
    r"\b(noon|midday|mittags?|middag|midi|mediodia|mezzogiorno|meio-dia)\b|\b(midnight|mitternacht|middernacht|minuit|medianoche|mezzanotte|meia-noite)\b"
)
_ORDINAL = r"(?:st|nd|rd|th|er|re|ste|de|eme|e|o|a)(?![a-z])"
_LETTERS = r"[^\W\d_]+"
_PIECE = re.compile(
    rf"([\ue000-\uf8ff])|({_LETTERS}(?:['/-]{_LETTERS})*)'?\.?|(?<!\d)(\d{{1,4}})(?!\d)(?:{_ORDINAL}|[ºª°.])?|'(\d\d)(?!\d)|([-~@&+])"
)
# Year, month and day, or hour and minute, each followed by its own sign; Korean comes folded into its letters.
_YEAR, _MONTH, _DAY, _HOUR, _MINUTE = ("年|\u1102\u1167\u11ab", "月|\u110b\u116f\u11af", "日|號|号|\u110b\u1175\u11af", "時|时|點|点|\u1109\u1175", "分|\u1107\u116e\u11ab")  # fmt: skip
_SIGNED_DAY = re.compile(rf"(?:(\d{{4}})\s?(?:{_YEAR})\s?)?(\d{{1,2}})\s?(?:{_MONTH})\s?(\d{{1,2}})\s?(?:{_DAY})")
_SIGNED_CLOCK = re.compile(
    rf"(午前|上午|早上|\u110b\u1169\u110c\u1165\u11ab|午後|下午|晚上|晚|夜|\u110b\u1169\u1112\u116e)?\s?(\d{{1,2}})(?:\s?(?:{_HOUR})(半|\s?(\d{{1,2}})\s?(?:{_MINUTE}))?|:(\d\d))"
)
_MORNING = frozenset(["午前", "上午", "早上", "\u110b\u1169\u110c\u1165\u11ab"])
# Japanese eras by the year before their first; 元 is the first.
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
_ERA = re.compile(rf"({'|'.join(_ERAS)})\s?(元|\d{{1,2}})(?=\s?年)")
_VIETNAMESE = re.compile(r"\bthang (\d{1,2})\b(?:,? nam (\d{4}))?")
_FIRST_MARK = 0xE000  # private use: a character that stands for a token found already
# "10. August 85 n. Chr.": a year that is none of ours.
_OLD_YEAR = re.compile(rf"\d\.?\s{_LETTERS}\s[3-9]\d\s(?:[a-z]\.|n[uc]?z?\b|[a-z]{{0,4}}z\b|na christus|ad\b|ce\b|bc)")
_FRACTION = re.compile(rf"(?<![\d/])(?:1/[234]|3/4)(?!/)\s?{_LETTERS}(?<!uhr)")
_OTHER_ERA = re.compile(rf"(?<!\d{{4}})(?<!\d{{4}}\s)(?:{_YEAR})\s?\d{{1,2}}\s?(?:{_MONTH})")
YEAR_FIRST = frozenset(["ja", "zh", "ko"])  # 2026/3/4, and so 3/4 is in March
_DASHES = re.compile(r"[‐‑‒–—―−]")
# What stands before a time only.
_CALLED_TEXT = """
    at @ um kl kl. klo godz godz. saat kell plkst plkst. alle ore om
"""
_CALLED = frozenset([*_CALLED_TEXT.split(), "a las"])
_BETWEEN_TIMES = frozenset(["-", "to", "bis", "tot", "a", "til", "until", "y", "e", "au", "al"])


class Token(msgspec.Struct, frozen=True, gc=False):
    kind: str
    value: str = ""


def tokens_of(folded: str, month_first: bool | None, language: str = "") -> list[Token] | Unread:
    """Split a folded date text into tokens. `month_first`: whether 3/4/2026 is in March; None when unknown."""
    text = re.sub(r"[\ue000-\uf8ff]", " ", _DASHES.sub("-", folded)).replace("’", "'")
    if re.fullmatch(r"[a-z]{3,9}\.?-\d\d", text):
        return unread(Doubt.AMBIGUOUS, folded)  # Oct-23 is a day, or a month of 2023
    text = _without_doors(_spelled(text))
    if _FRACTION.search(text) or _OTHER_ERA.search(text):
        return unread(Doubt.AMBIGUOUS, folded)
    marks = _Marks(None if language in YEAR_FIRST else month_first, month_first)
    text = _VIETNAMESE.sub(
        marks.vietnamese, _SIGNED_CLOCK.sub(marks.signed_clock, _SIGNED_DAY.sub(marks.signed_day, text))
    )
    text = _COMPACT.sub(marks.compact, _YMD.sub(marks.ymd, text))
    text = _DMY.sub(marks.dmy, text)
    text = _NOON.sub(lambda m: marks.add("t", "12:00" if m[1] else "00:00"), text)
    text = _clocks(text, marks)
    text = _DM_DOTTED.sub(marks.dm, text)
    text = _DM_SLASH.sub(marks.dm, text)
    if marks.doubt is not None:
        return unread(marks.doubt, folded)
    months = months_of(language)
    if _OLD_YEAR.search(text) and not months.keys().isdisjoint(re.findall(_LETTERS, text)):
        return unread(Doubt.AMBIGUOUS, folded)
    words = _words(text, marks, months, weekdays_of(language))
    return _joined_days(_joined_times(_short_year(words)))


def _spelled(text: str) -> str:
    """Joins that mean something else than they look: 13-Jun-2026, 13/14 juni, dalle 18 alle 20, ISO 8601 intervals."""
    text = _ERA.sub(lambda m: str(_ERAS[m[1]] + (1 if m[2] == "元" else int(m[2]))), text)
    text = re.sub(r"(\d{1,2})-([a-z]{3,9})\.?-((?:19|20)\d\d)(?!\d)", r"\1 \2 \3", text)
    text = re.sub(r"(?<!\d)(\d{1,2})-([a-z]{3,9})\.?-(\d\d)(?!\d)", r"\1 \2 '\3", text)
    text = re.sub(r"(?<!\d)(\d{1,2})\.?\s?/\s?(\d{1,2})\.?(?=\s+[a-z]{3,})", r"\1 & \2", text)
    text = re.sub(r"\bdalle\s+(?:ore\s+)?([\d:.]+)\s+alle\s+(?:ore\s+)?(?=\d)", r"\1 - ", text)
    return re.sub(r"(?<=[\dz])/(?=\d{4}-\d\d-\d\d)", " - ", text)


def _without_doors(text: str) -> str:
    rest = DOORS.sub(" ", text)
    return rest if re.search(r"\d[:.h]\d\d|\d\s*(?:uhr|uur|pm|am)\b", rest) else text


class _Marks:
    """Puts one character in the place of what was understood, and remembers what made a date unreadable."""

    def __init__(self, month_first: bool | None, month_first_without_year: bool | None) -> None:
        self._month_first = month_first
        self._month_first_without_year = month_first_without_year
        self._tokens: list[Token] = []
        self.doubt: Doubt | None = None

    def add(self, kind: str, value: str) -> str:
        self._tokens.append(Token(kind, value))
        return f" {chr(_FIRST_MARK + len(self._tokens) - 1)} "

    def token(self, mark: str) -> Token:
        return self._tokens[ord(mark) - _FIRST_MARK]

    @property
    def has_month(self) -> bool:
        return any(token.kind == "m" for token in self._tokens)

    def signed_day(self, match: re.Match[str]) -> str:
        if match[1]:
            return self._whole(int(match[1]), int(match[2]), int(match[3]))
        return self.add("n", match[3]) + self.add("m", f"{int(match[2]):02}")

    def signed_clock(self, match: re.Match[str]) -> str:
        """14時30分, 午後7時; without a sign or a half of the day it is left to the others."""
        if match[5] and not match[1]:
            return match[0]
        meridiem = None if match[1] is None or int(match[2]) > 12 else "a" if match[1] in _MORNING else "p"
        minute = 30 if match[3] == "半" else int(match[4] or match[5] or 0)
        clock = _of_day(int(match[2]), minute, meridiem)
        return self.add("t", clock) if clock else match[0]

    def vietnamese(self, match: re.Match[str]) -> str:
        return self.add("m", f"{int(match[1]):02}") + (self.add("y", match[2]) if match[2] else "")

    def ymd(self, match: re.Match[str]) -> str:
        return self._whole(int(match[1]), int(match[3] or match[5]), int(match[6]))

    def compact(self, match: re.Match[str]) -> str:
        day = self._whole(int(match[1]), int(match[2]), int(match[3]))
        return day + (self.add("t", f"{match[4]}:{match[5]}") if match[4] else "")

    def dmy(self, match: re.Match[str]) -> str:
        year = int(match[4] or _whole_year(match[5]))
        if match[5] and match[2] != "." and self._month_first is None and 0 < int(match[5]) <= 31:
            self.doubt = self.doubt or Doubt.AMBIGUOUS  # 15-12-18 may begin with its year
            return match[0]
        order = self._order(int(match[1]), int(match[3]), match[2], self._month_first)
        return self._whole(year, order[1], order[0]) if order else match[0]

    def dm(self, match: re.Match[str]) -> str:
        """Day and month without a year."""
        order = self._order(
            int(match[1]), int(match[2]), "/" if "/" in match[0] else ".", self._month_first_without_year
        )
        if order is None or not (1 <= order[1] <= 12 and 1 <= order[0] <= 31):
            return match[0]
        return self.add("n", str(order[0])) + self.add("m", f"{order[1]:02}")

    def _order(self, first: int, second: int, separator: str, month_first: bool | None) -> tuple[int, int] | None:
        """Day, month. Dots are hardly ever American; with dashes or slashes the page's country decides."""
        if 12 < second <= 31 and first <= 12:
            return second, first
        if separator == "." or (first > 12 and second <= 12):
            return first, second
        if first == second or month_first is not None:
            return (second, first) if month_first else (first, second)
        self.doubt = self.doubt or Doubt.AMBIGUOUS
        return None

    def _whole(self, year: int, month: int, day: int) -> str:
        try:
            return self.add("d", date(year, month, day).isoformat())
        except ValueError:
            self.doubt = self.doubt or Doubt.INVALID
            return ""


def _clocks(text: str, marks: _Marks) -> str:
    """Marks every time of day. A bare number is a time only with "pm", "Uhr", or beside one that has it."""
    spans = [(m, _clock(m, text)) for m in _CLOCK.finditer(text)]
    pieces, at, before = [], 0, None
    for index, (match, value) in enumerate(spans):
        value = _borrowed(index, spans, text) or value or _continued(match, before, text)
        before = match if value else None
        if value is not None:
            pieces += [text[at : match.start()], marks.add("t", value)]
            at = match.end()
    return "".join([*pieces, text[at:]])


def _clock(match: re.Match[str], text: str) -> str | None:
    hour, minute = int(match["h"]), int(match["m"] or 0)
    stated = match["mer"] or match["word"] or (match["sep"] in (":", "h", "u") and match["m"])
    dotted = match["sep"] == "." and match["m"] and (match["pre"] or _is_alone(match, text))
    called = match["pre"] in _CALLED and match["sep"] is None and not _is_day(match, text)
    if not (stated or dotted or called):
        return None
    return _of_day(hour, minute, match["mer"])


def _is_day(match: re.Match[str], text: str) -> bool:
    """ "um 12. Mai", "at 12 May": a number before a month is a day, whatever stands before it."""
    following = re.match(rf"\.?\s*(?:de\s+|of\s+)?({_LETTERS})", text[match.end() :])
    return following is not None and following[1] in MONTHS


def _is_alone(match: re.Match[str], text: str) -> bool:
    """20.30 not followed by another dot: a date would have one, or a month that exists."""
    return text[match.end() : match.end() + 1] != "." and (int(match["m"]) > 12 or match["m"] == "00")


def _of_day(hour: int, minute: int, meridiem: str | None) -> str | None:
    if meridiem:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if meridiem[0] == "p" else 0)
    return f"{hour:02}:{minute:02}" if hour < 24 or (hour, minute) == (24, 0) else None


def _borrowed(index: int, spans: list[tuple[re.Match[str], str | None]], text: str) -> str | None:
    """ "8-10pm", "1:00 - 4:00 p.m.", "19 bis 21 Uhr": what the second time is called holds for the first, right before a dash."""
    match = spans[index][0]
    if match["mer"] or match["word"] or index + 1 >= len(spans) or spans[index + 1][1] is None:
        return None
    following = spans[index + 1][0]
    between = text[match.end() : following.start()].strip()
    if not (following["mer"] or (following["word"] and not match["sep"])) or between not in _BETWEEN_TIMES:
        return None
    hour, minute, meridiem = int(match["h"]), int(match["m"] or 0), following["mer"]
    if meridiem is None or hour > 12:
        return _of_day(hour, minute, None) if not match["sep"] else None
    if hour % 12 > int(following["h"]) % 12:  # 11-2pm, 9-12pm, 11-2am
        meridiem = "am" if meridiem[0] == "p" else "pm"
    return _of_day(hour, minute, meridiem)


def _continued(match: re.Match[str], before: re.Match[str] | None, text: str) -> str | None:
    """ "klo 18-20", "19:00 - 22": a bare number right behind a time and a dash, unless a day or a date begins there."""
    if before is None or match["sep"] or text[before.end() : match.start()].strip() != "-" or _is_day(match, text):
        return None
    begins_date = re.match(r"\s?[./-]\s?\d|\s?\.(?=\s|$)|st|nd|rd|th", text[match.end() :])
    return None if begins_date or int(match["h"]) <= int(before["h"]) else _of_day(int(match["h"]), 0, None)


def _words(text: str, marks: _Marks, months: Names, weekdays: Names) -> list[Token]:
    """Everything that was not marked as a date or a time."""
    spelled = set(re.findall(_LETTERS, text)) - WEEKDAYS_BESIDE_MONTH.keys()
    has_month = marks.has_month or not spelled.isdisjoint(months)
    found: list[Token] = []
    for match in _PIECE.finditer(text):
        token = marks.token(match[1]) if match[1] else _token(match, has_month, found, months, weekdays)
        if token is not None:
            found.append(token)
    return found


def _token(match: re.Match[str], has_month: bool, before: list[Token], months: Names, weekdays: Names) -> Token | None:
    if match[2]:
        return _word(match[2].strip("'./"), has_month, before, months, weekdays)
    if match[4]:
        return Token("y", _whole_year(match[4]))
    if match[5]:
        return Token("~") if match[5] in "-~" else (Token("&") if match[5] in "&+" else None)
    number = int(match[3])
    if FIRST_YEAR <= number <= LAST_YEAR:
        return Token("y", str(number))
    if number > 31 and _ends_date(match, before):
        return Token("y", _whole_year(match[3])) if number < 100 else Token("n", match[3])
    return Token("n", str(number)) if 1 <= number <= 31 else Token("x", match[3])


def _ends_date(match: re.Match[str], before: list[Token]) -> bool:
    """ "9 Aug 96", "Feb 3, 82": right behind day and month, with no year yet and no word behind it ("12 May, 45 Main St")."""
    kinds = {token.kind for token in before}
    ends = re.match(r"\s*(?:$|[,;)\ue000-\uf8ff-])", match.string[match.end() :])
    return {"n", "m"} <= kinds and not kinds & {"y", "d"} and before[-1].kind in "nm" and ends is not None


def _whole_year(short: str) -> str:
    """Complete a year of two digits: below 50 it is in this century, else in the last one."""
    return f"20{short}" if int(short) < 50 else f"19{short}"


def _word(word: str, has_month: bool, before: list[Token], months: Names, weekdays: Names) -> Token | None:
    if (
        word == "do" and before and before[-1].kind in "nmdy"
    ):  # Polish and Czech "to"; Dutch and German Thursdays come first
        return Token("~")
    if word in WEEKDAYS_BESIDE_MONTH and has_month and (word not in months or not before):
        return Token("w", str(WEEKDAYS_BESIDE_MONTH[word]))
    if word in months:
        return Token("m", f"{months[word]:02}")
    if word in weekdays:
        return Token("w", str(weekdays[word]))
    if word in AND:
        return Token("&")
    if word in TO or (word == "a" and before and before[-1].kind in "nmdyt"):
        return Token("~")
    return None if word in FILLERS or word == "a" else Token("x", word)


def _short_year(tokens: list[Token]) -> list[Token]:
    """ "Sat 12 Sep 26": the second number is the year when the weekday says so."""
    kinds = "".join(token.kind for token in tokens)
    found = re.fullmatch(r"w(nmn|mnn)[tr]*", kinds)
    if found is None:
        return tokens
    month, day = (int(token.value) for token in sorted(tokens[1:3], key=lambda token: token.kind))
    try:
        fits = date(2000 + int(tokens[3].value), month, day).weekday() == int(tokens[0].value)
    except ValueError:
        return tokens
    return [*tokens[:3], Token("y", f"20{tokens[3].value:0>2}"), *tokens[4:]] if fits else tokens


def _joined_times(tokens: list[Token]) -> list[Token]:
    """t ~ t -> r; a date or a number between two "to" is no range of times."""
    found: list[Token] = []
    for token in tokens:
        if token.kind == "t" and len(found) > 1 and found[-1].kind == "~" and found[-2].kind == "t":
            del found[-1]
            found[-1] = Token("r", f"{found[-1].value}/{token.value}")
        else:
            found.append(token)
    return found


def _joined_days(tokens: list[Token]) -> list[Token]:
    """ "11 & 12 June" are two days in a row, and so a range; any other "and" says nothing."""
    found: list[Token] = []
    for index, token in enumerate(tokens):
        if token.kind != "&":
            found.append(token)
            continue
        before = next((t for t in reversed(found) if t.kind in "nm"), None)
        after = next((t for t in tokens[index + 1 :] if t.kind in "nm"), None)
        if before and after and before.kind == after.kind == "n" and int(after.value) == int(before.value) + 1:
            found.append(Token("~"))
    return found
