"""The words of a company's name: its legal form, its spelling, and whether a domain is made of it."""

from __future__ import annotations

import re
import unicodedata

MAX_NAME = 100
MAX_WORDS = 9
_NEVER_IN_A_NAME = (
    r"[<>{}@]|https?:|\b404\b|not found|\bfor sale\b|zum verkauf|zu verkaufen|te koop\b|à vendre|en venta|in vendita|à venda"
    r"|na sprzedaż|coming soon|under construction"
)
# What pages are called, what platforms put where a name belongs, and names of pages.
_NO_NAMES_TEXT = """
    home homepage home-page start startseite startpagina accueil inicio início welcome willkommen welkom bienvenue
    benvenuti bienvenidos index website web site official blog shop store news contact kontakt contacto contatti about
    about-us untitled wordpress wix squarespace shopify joomla drupal typo3 mysite my-site my-website impressum
    imprint the-company company us our-company null undefined legal privacy login support help docs documentation privacy-policy terms-of-use terms-and-conditions sitemap google faq search press presse media team karriere careers jobs services products
    contact-us contact-form contact-information formulaire-de-contact contactez-nous nous-contacter kontaktformular kontakt-os kontaktieren-sie-uns
    contattaci contáctenos formulario-de-contacto fale-conosco neem-contact-op home-page customer-service archive archives archiv blog-archive blog-archiv forum wiki
"""
_NO_NAMES = frozenset(_NO_NAMES_TEXT.split())
_LEGAL = re.compile(
    r"[\s,]+(?:gmbh(?: & co\.? kg(?:aa)?)?|ag|se|kg|ohg|ug(?: \(haftungsbeschränkt\))?|e\.?\s?k\.?|e\.?\s?v\.?|inc\.?|incorporated|llc|l\.l\.c\.|ltd\.?|limited|plc|llp|corp\.?|corporation"
    r"|co\.|company|b\.?v\.?|n\.?v\.?|s\.?a\.?|s\.?a\.?s\.?|s\.?a\.?r\.?l\.?|s\.?r\.?l\.?|s\.?p\.?a\.?|s\.?l\.?|lda\.?|ltda\.?|oy|ab|as|a/s|aps|asa|a\.s\.|s\.r\.o\.|spol\. s r\.o\.|kft\.?|zrt\.?|sp\. z o\.\s?o\.|sp\. ?[kj]\.|d\.o\.o\.|a\.ş\.|pty|group|gruppe|holding)\.?$",
    re.IGNORECASE,
)


_CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)
# The forms that are never a word of the name itself, at the end of a line.
FIRM = re.compile(
    r"[\s,](?:gmbh(?: & co\.? kg)?|ug|inc|llc|ltd|limited|plc|llp|b\.?v|n\.?v|s\.?a\.?s|s\.?a\.?r\.?l|s\.?r\.?l|s\.?p\.?a|s\.l|lda|ltda|a/s|aps|s\.r\.o|sp\. z o\.\s?o|d\.o\.o)\.?$",
    re.IGNORECASE,
)


def has_legal_form(name: str) -> bool:
    return len(name) <= MAX_NAME and _LEGAL.search(name) is not None


def is_name(text: str) -> bool:
    name = text.strip()
    if not 2 <= len(name) <= MAX_NAME or len(name.split()) > MAX_WORDS or not any(c.isalpha() for c in name):
        return False
    return (
        hyphenated(name) not in _NO_NAMES
        and not re.search(r"\b(?:1[5-9]|20)\d\d\b", name)
        and not re.search(_NEVER_IN_A_NAME, name, re.IGNORECASE)
    )


def hyphenated(name: str) -> str:
    return "-".join(re.findall(r"[^\W_]+", name.lower()))


def is_address(name: str) -> bool:
    return re.fullmatch(r"(?:www\.)?[\w-]+(?:\.[\w-]+)+", name) is not None and not re.fullmatch(
        r"[\w-]+\.(?:com|io|ai|org|net)", name
    )


# What people write behind their own name: "Ada Harwood, MD".
_CREDENTIALS = re.compile(
    r",\s*(?:[A-Z]{2,4}(?:-[A-Z]{1,2})?|Ph\.?D|M\.D|D\.D\.S|Esq)\.?(?:\s*,\s*[A-Z][A-Za-z.-]{1,5})*$"
)


