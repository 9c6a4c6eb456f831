"""The name a company gives itself. Two signs have to agree; one alone is often a slogan, a theme or a platform."""

from __future__ import annotations

import re
import unicodedata

from winnow.extract.draft import Strategy, Value
from winnow.extract.kinds.organisations import own_organisation
from winnow.extract.kinds.parsed_page import ParsedPage, label_of, text_in
from winnow.extract.schema_price import text_of

MAX_NAME = 100
MAX_WORDS = 9
_PARTS = re.compile(r"\s+[|–—·•»›:~-]+\s+|\s*[|»•]\s*|:\s+|\s+-\s*|,\s+(?=the\b|your\b|ihr|uw |votre )", re.IGNORECASE)
_COPYRIGHT = re.compile(
    r"(?:©|\(c\)|copyright)\s*(?:copyright\s*)?(?:©\s*)?(?:by\s+)?(?:(?:19|20)\d\d)?\s*(?:[-–—/]\s*(?:19|20)\d\d|-\s*heute|- present)?\s*[,.|:–-]?\s*(?:by\s+)?"
    r"([^|•·©]{2,90}?)\s*(?:(?:19|20)\d\d(?:\s*[-–]\s*(?:19|20)\d\d)?)?\s*(?:[.,|•·–—-]|\s)*\s*(?:all rights? reserved.*|alle rechte.*|tous droits.*|todos los derechos.*"
    r"|tutti i diritti.*|todos os direitos.*|alle rechten.*|rights reserved.*|p\.?\s?iva.*|registered (?:in|company).*|privacy.*|impressum.*|terms.*|$)",
    re.IGNORECASE,
)
# What pages are called, what platforms put where a name belongs, and names of pages.
_NO_NAMES_TEXT = """
    home homepage home-page start startseite startpagina accueil inicio início welcome willkommen welkom bienvenue
    benvenuti bienvenidos index website web site official blog shop store news contact kontakt contacto contatti about
    about-us untitled wordpress wix squarespace shopify joomla drupal typo3 mysite my-site my-website impressum
    imprint the-company company us our-company null undefined legal privacy login support help docs documentation faq search press presse media team karriere careers jobs services products
"""
_NO_NAMES = frozenset(_NO_NAMES_TEXT.split())
_LEGAL = re.compile(
    r"[\s,]+(?:gmbh(?: & co\.? kg(?:aa)?)?|ag|se|kg|ohg|ug(?: \(haftungsbeschränkt\))?|e\.?\s?k\.?|e\.?\s?v\.?|inc\.?|incorporated|llc|l\.l\.c\.|ltd\.?|limited|plc|llp|corp\.?|corporation"
    r"|co\.|company|b\.?v\.?|n\.?v\.?|s\.?a\.?|s\.?a\.?s\.?|s\.?a\.?r\.?l\.?|s\.?r\.?l\.?|s\.?p\.?a\.?|s\.?l\.?|lda\.?|ltda\.?|oy|ab|as|a/s|aps|asa|a\.s\.|s\.r\.o\.|spol\. s r\.o\.|kft\.?|zrt\.?|sp\. z o\.\s?o\.|sp\. ?[kj]\.|d\.o\.o\.|a\.ş\.|pty|group|gruppe|holding)\.?$",
    re.IGNORECASE,
)


def has_legal_form(name: str) -> bool:
    return len(name) <= MAX_NAME and _LEGAL.search(name) is not None


def name_values(parsed: ParsedPage) -> list[Value]:
    """Best first; empty when no sign is confirmed by another one."""
    signs = _Signs(parsed)
    found = [*_from_schema(parsed, signs), *_from_meta(parsed, signs), *_from_page(parsed, signs)]
    return [value for value in found if value.raw]


class _Signs:
    """What a name can be confirmed by."""

    def __init__(self, parsed: ParsedPage) -> None:
        self.labels = [squash(label) for label in map(label_of, parsed.own_domains) if label]
        self.titles = [parsed.title, parsed.meta.get("og:title", "")]
        self.site = parsed.meta.get("og:site_name", "")
        self.copyrights = copyright_names(parsed)
        self.logos = logo_names(parsed)

    def fits_domain(self, name: str) -> bool:
        return any(fits_label(name, label) for label in self.labels)

    def confirms(self, name: str, *, without: str = "") -> bool:
        mine = squash(bare_name(name))
        others = [*self.titles, *self.copyrights, *self.logos, self.site]
        seen = [squash(other) for other in others if other and other != without]
        return len(mine) > 1 and any(mine in other for other in seen)


def _from_schema(parsed: ParsedPage, signs: _Signs) -> list[Value]:
    item = own_organisation(parsed)
    if item is None:
        return []
    raw = text_of(item.node.get("name")) or text_of(item.node.get("legalName"))
    name = _best_part(raw, signs)
    if not is_name(name) or (len(name.split()) > 6 and not (signs.fits_domain(name) or signs.confirms(name))):
        return []
    return [Value(name, item.strategy, f"{item.path}.name")]


def _from_meta(parsed: ParsedPage, signs: _Signs) -> list[Value]:
    found = []
    sites = [text_of(item.node.get("name")) for item in parsed.schema.of(frozenset(["website"]))]
    stated = [*parsed.metas("og:site_name", "application-name", "apple-mobile-web-app-title")]
    stated += [Value(name, Strategy.JSON_LD, "WebSite.name") for name in sites if name]
    for value in stated:
        name = _best_part(value.raw, signs)
        if (
            is_name(name)
            and not _is_address(name)
            and (signs.fits_domain(name) or signs.confirms(name, without=value.raw))
        ):
            found.append(Value(name, value.strategy, value.path))
    return found


