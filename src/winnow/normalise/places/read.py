"""Location text -> city, region, country, with the text as it stood (S-056, property 34).

Read from the right: "Austin, TX, USA", "75001 Paris, Frankreich", "Greater Boston Area", "Remote (Germany)". A name
nobody knows is a city only where a known region or country follows it; a name with two meanings stays without country.
"""

from __future__ import annotations

import re

import msgspec

from winnow.normalise.places.gazetteer import Meaning, country_code, country_name, gazetteer
from winnow.normalise.places.work_modes import names_only_modes, without_modes
from winnow.normalise.text import clean_line, fold

MAX_TEXT = 300
_SPLIT = re.compile(r"\s*[,;|·•\n]\s*|\s+[-–—/]\s+|\s*\(\s*|\s*\)\s*")
_LABEL = re.compile(
    r"^(?:job )?(?:locations?|standorte?|einsatzort|arbeitsort|ort|lieu|localisation|ubicaci[oó]n|sede|luogo|local(?:iza[cç][aã]o)?"
    r"|plaats|locatie|headquarters?|hauptsitz|based in|situ[eé] [aà])\s*[:：]?\s+",
    re.IGNORECASE,
)
_AREA = re.compile(
    r"^(?:the )?(?:greater|gro(?:ß|ss)raum|metropolregion|grand|r[eé]gion de|[aá]rea metropolitana de|regio|raum|city of)\s+"
    r"|\s+(?:metropolitan area|metro area|metropolitan region|bay area|area|und umgebung|en omgeving|e dintorni"
    r"|y alrededores|et p[eé]riph[eé]rie|e regi[aã]o|region|city|cedex(?: \d+)?)$",
    re.IGNORECASE,
)
_NOT_A_PLACE = re.compile(
    r"(?:fully |100\s?% ?)?(?:remote(?:ly)?|home ?-?office|hybrid(?:e|o)?|on-?site|on site|in[- ]office|t[eé]l[eé]travail|teletrabajo"
    r"|thuiswerk(?:en)?|vor ort|deutschlandweit|bundesweit|nationwide|worldwide|weltweit|wereldwijd|anywhere|global"
    r"|multiple locations?|several locations?|mehrere standorte|verschiedene|various|flexible|tbd|tba|n/?a|online|virtual"
    r"|europe|europa|emea|eu|apac|latam|dach|benelux|nordics|asia|africa|americas|north america|ortsunabh[aä]ngig"
    r"|remote first|remote work|work from home|wfh|open to remote|remote eligible|\+ ?\d+ more|and \d+ more)",
    re.IGNORECASE,
)
_POSTAL = re.compile(
    r"\b(?:[A-Z]{1,2}-)?(?:\d{4} ?[A-Z]{2}(?=\s|$)|\d{5}(?:-\d{4})?|\d{4}(?:-\d{3})?|\d{2}-\d{3}|[A-Z]\d[A-Z] ?\d[A-Z]\d"
    r"|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})\b"
)
_DISTRICT = re.compile(r"\s+\d{1,2}(?:er|e|ème|eme)?(?: arr\w*\.?)?$")
_NAME = re.compile(r"[^\W\d_][^\d_@#:<>!?\"]{0,58}")


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """`raw` is the text as it stood; `country` the English name of `country_code`."""

    raw: str
    city: str | None = None
    state_region: str | None = None
    country: str | None = None
    country_code: str | None = None


class _Reading(msgspec.Struct):
    country: str = ""
    region: str = ""
    city: str = ""


def read_place(raw: str, country: str | None = None) -> Place:
    """`country` is what the page says elsewhere (ISO code): it chooses between meanings, it adds none."""
    parts = _parts(_turned(raw))
    found = _Reading()
    for index in range(len(parts) - 1, -1, -1):
        if not _take(found, parts[index], parts[:index], country):
            found.city = _first_city(parts[: index + 1], found)
            break
    _place_city(found, country)
    return _result(raw, found)


def _turned(raw: str) -> str:
    """ "US-NV-Reno", "Poland-Gdansk": how two large systems write Reno, NV, US."""
    words = raw.strip().split("-") if "," not in raw else []
    coded = len(words) > 1 and country_code(words[0]) is not None and (len(words[0]) > 2 or words[0].isupper())
    known = coded and (len(words) == 3 or bool(_cities(words[-1])))
    return ", ".join(reversed(words)) if known and all(word == word.strip() for word in words) else raw


def _first_city(before: list[str], found: _Reading) -> str:
    """ "Berlin / Hamburg": of several cities of one country the first one named."""
    known = [name for name in map(_city_name, before) if found.city and _cities(name)]
    same = {m.country for m in _cities(found.city)}
    return next((name for name in known if same & {m.country for m in _cities(name)}), found.city)


