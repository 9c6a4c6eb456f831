"""E-mail addresses of a page: mailto links, visible text, `[at]` spellings and Cloudflare's encoding, with where each
stood. Which of them is the company's is decided by `contact_email`."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

import msgspec
from selectolax.lexbor import LexborNode

from winnow.extract.company.name_words import alphanumeric, bare_name, fits_label
from winnow.extract.draft import Strategy, Value
from winnow.extract.parsed_page import ParsedPage, in_frame, label_of, lines_of, text_in
from winnow.sources.domain import domain_of

MAX_LINKS = 60
MIN_CALLED = 6  # letters from which a mailbox is called like a house and not like a person
_EMAIL = re.compile(r"(?<![\w.+-])[A-Za-z0-9][A-Za-z0-9._%+'-]{0,62}@(?:[\w-]+\.)+[A-Za-z]{2,24}(?![\w@-])")
_AT = r"(?:\s*[\[({<]\s*(?:at|ät|a|arroba|chez)\s*[\])}>]\s*|\s+(?:AT|\(at\))\s+|\s*@\s*|\s*\(@\)\s*|\s*\[@\]\s*)"
_DOT = r"(?:\s*[\[({<]\s*(?:dot|punkt|punt|point|punto|ponto|\.)\s*[\])}>]\s*|\s+DOT\s+|\.)"
_HIDDEN = re.compile(
    rf"(?<![\w.+-])([A-Za-z0-9](?:[\w%+-]|{_DOT}(?=\w)){{0,50}}){_AT}((?:[\w-]+{_DOT})+[A-Za-z]{{2,12}})(?![\w@])"
)
CREDIT = re.compile(
    r"(?:web)?\s?design(?:ed)?(?: (?:&|and) \w+)? by|website (?:by|von|door|par|da)|site by|powered by|built by|made (?:with \S+ )?by|develop(?:ed|ment) by|webdesign|web-agentur"
    r"|internetagentur|werbeagentur|umsetzung|realisierung|konzeption|gestaltung|programmierung|technische betreuung|r[eé]alisation|cr[eé]ation (?:du )?site|conception"
    r"|h[eé]bergeur|h[eé]bergement|hosting|hosted by|hoster|sviluppato|realizzato da|realizzazione|realisatie|ontwikkeld|gebouwd door|desarrollado|dise[nñ]o web|desenvolvido"
    r"|bildnachweis|fotos?:|photo(?:s|graphy)? by|icons? by|template by|theme by|datenschutzbeauftragte|data protection officer|aufsichtsbeh[oö]rde",
    re.IGNORECASE,
)
_GENERAL_TEXT = """
    info contact kontakt hello hallo hi office mail post email e-mail welcome enquiries enquiry inquiries inquiry
    general contacto contatto contato contacts bonjour hola ciao reception team sekretariat zentrale buero büro
    informatie informacion informazioni ask talk hey sayhello getintouch contactus accueil studio praxis kanzlei hotel
    restaurant secretariat administratie administration kontor geral biuro oficina despacho ufficio segreteria
    secretaria recepcion recepcja kancelaria firma werkstatt atelier
"""
_GENERAL = frozenset(_GENERAL_TEXT.split())
_DEPARTMENTS_TEXT = """
    sales support service help customerservice customer kundenservice vertrieb verkoop ventas vendas commercial
    commerciale klantenservice booking bookings reservations reservierung reservation shop orders servicio atencion
    atendimento helpdesk care customercare customersupport anfrage admin
"""
_DEPARTMENTS = frozenset(_DEPARTMENTS_TEXT.split())
_ASIDE_TEXT = """
    jobs job careers career hr bewerbung recruiting recruitment press presse media marketing investors investor ir
    legal billing accounts accounting finance webmaster events partners partner karriere rrhh vacatures pr
    rechnung buchhaltung werk personal invoices security advertising stampa prensa imprensa pers pressestelle
    pressoffice newsroom werbung publicidad pubblicita anzeigen
"""
_ASIDE = frozenset(_ASIDE_TEXT.split())  # for some, not for everybody who writes
_ASIDE_RANK = 3
_NEVER_TEXT = """
    privacy dpo datenschutz abuse dsb gdpr rgpd dsgvo privacidad noreply no-reply donotreply compliance unsubscribe
    postmaster hostmaster dataprotection data-protection copyright dmca opt-out optout avg privacyofficer accessibility
