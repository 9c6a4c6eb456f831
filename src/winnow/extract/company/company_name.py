"""The name a company gives itself. Two signs have to agree; one alone is often a slogan, a theme or a platform."""

from __future__ import annotations

import re
from collections import Counter

import msgspec

from winnow.extract.company.name_words import (
    FIRM,
    MAX_NAME,
    MAX_WORDS,
    alphanumeric,
    bare_name,
    fits_label,
    has_legal_form,
    is_address,
    is_name,
    is_person,
    plain,
    plain_words,
    without_trade,
)
from winnow.extract.company.organisations import own_organisation
from winnow.extract.company.shown_names import bare_part, copyright_names, logo_names
from winnow.extract.company.spelled_name import spelled_in_text
from winnow.extract.company.unspelled_name import further_labels, unspelled_names
from winnow.extract.contact.email_text import mail_domains
from winnow.extract.dom.labelled import first_labelled, pairs_of
from winnow.extract.draft import Strategy, Value
from winnow.extract.parsed_page import ParsedPage, label_of
from winnow.extract.structured.schema_price import text_of

MIN_LINE = 6
MAX_SUFFIX = 4  # of a domain; longer ones are words: arcturus.industries
MIN_FIRST = 5
MIN_LABEL = 5
_PARTS = re.compile(
    r"\s*[★☆]+\s*|\s+[|–—·•»›:~-]+\s+|\s*[|»«•]\s*|:\s+|\s+-\s*|,\s+(?=the\b|your\b|ihr|uw |votre )", re.IGNORECASE
)


def name_values(parsed: ParsedPage) -> list[Value]:
    """Best first; empty when no sign is confirmed by another one. Where the domain says nothing, the mail domain and the
    pages on networks stand in for it."""
    found = _confirmed(parsed, _Signs(parsed))
    labels = further_labels(parsed) if not found else []
    found = found or (_confirmed(parsed, _Signs(parsed, labels)) if labels else [])
    return found or _unspelled(parsed)


def _unspelled(parsed: ParsedPage) -> list[Value]:
    titles = [[bare_part(part) for part in _PARTS.split(title) if part.strip()] for title in _Signs(parsed).titles]
    return [Value(n, Strategy.DOM, path) for n, path in unspelled_names(parsed, titles, copyright_names(parsed))]


def _confirmed(parsed: ParsedPage, signs: _Signs) -> list[Value]:
    stated, shown = _from_schema(parsed, signs), [*_from_meta(parsed, signs), *_from_page(parsed, signs)]
    if any(signs.fits_domain(value.raw) for value in shown):
        stated = [value for value in stated if signs.fits_domain(value.raw) or signs.confirms(value.raw)]
    found = [_without_stop(value) for value in [*stated, *shown] if value.raw]
    return sorted(found, key=lambda value: not _is_titled_domain(value, signs)) if _is_doubtful(found, signs) else found


def _without_stop(value: Value) -> Value:
    """ "Acme Pearl." ends a sentence; "Acme Co." does not."""
    ended = re.search(r"[^\W\d_]{4,}\.$", value.raw) is not None and not has_legal_form(value.raw)
    return msgspec.structs.replace(value, raw=value.raw[:-1]) if ended else value


def _is_doubtful(found: list[Value], signs: _Signs) -> bool:
    """Fields for the site's name hold slogans and names of sections too."""
    return bool(found) and not signs.fits_domain(found[0].raw)


def _is_titled_domain(value: Value, signs: _Signs) -> bool:
    """The domain itself as a part of the title; a short one may be the initials of what is stated."""
    return value.path == "title" and len(plain(value.raw)) >= MIN_LABEL and plain(value.raw) in signs.labels


# What a firm puts behind its name to get a domain: acmehomesinc.com.
_TAIL = re.compile(r"(?<=[a-z]{5})(?:inc|llc|ltd|gmbh|corp|online)$")


class _Signs:
    """What a name can be confirmed by."""

    def __init__(self, parsed: ParsedPage, further: list[str] | None = None) -> None:
        labels = [alphanumeric(label) for label in map(label_of, parsed.own_domains) if label] + (further or [])
        self.labels = list(dict.fromkeys([*labels, *(_TAIL.sub("", label) for label in labels)]))
        self.labels += [
            alphanumeric(domain) for domain in parsed.own_domains if len(domain.rpartition(".")[2]) > MAX_SUFFIX
        ]
        self.domains = {alphanumeric(domain) for domain in parsed.own_domains}
        self.titles = [parsed.title, parsed.meta.get("og:title", "")]
        self.site = parsed.meta.get("og:site_name", "")
        self.copyrights = copyright_names(parsed)
        self.logos = logo_names(parsed)

    def fits_domain(self, name: str) -> bool:
        return any(fits_label(name, label) for label in self.labels)

    def is_held_in(self, part: str) -> bool:
        """ "Werbeagentur MARKE ICH" on markeich.de."""
        return any(len(label) >= MIN_LABEL and label in alphanumeric(part) for label in self.labels)

    def confirms(self, name: str, *, but_site: bool = False) -> bool:
        mine = alphanumeric(bare_name(name))
        others = [*self.titles, *self.copyrights, *self.logos, "" if but_site else self.site]
        return len(mine) > 1 and any(mine in alphanumeric(other) for other in others)