def place_of(raw: str, city: str | None, region: str | None, country: str | None) -> Place:
    """From parts that data names already; what it leaves out is filled where the name has one meaning."""
    city, region, country = (_but_a_place(part) for part in (city, region, country))
    if city and "," in city and not region:
        return msgspec.structs.replace(read_place(city, country_code(country or "")), raw=raw)
    found = _Reading(city=_whole_name(city or ""))
    stated = clean_line(country or "")
    found.country = country_code(stated) or (country_code(stated.upper()) if len(stated) == 2 else None) or ""
    named = clean_line(region or "")
    if not found.country and _is_country_of(named, found.city):
        found.country, named = country_code(named) or "", ""  # "DE" in the field for the region: not Delaware
    if named and found.city and _is_the_city(named, found):
        found.city, named = named, ""  # "Isle of Dogs, London": a part of the town stood where the town belongs
    if named:
        named = named.upper() if len(named) <= 3 else named  # "il" in a form's field
        meaning = _one(_region_meanings(named), found.country or None)
        found.region = meaning.region if meaning else ("" if named.isdigit() else named)
        found.country = found.country or (meaning.country if meaning else "")
    if found.city and not (found.country and found.region):
        _place_city(found, None)
    return _result(raw, found)


def _but_a_place(part: str | None) -> str:
    """ "Anywhere" is what systems write into fields they cannot leave empty."""
    text = clean_line(part or "")
    return "" if _is_no_place(text) else text


def _is_no_place(text: str) -> bool:
    return _NOT_A_PLACE.fullmatch(text) is not None or names_only_modes(text)


def _is_country_of(code: str, city: str) -> bool:
    known = country_code(code) if len(code) == 2 else None
    return known is not None and any(meaning.country == known for meaning in _cities(city))


def _is_the_city(region: str, found: _Reading) -> bool:
    known = any(meaning.country == found.country for meaning in _cities(region))
    return known and not _cities(found.city) and not _region_meanings(region)


def _whole_name(city: str) -> str:
    text = clean_line(city)
    town = _city_name(text)  # "Greater Boston Area" in the field for the town
    if town != text and _cities(town):
        return town
    return text.title() if (text.isupper() or text.islower()) and len(text) > 3 else text


def _parts(raw: str) -> list[str]:
    text = _LABEL.sub("", clean_line(raw, MAX_TEXT))
    parts = [_POSTAL.sub(" ", part) for part in _SPLIT.split(text)]
    cleaned = [" ".join(part.split()).strip(" .,-–") for part in parts]
    whole = [piece for part in cleaned for piece in _split_code(part)]
    return [_place_in(part) for part in whole if part and not _is_no_place(part)]


def _place_in(part: str) -> str:
    """ "Munich or remote" and "Amsterdam office", where what is left is known; else it may be a part of a name."""
    rest = without_modes(part)
    return rest if rest != part and (_cities(rest) or (len(rest) > 2 and country_code(rest))) else part


def _split_code(part: str) -> list[str]:
    """ "Sydney NSW", "Austin TX": a city and the code of its own region without a comma."""
    head, _, code = part.rpartition(" ")
    regions = gazetteer().codes.get(code.lower(), []) if head and code.isupper() and len(code) <= 3 else []
    cities = _cities(head) if regions else []
    sure = (
        len(code) == 3 and len(regions) == 1 and not cities and _is_name(head)
    )  # "Camberwell VIC": one place has this code
    return [head, code] if sure or any(c.region == r.region for c in cities for r in regions) else [part]


def _take(found: _Reading, part: str, before: list[str], hint: str | None) -> bool:
    """Whether this part was understood and the one left of it should be looked at."""
    if found.city:
        return False  # everything left of a city is a district or a street
    if not found.region and not found.country and _take_country(found, part, before):
        return True
    if not found.region and _take_region(found, part, before, hint):
        return True
    name = _city_name(part)
    if _is_region_of(before, name, found):
        found.region = name
        return True
    if _cities(name) or ((found.country or found.region) and _is_name(name) and not country_code(name)):
        found.city = name
    return bool(found.city)


def _is_region_of(before: list[str], name: str, found: _Reading) -> bool:
    """ "Frýdek-Místek, Moravia-Silesia, Czechia": an unknown name between a town and its country."""
    if not found.country or found.region or _cities(name) or not _is_name(name) or country_code(name):
        return False
    town = _city_name(before[-1]) if before else ""
    return any(m.country == found.country for m in _cities(town)) or (len(before) == 1 and _is_name(town))


