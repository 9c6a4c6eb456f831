"""Addresses that end with their code, or are written without spaces: Brazil, Japan, Hungary, Singapore, New Zealand, India."""

from __future__ import annotations

import re

from winnow.extract.contact.postal_words import HQ, Postal, near, street_of, without_label

MAX_JOINED = 260
_STATES = "AC|AL|AP|AM|BA|CE|DF|ES|GO|MA|MT|MS|MG|PA|PB|PR|PE|PI|RJ|RN|RS|RO|RR|SC|SP|SE|TO"
_CEP = re.compile(r"(?<![\d-])(?P<code>\d{5}-\d{3})(?![\d-])")
_BR_CITY = re.compile(
    rf"(?P<city>[A-ZÀ-Ý][^\W\d_]+(?:[ '’-](?:d[aeo]s? )?[A-ZÀ-Ý][^\W\d_]+){{0,3}})\s*[-/–,(]\s*(?P<region>{_STATES})\b"
)
_BR_STREET = re.compile(
    r"(?:Rua|R\.|Av\.?|Avenida|Alameda|Al\.|Travessa|Trav\.|Praça|Pça\.?|Rodovia|Rod\.|Estrada|Estr\.|Largo|Via|Quadra)\s[^,;|]{2,50},?\s*(?:n[º°.o]*\s*)?(?:\d[\d.]{0,6}[A-Z]?|s/n[º°]?)\b",
    re.IGNORECASE,
)
_JAPANESE = re.compile(
    r"(?:〒\s*)?(?P<code>\d{3}[-－‐]\d{4})\s*(?P<region>東京都|北海道|(?:京都|大阪)府|[一-龥]{2,3}県)\s*(?P<city>[一-龥ぁ-んァ-ヶ々]{1,6}?(?:市|区|郡|町|村))\s*(?P<street>[一-龥ぁ-んァ-ヶー々]{1,20}[\d０-９一二三四五六七八九十][\d０-９\-－‐−丁目番地号の一二三四五六七八九十]*)"
)
_LATIN = r"[A-ZÀ-Ý][A-Za-zÀ-ÿ.'’ -]{1,30}?"
# By the word that must stand in the line, because looking for the rest costs time.
_LAST: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("JP", "Japan", re.compile(rf"(?P<city>{_LATIN}),?\s+(?P<code>\d{{3}}-\d{{4}}),?\s+Japan\b", re.IGNORECASE)),
    ("NZ", "New Zealand", re.compile(rf"(?P<city>{_LATIN}),?\s+(?P<code>\d{{4}}),?\s+New Zealand\b")),
    ("SG", "Singapore", re.compile(r"(?P<city>Singapore),?\s+\(?(?P<code>\d{6})\)?")),
    ("IN", "India", re.compile(rf"(?P<city>{_LATIN})(?:,\s*(?P<region>{_LATIN}))?\s*[,–-]?\s*(?P<code>\d{{3}}\s?\d{{3}}),?\s+(?:(?P<state>{_LATIN}),\s*)?India\b")),
)  # fmt: skip
_HUNGARIAN = re.compile(
    r"(?:H-)?(?P<code>\d{4})\s+(?P<city>[A-ZÁÉÍÓÖŐÚÜŰ][^\W\d_]+),\s+(?P<street>[^,;|]{2,40}\s(?:utca|út|útja|tér|tere|körút|krt\.|u\.|sétány|köz|fasor|rakpart)\s+\d[\w/-]*)"
)


def far_address(lines: list[str], index: int) -> Postal | None:
    line = lines[index]
    if _CEP.search(line):
        return _brazilian(lines, index)
    joined = (
        f"{line} {lines[index + 1]}"
        if index + 1 < len(lines) and re.fullmatch(r"〒?\s*\d{3}[-－]\d{4}", line)
        else line
    )
    whole = _JAPANESE.search(joined) or _HUNGARIAN.search(line)
    if whole is not None:
        parts = whole.groupdict()
        country = "JP" if whole.re is _JAPANESE else "HU"
        return _found(
            lines, index, parts["street"], parts["code"], parts["city"], parts.get("region") or "", country, whole[0]
        )
    return _code_last(lines, index)


def _brazilian(lines: list[str], index: int) -> Postal | None:
    """Street, quarter and town with its state, in up to three lines; the code says it is Brazil."""
    for above in (0, 1, 2):
        text = ", ".join(lines[max(0, index - above) : index + 1])
        street, city = _BR_STREET.search(text), [match for match in _BR_CITY.finditer(text)]
        code = _CEP.search(text)
        if len(text) <= MAX_JOINED and street and city and code:
            town = city[-1]
            raw = text[street.start() : max(town.end(), code.end())]
            return _found(lines, index, street[0], code["code"], town["city"], town["region"], "BR", raw)
    return None


def _code_last(lines: list[str], index: int) -> Postal | None:
    for country, word, form in _LAST:
        match = form.search(lines[index]) if word in lines[index] else None
        if match is None:
            continue
        before = without_label(lines[index][: match.start()].strip(" ,;|·•-–"))
        above = lines[index - 1] if index else ""
        street = _from_number(before) if before and not before.startswith("#") else street_of(above, whole=True)
        if street:
            region = (match.groupdict().get("state") or match.groupdict().get("region") or "").strip()
            return _found(
                lines, index, street, match["code"], match["city"].strip(" ,"), region, country, f"{street}, {match[0]}"
            )
    return None


def _from_number(before: str) -> str:
    """All that stands between the first number and the town: "No. 45, 2nd Cross, Indiranagar"."""
    match = re.search(r"(?:(?:No|Plot|Flat|Unit|Level|Shop|Blk|Block)\.?\s*#?)?\d[\w/-]*\s*,?\s.*$", before)
    return match[0].strip(" ,") if match and len(match[0]) <= 90 else street_of(before)


def _found(
    lines: list[str], index: int, street: str, code: str, city: str, region: str, country: str, raw: str
) -> Postal:
    said = " ".join(lines[max(0, index - 3) : index + 1])
    return Postal(raw=raw.strip(" ,"), street=street.strip(" ,."), code=code, city=city, region=region, country=country,
                  hq=HQ.search(said) is not None, around=near(lines, index))  # fmt: skip