def _from_schema(parsed: ParsedPage, signs: _Signs) -> list[Value]:
    item = own_organisation(parsed)
    if item is None:
        return []
    raw = text_of(item.node.get("name")) or text_of(item.node.get("legalName"))
    name = _best_part(raw, signs)
    if (
        not is_name(name)
        or is_address(name)
        or ((len(name.split()) > 6 or is_person(name)) and not (signs.fits_domain(name) or signs.confirms(name)))
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
        if is_name(name) and not is_address(name) and _is_site(name, signs):
            found.append(Value(name, value.strategy, value.path))
    return found


def _is_site(name: str, signs: _Signs) -> bool:
    """Not the page's own title, which some systems write there too: "New park opens | Acme" on acme.com."""
    if signs.fits_domain(name):
        return True
    parts = [part.strip() for title in signs.titles for part in _PARTS.split(title)]
    is_page = alphanumeric(name) == alphanumeric(parts[0]) and any(signs.fits_domain(part) for part in parts[1:])
    return signs.confirms(name, but_site=True) and not is_page


def _from_page(parsed: ParsedPage, signs: _Signs) -> list[Value]:
    """Title, copyright line and logo, each only where it fits the domain or another of them."""
    parts = [bare_part(part) for title in signs.titles for part in _PARTS.split(title)]
    named = [(_own_words(part, signs), "title") for part in parts if signs.fits_domain(part)]
    named += [
        (part.split()[-1], "title") for part in parts if " " in part and alphanumeric(part.split()[-1]) in signs.domains
    ]
    named += [
        (_best_part(name, signs), "copyright") for name in signs.copyrights if _is_own_copyright(name, parts, signs)
    ]
    named += [
        (_best_part(name, signs), "logo[alt]")
        for name in signs.logos
        if signs.fits_domain(name) or _in_any(name, parts)
    ]
    named += [(line, "text") for line in _written_out(parsed, signs)]
    named += _labelled(parsed, signs) if not named else []
    named += [(name, "copyright") for name in signs.copyrights if _has_own_mail(name, parsed)] if not named else []
    named += [(name, "text") for name in spelled_in_text(parsed.contact_lines, signs.labels)] if not named else []
    named += [(name, "copyright") for name in signs.copyrights if _begins_like_domain(name, signs)] if not named else []
    agreed = _agreed(named)
    named.sort(key=lambda each: (alphanumeric(each[0]) not in agreed, _distance(each[0], signs.labels)))  # stable
    named += (
        [(part, "title") for part in [signs.site, *parts] if is_address(part) and alphanumeric(part) in signs.domains]
        if not named
        else []
    )
    return [Value(name, Strategy.DOM, path) for name, path in named if _is_written(name, signs)]


# What only a page about the firm itself has as a label.
_NAME_LABELS = frozenset([
    "会社名", "商号", "社名", "회사명", "상호", "公司名称", "company name", "name of company", "firmenname", "firmenbezeichnung", "raison sociale",
    "dénomination sociale", "razón social", "denominación social", "ragione sociale", "denominazione sociale", "razão social", "bedrijfsnaam",
    "nazwa firmy", "pełna nazwa", "название организации", "наименование организации", "názov spoločnosti", "obchodní firma", "cégnév", "ticaret unvanı",
])  # fmt: skip


def _labelled(parsed: ParsedPage, signs: _Signs) -> list[tuple[str, str]]:
    stated = first_labelled(pairs_of(parsed), _NAME_LABELS)
    sure = stated and (signs.fits_domain(stated) or signs.confirms(stated) or parsed.is_contact_page)
    return [(stated, "label:name")] if sure and len(stated.split()) <= MAX_WORDS else []


def _is_written(name: str, signs: _Signs) -> bool:
    """A domain is a name where the site calls itself so: "Nahod.sk"."""
    return is_name(name) and (not is_address(name) or alphanumeric(name) in signs.domains)


def _agreed(named: list[tuple[str, str]]) -> set[str]:
    """ "Carnegie Endowment for Peace" in the title and beside the logo, though carnegieendowment.org is shorter."""
    shown = {
        (alphanumeric(name), path) for name, path in named if path in ("title", "logo[alt]") and len(name.split()) > 2
    }
    return {name for name, count in Counter(name for name, _ in shown).items() if count > 1}


def _distance(name: str, labels: list[str]) -> int:
    """The one that is the domain first; a single word that only begins like it ("AcmeTracker" on acme.com) last."""
    mine = alphanumeric(bare_name(name))
    if mine in labels or alphanumeric(without_trade(name)) in labels:
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
    first = alphanumeric(name.split()[0])
    return has_legal_form(name) and len(first) >= MIN_FIRST and any(label.startswith(first) for label in signs.labels)


_DESK = re.compile(
    r"\s+(?:help ?(?:cent(?:er|re)|desk)|support(?: cent(?:er|re))?|knowledge ?base|customer (?:support|care|service)|hilfe(?:center)?"
    r"|docs|documentation|careers?|jobs|blog|newsroom|press(?: room)?|status|community|forum|web|website|homepage|official (?:web ?)?site|online)$",
    re.IGNORECASE,
)


def _without_desk(name: str, signs: _Signs) -> str:
    """ "Acme Help Center" on help.acme.com is a place of Acme's."""
    short = _DESK.sub("", name)
    return short if alphanumeric(short) in signs.labels else name


# What a page of the firm is about, behind its name.
_PAGE_WORDS = re.compile(
    r"\b(?:contact|form|support|help|shipping|delivery|locations|directions|careers?|jobs|login|homepage|policy|terms|faqs?|reviews|testimonials)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"(?:and )?(?:[Oo]ffering|[Ss]erving|[Pp]roviding|[Ss]pecializing|for (?:your|all|every|the best))\b|(?:in|near) [A-Z]|(?:is|are|offers?|provides?|helps?|makes?|sells?|ist|sind|bietet|est|es|è|is een)\b"
)


_PAGE_TAIL = re.compile(
    r"(?<=\S)\s+(?:contact (?:form|us|page|information|details)|about us|site ?map)$", re.IGNORECASE
)


def _own_words(part: str, signs: _Signs) -> str:
    """ "Acme Builders, custom homes, Wisconsin" and "Acme Contact Form" on acmebuilders.com and acme.com: the words that are the
    domain, when a comma or what such pages are called sets off the rest."""
    words = part.split()
    for size in range(1, len(words)):
        head, rest = " ".join(words[:size]), " ".join(words[size:])
        if alphanumeric(head) not in signs.labels and alphanumeric(head) not in signs.domains:
            continue
        if head.endswith(",") and not has_legal_form(part) and "&" not in rest:
            return head.rstrip(",")
        if (
            _PAGE_WORDS.search(rest)
            or _SENTENCE.match(rest)
            or (alphanumeric(head) in signs.domains and rest.islower())
        ):
            return head.rstrip(",")
        first, comma, _ = part.partition(", ")
        return first if comma and len(first) >= len(head) and not has_legal_form(part) else part
    return _PAGE_TAIL.sub("", part)


_PARENT = re.compile(r"\b(?:part of|an? (?:division|company|brand|member) of|owned by|d\.?b\.?a\.?)\b", re.IGNORECASE)


def _written_out(parsed: ParsedPage, signs: _Signs) -> list[str]:
    """A line that is the domain, word for word: "Schreinerei Ott" on schreinerei-ott.de; or a firm that begins like it."""
    short = (line for line in parsed.contact_lines if len(line) <= MAX_NAME and len(line.split()) <= MAX_WORDS)
    named = [line for line in short if any(c.isupper() for c in line)]
    exact = [line for line in named if len(plain(line)) >= MIN_LINE and plain(line) in signs.labels]
    firms = [
        line
        for line in named
        if FIRM.search(line) and not _PARENT.search(line) and any(plain(line).startswith(each) for each in signs.labels)
    ]
    return [*exact, *(firms if len({alphanumeric(line) for line in firms}) == 1 else [])][:1]


def _has_own_mail(name: str, parsed: ParsedPage) -> bool:
    """A firm in the copyright line, by its legal form, and an address called like it: an older or shorter domain."""
    if not has_legal_form(name):
        return False
    return any(fits_label(name, alphanumeric(label_of(domain))) for domain in mail_domains(parsed) if label_of(domain))


def _in_any(name: str, parts: list[str]) -> bool:
    mine = alphanumeric(_THE.sub("", bare_name(name)))
    return len(mine) > 1 and any(alphanumeric(_THE.sub("", bare_name(part))) == mine for part in parts)


_THE = re.compile(r"^the\s+", re.IGNORECASE)


def _best_part(raw: str, signs: _Signs) -> str:
    """ "Acme | Widgets since 1920" is Acme, when the domain or the copyright line says so."""
    text = " ".join(raw.split()).strip(" |–—-")
    parts = [part.strip() for part in _PARTS.split(text) if part.strip()]
    if len(parts) < 2:
        return text
    fitting = [part for part in parts if signs.fits_domain(part) and is_name(part)]
    confirmed = [part for part in parts if is_name(part) and _in_any(part, [*signs.copyrights, *signs.logos])]
    holding = [part for part in parts if is_name(part) and signs.is_held_in(part)]
    return (fitting or confirmed or holding or [text])[0]
