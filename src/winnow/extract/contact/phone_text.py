"""Telephone numbers of a page with the words around them: `tel:` links and labelled text. Fax numbers are not phones."""

from __future__ import annotations

import re
from urllib.parse import unquote

from selectolax.lexbor import LexborNode

from winnow.extract.company.other_firms import is_others
from winnow.extract.contact.email_text import is_credit
from winnow.extract.draft import Strategy, Value
from winnow.extract.parsed_page import ParsedPage, text_in

MAX_LINKS = 60
MAX_DIGITS = 15  # ITU-T E.164
MAX_LABEL = 60  # characters before a number that are searched for its label; more would be slow on long lines
_PHONE_WORD = re.compile(
    r"(?:^|[\s(|,;·•/])(?:tel(?:\.|efon|efoon|efono|éfono|efone|ephone|éphone|\b)?(?:nummer)?|t[eé]l[eé]phone|t[eé]l\.?|phone|fon|call(?: us)?(?: (?:today|now|at|on|or text))*|(?:call or )?text(?: us)?|reach us at|ph|t|p|m|mob(?:il|ile|iel)?|handy|festnetz|zentrale|hotline|ring|"
    r"bel(?: ons)?|llámanos|appelez(?:-nous)?|chiamaci|ligue|rufen sie uns an|тел(?:ефон)?|τηλ(?:έφωνο)?|電話(?:番号)?|电话|전화(?:번호)?|☎|📞|✆)\s*(?:no\.?|nr\.?|number|n°)?\s*[.:]*\s*$",
    re.IGNORECASE,
)
_FAX_WORD = re.compile(r"(?:tele)?fax(?:nummer)?\.?|\bf\s*[.:]\s*$|télécopie", re.IGNORECASE)
_OTHER_WORD = re.compile(
    r"(?:vat|ust|btw|tva|iva|kvk|hrb|siren|siret|iban|bic|steuer|tax|reg(?:istration)?|company (?:no|number)|order|invoice|isbn|id|nr|order|zip|plz|cif|nif|rcs|p\.? ?iva|partita"
    r"|handelsregister|account|bank|konto|blz|ein|duns|lei)\W*(?:no\.?|number|nr\.?|id)?\W*$",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.,/-])(?:\(\+|\+|00)?\(?\d[\d\s()./\-–\u00a0\u2011]{5,22}\d(?![\w%€$£]|[-–]\d)")
# Grouped as in North America and nowhere else: a line of its own is a number.
_AMERICAN = re.compile(r"(?:1[-. ])?(?:\([2-9]\d\d\)\s?|[2-9]\d\d\s?[-.]\s?)[2-9]\d\d\s?[-.]\s?\d{4}")
_TOLL_FREE = re.compile(r"1[-. ]8(?:00|88|77|66|55|44|33)[-. ]\d{3}[-. ]\d{4}")
_URGENT = re.compile(
    r"notfall|notruf|notdienst|emergency|out of hours|urgence|urgencias|emergenza|spoed|pogotowie", re.IGNORECASE
)
_LABEL_LINE = re.compile(
    r"(?:tel(?:efon|ephone|efoon|efono|éfono|efone|éphone)?|phone(?: number)?|call us|telefonnummer|telefoonnummer|тел(?:ефон)?|τηλέφωνο|電話(?:番号)?|代表電話|电话|전화(?:번호)?)\.?\s*[:：]?",
    re.IGNORECASE,
)


def contact_phone(parsed: ParsedPage, names: list[str], stated: list[Value]) -> list[Value]:
    """Structured data first, then the number most links lead to, then labelled text. Best first."""
    if stated:
        return stated
    links = _links(parsed)
    texts = _texts(parsed, names)
    ordered = sorted(dict.fromkeys(links), key=lambda number: -links.count(number))
    several = len({_digits(number) for number in links}) > 4 and links.count(ordered[0]) == 1
    found = [] if several else [Value(number, Strategy.DOM, "a[href^=tel]") for number in ordered]
    if found or several:
        return found
    if len({_digits(number)[-7:] for number in texts}) > 4:
        return []
    return [Value(number, Strategy.DOM, "text") for number in texts]


def _digits(number: str) -> str:
    return re.sub(r"\D", "", number)


def _links(parsed: ParsedPage) -> list[str]:
    """A link may leave out the area code the text shows; the longer of the two is the number."""
    found, urgent = [], set()
    for node in parsed.tree.css('a[href^="tel:" i], a[href^="callto:" i]')[:MAX_LINKS]:
        number = unquote((node.attributes.get("href") or "").partition(":")[2]).strip(" /")
        if len(_digits(number)) >= 6 and not _is_fax(node) and not is_credit(node):
            found.append(_fuller(number, text_in(node)))
            urgent |= {found[-1]} if _is_urgent(node) else set()
    return [number for number in found if number not in urgent] or found


def _is_urgent(node: LexborNode) -> bool:
    """The number for emergencies, where there is another one."""
    above = node.parent
    around = [text_in(each) for each in (above, above.parent if above is not None else None) if each is not None]
    return any(_URGENT.search(text) for text in [text_in(node), *around] if len(text) <= 2 * MAX_LABEL)


def _fuller(number: str, shown: str) -> str:
    match = _NUMBER.search(shown)
    if number.startswith(("+", "00")) or match is None:
        return number
    return match[0] if match[0].lstrip().startswith(("+", "00")) else number


def _is_fax(node: LexborNode) -> bool:
    own = text_in(node)
    if _FAX_WORD.search(own) and not re.search(r"tel|phone|fon", own, re.IGNORECASE):
        return True
    before = node.prev
    for _ in range(3):
        if before is None:
            break
        text = before.text(deep=True) or ""
        if text.strip():
            return _FAX_WORD.search(text[-20:]) is not None
        before = before.prev
    parent = text_in(node.parent) if node.parent is not None else ""
    return len(parent) < 40 and _FAX_WORD.match(parent) is not None


def _texts(parsed: ParsedPage, names: list[str]) -> list[str]:
    found = []
    lines = [part for line in parsed.contact_lines for part in re.split(r"\s+[|·•]\s+", line) if part]
    for index, line in enumerate(lines):
        if is_others(lines, index, names):
            continue
        above = lines[index - 1] if index else ""
        for match in _NUMBER.finditer(line):
            number = _first_of(match[0])
            below = lines[index + 1] if index + 1 < len(lines) else ""
            if _is_phone(line, match, above) or _beside_email(line, match, above, below):
                found.append(number)
    return list(dict.fromkeys(found))


def _first_of(text: str) -> str:
    """ "02 48714236 - 0323 569627" are two numbers."""
    return text.strip() if len(_digits(text)) <= MAX_DIGITS else re.split(r"\s+[-–/]\s+", text.strip())[0]


def _is_phone(line: str, match: re.Match[str], above: str) -> bool:
    before = line[max(0, match.start() - MAX_LABEL) : match.start()]
    if (
        _FAX_WORD.search(before[-14:])
        or _OTHER_WORD.search(before[-24:])
        or len(_digits(_first_of(match[0]))) > MAX_DIGITS
    ):
        return False
    if _PHONE_WORD.search(" " + before):
        return True
    if not before.strip() and _LABEL_LINE.fullmatch(above):
        return True
    if not before.strip() and len(line) <= MAX_LABEL and _TOLL_FREE.fullmatch(match[0].strip()):
        return True  # "1-800-555-0100 US & Canada"
    alone = len(line) - len(match[0]) <= 3
    international = match[0].lstrip("(").startswith(("+", "00")) or _AMERICAN.fullmatch(match[0].strip()) is not None
    return alone and international and not _FAX_WORD.search(above)


def _beside_email(line: str, match: re.Match[str], above: str, below: str) -> bool:
    """A line of its own between the address and the e-mail needs no label."""
    alone = len(line) - len(match[0]) <= 3 and match[0].lstrip("(").startswith("0")
    return alone and any("@" in near and len(near) <= 60 for near in (above, below))
