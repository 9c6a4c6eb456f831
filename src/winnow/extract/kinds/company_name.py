"""The name a company gives itself. Two signs have to agree; one alone is often a slogan, a theme or a platform."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from winnow.extract.draft import Strategy, Value
from winnow.extract.kinds.name_words import (
    FIRM,
    MAX_NAME,
    MAX_WORDS,
    anded,
    bare_name,
    fits_label,
    has_legal_form,
    is_address,
    is_name,
    plain,
    plain_words,
    squash,
)
from winnow.extract.kinds.organisations import own_organisation
from winnow.extract.kinds.parsed_page import ParsedPage, label_of, text_in
from winnow.extract.schema_price import text_of

MIN_SPELLED = 7  # shorter domains are words of any text
MIN_LINE = 6
MIN_FIRST = 5
MIN_LABEL = 5
MAX_LINE = 1_000
_PARTS = re.compile(
    r"\s*[★☆]+\s*|\s+[|–—·•»›:~-]+\s+|\s*[|»«•]\s*|:\s+|\s+-\s*|,\s+(?=the\b|your\b|ihr|uw |votre )", re.IGNORECASE
)
_COPYRIGHT = re.compile(
    r"(?:©|\(c\)|copyright)\s*(?:copyright\s*)?(?:©\s*)?(?:by\s+)?(?:(?:19|20)\d\d)?\s*(?:[-–—/]\s*(?:19|20)\d\d|-\s*heute|- present)?\s*[,.|:–-]?\s*(?:by\s+)?(?:[|•·]\s*)?"
    r"([^|•·©]{2,90}?)\s*(?:(?:19|20)\d\d(?:\s*[-–]\s*(?:19|20)\d\d)?)?\s*(?:[.,|•·–—-]|\s)*\s*(?:all rights? reserved.*|alle rechte.*|tous droits.*|todos los derechos.*"
    r"|tutti i diritti.*|todos os direitos.*|alle rechten.*|rights reserved.*|p\.?\s?iva.*|registered (?:in|company).*|privacy.*|impressum.*|terms.*"
    r"|(?:proudly )?powered by\b.*|(?:web ?)?(?:site |page )?(?:design(?:ed)?|built|created|developed|hosted|maintained) by\b.*|$)",
    re.IGNORECASE,
)


def name_values(parsed: ParsedPage) -> list[Value]:
    """Best first; empty when no sign is confirmed by another one."""
    signs = _Signs(parsed)
    stated, shown = _from_schema(parsed, signs), [*_from_meta(parsed, signs), *_from_page(parsed, signs)]
    if any(signs.fits_domain(value.raw) for value in shown):
        stated = [value for value in stated if signs.fits_domain(value.raw) or signs.confirms(value.raw)]
    found = [value for value in [*stated, *shown] if value.raw]
    return sorted(found, key=lambda value: not _is_titled_domain(value, signs)) if _is_doubtful(found, signs) else found


def _is_doubtful(found: list[Value], signs: _Signs) -> bool:
    """Fields for the site's name hold slogans and names of sections too."""
    return bool(found) and not signs.fits_domain(found[0].raw)


def _is_titled_domain(value: Value, signs: _Signs) -> bool:
    """The domain itself as a part of the title; a short one may be the initials of what is stated."""
    return value.path == "title" and len(plain(value.raw)) >= MIN_LABEL and plain(value.raw) in signs.labels


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

    def confirms(self, name: str, *, but_site: bool = False) -> bool:
        mine = squash(bare_name(name))
        others = [*self.titles, *self.copyrights, *self.logos, "" if but_site else self.site]
        return len(mine) > 1 and any(mine in squash(other) for other in others)


