"""Postal addresses as people write them under a company's name: a street, a postal code, a town.

A postal code alone is a number. It counts beside a street with a house number, on the same line or the one above.
"""

from __future__ import annotations

import re

import msgspec

_SUITE = re.compile(
    r"(?:suite|ste\b|unit|floor|fl\b|\d{1,3}(?:st|nd|rd|th) (?:floor|fl)\b|building|bldg|room|apt|#)", re.IGNORECASE
)
_TEL = re.compile(r"\s+(?:T|Tel|Ph|Phone|Fon)\.?$")  # "16147 Genova T (+39) 010 …"
_CITY = r"(?P<city>[A-ZÀ-ÖØ-Ý'’][^\d,;|:!?@()<>\n]{1,40}?)"
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
    ("GB", re.compile(r"(?P<code>(?:GIR 0AA|[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}))\b")),
    ("NL", re.compile(rf"(?:NL-)?(?P<code>\d{{4}}\s?[A-Z]{{2}})\s+{_CITY}{_END}")),
    ("PT", re.compile(rf"(?P<code>\d{{4}}-\d{{3}})\s+{_CITY}{_END}")),
    ("PL", re.compile(rf"(?P<code>\d{{2}}-\d{{3}})\s+{_CITY}{_END}")),
    ("", re.compile(rf"(?:(?P<prefix>D|DE|F|E|I|A|CH|B|L|DK|N|S|FI|CZ|SK)\s?[-–]\s?)(?P<code>\d{{4,5}}|\d{{3}}\s\d{{2}})\s+{_CITY}{_END}")),
    ("", re.compile(rf"(?<!\d)(?P<code>\d{{5}})\s+{_CITY}{_END}")),
    ("SE", re.compile(rf"(?<!\d)(?P<code>\d{{3}}\s\d{{2}})\s+{_CITY}{_END}")),
    ("", re.compile(rf"(?<!\d)(?P<code>\d{{4}})\s+{_CITY}{_END}")),
)  # fmt: skip
_PREFIXES = {"D": "DE", "DE": "DE", "F": "FR", "E": "ES", "I": "IT", "A": "AT", "CH": "CH", "B": "BE", "L": "LU",
             "DK": "DK", "N": "NO", "S": "SE", "FI": "FI", "CZ": "CZ", "SK": "SK"}  # fmt: skip
