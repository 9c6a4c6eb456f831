"""Postal addresses as people write them under a company's name: a street, a postal code, a town.

A postal code alone is a number. It counts beside a street with a house number, on the same line or the one above.
"""

from __future__ import annotations

import re

from winnow.extract.contact.postal_far import far_address
from winnow.extract.contact.postal_gb import GB_CODE, IE_CODE, british
from winnow.extract.contact.postal_words import (
    BOX,
    HQ,
    NOT_STREET,
    STREET_WORD,
    UNIT,
    Postal,
    near,
    street_of,
    without_label,
)

__all__ = ["BOX", "Postal", "addresses_in"]

_SUITE = re.compile(
    r"(?:suite|ste\b|unit|floor|fl\b|\d{1,3}(?:st|nd|rd|th) (?:floor|fl)\b|building|bldg|room|apt|#)", re.IGNORECASE
)
_TEL = re.compile(r"\s+(?:T|Tel|Ph|Phone|Fon)\.?$")  # "16147 Genova T (+39) 010 …"
_CITY = r"(?P<city>[A-ZÀ-ÖØ-ÝĂĆČĎĞİŁŃŇŐŘŚŞŠȘŤȚŰŹŻŽ'’][^\d,;|:!?@()<>\n]{1,40}?)"
_END = r"(?=\s*(?:[,;|·•(\n]|$| - | – |\s{2}))"
_STATES = (
    "A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]|UT|V[AIT]|W[AIVY]|GU"
    "|Alabama|Alaska|Arizona|Arkansas|California|Calif|Colorado|Connecticut|Conn|Delaware|District of Columbia|Florida|Fla|Georgia|Hawaii"
    "|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Mass|Michigan|Minnesota|Minn|Mississippi|Missouri"
    "|Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania"
    "|Rhode Island|South Carolina|South Dakota|Tennessee|Tenn|Texas|Utah|Vermont|Virginia|Washington|West Virginia|Wisconsin|Wyoming|Puerto Rico"
)
# Country of the form, or "" where several countries write it so.
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("US", re.compile(rf"(?P<city>[A-Z][A-Za-z.'’ -]{{1,40}}?),?\s+(?P<region>{_STATES})\.?,?\s+(?P<code>\d{{5}}(?:-\d{{4}})?)(?!\d)")),
    ("CA", re.compile(r"(?P<city>[A-ZÀ-Ý][^\d,;|:()]{1,40}?)[,\s]+\(?(?P<region>AB|BC|MB|NB|NL|NS|ON|PE|QC|SK|YT|NT|NU|Ontario|Qu[eé]bec|Alberta|British Columbia)\)?,?\s+(?P<code>[A-Z]\d[A-Z]\s?\d[A-Z]\d)\b")),
    ("AU", re.compile(r"(?P<city>[A-Z][A-Za-z.'’ -]{1,40}?),?\s+(?P<region>NSW|VIC|QLD|WA|SA|TAS|ACT|NT),?\s+(?P<code>\d{4})(?!\d)")),
    ("GB", GB_CODE),
    ("IE", IE_CODE),
    ("NL", re.compile(rf"(?:NL-)?(?P<code>\d{{4}}\s?[A-Z]{{2}}),?\s+{_CITY}{_END}")),
    ("AR", re.compile(rf"(?P<code>[A-HJ-NP-Z]\d{{4}}[A-Z]{{3}}),?\s+{_CITY}{_END}")),
    ("PT", re.compile(rf"(?<!\d)(?P<code>\d{{4}}-\d{{3}})\s+{_CITY}{_END}")),
    ("PL", re.compile(rf"(?<!\d)(?P<code>\d{{2}}-\d{{3}})\s+{_CITY}{_END}")),
    ("", re.compile(rf"(?:(?P<prefix>D|DE|F|E|I|A|CH|B|L|DK|N|S|FI|CZ|SK)\s?[-–]\s?)(?P<code>\d{{4,5}}|\d{{3}}\s\d{{2}})\s+{_CITY}{_END}")),
    ("", re.compile(rf"\bC\.?P\.?:?\s*(?P<code>\d{{5}}),?\s+{_CITY}{_END}")),
    ("", re.compile(rf"(?<![\d-])(?P<code>\d{{5}})\s+{_CITY}(?:\s+[Cc](?:edex|EDEX)(?:\s\d{{1,2}})?)?{_END}")),
    ("", re.compile(rf"(?<!\d)(?P<code>\d{{3}}\s\d{{2}})\s+{_CITY}(?:\s\d{{1,2}})?{_END}")),
    ("", re.compile(rf"(?<![\d-])(?P<code>\d{{4}})\s+(?![A-Z]{{2}}\b){_CITY}{_END}")),
)  # fmt: skip
_PREFIXES = {"D": "DE", "DE": "DE", "F": "FR", "E": "ES", "I": "IT", "A": "AT", "CH": "CH", "B": "BE", "L": "LU",
             "DK": "DK", "N": "NO", "S": "SE", "FI": "FI", "CZ": "CZ", "SK": "SK"}  # fmt: skip