def _city_name(part: str) -> str:
    """Without "Greater …" and "… Area"; Mexico City and Kansas City are whole names. "Praha 4" is a part of Praha."""
    if _cities(part):
        return part
    bare = _AREA.sub("", _AREA.sub("", part)).strip()
    town = _DISTRICT.sub("", bare)
    return town if _cities(town) else bare


def _cities(name: str) -> list[Meaning]:
    return gazetteer().cities.get(fold(name), [])


def _take_country(found: _Reading, part: str, before: list[str]) -> bool:
    bare = re.sub(r"^(?:remote|hybrid)\W*(?:in|within|from)?\s+", "", part, flags=re.IGNORECASE)
    code = country_code(bare)
    if code is None or (len(bare) == 2 and not _code_is_country(bare, before)):
        return False
    rivals = _region_meanings(bare)
    if rivals and not before and len(bare) > 3:
        return False  # Georgia
    if before and any(c.region == r.region for c in _cities(_city_name(before[-1])) for r in rivals):
        return False
    if not before and _is_city_state(bare):
        return False
    found.country = code
    return True


def _code_is_country(code: str, before: list[str]) -> bool:
    """ "DE" after a city is Germany or Delaware; the city decides, else it stays open."""
    rivals = gazetteer().codes.get(code.lower(), [])
    if not rivals:
        return True
    if not before:
        return code in ("US", "UK", "GB")
    cities = _cities(_city_name(before[-1]))
    as_country = any(m.country == country_code(code) for m in cities)
    as_region = any(m.region == r.region for m in cities for r in rivals)
    if as_country != as_region:
        return as_country
    return len(before) > 1 and any(m.country == country_code(code) for m in _region_meanings(before[-1]))


def _is_city_state(name: str) -> bool:
    """Singapore, Luxembourg, Mexico …: a name that alone is the country, or its city."""
    return any(fold(name) == fold(city) for city in ("Singapore", "Hong Kong", "Monaco"))


def _take_region(found: _Reading, part: str, before: list[str], hint: str | None) -> bool:
    meanings = [m for m in _region_meanings(part) if not found.country or m.country == found.country]
    cities = _cities(_city_name(before[-1])) if before else []
    own = [m for m in meanings if any(c.region == m.region for c in cities)]
    if not before and country_code(part):
        return False  # Georgia
    if _cities(part) and not own:
        return False  # a city that is also a region: Hamburg, New York
    if cities and not own:
        meanings = [
            m for m in meanings if any(c.country == m.country and not c.region for c in cities) or len(part) > 3
        ]
        if not meanings:
            return bool(before)  # the code of something else: Milano (MI)
    meaning = _one(own or meanings, found.country or hint)
    if meaning is None or (len(part) <= 3 and not before and not found.country):
        return False
    found.region, found.country = meaning.region, meaning.country
    return True


def _region_meanings(name: str) -> list[Meaning]:
    table = gazetteer()
    if len(name) <= 4 and name.replace(".", "").isupper():
        return table.codes.get(fold(name.replace(".", "")), []) or table.regions.get(fold(name), [])
    return table.regions.get(fold(name), [])


def _one(meanings: list[Meaning], country: str | None) -> Meaning | None:
    fitting = [m for m in meanings if m.country == country] or (meanings if not country else [])
    american = [m for m in fitting if m.country == "US"]
    if len(fitting) > 1 and len(american) == 1 and len(american[0].region) > 3:
        return american[0]  # codes after a city are American far more often than anything else
    return fitting[0] if len(fitting) == 1 else None


def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and name[0].isupper() and len(name.split()) <= 6


def _place_city(found: _Reading, hint: str | None) -> None:
    """Country and region of a city that has one meaning only (or one in the country that was named)."""
    meanings = _cities(found.city) if found.city else []
    country = found.country or hint
    fitting = [m for m in meanings if m.country == country] if country else meanings
    if not fitting and not found.country:
        fitting = meanings
    prime = gazetteer().prime.get(fold(found.city))
    if prime in fitting and len({m.country for m in fitting}) > 1:
        fitting = [prime]
    if len({m.country for m in fitting}) == 1:
        found.country = found.country or fitting[0].country
        if not found.region and len(fitting) == 1 and fitting[0].country == found.country:
            found.region = fitting[0].region


def _result(raw: str, found: _Reading) -> Place:
    code = found.country or None
    return Place(
        raw=raw,
        city=found.city or None,
        state_region=found.region or None,
        country=country_name(code) if code else None,
        country_code=code,
    )