"""
_NEVER = frozenset(_NEVER_TEXT.split())
_FREE_TEXT = """
    gmail.com googlemail.com outlook.com hotmail.com yahoo.com icloud.com gmx.de gmx.net gmx.at web.de t-online.de
    freenet.de aol.com live.com live.nl orange.fr wanadoo.fr free.fr laposte.net sfr.fr libero.it hotmail.it
    virgilio.it tiscali.it ziggo.nl kpnmail.nl planet.nl xs4all.nl home.nl telenet.be skynet.be proximus.be bluewin.ch
    btinternet.com btconnect.com hotmail.co.uk yahoo.co.uk me.com mail.com proton.me protonmail.com terra.com.br
    uol.com.br bol.com.br sapo.pt telefonica.net hotmail.fr hotmail.de hotmail.es yahoo.fr yahoo.de yahoo.es yahoo.it
    outlook.de outlook.fr outlook.es comcast.net sbcglobal.net att.net verizon.net
"""
FREE_MAIL = frozenset(_FREE_TEXT.split())


_NEVER_BEGINS = ("copyright", "privacy", "dmca", "datenschutz", "noreply", "no-reply", "unsubscribe", "abuse", "legal")


class Mail(msgspec.Struct, frozen=True):
    """`framed`: in a part of the page that speaks for its owner."""

    address: str
    path: str
    credit: bool = False
    framed: bool = False


def contact_email(parsed: ParsedPage, names: list[str], stated: list[Value]) -> list[Value]:
    """`stated` is what structured data says of the company itself; `names` are the company's."""
    usable = [value for value in stated if _role(value.raw) < 9 and "@" in value.raw]
    if usable:
        return usable
    mails = [mail for mail in mails_of(parsed) if not mail.credit and _role(mail.address) < _ASIDE_RANK]
    own = _own_domains(parsed, names, mails)
    sole = {mail.address.lower() for mail in mails_of(parsed)}
    official = [mail for mail in mails if _is_official(mail, parsed, names, own)]
    mails = official or [mail for mail in mails if len(sole) == 1 and _nearness(mail, own) == 0 and _is_front(parsed)]
    ranked = sorted(enumerate(mails), key=lambda pair: (_nearness(pair[1], own), _role(pair[1].address), pair[0]))
    if not ranked:
        return []
    best = ranked[0][1]
    rivals = {m.address.lower() for _, m in ranked if _place(m, own) == _place(best, own)}
    if _role(best.address) > 1 and len(rivals) > 1:
        return []
    if _nearness(best, own) > 1 and not (parsed.is_contact_page and _is_called(best, names)):
        return []
    if _nearness(best, own) == 1 and len({m.address.lower() for m in mails}) > 1 and _role(best.address) > 1:
        return []
    return [Value(best.address, Strategy.DOM, best.path)]


def mails_of(parsed: ParsedPage) -> list[Mail]:
    found = [*_links(parsed), *_encoded(parsed), *_texts(parsed)]
    known: dict[str, Mail] = {}
    for mail in found:
        before = known.get(mail.address.lower())
        known[mail.address.lower()] = mail if before is None or (before.credit and not mail.credit) else before
    return list(known.values())


def _links(parsed: ParsedPage) -> list[Mail]:
    found = []
    for node in parsed.tree.css('a[href^="mailto:" i]')[:MAX_LINKS]:
        address = unquote((node.attributes.get("href") or "")[7:]).partition("?")[0].strip()
        match = _EMAIL.fullmatch(address)
        if match:
            found.append(Mail(address, "a[href^=mailto]", is_credit(node), in_frame(node)))
    return found


def _encoded(parsed: ParsedPage) -> list[Mail]:
    found = []
    for node in parsed.tree.css('[data-cfemail], a[href*="/cdn-cgi/l/email-protection#"]')[:MAX_LINKS]:
        code = node.attributes.get("data-cfemail") or (node.attributes.get("href") or "").rpartition("#")[2]
        address = decode_cfemail(code)
        if _EMAIL.fullmatch(address):
            found.append(Mail(address, "data-cfemail", is_credit(node), in_frame(node)))
    return found


def decode_cfemail(code: str) -> str:
    """The first byte is the key every other one was XORed with."""
    try:
        key, *rest = bytes.fromhex(code)
    except ValueError:
        return ""
    return bytes(byte ^ key for byte in rest).decode("utf-8", "replace")


def _texts(parsed: ParsedPage) -> list[Mail]:
    found = []
    framed = {line for line in _frame_lines(parsed) if "@" in line or "at" in line}
    for line in parsed.contact_lines:
        if "@" not in line and not re.search(r"[\[({<]\s*(?:at|ät|a|arroba)\s*[\])}>]|\sAT\s", line):
            continue
        credit = CREDIT.search(line) is not None
        found += [Mail(match[0], "text", credit, line in framed) for match in _EMAIL.finditer(line)]
        found += [
            Mail(spelled_out(match), "text", credit, line in framed)
            for match in _HIDDEN.finditer(line)
            if "@" not in match[0] or " " in match[0]
        ]
    return [mail for mail in found if _EMAIL.fullmatch(mail.address)]