_RUN_ON = re.compile(
    r"(.*\b(?:street|st|road|rd|avenue|ave|boulevard|blvd|drive|dr|lane|ln|way|court|ct|place|pl|parkway|pkwy|highway|hwy|square|circle|cir|terrace)\.?(?:\s(?:NW|NE|SW|SE|N|S|E|W)\b\.?)?),?\s+([A-Z][A-Za-z.' -]+)",
    re.IGNORECASE,
)
_ROAD = re.compile(r"\b(?:road|rd|street|st|avenue|ave|lane|drive|boulevard|blvd)\.?$", re.IGNORECASE)
MAX_BETWEEN = 60
_STREET_TAIL = re.compile(r"[,;|·•]\s*$")


# "41004 Sevilla. Tel. 954 …": how to reach them is another line, wherever it is written.
_REACHED = re.compile(
    r"(?<=\w)(?:[.,;]\s+|\s+[-–]\s+|\s+)(?=(?:tel|t[eé]l|telefon|phone|fon|fax|mob|e-?mail)\w*\s*[.:])", re.IGNORECASE
)


# Signs people put between the parts of an address.
_BULLETS = re.compile(r"\s*[♦●▪■‣∙◊◆►▶★☆✦]\s*")


def addresses_in(lines: list[str]) -> list[Postal]:
    """Every address of the lines, in order, each once."""
    found: dict[tuple[str, str], Postal] = {}
    lines = _joined([_BULLETS.sub(" | ", part) for line in lines for part in _REACHED.split(line)])
    for index, line in enumerate(lines):
        if len(line) > 260 or not any(c.isdigit() for c in line):
            continue
        address = _address_at(lines, index)
        if address is not None:
            found.setdefault(address.key, address)
    return list(found.values())


# Dutch codes are like nothing else, so the town may stand below.
_CODE_ALONE = re.compile(r"\d{4}\s?[A-Z]{2},?")


def _joined(lines: list[str]) -> list[str]:
    alone = {at for at, line in enumerate(lines[:-1]) if _CODE_ALONE.fullmatch(line)}
    return [f"{line} {lines[at + 1]}" if at in alone else line for at, line in enumerate(lines)]


def _address_at(lines: list[str], index: int) -> Postal | None:
    far = far_address(lines, index)
    if far is not None:
        return far
    for country, form in _FORMS:
        for match in form.finditer(lines[index]):
            is_british = country in ("GB", "IE")
            address = british(lines, index, match, country) if is_british else _around(lines, index, match, country)
            if address is not None:
                return address
    return None