def is_person(name: str) -> bool:
    return _CREDENTIALS.search(name) is not None and not has_legal_form(name)


def bare_name(name: str) -> str:
    """Without the legal form."""
    before, name = "", name.strip()
    while before != name:
        before, name = name, _LEGAL.sub("", name).strip()
    return name


# Domains spell Cyrillic names in Latin letters.
_LATIN = dict(zip("абвгдезийклмнопрстуфхыэіїєў", ["a", "b", "v", "g", "d", "e", "z", "i", "y", "k", "l", "m", "n", "o", "p", "r", "s", "t", "u", "f", "h", "y", "e", "i", "i", "e", "u"], strict=True)) | {
    "ж": "zh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "sch", "ю": "yu", "я": "ya", "ё": "e", "ъ": "", "ь": ""}  # fmt: skip


def alphanumeric(text: str) -> str:
    text = "".join(_LATIN.get(c, c) for c in text.lower()) if _CYRILLIC.search(text) else text
    plain = unicodedata.normalize("NFKD", text.replace("ß", "ss").replace("&", "und" if "ß" in text else ""))
    return "".join(c for c in plain.lower() if c.isalnum() and not unicodedata.combining(c))


# What a house is, before whose it is: "Kanzlei Buhlke" on buhlke.de.
_TRADE = re.compile(
    r"^(?:kanzlei|(?:zahn|tier)?arztpraxis|praxis|hotel|restaurant|gasthof|gasthaus|pension|caf[eé]|bäckerei|metzgerei|schreinerei|tischlerei|zimmerei|autohaus|apotheke|weingut|brauerei"
    r"|elektro|fahrschule|salon|atelier|galerie|boulangerie|garage|cabinet|maison|domaine|château|ristorante|trattoria|pizzeria|osteria|agriturismo|albergo|clínica|bufete|kancelaria"
    r"|bakkerij|slagerij|garagebedrijf|law firm|studio|casa|villa)\s+(?=\S)",
    re.IGNORECASE,
)


def without_trade(name: str) -> str:
    """Without what the house is."""
    return _TRADE.sub("", bare_name(name))


def fits_label(name: str, label: str) -> bool:
    """ "Acme Widgets GmbH" and acme, acmewidgets, acme-widgets-shop; initials count from three letters."""
    bare = alphanumeric(bare_name(name))
    spelled = alphanumeric(_spelled(bare_name(name)))
    for mine in (bare, spelled, with_and(bare_name(name))):
        if mine == label or (len(mine) >= 3 and len(label) >= 3 and (mine.startswith(label) or label.startswith(mine))):
            return True
        if len(mine) >= 5 and mine in label:
            return True
    if alphanumeric(without_trade(name)) == label or _spells(bare_name(name), label):
        return True
    initials = "".join(word[0] for word in re.findall(r"[^\W\d_]+", bare_name(name).lower()))
    return len(label) >= 3 and initials == label


def _spells(name: str, label: str) -> bool:
    """ "Zahnarztpraxis Dr. Müller in Köln" and zahnarzt-mueller-koeln: the label is made of the name's words, in
    their order, and they are most of the name. A slogan that also says the domain is not a name."""
    words = [alphanumeric(word) for word in re.findall(r"[^\W_]+", _spelled(name))]
    at, left, used = 0, len(label), 0
    for word in words:
        piece = next((word[:size] for size in range(len(word), 3, -1) if word[:size] in label[at:]), "")
        if piece:
            at, left, used = label.index(piece, at) + len(piece), left - len(piece), used + len(word)
    total = sum(len(word) for word in words)
    return len(label) >= 6 and left <= 2 and used >= 0.6 * total


def _spelled(name: str) -> str:
    return re.sub(r"[äöü]", lambda m: {"ä": "ae", "ö": "oe", "ü": "ue"}[m[0]], name.lower())


def with_and(text: str) -> str:
    return alphanumeric(re.sub(r"\s*&\s*", " and ", text))


def plain_words(name: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", bare_name(name).lower().replace("&", " and ")))


def plain(name: str) -> str:
    return alphanumeric(bare_name(name))
