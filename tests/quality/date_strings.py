"""Days and hours as agendas of four languages write them, each with what it says."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

SEED = 11
MOMENTS = tuple(
    map(
        datetime.fromisoformat,
        (
            "2026-03-13T20:00", "2026-04-01T09:30", "2026-05-31T20:15", "2026-06-20T14:00", "2026-08-08T21:45",
            "2026-09-03T10:00", "2026-10-12T19:30", "2026-11-30T16:00", "2026-12-31T22:30", "2027-01-02T11:15",
        ),
    )
)  # fmt: skip


@dataclass(frozen=True)
class Text:
    """`has_year` says whether the text or its weekday tells the year, `has_hour` whether it states an hour."""

    text: str
    locale: str
    moment: datetime
    has_year: bool
    has_hour: bool


@dataclass(frozen=True)
class Language:
    locale: str
    months: tuple[str, ...]
    short_months: tuple[str, ...]
    weekdays: tuple[str, ...]
    short_weekdays: tuple[str, ...]
    shapes: tuple[str, ...]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# d day, D day with zero, M month, m short month, n number of the month, N with zero, Y year, y short year,
# W weekday, w short weekday, H hour of 24, h hour of 12, i minutes, a am or pm; each behind a percent sign.
_ANYWHERE = ("%Y-%N-%D", "%Y-%N-%DT%H:%i", "%Y-%N-%D %H:%i:00", "%Y-%N-%DT%H:%i+02:00", "%d %M %Y", "%d %m %Y %H:%i",
             "%w %d %m", "%W %d %M %Y", "%d %M", "%W %d %M %Y, %H:%i", "%d-%m-%Y")  # fmt: skip
_CONTINENT = ("%d-%N-%Y", "%D/%N/%Y %H:%i", "%D.%N.%Y", "%w %D.%N.%Y %H:%i", "%d/%n/%Y", "%D-%N-%y %H:%i")
DUTCH = Language(
    "nl-NL",
    _words("januari februari maart april mei juni juli augustus september oktober november december"),
    _words("jan feb mrt apr mei jun jul aug sep okt nov dec"),
    _words("maandag dinsdag woensdag donderdag vrijdag zaterdag zondag"),
    _words("ma di wo do vr za zo"),
    (*_ANYWHERE, *_CONTINENT, "%W %d %M om %H.%i uur", "%d %M %Y | %H.%i uur", "%w. %d %m. '%y",
     "%W %d %M, aanvang %H:%i uur",
     "Datum: %W %d %M %Y", "%d %M %Y om %H:%iu", "%H.%i uur, %W %d %M", "%w %d-%n %H:%i",
     "%W, %d %M %Y vanaf %H.%i uur",
     "%d %M %Y aanvang %H.%i", "%d %M%Y %H:%i"),
)  # fmt: skip
ENGLISH = Language(
    "en-GB",
    _words("January February March April May June July August September October November December"),
    _words("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"),
    _words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"),
    _words("Mon Tue Wed Thu Fri Sat Sun"),
    (*_ANYWHERE, *_CONTINENT, "%M %d, %Y", "%w, %m %d, %h:%i %a", "%W, %M %d, %Y at %h:%i%a", "%W the %dth of %M %Y",
     "%h:%i%a on %W %d %M", "%d %M %Y @ %h.%i%a", "%m %d, %Y - %H:%i", "%w %d %m, starts %H:%i", "Date: %d %M %Y",
     "%W %d %M %Y, doors 18:00, show %H:%i"),
)  # fmt: skip
GERMAN = Language(
    "de-DE",
    _words("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
    _words("Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez"),
    _words("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag"),
    _words("Mo Di Mi Do Fr Sa So"),
    (*_ANYWHERE, *_CONTINENT, "%w., %D.%N.%Y, %H:%i Uhr", "%d. %M %Y", "%W, %d. %M %Y um %H:%i Uhr", "am %d. %M %Y",
     "%w %D.%N. %H.%i Uhr", "%W, den %d. %M %Y", "%d. %M, Beginn %H:%i Uhr", "%D.%N.%Y / %H:%i Uhr"),
)  # fmt: skip
FRENCH = Language(
    "fr-FR",
    _words("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
    _words("janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc."),
    _words("lundi mardi mercredi jeudi vendredi samedi dimanche"),
    _words("lun. mar. mer. jeu. ven. sam. dim."),
    (*_ANYWHERE, *_CONTINENT, "le %W %d %M %Y à %Hh%i", "%W %d %M à %H h %i", "le %d %M %Y", "%w %d %m %Y - %Hh%i",
     "%D/%N/%Y à %H:%i", "Date : %W %d %M %Y"),
)  # fmt: skip
LANGUAGES = (DUTCH, ENGLISH, GERMAN, FRENCH)


def texts(seed: int = SEED) -> Iterator[Text]:
    dice = random.Random(seed)
    for language in LANGUAGES:
        for shape in language.shapes:
            for moment in dice.sample(MOMENTS, 6):
                yield _text(shape, language, moment)


def _text(shape: str, language: Language, moment: datetime) -> Text:
    parts = {
        "d": str(moment.day), "D": f"{moment.day:02}", "M": language.months[moment.month - 1],
        "m": language.short_months[moment.month - 1], "n": str(moment.month), "N": f"{moment.month:02}",
        "Y": str(moment.year), "y": f"{moment.year % 100:02}", "W": language.weekdays[moment.weekday()],
        "w": language.short_weekdays[moment.weekday()], "H": f"{moment.hour:02}", "h": str(moment.hour % 12 or 12),
        "i": f"{moment.minute:02}", "a": "pm" if moment.hour >= 12 else "am",
    }  # fmt: skip
    pieces = shape.split("%")
    text = pieces[0] + "".join(parts[piece[0]] + piece[1:] for piece in pieces[1:])
    has_year = any(mark in shape for mark in ("%Y", "%y", "%W", "%w"))
    return Text(text, language.locale, moment, has_year, "%i" in shape)