def _around(lines: list[str], index: int, match: re.Match[str], country: str) -> Postal | None:
    line, parts = lines[index], match.groupdict()
    before = without_label(_STREET_TAIL.sub("", line[: match.start()]).strip(" ,;|·•-–"))
    street = _street_near(lines, index, before, country)
    city = _TEL.sub("", (parts.get("city") or "").strip(" ,-–"))
    run_on = _RUN_ON.fullmatch(city) if country in ("US", "CA", "AU") else None
    if run_on and re.fullmatch(r"(?:.*\s)?\d{1,5}[A-Za-z]?", before):
        number = before.split()[-1]
        street, city = f"{number} {run_on[1]}", run_on[2]
        found = Postal(raw=f"{street}, {city}{line[match.start('city') + len(match['city']) : match.end()]}", street=street, code=parts["code"],
                       city=city, region=parts.get("region") or "", country=country, around=near(lines, index))  # fmt: skip
        return found
    if not street or NOT_STREET.search(city) or _is_year(parts["code"], country, parts, street):
        return None
    if not country and _ROAD.search(city):
        return None  # "No. 1258 Yuyuan Road": a house, not a code
    below = lines[index + 1] if index + 1 < len(lines) else ""
    named = _country_text(line[match.end() :], below)
    stated = country or _PREFIXES.get(parts.get("prefix") or "", "") or named
    raw = ", ".join(part for part in (street, line[match.start() : match.end()].strip(" ,")) if part)
    context = _surrounding_text(lines, index)
    return Postal(raw=raw, street=street, code=parts["code"], city=city if country else _bare_city(city, street), region=parts.get("region") or "",
                  country=stated, hq=HQ.search(context) is not None, around=near(lines, index))  # fmt: skip


def _street_near(lines: list[str], index: int, before: str, country: str) -> str:
    """Before the code, or in the line above; a floor or a box is not all of it where a street stands above that."""
    above = without_label(lines[index - 1]).strip(" ,") if index else ""
    further = lines[index - 2] if index > 1 else ""
    if before:
        higher = street_of(above, whole=True) if UNIT.fullmatch(before) else ""
        return f"{higher}, {before}" if higher else street_of(before)
    american = country in ("US", "CA", "AU")
    higher = street_of(further, whole=True) if UNIT.fullmatch(above) or (BOX.match(above) and american) else ""
    if higher:
        return higher if BOX.match(above) else f"{higher}, {above}"
    street = street_of(above, whole=True)
    unknown = len(above) < MAX_BETWEEN and (not any(c.isdigit() for c in above) or _SUITE.match(above))
    return street or (street_of(further, whole=True) if unknown and american else "")


# "00185 Roma RM", "8050 Zürich ZH", "1620 København V": a province, a canton, a quarter.
_BEHIND_CITY = re.compile(r"(?<=[^\W\d_]{2})\s(?:[A-Z]{2}|[A-ZØ])$")
_TURKISH = re.compile(r"\b(?:cad(?:desi)?|sok(?:ak|ağı)?|mah(?:allesi)?|bulvarı)\b", re.IGNORECASE)


def _bare_city(city: str, street: str) -> str:
    town = _BEHIND_CITY.sub("", city)
    return town.rpartition("/")[2].strip() if _TURKISH.search(street) else town


def _surrounding_text(lines: list[str], index: int) -> str:
    """The line and up to four above it, but nothing that was said of an address further up."""
    above: list[str] = []
    for line in reversed(lines[max(0, index - 4) : index]):
        if re.search(r"\b\d{4,5}\s+[A-ZÀ-Ý]", line):
            break
        above.append(line)
    return " ".join([*reversed(above), lines[index]])


_PROVINCE = re.compile(r"\s*\([A-Z]{2}\)")  # "18100 Imperia (IM)" is not on the Isle of Man


def _is_year(code: str, country: str, parts: dict[str, str | None], street: str) -> bool:
    """Four digits that could be a year need more than a number beside them."""
    bare = len(code) == 4 and code.isdigit() and not country and not parts.get("prefix")
    return bare and (code.startswith("20") or code.startswith("19")) and not STREET_WORD.search(street)


def _country_text(rest: str, below: str) -> str:
    """A country's name behind the town, or alone on the line below."""
    rest = _PROVINCE.sub("", rest, count=1)
    tail = re.match(r"\s*[,(|·–-]?\s*([A-ZÀ-Ý][^\d,;|:()]{1,30})\)?\s*(?:[,;|.·]|$)", rest)
    if tail:
        return tail[1].strip(" .")
    return (
        below.strip(" .")
        if 1 < len(below) <= 30 and re.fullmatch(r"[A-ZÀ-Ý][^\d@:]+", below) and not rest.strip()
        else ""
    )
