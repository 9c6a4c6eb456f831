"""What all postal addresses share: the words of a street, of a floor, of a head office; and the address itself."""

from __future__ import annotations

import re

import msgspec

STREET_WORD = re.compile(
    r"stra(?:ß|ss)e|str\.|\bstr\b|weg\b|platz|allee|gasse|\bring\b|damm|ufer|chaussee|straat|laan\b|gracht|plein|kade|dijk|singel|steenweg|\brue\b|avenue|\bave?\b|boulevard|\bblvd|\bbd\b|quai|"
    r"\bplace\b|chemin|all[eé]e|impasse|route|cours\b|\bvia\b|viale|piazza|corso|largo|\bcalle\b|\bc/|avenida|\bavda|plaza|paseo|carrer|passeig|pol[ií]gono|\bctra\b|carretera|\bpza\b|\bronda\b|camino|glorieta|contrada|\bc\.da\b|vicolo|strada\b|\br[uú]a\b|travessa|pra[cç]a|estrada|"
    r"street|\bst\b|road|\brd\b|lane|\bln\b|drive|\bdr\b|way\b|court|\bct\b|square|terrace|close|parkway|pkwy|highway|hwy|suite|floor|\bfl\b|wharf|yard|house|building|park\b|mews|hill\b|row\b|"
    r"(?:trading|industrial|business) estate|gade\b|vej\b|vägen|gatan|katu|ulica|\bul\.|\bal\.|aleja|utca|náměstí|třída|ulice|\bcad(?:desi)?\b|\bsok(?:ak|ağı)?\b|\bnr\.|postfach|postbus|p\.?\s?o\.?\s?box|business (?:park|centre|center)|level \d|unit \d",
    re.IGNORECASE,
)
_NUMBER_AFTER = re.compile(
    r"[^\d,;:|]{3,50}[\s,]\s?(?:n[°º.]?\s?)?[1-9]\d{0,4}\s?[a-zA-Z]?(?:\s?[-/–+]\s?\d{1,5}\s?[a-zA-Z]?)?(?:\s?(?:bis|ter|bus|box|/).{0,10})?"
)
_NUMBER_BEFORE = re.compile(
    r"\d{1,5}[a-zA-Z]?(?:\s?[-–]\s?\d{1,5})?(?:\s(?:bis|ter))?,?\s[^\d;:|]{3,60}(?:,?\s(?:suite|ste\.?|floor|unit|#|fl\.?|apt\.?)\s?#?\w{1,6})?",
    re.IGNORECASE,
)
NOT_STREET = re.compile(
    r"©|copyright|all rights|\b(?:call|tel|phone|fax|fon|mobile?|vat|ust|kvk|hrb|iban|siret|e-?mail|www\.|http|btw|tva|uhr|mon|open|seit|since|founded|reviews?|sterne|stars|bewertung(?:en)?|votes?|ratings?|stimmen|issn|isbn|derechos|direitos|diritti|droits|rechte)\b|@|%|€|\$|£|\+\d{2}",
    re.IGNORECASE,
)
HQ = re.compile(
    r"headquarter|\bhq\b|head office|main office|hauptsitz|zentrale\b|firmensitz|hoofdkantoor|si[eè]ge(?: social)?|sede (?:central|legale|principal|social|operativa)|oficina (?:central|principal)|bureau principal|registered office|maison m[eè]re|bezoekadres|visiting address|besucheradresse|hausanschrift",
    re.IGNORECASE,
)
# A part of a house, in the order of words that most languages share. Never a street by itself.
UNIT = re.compile(
    r"(?:(?:(?:\w+\s)?(?:room|rm\.?)|suite|ste\.?|pmb|mailbox|nivel|niveau|ebene|floor|fl\.?|level|unit|units|room|rm\.?|apt\.?|office|flat|studio|shop|no\.?|#|bldg\.?|building|parcela|nave|local|oficina|of\.|planta|piso|bloque|puerta|pta\.|bât(?:iment)?\.?"
    r"|étage|lot|lote|sala|conj\.?|conjunto|int\.|interno|scala|lokal|lok\.|hala|box)\s?#?[\w/-]{1,8}(?:\s(?:north|south|east|west))?"
    r"|(?:(?:\d{1,3}(?:st|nd|rd|th|er|e|º|ª|°|\.)?|ground|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth) (?:floor|fl\.?|stock|og|étage|piso|planta|piano|verdieping|sal|andar|etage)))",
    re.IGNORECASE,
)
BOX = re.compile(
    r"^(?:postbus|postfach|p\.?\s?o\.?\s?box|bo[iî]te postale|b\.?p\.?|apartado|casella postale|caixa postal)\b",
    re.IGNORECASE,
)


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


def near(lines: list[str], index: int, first: int | None = None) -> str:
    """What stands around: the four lines above (the first one of) the address, the five below."""
    start = index if first is None else min(first + 2, index)
    return " | ".join(line[:200] for line in lines[max(0, start - 4) : index + 6])


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


# "Friedrichstr. 12 in 10969 Berlin", "C/ Alegría, 4 (entrada por el supermercado, 28942 …"
_BEHIND = re.compile(r"\s+(?:in|en|à)$|\s*\([^()]*$")


def street_of(text: str, whole: bool = False) -> str:
    """The street at the end of what stands before a postal code; with `whole`, all of a line of its own."""
    if not text or len(text) > (90 if whole else 200):
        return ""
    parts = [part.strip() for part in re.split(r"\s*[|·•;~]\s*|\s+[-–—]\s+", text) if part.strip()]
    last = parts.pop() if parts else ""
    while parts and UNIT.fullmatch(last):
        last = f"{parts.pop()}, {last}"  # "12 Mill Road | Suite 120"
    pieces = [piece.strip() for piece in without_label(last).split(",") if piece.strip()]
    for size in (1, 2, 3, 4):
        candidate = ", ".join(pieces[-size:])
        if candidate and is_street(candidate) and not all(map(UNIT.fullmatch, pieces[-size:])):
            before = pieces[-size - 1] if len(pieces) > size else ""
            street = _AFTER_FIRM.sub("", _CALLED.sub("", candidate))
            street = _BEHIND.sub("", _BEFORE_NUMBER.sub("", _AFTER_WORDS.sub(r"\1", street)))
            return f"{before}, {street}" if UNIT.fullmatch(before) else street
    return ""


def is_street(text: str) -> bool:
    if NOT_STREET.search(text) or len(text) > 90 or not re.search(r"[^\W\d_]{2}", text):
        return False
    if STREET_WORD.search(text) and re.search(r"\d|\bs/n\b", text):
        return True
    return (_NUMBER_AFTER.fullmatch(text) or _NUMBER_BEFORE.fullmatch(text)) is not None and len(text.split()) <= 7


_OFFICE = re.compile(r"^(?:registered |head |main |trading )(?:office|address)(?: at| is)?\s+(?=\S)", re.IGNORECASE)


def without_label(text: str) -> str:
    """ "Registered office: 10 High Street" without what it is called."""
    return _OFFICE.sub("", re.sub(r"^[^\d:]{2,40}:\s+", "", text))
