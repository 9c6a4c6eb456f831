"""Names of countries, regions and large cities, offline and in seven languages.

Country names come with the `phonenumbers` package (CLDR); regions and cities are the lists beside this module. The
gazetteer says what a name can mean. It never decides between two meanings.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import msgspec

from winnow.normalise.text import fold

LANGUAGES = ("en", "nl", "de", "fr", "es", "it", "pt")
# Not in CLDR's short list, or written otherwise on pages.
_ALIASES = {
    "US": "USA, U.S.A., U.S., US, United States of America, The United States, États Unis, EE.UU., EEUU, EUA, "
    "Vereinigte Staaten von Amerika, VS, Stati Uniti d'America, Etats-Unis d'Amérique",
    "GB": "UK, U.K., Great Britain, Großbritannien, Grossbritannien, Groot-Brittannië, Grande-Bretagne, Gran Bretaña, "
    "Gran Bretagna, Grã-Bretanha, United Kingdom of Great Britain and Northern Ireland, Verenigd Koninkrijk, VK",
    "NL": "The Netherlands, Holland, Hollande, Olanda, Holanda, Niederlande, die Niederlande, Les Pays-Bas",
    "DE": "BRD, Federal Republic of Germany, Bundesrepublik Deutschland", "CH": "Schweiz, Suisse, Svizzera, Svizra",
    "CZ": "Czechia, Czech Republic, Tschechische Republik, Tschechien, Tsjechië, República Checa, Česko",
    "AE": "UAE, U.A.E., Emirates, VAE", "KR": "South Korea, Republic of Korea, Südkorea, Zuid-Korea, Corée du Sud",
    "RU": "Russian Federation, Russia", "CN": "PRC, Mainland China", "HK": "Hong Kong, Hong Kong SAR",
    "IE": "Republic of Ireland, Éire, Ireland", "TR": "Türkiye, Turkiye", "VN": "Viet Nam", "TW": "Taiwan, R.O.C.",
    "CI": "Ivory Coast, Elfenbeinküste", "MK": "North Macedonia, Nordmazedonien, Macedonia", "BR": "Brasil",
    "ES": "España", "IT": "Italia", "SE": "Sverige", "NO": "Norge", "DK": "Danmark", "FI": "Suomi", "PL": "Polska",
    "HU": "Magyarország", "RO": "România", "HR": "Hrvatska", "GR": "Hellas", "AT": "Österreich", "BE": "België",
    "JP": "Nippon", "LU": "Luxembourg, Luxemburg", "SA": "KSA", "PH": "The Philippines",
}  # fmt: skip
# English names people use, where the package has an official or dated one.
_NAMES = {"CZ": "Czechia", "MK": "North Macedonia", "HK": "Hong Kong", "CI": "Côte d'Ivoire", "SZ": "Eswatini"}


def _locale_data() -> dict[str, dict[str, str]]:
    """The one table of `phonenumbers.geodata` that is needed. Importing it by name would read all of that package
    first: 5 s and 200 MB for every process that parses pages."""
    spec = spec_from_file_location("phonenumbers.locale.names", str(files("phonenumbers") / "geodata" / "locale.py"))
    assert spec is not None
    assert spec.loader is not None
    module: Any = module_from_spec(spec)
    spec.loader.exec_module(module)
    data: dict[str, dict[str, str]] = module.LOCALE_DATA
    return data


LOCALE_DATA = _locale_data()


class Meaning(msgspec.Struct, frozen=True, gc=False):
    """`country` is an ISO 3166-1 code, `region` the English name of one of its regions ("" when not known)."""

    country: str
    region: str = ""


class Gazetteer(msgspec.Struct, frozen=True):
    """Folded name -> what it can mean. `codes` are the two and three letter codes of regions, `prime` the cities that
    are meant wherever nothing else is said (London)."""

    countries: dict[str, str]
    regions: dict[str, list[Meaning]]
    codes: dict[str, list[Meaning]]
    cities: dict[str, list[Meaning]]
    prime: dict[str, Meaning]


@lru_cache(1)
def gazetteer() -> Gazetteer:
    regions: dict[str, list[Meaning]] = {}
    codes: dict[str, list[Meaning]] = {}
    for country, region, names in _lines("regions.txt"):
        for name in [region, *names]:
            table = codes if len(name) <= 3 and name.isupper() else regions
            _add(table, name, Meaning(country, region))
    cities: dict[str, list[Meaning]] = {}
    prime: dict[str, Meaning] = {}
    for country, region, names in _lines("cities.txt"):
        for name in names:
            for spelling in name.lstrip("!").split("="):
                _add(cities, spelling, Meaning(country, region))
            if name.startswith("!"):
                prime[fold(name[1:].partition("=")[0])] = Meaning(country, region)
    return Gazetteer(_countries(), regions, codes, cities, prime)


@lru_cache(512)
def country_name(code: str) -> str:
    return _NAMES.get(code) or _name_in(code, "en")


def country_code(text: str) -> str | None:
    """ISO code of a country named in one of seven languages, or by its code."""
    name = text.strip().strip(".")
    if len(name) == 2 and name.isupper() and name in LOCALE_DATA:
        return "GB" if name == "UK" else name
    return gazetteer().countries.get(fold(name)) or _ALPHA3.get(name)


# Three-letter codes, where data says them instead of two.
_ALPHA3_TEXT = """
    USA=US GBR=GB DEU=DE GER=DE FRA=FR ESP=ES ITA=IT NLD=NL BEL=BE AUT=AT CHE=CH POL=PL PRT=PT IRL=IE SWE=SE NOR=NO
    DNK=DK FIN=FI CAN=CA AUS=AU NZL=NZ BRA=BR MEX=MX IND=IN CHN=CN JPN=JP KOR=KR SGP=SG ARE=AE ZAF=ZA CZE=CZ HUN=HU
    ROU=RO GRC=GR TUR=TR UKR=UA ISR=IL LUX=LU ARG=AR CHL=CL COL=CO
"""
_ALPHA3 = dict(pair.split("=") for pair in _ALPHA3_TEXT.split())


def _countries() -> dict[str, str]:
    found = {fold(_name_in(code, lang)): code for code in LOCALE_DATA for lang in reversed(LANGUAGES)}
    named = {fold(name): code for code, names in _ALIASES.items() for name in names.split(", ")}
    stated = {fold(name): code for code, name in _NAMES.items()}
    return {name: code for name, code in {**found, **named, **stated}.items() if name}


def _name_in(code: str, language: str) -> str:
    names = LOCALE_DATA.get(code, {})
    name = str(names.get(language, ""))
    return str(names.get(name[1:], "")) if name.startswith("*") else name


def _lines(file: str) -> Iterator[tuple[str, str, list[str]]]:
    text = files("winnow.normalise.places").joinpath(file).read_text(encoding="utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            place, _, names = line.partition(":")
            country, _, region = place.partition("|")
            yield country, region, [name.strip() for name in names.split(",") if name.strip()]


def _add(table: dict[str, list[Meaning]], name: str, meaning: Meaning) -> None:
    known = table.setdefault(fold(name), [])
    if meaning not in known:
        known.append(meaning)
