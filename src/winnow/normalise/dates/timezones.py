"""Time zones as pages write them: an offset, an abbreviation, an IANA name; and the zone of a country that has one."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

# An offset stands right behind a time; anywhere else "-05" is a month.
_OFFSET = re.compile(
    r"(?<=\d)Z(?![A-Za-z])"
    r"|(?<=:\d\d)(?:[.,]\d{1,9})?\s?(?:UTC|GMT)?(?P<sign>[+\-−])(?P<h>\d\d):?(?P<m>\d\d)?(?![\d.:])"
    r"|(?<=T\d{6})(?P<sign2>[+\-−])(?P<h2>\d\d):?(?P<m2>\d\d)?"
    r"|\b(?:UTC|GMT)\s?(?P<sign3>[+\-−])(?P<h3>\d{1,2})(?::?(?P<m3>\d\d))?\b"
)
_ASIDE = re.compile(r"\(\s*[A-Z]{2,5}\s*\)")
# Only those with one meaning on pages in the seven languages. IST, and CST outside America, have several.
_ABBREVIATIONS = {
    "UTC": "+00:00", "GMT": "+00:00", "WET": "+00:00", "WEST": "+01:00", "BST": "+01:00", "CET": "+01:00",
    "MEZ": "+01:00", "CEST": "+02:00", "MESZ": "+02:00", "EET": "+02:00", "EEST": "+03:00", "EST": "-05:00",
    "EDT": "-04:00", "CDT": "-05:00", "MST": "-07:00", "MDT": "-06:00", "PST": "-08:00", "PDT": "-07:00",
    "AEST": "+10:00", "AEDT": "+11:00", "JST": "+09:00", "NZST": "+12:00", "NZDT": "+13:00", "CST": "-06:00",
}  # fmt: skip
_NAMED = {"ET": "America/New_York", "CT": "America/Chicago", "MT": "America/Denver", "PT": "America/Los_Angeles"}
_WORD = re.compile(r"(?<=[\dmMhHrR. ])\(?\b(" + "|".join([*_ABBREVIATIONS, *_NAMED]) + r")\b\)?")
# In small letters only those that are no words: "est" and "mst" are, in several languages.
_SMALL = re.compile(r"(?<=[\dmh. ])\(?\b(gmt|utc|cet|cest|bst|pst|pdt|cdt|mez|mesz)\b\)?")
_IANA = re.compile(
    r"\b((?:Europe|America|Asia|Africa|Australia|Pacific|Atlantic)/[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_]+)?)\b"
)
# Countries (mainland) with a single zone.
_COUNTRY_ZONES = (
    "NL=Amsterdam BE=Brussels LU=Luxembourg DE=Berlin AT=Vienna CH=Zurich LI=Vaduz FR=Paris IT=Rome MT=Malta GB=London "
    "IE=Dublin DK=Copenhagen SE=Stockholm NO=Oslo FI=Helsinki PL=Warsaw CZ=Prague SK=Bratislava HU=Budapest RO=Bucharest "
    "BG=Sofia GR=Athens HR=Zagreb SI=Ljubljana RS=Belgrade EE=Tallinn LV=Riga LT=Vilnius MC=Monaco"
)
COUNTRY_ZONE = {c: f"Europe/{city}" for c, city in (pair.split("=") for pair in _COUNTRY_ZONES.split())} | {
    "JP": "Asia/Tokyo", "SG": "Asia/Singapore", "IN": "Asia/Kolkata", "AE": "Asia/Dubai", "IL": "Asia/Jerusalem",
    "ZA": "Africa/Johannesburg", "KR": "Asia/Seoul", "HK": "Asia/Hong_Kong", "TR": "Europe/Istanbul",
}  # fmt: skip
# Zones of the United States: there the month comes first.
_AMERICAN = frozenset(
    "New_York Detroit Chicago Denver Boise Phoenix Los_Angeles Anchorage Juneau Sitka Nome Menominee Indianapolis".split()  # noqa: SIM905
)
_AMERICAN_PARTS = ("America/Indiana/", "America/Kentucky/", "America/North_Dakota/", "US/")
_ZONE_COUNTRY = {zone: country for country, zone in COUNTRY_ZONE.items()} | {"Pacific/Honolulu": "US"}


def country_of_zone(zone: str | None) -> str | None:
    """The country of a zone, where that is known and only one."""
    if zone is None:
        return None
    if zone.startswith(_AMERICAN_PARTS) or (zone.startswith("America/") and zone.partition("/")[2] in _AMERICAN):
        return "US"
    return _ZONE_COUNTRY.get(zone)


# "Z" is written by those who mean UTC; "+00:00" also by systems that do not know their zone.
UTC_NAME = "UTC"


def take_zone(text: str) -> tuple[str, str | None]:
    """The text without its zone, and the zone: "+02:00", "UTC" (for "Z") or "America/New_York"."""
    for pattern, read in ((_OFFSET, _offset), (_IANA, _named), (_WORD, _abbreviated), (_SMALL, _abbreviated)):
        match = pattern.search(text)
        zone = read(match) if match else None
        if match and zone:
            rest = text[: match.start()] + " " + text[match.end() :]
            return _ASIDE.sub(" ", rest), zone
    return text, None


def _named(match: re.Match[str]) -> str | None:
    return known_zone(match[1])


def known_zone(name: str | None) -> str | None:
    """The IANA name, if there is such a zone."""
    try:
        return ZoneInfo(name).key if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _abbreviated(match: re.Match[str]) -> str | None:
    name = match[1].upper()
    return _ABBREVIATIONS.get(name) or _NAMED.get(name)


def _offset(match: re.Match[str]) -> str | None:
    if match[0].strip() == "Z":
        return UTC_NAME
    sign = match["sign"] or match["sign2"] or match["sign3"]
    hours = match["h"] or match["h2"] or match["h3"]
    minutes = match["m"] or match["m2"] or match["m3"] or "00"
    if int(hours) > 14 or int(minutes) > 59:
        return None
    return f"{'+' if sign == '+' else '-'}{int(hours):02}:{minutes}"


def iso_moment(day: date, clock: time | None, zone: str | None) -> str:
    """ISO 8601: the day alone, the local time, or the time with the offset that holds in `zone` on that day."""
    if clock is None:
        return day.isoformat()
    local = datetime.combine(day, clock).isoformat(timespec="minutes" if not clock.second else "seconds")
    if zone is None:
        return local
    if zone[0] in "+-":
        return local + zone
    offset = datetime.combine(day, clock, ZoneInfo(zone)).strftime("%z")
    return f"{local}{offset[:3]}:{offset[3:5]}"


def is_clock_change(day: date, clock: time, zone: str) -> bool:
    """Whether this local time does not exist there, or exists twice."""
    moment = datetime.combine(day, clock, ZoneInfo(zone))
    return moment.utcoffset() != moment.replace(fold=1).utcoffset()


def holds_there(day: date, clock: time, offset: str, zone: str) -> bool:
    """Whether the zone has this offset at this local time; at the hour that comes twice it has two."""
    moments = (datetime.combine(day, clock, ZoneInfo(zone)).replace(fold=fold) for fold in (0, 1))
    return offset in {f"{text[:3]}:{text[3:5]}" for text in (moment.strftime("%z") for moment in moments)}


def offsets_of(zone: str, year: int) -> set[str]:
    """The offsets that hold in a zone in the course of a year, as they are written."""
    found = {datetime(year, month, 1, 12, tzinfo=ZoneInfo(zone)).strftime("%z") for month in range(1, 13)}
    return {f"{offset[:3]}:{offset[3:5]}" for offset in found}