_STREET_WORD = re.compile(
    r"stra(?:ß|ss)e|str\.|\bstr\b|weg\b|platz|allee|gasse|\bring\b|damm|ufer|chaussee|straat|laan\b|gracht|plein|kade|dijk|singel|steenweg|\brue\b|avenue|\bave?\b|boulevard|\bblvd|\bbd\b|quai|"
    r"\bplace\b|chemin|all[eé]e|impasse|route|cours\b|\bvia\b|viale|piazza|corso|largo|\bcalle\b|\bc/|avenida|\bavda|plaza|paseo|carrer|pol[ií]gono|\brua\b|travessa|pra[cç]a|estrada|"
    r"street|\bst\b|road|\brd\b|lane|\bln\b|drive|\bdr\b|way\b|court|\bct\b|square|terrace|close|parkway|pkwy|highway|hwy|suite|floor|\bfl\b|wharf|yard|house|building|park\b|mews|hill\b|row\b|"
    r"(?:trading|industrial|business) estate|gade\b|vej\b|vägen|gatan|katu|ulica|\bul\.|postfach|postbus|p\.?\s?o\.?\s?box|business (?:park|centre|center)|level \d|unit \d",
    re.IGNORECASE,
)
_NUMBER_AFTER = re.compile(
    r"[^\d,;:|]{3,50}[\s,]\s?(?:n[°º.]?\s?)?[1-9]\d{0,4}\s?[a-zA-Z]?(?:\s?[-/–+]\s?\d{1,5}\s?[a-zA-Z]?)?(?:\s?(?:bis|ter|bus|box|/).{0,10})?"
)
_NUMBER_BEFORE = re.compile(
    r"\d{1,5}[a-zA-Z]?(?:\s?[-–]\s?\d{1,5})?(?:\s(?:bis|ter))?,?\s[^\d;:|]{3,60}(?:,?\s(?:suite|ste\.?|floor|unit|#|fl\.?|apt\.?)\s?#?\w{1,6})?",
    re.IGNORECASE,
)
_NOT_STREET = re.compile(
    r"©|copyright|all rights|\b(?:call|tel|phone|fax|fon|mobile?|vat|ust|kvk|hrb|iban|siret|e-?mail|www\.|http|btw|tva|uhr|mon|open|seit|since|founded|reviews?|sterne|stars)\b|@|%|€|\$|£|\+\d{2}",
    re.IGNORECASE,
)
HQ = re.compile(
    r"headquarter|\bhq\b|head office|main office|hauptsitz|zentrale\b|firmensitz|hoofdkantoor|si[eè]ge(?: social)?|sede (?:central|legale|principal|social|operativa)|oficina (?:central|principal)|bureau principal|registered office|maison m[eè]re|bezoekadres|visiting address|besucheradresse|hausanschrift",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"(?:(?:suite|ste\.?|floor|fl\.?|level|unit|room|apt\.?|no\.?|#)\s?#?\w{1,6}|\d{1,3}(?:st|nd|rd|th)? (?:floor|fl\.?|stock|og|étage|piso|piano|verdieping))",
    re.IGNORECASE,
)
_RUN_ON = re.compile(
    r"(.*\b(?:street|st|road|rd|avenue|ave|boulevard|blvd|drive|dr|lane|ln|way|court|ct|place|pl|parkway|pkwy|highway|hwy|square|circle|cir|terrace)\.?(?:\s(?:NW|NE|SW|SE|N|S|E|W)\b\.?)?),?\s+([A-Z][A-Za-z.' -]+)",
    re.IGNORECASE,
)
BOX = re.compile(
    r"^(?:postbus|postfach|p\.?\s?o\.?\s?box|bo[iî]te postale|b\.?p\.?|apartado|casella postale|caixa postal)\b",
    re.IGNORECASE,
)
_ROAD = re.compile(r"\b(?:road|rd|street|st|avenue|ave|lane|drive|boulevard|blvd)\.?$", re.IGNORECASE)
_STREET_TAIL = re.compile(r"[,;|·•]\s*$")


class Postal(msgspec.Struct, frozen=True, kw_only=True):
    """`country` is an ISO code when the form itself says so, else the text that followed."""

    raw: str
    street: str
    code: str = ""
    city: str = ""
    region: str = ""
    country: str = ""
    hq: bool = False
    around: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return re.sub(r"\W", "", self.code).lower(), re.sub(r"\W", "", self.street).lower()[:6]


# "41004 Sevilla. Tel. 954 …": how to reach them is another line, wherever it is written.
_REACHED = re.compile(
    r"(?<=\w)(?:[.,;]\s+|\s+[-–]\s+|\s+)(?=(?:tel|t[eé]l|telefon|phone|fon|fax|mob|e-?mail)\w*\s*[.:])", re.IGNORECASE
)


# Signs people put between the parts of an address.
_BULLETS = re.compile(r"\s*[♦●▪■‣∙◊◆►▶★☆✦]\s*")


def addresses_in(lines: list[str]) -> list[Postal]:
    """Every address of the lines, in order, each once."""
    found: dict[tuple[str, str], Postal] = {}
    lines = [_BULLETS.sub(" | ", part) for line in lines for part in _REACHED.split(line)]
    for index, line in enumerate(lines):
        if len(line) > 260 or not any(c.isdigit() for c in line):
            continue
        address = _address_at(lines, index)
        if address is not None:
            found.setdefault(address.key, address)
    return list(found.values())


