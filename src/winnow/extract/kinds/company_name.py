"""The name a company gives itself. Two signs have to agree; one alone is often a slogan, a theme or a platform."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import pairwise

from winnow.extract.draft import Strategy, Value
from winnow.extract.kinds.organisations import own_organisation
from winnow.extract.kinds.parsed_page import ParsedPage, label_of, text_in
from winnow.extract.schema_price import text_of

MAX_NAME = 100
_NEVER_IN_A_NAME = (
    r"[<>{}@]|https?:|\b404\b|not found|\bfor sale\b|zum verkauf|zu verkaufen|te koop\b|à vendre|en venta|in vendita|à venda"
    r"|na sprzedaż|coming soon|under construction"
)
MAX_WORDS = 9
MIN_SPELLED = 7  # shorter domains are words of any text
MAX_LINE = 1_000
_PARTS = re.compile(
    r"\s*[★☆]+\s*|\s+[|–—·•»›:~-]+\s+|\s*[|»«•]\s*|:\s+|\s+-\s*|,\s+(?=the\b|your\b|ihr|uw |votre )", re.IGNORECASE
)
_COPYRIGHT = re.compile(
    r"(?:©|\(c\)|copyright)\s*(?:copyright\s*)?(?:©\s*)?(?:by\s+)?(?:(?:19|20)\d\d)?\s*(?:[-–—/]\s*(?:19|20)\d\d|-\s*heute|- present)?\s*[,.|:–-]?\s*(?:by\s+)?"
    r"([^|•·©]{2,90}?)\s*(?:(?:19|20)\d\d(?:\s*[-–]\s*(?:19|20)\d\d)?)?\s*(?:[.,|•·–—-]|\s)*\s*(?:all rights? reserved.*|alle rechte.*|tous droits.*|todos los derechos.*"
    r"|tutti i diritti.*|todos os direitos.*|alle rechten.*|rights reserved.*|p\.?\s?iva.*|registered (?:in|company).*|privacy.*|impressum.*|terms.*"
    r"|(?:proudly )?powered by\b.*|(?:web ?)?(?:site |page )?(?:design(?:ed)?|built|created|developed|hosted|maintained) by\b.*|$)",
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
    if (
        not is_name(name)
        or _is_address(name)
        or (len(name.split()) > 6 and not (signs.fits_domain(name) or signs.confirms(name)))
    ):
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
    parts = [_bare_part(part) for title in signs.titles for part in _PARTS.split(title)]
    named = [(_own_words(part, signs), "title") for part in parts if signs.fits_domain(part)]
    named += [(name, "copyright") for name in signs.copyrights if signs.fits_domain(name) or _in_any(name, parts)]
    named += [(name, "logo[alt]") for name in signs.logos if signs.fits_domain(name) or _in_any(name, parts)]
    named += [(line, "text") for line in _written_out(parsed, signs)]
    named += [(name, "copyright") for name in signs.copyrights if _has_own_mail(name, parsed)] if not named else []
    named += [(name, "text") for name in _spelled_in_text(parsed.contact_lines, signs.labels)] if not named else []
    named.sort(
        key=lambda each: squash(bare_name(each[0])) not in signs.labels
    )  # stable: the one that is the domain first
    return [Value(name, Strategy.DOM, path) for name, path in named if is_name(name) and not _is_address(name)]


_GREETING = re.compile(
    r"^(?:welcome to|about(?! us)|contact(?! us)|home of|willkommen (?:bei|auf|im)|über|bienvenue (?:chez|à|sur)|bienvenid[oa]s? a|benvenuti (?:su|da|in)|welkom bij|over)\s+(?:the\s+(?=website))?(?=\S)",
    re.IGNORECASE,
)
# What a page of the firm is about, behind its name.
_PAGE_WORDS = re.compile(
    r"\b(?:contact|form|support|help|shipping|delivery|locations|directions|careers?|jobs|login|homepage|policy|terms|faqs?|reviews|testimonials)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?:is|are|offers?|provides?|helps?|makes?|sells?|ist|sind|bietet|est|es|è|is een)\b")
_MARK = re.compile(r"(?<=[a-z])(?:SM|TM)$|[®™]+$")


def _bare_part(part: str) -> str:
    """ "Welcome to Acme" is Acme."""
    return _MARK.sub("", _GREETING.sub("", part.strip())).strip()


def _own_words(part: str, signs: _Signs) -> str:
    """ "Acme Builders, custom homes, Wisconsin" and "Acme Contact Form" on acmebuilders.com and acme.com: the words that are the
    domain, when a comma or what such pages are called sets off the rest."""
    words = part.split()
    for size in range(1, len(words)):
        head, rest = " ".join(words[:size]), " ".join(words[size:])
        if squash(head) not in signs.labels:
            continue
        if head.endswith(",") and not has_legal_form(part) and "&" not in rest:
            return head.rstrip(",")
        if _PAGE_WORDS.search(rest) or _SENTENCE.match(rest):
            return head.rstrip(",")
        first, comma, _ = part.partition(", ")
        return first if comma and len(first) >= len(head) and not has_legal_form(part) else part
    return part


def _written_out(parsed: ParsedPage, signs: _Signs) -> list[str]:
    """A line that is the domain, word for word: "Schreinerei Ott" on schreinerei-ott.de."""
    short = (line for line in parsed.contact_lines if len(line) <= MAX_NAME and len(line.split()) <= MAX_WORDS)
    named = (line for line in short if any(c.isupper() for c in line) and len(squash(bare_name(line))) >= 6)
    return [line for line in named if squash(bare_name(line)) in signs.labels][:1]


def _spelled_in_text(lines: list[str], labels: list[str]) -> list[str]:
    """Words of the text that are the domain, with the words that mostly follow them: "Peak View" and "Roofing Company" on
    peakview.com."""
    found: list[list[str]] = []
    for line in lines:
        plain = _anded(line)
        for label in labels:
            if len(label) >= MIN_SPELLED and label in plain and len(line) <= MAX_LINE:
                found += _phrases(line.split(), label)
    if not found:
        return []
    name = Counter(" ".join(words[: int(size)]) for size, *words in found).most_common(1)[0][0]
    follows = [words[int(size) :] for size, *words in found if " ".join(words[: int(size)]) == name]
    longer = [name, *_shared(follows)]
    trimmed = " ".join(longer).strip(".,;:!?()\"'®™©|-–… ")
    return [trimmed] if is_name(trimmed) and "." not in name else []


def _phrases(words: list[str], label: str) -> list[list[str]]:
    """How many words are the domain, these words, and the capitalised ones behind them."""
    found = []
    for start, word in enumerate(words):
        if not any(c.isupper() for c in word[:3]):
            continue
        for end in range(start + 1, min(start + 7, len(words) + 1)):
            spelled = _anded(" ".join(words[start:end]))
            if spelled == label:
                found.append([str(end - start), *words[start:end], *_capitalised(words[end - 1 :])])
            if len(spelled) >= len(label):
                break
    return found


def _capitalised(words: list[str]) -> list[str]:
    """Of the words behind the first one those that may belong to a name, up to the end of the clause."""
    kept: list[str] = []
    for before, word in pairwise(words[:6]):
        if before[-1] in ".,;:!?)|" or not (word[0].isupper() or word in ("&", "and", "of", "und", "et", "e", "y")):
            break
        kept.append(word)
    while kept and not kept[-1][0].isupper():
        kept.pop()
    return kept


def _shared(follows: list[list[str]]) -> list[str]:
    """What follows more than half of the time."""
    kept: list[str] = []
    while True:
        at = len(kept)
        words = Counter(words[at].rstrip(".,;:!?") for words in follows if len(words) > at and words[:at] == kept)
        if not words or words.most_common(1)[0][1] * 2 <= len(follows):
            break
        kept.append(words.most_common(1)[0][0])
    while kept and not kept[-1][0].isupper():
        kept.pop()
    return kept


def _anded(text: str) -> str:
    return squash(re.sub(r"\s*&\s*", " and ", text))


def _has_own_mail(name: str, parsed: ParsedPage) -> bool:
    """A firm in the copyright line, by its legal form, and an address called like it: an older or shorter domain."""
    if not has_legal_form(name):
        return False
    return any(fits_label(name, squash(label_of(domain))) for domain in _mail_domains(parsed) if label_of(domain))


def _mail_domains(parsed: ParsedPage) -> set[str]:
    text = "\n".join(parsed.contact_lines)
    links = " ".join(n.attributes.get("href") or "" for n in parsed.tree.css('a[href^="mailto:" i]')[:60])
    return set(re.findall(r"@([\w-]+(?:\.[\w-]+)+)", f"{text} {links}".lower()))


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
            name = _MARK.sub("", match[1].strip(" .,-–|")) if match else ""
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
    names = [_bare_part(name) for name in names]
    names += [text_in(node) for node in parsed.clean_tree.css(_WRITTEN_LOGO)[:6]]
    return [name.strip(" -–|:") for name in names if is_name(name.strip(" -–|:")) and len(name.split()) <= 6]


def is_name(text: str) -> bool:
    name = text.strip()
    if not 2 <= len(name) <= MAX_NAME or len(name.split()) > MAX_WORDS or not any(c.isalpha() for c in name):
        return False
    return (
        squash_words(name) not in _NO_NAMES
        and not re.search(r"\b(?:19|20)\d\d\b", name)
        and not re.search(_NEVER_IN_A_NAME, name, re.IGNORECASE)
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
