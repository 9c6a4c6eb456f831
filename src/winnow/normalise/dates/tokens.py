"""Turns written dates into tokens that do not depend on the language.

    "Fr., 12. – So., 14. Mai 2026, 20 bis 22 Uhr"  ->  w4 12 ~ w6 14 m05 y2026 r20:00/22:00

A token is one letter and its value: `d` a whole date, `n` a bare number (a day), `m` month, `y` year, `w` weekday, `t`
a time, `r` a range of times, `~` "to", `x` an unknown word.
"""

from __future__ import annotations

import re
from datetime import date

import msgspec

from winnow.normalise.dates.clock_times import hour_of_day, mark_clocks
from winnow.normalise.dates.names import (
    MIN_MISSPELLED,
    WEEKDAYS_BESIDE_MONTH,
    Names,
    misspelled_month,
    months_of,
    weekdays_of,
)
from winnow.normalise.dates.words import AND, FILLERS, TO
from winnow.normalise.doubts import Doubt, Unread, unread

FIRST_YEAR, LAST_YEAR = 1900, 2100  # anything else on a page is a number, not a year
_YMD = re.compile(r"(?<!\d)((?:19|20)\d\d)(?:([-/.])(\d{1,2})\2|(\.) (\d{1,2})\. ?)(\d{1,2})(?!\d)(?:t(?=\d))?")
_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d\d)(\d\d)(\d\d)(?:t(\d\d)(\d\d)(\d\d)?)?(?![\d-])")
# A year of two digits stands close: "5.12. 20 Uhr" has none.
_DMY = re.compile(r"(?<![\d.:])(\d{1,2})\s?([-/.])\s?(\d{1,2})(?:\s?\2\s?((?:19|20)\d\d)|\2(\d\d))(?![\d:])")
_DM_DOTTED = re.compile(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.(?!\d)")
_DM_SLASH = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})(?![\d/])")
_DM_DASH = re.compile(r"(?<![\d:./-])(\d{1,2})-(\d{1,2})(?![\d:./h-]|\.\d|\s?(?:uur|uhr|hrs?|u|h|[ap]\.?m)(?![a-z]))")
_DM_SHORT = re.compile(r"(?<![\d.:])(\d{1,2})\.([1-9]|(?<=[23]\d\.)(?:0[1-9]|1[0-2]))(?![\d.:]|\s?(?:uur|uhr))")
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


class Token(msgspec.Struct, frozen=True, gc=False):
    kind: str
    value: str = ""
    is_ordinal: bool = False


def tokens_of(folded: str, month_first: bool | None, language: str = "") -> list[Token] | Unread:
    """Split a folded date text into tokens. `month_first`: whether 3/4/2026 is in March; None when unknown."""
    text = re.sub(r"[\ue000-\uf8ff]", " ", _DASHES.sub("-", folded)).replace("’", "'")
    if re.fullmatch(r"[a-z]{3,9}\.?-\d\d", text):
        return unread(Doubt.AMBIGUOUS, folded)  # Oct-23 is a day, or a month of 2023
    text = _spelled(text)
    if _FRACTION.search(text) or _OTHER_ERA.search(text):
        return unread(Doubt.AMBIGUOUS, folded)
    marks = _Marks(None if language in YEAR_FIRST else month_first, month_first)
    text = _VIETNAMESE.sub(
        marks.vietnamese, _SIGNED_CLOCK.sub(marks.signed_clock, _SIGNED_DAY.sub(marks.signed_day, text))
    )
    text = _COMPACT.sub(marks.compact, _YMD.sub(marks.ymd, text))
    text = _DMY.sub(marks.dmy, text)
    text = _NOON.sub(lambda m: marks.add("t", "12:00" if m[1] else "00:00"), text)
    text = mark_clocks(text, marks.add)
    text = _DM_DOTTED.sub(marks.dm, text)
    text = _DM_SLASH.sub(marks.dm, text)
    if language not in YEAR_FIRST:
        text = _day_and_month(text, marks, weekdays_of(language))
    if marks.doubt is not None:
        return unread(marks.doubt, folded)
    months = months_of(language)
    if _OLD_YEAR.search(text) and not months.keys().isdisjoint(re.findall(_LETTERS, text)):
        return unread(Doubt.AMBIGUOUS, folded)
    words = _words(text, marks, months, weekdays_of(language))
    return _joined_days(_joined_times(_short_year(words)))


# "12-04-202420:30", "2026-05-1220:30", "12 mei20:30": markup between the two was lost.
_RUN_TOGETHER = re.compile(
    r"(\d\d?[./-]\d\d?[./-](?:19|20)\d\d|(?<!\d)(?:19|20)\d\d-\d\d-\d\d)(?=\d{1,2}[:.]\d\d)"
    r"|((?<=[a-z] )(?:19|20)\d\d)(?=\d{1,2}[:.]\d\d)|([a-z]{3,})(?=\d{1,2}[:.]\d\d)"
)
_HOUR_AND_MINUTES = re.compile(
    r"(?<![\d.:])(\d{1,2})\s(?:uur|uhr|h|heures?)\s([0-5]\d)(?=\s*(?:$|[,;)|-]|(?:a|tot|bis|to)\s))"
)
_BETWEEN = re.compile(
    r"\b(?:tussen|between|zwischen|entre)\s(\d{1,2}(?:[:.h]\d\d)?(?:\s?(?:uur|uhr|h|[ap]m))?)\s(?:en|and|und|et)\s(?=\d)(\d{1,2})"
)