def _address_at(lines: list[str], index: int) -> Postal | None:
    line = lines[index]
    for country, form in _FORMS:
        for match in form.finditer(line):
            address = _around(lines, index, match, country)
            if address is not None:
                return address
    return None


def _around(lines: list[str], index: int, match: re.Match[str], country: str) -> Postal | None:
    line, parts = lines[index], match.groupdict()
    before = _without_label(_STREET_TAIL.sub("", line[: match.start()]).strip(" ,;|·•-–"))
    above = _without_label(lines[index - 1]) if index else ""
    if country == "GB":
        return _british(lines, index, match, before)
    street = _street(before) if before else _street(above, whole=True)
    if (
        not street
        and not before
        and index > 1
        and len(above) < 60
        and (not any(c.isdigit() for c in above) or _SUITE.match(above))
    ):
        street = _street(lines[index - 2], whole=True) if country in ("US", "CA", "AU") else ""
    city = _TEL.sub("", (parts.get("city") or "").strip(" ,-–"))
    run_on = _RUN_ON.fullmatch(city) if country in ("US", "CA", "AU") else None
    if run_on and re.fullmatch(r"(?:.*\s)?\d{1,5}[A-Za-z]?", before):
        number = before.split()[-1]
        street, city = f"{number} {run_on[1]}", run_on[2]
        found = Postal(raw=f"{street}, {city}{line[match.start('city') + len(match['city']) : match.end()]}", street=street, code=parts["code"],
                       city=city, region=parts.get("region") or "", country=country, around=_near(lines, index))  # fmt: skip
        return found
    if not street or _NOT_STREET.search(city) or _is_year(parts["code"], country, parts, street):
        return None
    if not country and _ROAD.search(city):
        return None  # "No. 1258 Yuyuan Road": a house, not a code
    below = lines[index + 1] if index + 1 < len(lines) else ""
    named = _country_text(line[match.end() :], below)
    stated = country or _PREFIXES.get(parts.get("prefix") or "", "") or named
    raw = ", ".join(part for part in (street, line[match.start() : match.end()].strip(" ,")) if part)
    context = _said_of(lines, index)
    return Postal(raw=raw, street=street, code=parts["code"], city=city, region=parts.get("region") or "",
                  country=stated, hq=HQ.search(context) is not None, around=_near(lines, index))  # fmt: skip


def _british(lines: list[str], index: int, match: re.Match[str], before: str) -> Postal | None:
    """Street, town and county stand before the code, in one line or in several short ones."""
    parts = _british_parts(_without_label(before))
    at = index
    while at > 0 and len(parts) < 5 and not any(_STREET_WORD.search(p) and re.search(r"\d", p) for p in parts):
        at -= 1
        above = lines[at].strip(" ,")
        if len(above) > 60 or _NOT_STREET.search(above):
            return None
        parts = _british_parts(above) + parts
    streets = [i for i, part in enumerate(parts) if _STREET_WORD.search(part) or re.match(r"\d+\w?\s", part)]
    if not streets or not any(re.search(r"\d", part) for part in parts[: streets[-1] + 1]):
        return None
    towns = parts[streets[-1] + 1 :]
    city = towns[0] if towns else ""
    region = towns[1] if len(towns) > 1 else ""
    first = streets[0]
    street = ", ".join(parts[first : streets[-1] + 1]) if len(parts[first].split()) < 6 else parts[streets[-1]]
    context = " ".join(lines[max(0, at - 2) : index + 1])
    raw = ", ".join([street, *towns, match["code"]])
    return Postal(
        raw=raw,
        street=street,
        code=match["code"],
        city=city,
        region=region,
        country="GB",
        hq=HQ.search(context) is not None,
        around=_near(lines, index),
    )


def _british_parts(text: str) -> list[str]:
    return [part.strip(" .") for part in re.split(r"\s*[,|·•;]\s*", text) if part.strip(" .")]