def _from_page(parsed: ParsedPage, signs: _Signs) -> list[Value]:
    """Title, copyright line and logo, each only where it fits the domain or another of them."""
    parts = [part for title in signs.titles for part in _PARTS.split(title)]
    named = [(part, "title") for part in parts if signs.fits_domain(part)]
    named += [(name, "copyright") for name in signs.copyrights if signs.fits_domain(name) or _in_any(name, parts)]
    named += [(name, "logo[alt]") for name in signs.logos if signs.fits_domain(name) or _in_any(name, parts)]
    named.sort(
        key=lambda each: squash(bare_name(each[0])) not in signs.labels
    )  # stable: the one that is the domain first
    return [Value(name, Strategy.DOM, path) for name, path in named if is_name(name) and not _is_address(name)]


def _in_any(name: str, parts: list[str]) -> bool:
    mine = squash(bare_name(name))
    return len(mine) > 1 and any(squash(bare_name(part)) == mine for part in parts)


def _best_part(raw: str, signs: _Signs) -> str:
    """ "Acme | Widgets since 1920" is Acme, when the domain or the copyright line says so."""
    text = " ".join(raw.split())
    parts = [part.strip() for part in _PARTS.split(text) if part.strip()]
    if len(parts) < 2:
        return text
    fitting = [part for part in parts if signs.fits_domain(part) and is_name(part)]
    confirmed = [part for part in parts if is_name(part) and _in_any(part, [*signs.copyrights, *signs.logos])]
    return (fitting or confirmed or [text])[0]


def copyright_names(parsed: ParsedPage) -> list[str]:
    found = []
    for line in parsed.lines:
        if ("©" in line or "copyright" in line.lower() or "(c)" in line.lower()) and len(line) < 300:
            match = _COPYRIGHT.search(line)
            name = match[1].strip(" .,-–|") if match else ""
            if is_name(name) and len(name.split()) <= 7:
                found.append(name)
    return found[:5]


_WRITTEN_LOGO = "header .logo, header .brand, .navbar-brand, .site-title, .site-name, header h2, a[class*='logo' i]"


def logo_names(parsed: ParsedPage) -> list[str]:
    nodes = parsed.tree.css(
        'header img[alt], a[class*="logo"] img[alt], img[class*="logo"][alt], [id*="logo"] img[alt]'
    )
    names = [re.sub(r"\b(?:the\s+)?(?:company\s+)?logo\b(?:\s+(?:of|von|van|de)\s+)?", "", n.attributes.get("alt") or "", flags=re.I)
             for n in nodes[:8]]  # fmt: skip
    names += [text_in(node) for node in parsed.clean_tree.css(_WRITTEN_LOGO)[:6]]
    return [name.strip(" -–|:") for name in names if is_name(name.strip(" -–|:")) and len(name.split()) <= 6]


def is_name(text: str) -> bool:
    name = text.strip()
    if not 2 <= len(name) <= MAX_NAME or len(name.split()) > MAX_WORDS or not any(c.isalpha() for c in name):
        return False
    return (
        squash_words(name) not in _NO_NAMES
        and not re.search(r"\b(?:19|20)\d\d\b", name)
        and not re.search(
            r"[<>{}@]|https?:|\b404\b|not found|\bfor sale\b|coming soon|under construction", name, re.IGNORECASE
        )
    )


def squash_words(name: str) -> str:
    return "-".join(re.findall(r"[^\W_]+", name.lower()))


def _is_address(name: str) -> bool:
    return re.fullmatch(r"(?:www\.)?[\w-]+(?:\.[\w-]+)+", name) is not None and not re.fullmatch(
        r"[\w-]+\.(?:com|io|ai|org|net)", name
    )


def bare_name(name: str) -> str:
    """Without the legal form."""
    before, name = "", name.strip()
    while before != name:
        before, name = name, _LEGAL.sub("", name).strip()
    return name


def squash(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.replace("ß", "ss").replace("&", "und" if "ß" in text else ""))
    return "".join(c for c in plain.lower() if c.isalnum() and not unicodedata.combining(c))


def fits_label(name: str, label: str) -> bool:
    """ "Acme Widgets GmbH" and acme, acmewidgets, acme-widgets-shop; initials count from three letters."""
    bare = squash(bare_name(name))
    spelled = squash(_spelled(bare_name(name)))
    for mine in (bare, spelled):
        if mine == label or (len(mine) >= 3 and len(label) >= 3 and (mine.startswith(label) or label.startswith(mine))):
            return True
        if len(mine) >= 5 and mine in label:
            return True
    if _spells(bare_name(name), label):
        return True
    initials = "".join(word[0] for word in re.findall(r"[^\W\d_]+", bare_name(name).lower()))
    return len(label) >= 3 and initials == label


def _spells(name: str, label: str) -> bool:
    """ "Zahnarztpraxis Dr. Müller in Köln" and zahnarzt-mueller-koeln: the label is made of the name's words, and the
    words it is made of are most of the name. A slogan that also says the domain is not a name."""
    words = [squash(word) for word in re.findall(r"[^\W_]+", _spelled(name))]
    rest, used = label, 0
    for word in words:
        piece = next((word[:size] for size in range(len(word), 3, -1) if word[:size] in rest), "")
        if piece:
            rest, used = rest.replace(piece, "", 1), used + len(word)
    total = sum(len(word) for word in words)
    return len(label) >= 6 and len(rest) <= 2 and used >= 0.6 * total


def _spelled(name: str) -> str:
    return re.sub(r"[äöü]", lambda m: {"ä": "ae", "ö": "oe", "ü": "ue"}[m[0]], name.lower())
