"""The browser's properties that a page can read (S-048): user agent, screen, time zone, language, location.

The user agents are those of the installed major version, so the engine is described truthfully. With a proxy,
time zone, language and place are those of the proxy's region (property 15); two consecutive profiles always differ
(property 16).
"""

from __future__ import annotations

import random
import re

import msgspec

WIDTHS, HEIGHTS = (1280, 1920), (720, 1080)  # property 14


class Platform(msgspec.Struct, frozen=True):
    """`token` is what the user agent says, `navigator` is navigator.platform, the rest are the client hints."""

    token: str
    navigator: str
    hint: str
    hint_version: str


# The frozen tokens every Chromium since 110 sends (user-agent reduction), so a million others send the same.
PLATFORMS = (
    Platform("X11; Linux x86_64", "Linux x86_64", "Linux", ""),
    Platform("Windows NT 10.0; Win64; x64", "Win32", "Windows", "15.0.0"),
    Platform("Macintosh; Intel Mac OS X 10_15_7", "MacIntel", "macOS", "14.5.0"),
)


class Region(msgspec.Struct, frozen=True):
    timezones: tuple[str, ...]
    locales: tuple[str, ...]
    latitude: float
    longitude: float


def _region(timezones: str, locales: str, latitude: float, longitude: float) -> Region:
    return Region(tuple(timezones.split()), tuple(locales.split()), latitude, longitude)


# Country (ISO 3166-1) -> its time zones (IANA), languages, and its largest city, which lies in the first zone.
REGIONS: dict[str, Region] = {
    "AE": _region("Asia/Dubai", "ar-AE en-AE", 25.2048, 55.2708),
    "AR": _region("America/Argentina/Buenos_Aires", "es-AR", -34.6037, -58.3816),
    "AT": _region("Europe/Vienna", "de-AT", 48.2082, 16.3738),
    "AU": _region("Australia/Sydney", "en-AU", -33.8688, 151.2093),
    "BE": _region("Europe/Brussels", "nl-BE fr-BE", 50.8503, 4.3517),
    "BR": _region("America/Sao_Paulo", "pt-BR", -23.5505, -46.6333),
    "CA": _region("America/Toronto", "en-CA fr-CA", 43.6532, -79.3832),
    "CH": _region("Europe/Zurich", "de-CH fr-CH", 47.3769, 8.5417),
    "CL": _region("America/Santiago", "es-CL", -33.4489, -70.6693),
    "CN": _region("Asia/Shanghai", "zh-CN", 31.2304, 121.4737),
    "CO": _region("America/Bogota", "es-CO", 4.711, -74.0721),
    "CZ": _region("Europe/Prague", "cs-CZ", 50.0755, 14.4378),
    "DE": _region("Europe/Berlin", "de-DE", 52.52, 13.405),
    "DK": _region("Europe/Copenhagen", "da-DK", 55.6761, 12.5683),
    "ES": _region("Europe/Madrid", "es-ES", 40.4168, -3.7038),
    "FI": _region("Europe/Helsinki", "fi-FI", 60.1699, 24.9384),
    "FR": _region("Europe/Paris", "fr-FR", 48.8566, 2.3522),
    "GB": _region("Europe/London", "en-GB", 51.5074, -0.1278),
    "GR": _region("Europe/Athens", "el-GR", 37.9838, 23.7275),
    "HK": _region("Asia/Hong_Kong", "zh-HK en-HK", 22.3193, 114.1694),
    "HU": _region("Europe/Budapest", "hu-HU", 47.4979, 19.0402),
    "IE": _region("Europe/Dublin", "en-IE", 53.3498, -6.2603),
    "IL": _region("Asia/Jerusalem", "he-IL", 32.0853, 34.7818),
    "IN": _region("Asia/Kolkata", "en-IN hi-IN", 19.076, 72.8777),
    "IT": _region("Europe/Rome", "it-IT", 41.9028, 12.4964),
    "JP": _region("Asia/Tokyo", "ja-JP", 35.6762, 139.6503),
    "KR": _region("Asia/Seoul", "ko-KR", 37.5665, 126.978),
    "MX": _region("America/Mexico_City", "es-MX", 19.4326, -99.1332),
    "NL": _region("Europe/Amsterdam", "nl-NL", 52.3676, 4.9041),
    "NO": _region("Europe/Oslo", "nb-NO", 59.9139, 10.7522),
    "NZ": _region("Pacific/Auckland", "en-NZ", -36.8509, 174.7645),
    "PL": _region("Europe/Warsaw", "pl-PL", 52.2297, 21.0122),
    "PT": _region("Europe/Lisbon", "pt-PT", 38.7223, -9.1393),
    "RO": _region("Europe/Bucharest", "ro-RO", 44.4268, 26.1025),
    "SE": _region("Europe/Stockholm", "sv-SE", 59.3293, 18.0686),
    "SG": _region("Asia/Singapore", "en-SG", 1.3521, 103.8198),
    "TR": _region("Europe/Istanbul", "tr-TR", 41.0082, 28.9784),
    "TW": _region("Asia/Taipei", "zh-TW", 25.033, 121.5654),
    "UA": _region("Europe/Kyiv", "uk-UA", 50.4501, 30.5234),
    "US": _region("America/New_York America/Detroit", "en-US", 40.7128, -74.006),
    "ZA": _region("Africa/Johannesburg", "en-ZA", -26.2041, 28.0473),
}
_OTHER_NAMES = {"UK": "GB", "USA": "US", "GBR": "GB", "DEU": "DE", "FRA": "FR"}
NEUTRAL = _region("UTC", "en-US", 0.0, 0.0)  # no proxy, or one whose place we do not know: nothing is claimed


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    user_agent: str
    platform: Platform
    major: int
    width: int
    height: int
    timezone: str
    locale: str
    geolocation: tuple[float, float] | None = None

    @property
    def accept_language(self) -> str:
        """Without weights: Chromium adds them."""
        language = self.locale.partition("-")[0]
        return ",".join(dict.fromkeys([self.locale, language, "en-US", "en"]))


