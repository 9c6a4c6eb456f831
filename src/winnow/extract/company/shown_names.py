"""Names a page shows: in its copyright line, beside and in its logo."""

from __future__ import annotations

import re

from winnow.extract.company.name_words import is_name
from winnow.extract.parsed_page import ParsedPage, text_in

_COPYRIGHT = re.compile(
    r"(?:©|\(c\)|copyright)\s*(?:copyright\s*)?(?:©\s*)?(?:by\s+)?(?:(?:19|20)\d\d)?\s*(?:[-–—/]\s*(?:19|20)\d\d|-\s*heute|- present)?\s*[,.|:–-]?\s*(?:by\s+)?(?:[|•·]\s*)?"
    r"([^|•·©]{2,90}?)\s*(?:(?:19|20)\d\d(?:\s*[-–]\s*(?:19|20)\d\d)?)?\s*(?:[.,|•·–—-]|\s)*\s*(?:all rights? reserved.*|alle rechte.*|tous droits.*|todos los derechos.*"
    r"|tutti i diritti.*|todos os direitos.*|alle rechten.*|rights reserved.*|p\.?\s?iva.*|registered (?:in|company).*|privacy.*|impressum.*|terms.*"
    r"|(?:ist|is|are|sind|est) (?:lizen[sz]iert|licen[sc]ed|sous licence)\b.*|(?:proudly )?powered by\b.*|(?:web ?)?(?:site |page )?(?:design(?:ed)?|built|created|developed|hosted|maintained) by\b.*|$)",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"^(?:(?:site officiel|page officielle|official (?:web ?)?site|offizielle (?:webs|s)eite|sitio oficial|sito ufficiale) (?:de la|de l['’]|du|des|de|of the|of|der|des|del|della|di)|welcome to|about(?! us)|contact(?! (?:us|form|page|details|information)\b)|home of|willkommen (?:bei|auf|im)|über|bienvenue (?:chez|à|sur)|bienvenid[oa]s? a|benvenuti (?:su|da|in)|welkom bij|over)\s+(?:the\s+(?=website))?(?=\S)",
    re.IGNORECASE,
)
_HOME = re.compile(
    r"(?<=\S)\s+(?:home ?page|official (?:web ?)?site|website)$",
    re.IGNORECASE,
)
_MARK = re.compile(r"(?<=[a-z])(?:SM|TM)$|[®™]+$")


def bare_part(part: str) -> str:
    """ "Welcome to Acme" and "(Acme)" are Acme."""
    inside = part.strip()[1:-1] if re.fullmatch(r"\s*\([^()]+\)\s*", part) else part
    return _HOME.sub("", _MARK.sub("", _GREETING.sub("", inside.strip()))).strip(" :-–|")


def greeted_name(title: str) -> str:
    """The name in a title that is only a greeting and a name: "Contact Harwood Kessel"; "" for other titles."""
    rest = _GREETING.sub("", title.strip())
    return bare_part(title) if rest != title.strip() else ""


_NEXT = re.compile(r"(?<=\w{4})\.\s+(?=[^\W\d_]{3})")  # the next sentence; "Dr. Ott" and "St. Mary's" are none
# Maps that are shown on a page name their data before the sign: "Map data © 2014 Google".
_MAP_CREDIT = re.compile(
    r"(?:©|\(c\))\s*(?:(?:19|20)\d\d\s*)?(?:google|openstreetmap|mapbox|tomtom|teleatlas|tele atlas|here\b|esri|yandex|navteq)",
    re.IGNORECASE,
)
_SAYS_COPYRIGHT = re.compile(r"^(?:copyright|©|\(c\))[\s:–-]*", re.IGNORECASE)
_YEARS = re.compile(r"\s*(?:19|20)\d\d(?:\s*[-–]\s*(?:19|20)\d\d)?\s*$")


def copyright_names(parsed: ParsedPage) -> list[str]:
    found = []
    for line in parsed.lines:
        if len(line) < 300 and _states_copyright(line):
            match = _COPYRIGHT.search(line)
            before = _YEARS.sub("", re.split(r"©|copyright|\(c\)", line, maxsplit=1, flags=re.I)[0])
            for stated in (match[1] if match else "", before):
                name = _NEXT.split(_MARK.sub("", _SAYS_COPYRIGHT.sub("", stated.strip(" .,-–|/"))))[0]
                if is_name(name) and len(name.split()) <= 7:
                    found.append(name)
    return found[:5]


def _states_copyright(line: str) -> bool:
    said = "©" in line or "copyright" in line.lower() or "(c)" in line.lower()
    return said and _MAP_CREDIT.search(line) is None


_WRITTEN_LOGO = "header .logo, header .brand, .navbar-brand, .site-title, .site-name, header h2, a[class*='logo' i]"


def logo_names(parsed: ParsedPage) -> list[str]:
    nodes = parsed.tree.css(
        'header img[alt], a[class*="logo"] img[alt], img[class*="logo"][alt], [id*="logo"] img[alt]'
    )
    names = [re.sub(r"\b(?:the\s+)?(?:company\s+)?logo\b(?:\s+(?:of|von|van|de)\s+)?", "", n.attributes.get("alt") or "", flags=re.I)
             for n in nodes[:8]]  # fmt: skip
    names = [bare_part(name) for name in names]
    names += [text_in(node) for node in parsed.clean_tree.css(_WRITTEN_LOGO)[:6]]
    return [name.strip(" -–|:") for name in names if is_name(name.strip(" -–|:")) and len(name.split()) <= 6]