def _frame_lines(parsed: ParsedPage) -> list[str]:
    nodes = parsed.clean_tree.css(
        "footer, header, address, [class*='footer' i], [class*='contact' i], [class*='kontakt' i]"
    )
    return [line for node in nodes[:20] for line in lines_of(node)]


def spelled_out(match: re.Match[str]) -> str:
    name, domain = (re.sub(_DOT, ".", part) for part in (match[1], match[2]))
    return f"{name}@{domain}"


def is_credit(node: LexborNode) -> bool:
    """Whether the words around a link name the agency that made the site."""
    above: LexborNode | None = node
    for _ in range(3):
        above = above.parent if above is not None else None
        if above is None or above.tag in ("body", "html", "footer", "main"):
            return False
        around = text_in(above)
        if len(around) > 240:
            return False
        if CREDIT.search(around):
            return True
    return False


def _is_official(mail: Mail, parsed: ParsedPage, names: list[str], own: set[str]) -> bool:
    """info@ of the company's own domain always is. Anything else is an author's or an employee's unless it is called
    like the company, or stands where the company says how to reach it."""
    if _nearness(mail, own) == 0 and _role(mail.address) < 2:
        return True
    name = alphanumeric(mail.address.partition("@")[0])
    labels = [alphanumeric(label_of(domain)) for domain in own if label_of(domain)]
    if len(name) >= 3 and any(
        name in alphanumeric(known) or alphanumeric(known) in name for known in [*labels, *names] if alphanumeric(known)
    ):
        return True
    personal = _PERSONAL.fullmatch(mail.address.partition("@")[0]) is not None
    return parsed.is_contact_page or (mail.framed and not (personal and (parsed.is_article or _is_deep(parsed.url))))


_PERSONAL = re.compile(r"[a-z]{2,}[._][a-z]{2,}", re.IGNORECASE)  # of an article's author


def _is_front(parsed: ParsedPage) -> bool:
    """The front page of a site: the only address on it is how to reach whose site it is."""
    return not parsed.is_article and all(not urlsplit(url).path.strip("/") for url in parsed.facts.urls)


def _is_called(mail: Mail, names: list[str]) -> bool:
    """ "chaletbellevue@group.com": a house that has its mail from the group it belongs to."""
    name = alphanumeric(mail.address.partition("@")[0])
    return len(name) >= MIN_CALLED and any(name == alphanumeric(bare_name(known)) for known in names)


def _is_deep(url: str) -> bool:
    """Whether the page is deep in the site, where a contact is often responsible for one subject only."""
    return len([part for part in urlsplit(url).path.split("/") if part]) > 1


def _own_domains(parsed: ParsedPage, names: list[str], mails: list[Mail]) -> set[str]:
    """The page's domains, and those of addresses named like the company or like the page's domain."""
    own = set(parsed.own_domains)
    labels = [alphanumeric(label_of(domain)) for domain in own if label_of(domain)]
    for mail in mails:
        domain = _domain(mail)
        label = alphanumeric(label_of(domain))
        if label and (any(fits_label(name, label) for name in names) or (label in labels)):
            own.add(domain)
    return own


def _domain(mail: Mail) -> str:
    return domain_of(f"https://{mail.address.rpartition('@')[2].lower()}")


def _nearness(mail: Mail, own: set[str]) -> int:
    domain = _domain(mail)
    return 0 if domain in own else 1 if mail.address.rpartition("@")[2].lower() in FREE_MAIL else 2


def _place(mail: Mail, own: set[str]) -> tuple[int, int]:
    return _nearness(mail, own), _role(mail.address)


def _role(address: str) -> int:
    name = address.partition("@")[0].lower()
    first = re.split(r"[._+-]", name)[0]
    if name.startswith(_NEVER_BEGINS) or "newsletter" in name:
        return 9
    for rank, words in ((9, _NEVER), (0, _GENERAL), (1, _DEPARTMENTS), (_ASIDE_RANK, _ASIDE)):
        if name in words or (first in words and first != name):
            return rank
    return 2


def mail_domains(parsed: ParsedPage) -> set[str]:
    """Of all addresses the page shows or links."""
    links = " ".join(n.attributes.get("href") or "" for n in parsed.tree.css('a[href^="mailto:" i]')[:60])
    text = "\n".join(parsed.contact_lines)
    return set(re.findall(r"[\w.+-]@([\w-]+(?:\.[\w-]+)+)", f"{text} {links}".lower()))