def user_agents(major: int) -> tuple[str, ...]:
    """The curated list (property 14), for one engine version."""
    return tuple(_user_agent(platform, major) for platform in PLATFORMS)


def _user_agent(platform: Platform, major: int) -> str:
    return f"Mozilla/5.0 ({platform.token}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0 Safari/537.36"


def find_region(name: str | None) -> Region | None:
    """`US`, `us-east-1`, `US_CA`, `UK`: the country comes first in every naming scheme of proxy providers."""
    if not name:
        return None
    country = re.split(r"[^A-Za-z]", name.strip(), maxsplit=1)[0].upper()
    return REGIONS.get(_OTHER_NAMES.get(country, country))


def make_profile(
    major: int, rng: random.Random, *, region: str | None = None, previous: Profile | None = None
) -> Profile:
    """Differs from `previous`: its exact screen size and platform are not drawn twice in a row."""
    place = find_region(region)
    drawn = _draw(major, rng, place)
    while previous is not None and _look(drawn) == _look(previous):
        drawn = _draw(major, rng, place)
    return drawn


def _draw(major: int, rng: random.Random, place: Region | None) -> Profile:
    platform = rng.choice(PLATFORMS)
    known = place or NEUTRAL
    return Profile(
        user_agent=_user_agent(platform, major),
        platform=platform,
        major=major,
        width=rng.randint(*WIDTHS),
        height=rng.randint(*HEIGHTS),
        timezone=rng.choice(known.timezones),
        locale=rng.choice(known.locales),
        geolocation=None if place is None else (place.latitude, place.longitude),
    )


def _look(profile: Profile) -> tuple[object, ...]:
    return profile.user_agent, profile.width, profile.height, profile.timezone, profile.locale