def _spelled(text: str) -> str:
    """Joins that mean something else than they look: 13-Jun-2026, 13/14 juni, dalle 18 alle 20, ISO 8601 intervals."""
    text = _ERA.sub(lambda m: str(_ERAS[m[1]] + (1 if m[2] == "元" else int(m[2]))), text)
    text = _RUN_TOGETHER.sub(lambda m: f"{m[1] or m[2] or m[3]} ", text)
    text = re.sub(r"(\d{1,2})-([a-z]{3,9})\.?-((?:19|20)\d\d)(?!\d)", r"\1 \2 \3", text)
    text = re.sub(r"(?<![a-z\d-])([a-z]{3,9})\.?-(\d{1,2})-((?:19|20)\d\d)(?!\d)", r"\1 \2 \3", text)
    text = re.sub(r"^(\d\d?)\s(\d\d?)\s((?:19|20)\d\d)\b", r"\1-\2-\3", text)
    text = _HOUR_AND_MINUTES.sub(r"\1:\2", text)
    text = _BETWEEN.sub(r"\1 - \2", text)
    text = re.sub(r"(?<!\d)(\d{1,2})-([a-z]{3,9})\.?-(\d\d)(?!\d)", r"\1 \2 '\3", text)
    text = re.sub(r"(?<!\d)(\d{1,2})\.?\s?/\s?(\d{1,2})\.?(?=\s+[a-z]{3,})", r"\1 & \2", text)
    text = re.sub(r"\bdalle\s+(?:ore\s+)?([\d:.]+)\s+alle\s+(?:ore\s+)?(?=\d)", r"\1 - ", text)
    return re.sub(r"(?<=[\dz])/(?=\d{4}-\d\d-\d\d)", " - ", text)


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
    def has_day(self) -> bool:
        return any(token.kind in "dm" for token in self._tokens)

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
        clock = hour_of_day(int(match[2]), minute, meridiem)
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

    def dm_dashed(self, match: re.Match[str]) -> str:
        """Where the month comes first, "3-4" is as well two days; an order nobody states is no date."""
        first, second = int(match[1]), int(match[2])
        if first <= 12 < second <= 31 and self._month_first_without_year:
            return self.add("n", str(second)) + self.add("m", f"{first:02}")
        is_day_first = first > 12 or self._month_first_without_year is False
        if not is_day_first or not (1 <= first <= 31 and 1 <= second <= 12):
            return match[0]
        return self.add("n", str(first)) + self.add("m", f"{second:02}")

    def _order(self, first: int, second: int, separator: str, month_first: bool | None) -> tuple[int, int] | None:
        """Day, month. Dots are American only on American pages, where they say as little as nothing; with dashes or slashes
        the page's country decides."""
        if 12 < second <= 31 and first <= 12:
            return second, first
        if (first > 12 and second <= 12) or (separator == "." and not month_first):
            return first, second
        if first == second or (month_first is not None and separator != "."):
            return (second, first) if month_first else (first, second)
        self.doubt = self.doubt or Doubt.AMBIGUOUS
        return None

    def _whole(self, year: int, month: int, day: int) -> str:
        try:
            return self.add("d", date(year, month, day).isoformat())
        except ValueError:
            self.doubt = self.doubt or Doubt.INVALID
            return ""


def _day_and_month(text: str, marks: _Marks, weekdays: Names) -> str:
    """ "22-4", "wo 22.4", "31.12": day and month where nothing else is written but a weekday and an hour."""
    if marks.has_day or any(word not in weekdays and word not in FILLERS for word in re.findall(_LETTERS, text)):
        return text
    return _DM_SHORT.sub(marks.dm, _DM_DASH.sub(marks.dm_dashed, text))


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
        return Token("~", "-") if match[5] in "-~" else (Token("&") if match[5] in "&+" else None)
    number = int(match[3])
    if FIRST_YEAR <= number <= LAST_YEAR:
        return Token("y", str(number))
    if number > 31 and _ends_date(match, before):
        return Token("y", _whole_year(match[3])) if number < 100 else Token("n", match[3])
    is_ordinal = match[0].rstrip(".") != match[3] or bool(before and before[-1].kind == "w")
    return Token("n", str(number), is_ordinal) if 1 <= number <= 31 else Token("x", match[3])


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
        return Token("~", "to")
    if word in FILLERS or word == "a":
        return None
    misspelled = misspelled_month(word) if len(word) >= MIN_MISSPELLED - 1 else None
    return Token("m", f"{misspelled:02}") if misspelled else Token("x", word)


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
            found.append(Token("~", "&"))
    return found