def _without_label(text: str) -> str:
    """ "Registered office: 10 High Street" without what it is called."""
    return re.sub(r"^[^\d:]{2,40}:\s+", "", text)


def _said_of(lines: list[str], index: int) -> str:
    """The line and up to four above it, but nothing that was said of an address further up."""
    above: list[str] = []
    for line in reversed(lines[max(0, index - 4) : index]):
        if re.search(r"\b\d{4,5}\s+[A-ZÀ-Ý]", line):
            break
        above.append(line)
    return " ".join([*reversed(above), lines[index]])


def _near(lines: list[str], index: int) -> str:
    """What stands around: the four lines above, the five below."""
    return " | ".join(line[:200] for line in lines[max(0, index - 4) : index + 6])


# "Ci trovate in Via Garibaldi 21": where the kind of street comes first, what stands before it is a sentence.
_AFTER_WORDS = re.compile(
    r"^(?:[^\W\d_]+\s+){1,6}?((?:via|viale|piazza|corso|calle|avenida|plaza|paseo|rua|praça|rue|avenue|boulevard|place)\s+\w.*\d)",
    re.IGNORECASE,
)
# "Our warehouse is located at 363 Mill Rd", "Acme, Inc. 525 East Road": where the number comes first, the street begins with it.
_BEFORE_NUMBER = re.compile(
    r"^(?:.*\b(?:located|situated|based|find us|visit us|office is|address is)\s+(?:at|in)\s+|(?:[^\d,]*\b)?(?:inc|llc|ltd|limited|corp|co|plc|pty|llp)\b\.?\s+)(?=\d)",
    re.IGNORECASE,
)
# "Acme Bau AG Leutschenbachstrasse 95": the firm ends with its legal form.
_AFTER_FIRM = re.compile(r"^\D{2,60}\s(?:GmbH|AG|KG|UG|OHG|SARL|SAS|SRL|BV|NV|AB|AS)\.?\s+(?=[^\W\d_]{3,}.*\d)")
_CALLED = re.compile(r"^(?:address|adresse|anschrift|adres|indirizzo|direcci[oó]n|endere[cç]o)\s+(?=\S)", re.IGNORECASE)
_PROVINCE = re.compile(r"\s*\([A-Z]{2}\)")  # "18100 Imperia (IM)" is not on the Isle of Man


def _street(text: str, whole: bool = False) -> str:
    """The street at the end of what stands before a postal code; with `whole`, all of a line of its own."""
    if not text or len(text) > (90 if whole else 200):
        return ""
    parts = [part.strip() for part in re.split(r"\s*[|·•;~]\s*|\s+[-–—]\s+", text) if part.strip()]
    last = parts[-1] if parts else ""
    pieces = [piece.strip() for piece in _without_label(last).split(",") if piece.strip()]
    for size in (1, 2, 3):
        candidate = ", ".join(pieces[-size:])
        if candidate and _is_street(candidate) and not _UNIT.fullmatch(candidate):
            street = _AFTER_FIRM.sub("", _CALLED.sub("", candidate))
            return _BEFORE_NUMBER.sub("", _AFTER_WORDS.sub(r"\1", street))
    return ""


def _is_street(text: str) -> bool:
    if _NOT_STREET.search(text) or len(text) > 90 or not re.search(r"[^\W\d_]{2}", text):
        return False
    if _STREET_WORD.search(text) and re.search(r"\d", text):
        return True
    return (_NUMBER_AFTER.fullmatch(text) or _NUMBER_BEFORE.fullmatch(text)) is not None and len(text.split()) <= 7


def _is_year(code: str, country: str, parts: dict[str, str | None], street: str) -> bool:
    """Four digits that could be a year need more than a number beside them."""
    bare = len(code) == 4 and code.isdigit() and not country and not parts.get("prefix")
    return bare and (code.startswith("20") or code.startswith("19")) and not _STREET_WORD.search(street)


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
