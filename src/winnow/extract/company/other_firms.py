"""Other people's contacts on a company's own page: the agency, the host, a chamber, a firm that an article names."""

from __future__ import annotations

import re

from winnow.extract.company.name_words import alphanumeric, bare_name
from winnow.extract.contact.email_text import CREDIT

BLOCK_LINES = 4  # of an address and how to reach it
_LABEL_WORDS = 6
_AUTHORITY = re.compile(
    r"kammer\b|aufsichtsbehörde|berufsverband|schlichtungsstelle|verbraucherschlichtung|ombuds|haftpflichtversicherung"
    r"|médiateur|mediateur|directeur de la publication|ordre des |colegio (?:oficial|de)|chamber of|ordine d",
    re.IGNORECASE,
)
# Who answers journalists; on the page of an agency that is somebody else's desk.
_PRESS = re.compile(
    r"presse(?:kontakt|stelle|sprecher\w*|ansprechpartner\w*)|press (?:contacts?|office|enquir\w+)|media (?:contacts?|relations)|contacts? presse|ufficio stampa|(?:contacto|oficina) de prensa|perscontact"
    r"|pressekontakt|rückfragen",
    re.IGNORECASE,
)
_HOST = re.compile(r"h[eé]berg(?:eur|ement|[eé] par)|\bhosting\b|\bhoster\b|gehostet|webhost", re.IGNORECASE)
MAX_HOST = 30
_HOST_WORDS = 8  # "Ce site est hébergé par la société …"
_FIRM = re.compile(
    r"((?:[A-ZÄÖÜÉ0-9][\w&.'’-]*\s+){1,4})(?:GmbH|AG|SE|KG|UG|OHG|Ltd|Limited|Inc|LLC|B\.?V|N\.?V|S\.?L|S\.?A|SAS|SARL|S\.?r\.?l|S\.?p\.?A|e\.\s?V)\b"
)


def is_others(lines: list[str], index: int, names: list[str]) -> bool:
    """Whether the contact details in this line belong to another organisation."""
    line = lines[index]
    if CREDIT.search(line) or _AUTHORITY.search(line) or _names_another(line, names):
        return True
    above = lines[max(0, index - BLOCK_LINES) : index]
    return any(_is_label(each) for each in above)


_OF_OTHERS = re.compile(f"{_HOST.pattern}|{_AUTHORITY.pattern}|{_PRESS.pattern}", re.IGNORECASE)


def is_address_of_others(lines: list[str], index: int) -> bool:
    """Below the host or a chamber stands theirs, or in the line that begins with them; one that credits a designer has none."""
    if _HOST.search(lines[index][:MAX_HOST]) or _PRESS.search(lines[index]):
        return True
    above = lines[max(0, index - BLOCK_LINES) : index]
    return any(len(line.split()) <= _HOST_WORDS and _OF_OTHERS.search(line) for line in above)


def stands_under_another(around: str, raw: str, names: list[str]) -> bool:
    """A firm with its legal form right above the street or before it, and it is not this one."""
    street = raw.split(",")[0]
    above = around.partition(street)[0].split(" | ")[-3:] if street else []
    firms = [line for line in above if len(line.split()) <= _LABEL_WORDS and ":" not in line]
    return any(_names_another(line, names) for line in [*firms, street])


def _is_label(line: str) -> bool:
    """A heading such as "Hébergeur" or "Webdesign": the block below it is theirs."""
    return len(line.split()) <= _LABEL_WORDS and bool(
        CREDIT.search(line) or _AUTHORITY.search(line) or _PRESS.search(line)
    )


def _names_another(line: str, names: list[str]) -> bool:
    own = [alphanumeric(bare_name(name)) for name in names]
    firms = [alphanumeric(match) for match in _FIRM.findall(line)]
    return bool(own) and any(firm and not any(name in firm or firm in name for name in own if name) for firm in firms)