def _from_schema(parsed: ParsedPage, signs: _Signs) -> list[Value]:
    item = own_organisation(parsed)
    if item is None:
        return []
    raw = text_of(item.node.get("name")) or text_of(item.node.get("legalName"))
    name = _best_part(raw, signs)
    if (
        not is_name(name)
        or is_address(name)
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
        name = _without_desk(_best_part(value.raw, signs), signs)
        if is_name(name) and not is_address(name) and (signs.fits_domain(name) or signs.confirms(name, but_site=True)):
            found.append(Value(name, value.strategy, value.path))
    return found


def _from_page(parsed: ParsedPage, signs: _Signs) -> list[Value]:
    """Title, copyright line and logo, each only where it fits the domain or another of them."""
    parts = [_bare_part(part) for title in signs.titles for part in _PARTS.split(title)]
    named = [(_own_words(part, signs), "title") for part in parts if signs.fits_domain(part)]
    named += [(name, "copyright") for name in signs.copyrights if _is_own_copyright(name, parts, signs)]
    named += [(name, "logo[alt]") for name in signs.logos if signs.fits_domain(name) or _in_any(name, parts)]
    named += [(line, "text") for line in _written_out(parsed, signs)]
    named += [(name, "copyright") for name in signs.copyrights if _has_own_mail(name, parsed)] if not named else []
    named += [(name, "text") for name in _spelled_in_text(parsed.contact_lines, signs.labels)] if not named else []
    named += [(name, "copyright") for name in signs.copyrights if _begins_like_domain(name, signs)] if not named else []
    named.sort(key=lambda each: _distance(each[0], signs.labels))  # stable
    return [Value(name, Strategy.DOM, path) for name, path in named if is_name(name) and not is_address(name)]


def _distance(name: str, labels: list[str]) -> int:
    """The one that is the domain first; a single word that only begins like it ("AcmeTracker" on acme.com) last."""
    mine = squash(bare_name(name))
    if mine in labels:
        return 0
    return 2 if len(name.split()) == 1 and any(mine.startswith(label) for label in labels) else 1


def _is_own_copyright(name: str, parts: list[str], signs: _Signs) -> bool:
    """By the domain, or by the title: as a part of it, or as words of one when the name is a firm's or long."""
    if signs.fits_domain(name) or _in_any(name, parts):
        return True
    mine = plain_words(name)
    long = len(mine.split()) >= (2 if has_legal_form(name) else 3)
    return long and any(f" {mine} " in f" {plain_words(title)} " for title in signs.titles)


def _begins_like_domain(name: str, signs: _Signs) -> bool:
    """ "Acme Fasteners UK Ltd" on acme-direct.co.uk."""
    first = squash(name.split()[0])
    return has_legal_form(name) and len(first) >= MIN_FIRST and any(label.startswith(first) for label in signs.labels)


_DESK = re.compile(
    r"\s+(?:help ?(?:cent(?:er|re)|desk)|support(?: cent(?:er|re))?|knowledge ?base|customer (?:support|care|service)|hilfe(?:center)?"
    r"|docs|documentation|careers?|jobs|blog|newsroom|press(?: room)?|status|community|forum|web|website|homepage|official (?:web ?)?site|online)$",
    re.IGNORECASE,
)


def _without_desk(name: str, signs: _Signs) -> str:
    """ "Acme Help Center" on help.acme.com is a place of Acme's."""
    short = _DESK.sub("", name)
    return short if squash(short) in signs.labels else name


_GREETING = re.compile(
    r"^(?:welcome to|about(?! us)|contact(?! us)|home of|willkommen (?:bei|auf|im)|über|bienvenue (?:chez|à|sur)|bienvenid[oa]s? a|benvenuti (?:su|da|in)|welkom bij|over)\s+(?:the\s+(?=website))?(?=\S)",
    re.IGNORECASE,
)
# What a page of the firm is about, behind its name.
_PAGE_WORDS = re.compile(
    r"\b(?:contact|form|support|help|shipping|delivery|locations|directions|careers?|jobs|login|homepage|policy|terms|faqs?|reviews|testimonials)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"(?:and )?(?:[Oo]ffering|[Ss]erving|[Pp]roviding|[Ss]pecializing)\b|(?:in|near) [A-Z]|(?:is|are|offers?|provides?|helps?|makes?|sells?|ist|sind|bietet|est|es|è|is een)\b"
)
_MARK = re.compile(r"(?<=[a-z])(?:SM|TM)$|[®™]+$")


def _bare_part(part: str) -> str:
    """ "Welcome to Acme" and "(Acme)" are Acme."""
    inside = part.strip()[1:-1] if re.fullmatch(r"\s*\([^()]+\)\s*", part) else part
    return _MARK.sub("", _GREETING.sub("", inside.strip())).strip()


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
    """A line that is the domain, word for word: "Schreinerei Ott" on schreinerei-ott.de; or a firm that begins like it."""
    short = (line for line in parsed.contact_lines if len(line) <= MAX_NAME and len(line.split()) <= MAX_WORDS)
    named = [line for line in short if any(c.isupper() for c in line)]
    exact = [line for line in named if len(plain(line)) >= MIN_LINE and plain(line) in signs.labels]
    firms = [
        line for line in named if FIRM.search(line) and any(plain(line).startswith(label) for label in signs.labels)
    ]
    return [*exact, *(firms if len({squash(line) for line in firms}) == 1 else [])][:1]


def _spelled_in_text(lines: list[str], labels: list[str]) -> list[str]:
    """Words of the text that are the domain, with the words that mostly follow them: "Peak View" and "Roofing Company" on
    peakview.com."""
    found: list[list[str]] = []
    for line in lines:
        plain = anded(line)
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


# "Dental Group Phoenix AZ": where it is, and how many words the town has cannot be told.
_STATE = re.compile(
    r"A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]|UK|USA"
)


def _phrases(words: list[str], label: str) -> list[list[str]]:
    """How many words are the domain, these words, and the capitalised ones behind them."""
    found = []
    for start, word in enumerate(words):
        if not any(c.isupper() for c in word[:3]):
            continue
        for end in range(start + 1, min(start + 7, len(words) + 1)):
            spelled = anded(" ".join(words[start:end]))
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
    return [] if kept and _STATE.fullmatch(kept[-1]) else kept


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
    mine = squash(_THE.sub("", bare_name(name)))
    return len(mine) > 1 and any(squash(_THE.sub("", bare_name(part))) == mine for part in parts)


_THE = re.compile(r"^the\s+", re.IGNORECASE)


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
            name = _MARK.sub("", match[1].strip(" .,-–|/")) if match else ""
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
