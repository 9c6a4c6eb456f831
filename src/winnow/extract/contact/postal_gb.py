"""British and Irish addresses: house, street, town and county stand before the code, in one line or in several."""

from __future__ import annotations

import re
from itertools import pairwise

from winnow.extract.contact.postal_words import HQ, NOT_STREET, STREET_WORD, UNIT, Postal, near, without_label

MAX_PARTS = 6
MAX_LINE = 60
MAX_LABELLED = 8  # words of the part a street begins in; more is a sentence
GB_CODE = re.compile(r"(?P<code>(?:GIR 0AA|[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}))\b")
IE_CODE = re.compile(r"\b(?P<code>[AC-FHKNPRTV-Y]\d[0-9W]\s?[0-9AC-FHKNPRTV-Y]{4})\b")
_COUNTY = re.compile(
    r"(?:[A-Z][a-z]+(?: [A-Z][a-z]+)?shire|(?:north |south |east |west |greater |county |co\.? )?(?:kent|essex|surrey|sussex|norfolk|suffolk|devon|cornwall|dorset|somerset|cumbria|durham|merseyside|tyne (?:and|&) wear"
    r"|midlands|manchester|middlesex|middx|rutland|northumberland|cleveland|avon|humberside|gwent|dyfed|powys|clwyd|gwynedd|glamorgan|fife|lothian|strathclyde|tayside|antrim|down|armagh|tyrone|fermanagh|derry"
    r"|london|yorkshire|isle of (?:wight|man)|dublin|cork|galway|limerick|kildare|meath|wicklow|kerry|clare|mayo)|lancs|herts|berks|bucks|beds|cambs|hants|lincs|leics|northants|notts|oxon|staffs|wilts|worcs|glos|yorks)",
    re.IGNORECASE,
)
_COUNTRY = re.compile(
    r"(?:united kingdom|uk|great britain|england|scotland|wales|northern ireland|ireland|republic of ireland)",
    re.IGNORECASE,
)
_HOUSE = re.compile(
    r"[\w'’&. -]{2,40}\b(?:house|court|centre|mills?|works|chambers|tower|buildings?|hall|barn|lodge|farm|studios|exchange|park|estate|plaza|forge|stables|granary|cottages?|manor|priory|rectory|maltings|brewery|warehouse|gatehouse|arcade)",
    re.IGNORECASE,
)
_FIRM = re.compile(r"\b(?:ltd|limited|plc|llp|inc|llc|solicitors|group)\b", re.IGNORECASE)


def british(lines: list[str], index: int, match: re.Match[str], country: str) -> Postal | None:
    before = without_label(lines[index][: match.start()].strip(" ,;|·•-–"))
    parts, at = _collected(lines, index, _parts(before))
    if parts is None:
        return None
    streets = [i for i, part in enumerate(parts) if _is_street(part) or re.match(r"\d+\w?\s", part)]
    if not streets:
        return None
    towns = [part for part in parts[streets[-1] + 1 :] if not _COUNTRY.fullmatch(part)]
    city, region = _town(towns)
    first = _first_part(parts, streets[0])
    street = _without_sentence(parts[first : streets[-1] + 1])
    if not street:
        return None
    return Postal(raw=", ".join([street, *towns, match["code"]]), street=street, code=match["code"], city=city, region=region, country=country,
                  hq=HQ.search(" ".join(lines[max(0, at - 2) : index + 1])) is not None, around=near(lines, index, at))  # fmt: skip


def _collected(lines: list[str], index: int, parts: list[str]) -> tuple[list[str] | None, int]:
    """Short lines above, until one has a street and a number; then the house it is, if the next one is a house."""
    at = index
    while at > 0 and len(parts) < MAX_PARTS and not _is_whole(parts):
        at -= 1
        above = lines[at].strip(" ,")
        if len(above) > MAX_LINE or NOT_STREET.search(above):
            return None, at
        parts = _parts(without_label(above)) + parts
    above = lines[at - 1].strip(" ,.") if at > 0 else ""
    is_house = (
        (_HOUSE.fullmatch(above) or UNIT.match(above)) and not _FIRM.search(above) and not NOT_STREET.search(above)
    )
    if is_house and len(above) <= MAX_LINE and at < index:
        parts, at = [above, *parts], at - 1
    return parts, at


def _is_whole(parts: list[str]) -> bool:
    """A street with a number, or a house with a name and its street: "Pentland House, Village Way"."""
    named = any(_HOUSE.fullmatch(house) and _is_street(street) for house, street in pairwise(parts))
    return named or any(_is_numbered(part) for part in parts)


def _is_street(part: str) -> bool:
    return STREET_WORD.search(re.sub(r"^st\.? ", "", part, flags=re.IGNORECASE)) is not None  # St Helens is a town


def _is_numbered(part: str) -> bool:
    """ "12 Deansgate" needs no word for what it is."""
    counted = re.search(r"\d", part) is not None and (_is_street(part) or UNIT.fullmatch(part) is not None)
    return counted or re.match(r"\d{1,4}[a-z]?(?:\s?[-–]\s?\d{1,4})?\s+[A-Z]", part) is not None


def _first_part(parts: list[str], street: int) -> int:
    """A house or a unit before the street belongs to it."""
    before = parts[street - 1] if street else ""
    return street - 1 if UNIT.fullmatch(before) or (_HOUSE.fullmatch(before) and not _FIRM.search(before)) else street


def _without_sentence(parts: list[str]) -> str:
    kept = parts if len(parts[0].split()) < MAX_LABELLED else parts[1:]
    return ", ".join(kept) if kept and _is_whole(kept) else ""


def _town(towns: list[str]) -> tuple[str, str]:
    """The post town is the last name before the county: "Cudham, Sevenoaks, Kent". A county alone is no town."""
    region = (
        towns[-1]
        if len(towns) > 1 and _COUNTY.fullmatch(towns[-1]) and towns[-1].lower() not in ("london", "dublin")
        else ""
    )
    left = towns[:-1] if region else towns
    if len(left) == 1 and not region and _COUNTY.fullmatch(left[0]) and left[0].lower() not in _TOWNS:
        return "", left[0]
    return (re.sub(r"\s+\d{1,2}w?$", "", left[-1], flags=re.IGNORECASE) if left else ""), region


_TOWNS = frozenset(
    ["london", "dublin", "cork", "galway", "limerick", "durham", "manchester", "derry", "armagh", "antrim"]
)


def _parts(text: str) -> list[str]:
    parts = (part.strip(" .") for part in re.split(r"\s*[,|·•;]\s*", text))
    return [part for part in parts if part and not part.endswith(":")]
