"""A company's own website -> one draft: who they are and how to reach them."""

from __future__ import annotations

import re

import msgspec
from selectolax.lexbor import LexborNode

from winnow.extract.candidates import Collected, extracted
from winnow.extract.company.company_name import name_values
from winnow.extract.company.name_words import bare_name
from winnow.extract.company.organisations import organisations_named_like, own_organisation
from winnow.extract.company.other_firms import is_address_of_others, stands_under_another
from winnow.extract.contact.email_text import contact_email
from winnow.extract.contact.phone_text import contact_phone
from winnow.extract.contact.postal import BOX, Postal, addresses_in
from winnow.extract.dom.labelled import first_labelled, pairs_of
from winnow.extract.draft import Extraction, Failure, Strategy
from winnow.extract.page import Page
from winnow.extract.page_facts import absolute
from winnow.extract.parsed_page import ParsedPage, host_of, lines_of, open_page
from winnow.extract.structured.schema_graph import as_list
from winnow.extract.structured.schema_items import Item
from winnow.extract.structured.schema_price import text_of

KIND = "company"
_SOCIAL = re.compile(
    r"(?:^|\.)(linkedin|facebook|instagram|twitter|x|youtube|tiktok|xing|github|pinterest|vimeo|mastodon|threads|bsky)\.(?:com|app|social|net)$"
)
_SHARING = re.compile(
    r"/(?:sharer?|share-?article|intent|share|shareArticle|dialog|home)\b|[?&](?:url|u|text)=|/(?:p|reel|tv|shorts|video|pin)/[\w-]+/?(?:$|\?)|/(?:posts|feed|pulse|photos?)/|/status/|/watch\?|/hashtag/|/plugins/|/embed/|/search",
    re.I,
)
_IMPRINT = re.compile(
    r"impressum|imprint|mentions[- ]l[eé]gales|aviso[- ]legal|note[- ]legali|colofon|legal[- ]notice|anbieterkennzeichnung",
    re.I,
)
_FOUNDED = re.compile(
    r"(?:founded in|established in|gegr[uü]ndet(?: im jahr| im jahre)?|gr[uü]ndung(?:sjahr)?:?|opgericht in|fond[eé]e? en|fundada? (?:en|em)|fondata nel|creada en|since its founding in)\s*:?\s*((?:1[6-9]|20)\d\d)\b",
    re.I,
)
_PEOPLE = re.compile(
    r"(?:team of|with|we are|we employ|employs|employing|besch[aä]ftig(?:t|en)|mit|met|avec|con|com|rund|ca\.|around|about|has|have|hat|haben|zijn|sont|our|unsere)\s+((?:(?:over|more than|[uü]ber|mehr als|meer dan|ruim|plus de|m[aá]s de|oltre|mais de)\s+)?\d[\d.,' ]*(?:k)?\+?(?:\s?[-–]\s?\d[\d.,' ]*\+?)?)\s*"
    r"(?:employees|mitarbeiter(?:innen|:innen|\*innen)?(?:\s?und\s?mitarbeiter(?:innen)?)?|medewerkers|salari[eé]s|collaborateurs|empleados|dipendenti|funcion[aá]rios|colaboradores)\b",
    re.I,
)
_CONTACT = re.compile(
    r"\b(?:gmbh|ag|kg|ohg|ug|e\.\s?v\.|e\.\s?k\.|inc|llc|ltd|limited|plc|b\.?v|n\.?v|s\.?r\.?l|s\.?p\.?a|s\.?a\.?s|s\.?a\.?r\.?l|s\.?l|lda|ltda|corp|pty)\b\.?"
    r"|\b(?:tel|phone|telefon|telefoon|t[eé]l[eé]phone|tel[eé]fono|telefone|fax|e-?mail|contact|kontakt|contacto|contatti|contato|address|adresse|anschrift|adres|direcci[oó]n|indirizzo"
    r"|endere[cç]o|visit us|find us|head ?quarters|headquarters|head office|office|hauptsitz|impressum|sede|si[eè]ge|kvk|ust|vat|btw)\b|@|\+\d\d",
    re.IGNORECASE,
)
_LABELS = {
    "industry": frozenset(["industry", "industries", "branche", "sector", "secteur", "settore", "setor", "branchen"]),
    "employees": frozenset(["company size", "size", "employees", "number of employees", "unternehmensgröße", "mitarbeiter", "taille",
                            "mitarbeiterzahl", "aantal medewerkers", "bedrijfsgrootte", "tamaño", "dipendenti", "effectif"]),
    "headquarters": frozenset(["headquarters", "hq", "hauptsitz", "hoofdkantoor", "siège", "siège social", "sede", "sede central"]),
    "founded": frozenset(["founded", "established", "gegründet", "gründungsjahr", "opgericht", "fondée en", "fundada", "fondata", "year founded"]),
}  # fmt: skip


def extract_company(page: Page) -> Extraction:
    parsed = open_page(page)
    if isinstance(parsed, Failure):
        return parsed
    collected = Collected()
    item = own_organisation(parsed)
    items = organisations_named_like(item, parsed) if item is not None else []
    collected.add_all("company_name", name_values(parsed))
    for one in items:
        _from_schema(collected, one, parsed)
    _from_meta(collected, parsed)
    _contacts(collected, parsed)
    _from_text(collected, parsed)
    return extracted([collected.draft(KIND, parsed)], parsed, "company_name")


def _from_schema(into: Collected, item: Item, parsed: ParsedPage) -> None:
    into.add_key("description", item, "description", "slogan")
    into.add_key("industry", item, "industry")
    into.add_key("founded_year", item, "foundingDate")
    into.add_key("website_url", item, "url")
    into.add_key("legal_name", item, "legalName")
    into.add_key("stated_email", item, "email")
    into.add_key("stated_phone", item, "telephone")
    _add_points(into, item, parsed)
    for node in parsed.schema.nodes(
        item.node.get("address") or parsed.schema.node(item.node.get("location")).get("address")
    ):
        into.add_node("headquarters", node, item.strategy, f"{item.path}.address")
    if isinstance(item.node.get("address"), str):
        into.add("headquarters", text_of(item.node["address"]), item.strategy, f"{item.path}.address")
    people = item.node.get("numberOfEmployees")
    into.add(
        "employee_count_range",
        _people(parsed.schema.node(people)) or text_of(people),
        item.strategy,
        f"{item.path}.numberOfEmployees",
    )
    logo = parsed.schema.node(item.node.get("logo"))
    into.add(
        "logo_url",
        text_of(logo.get("url") or logo.get("contentUrl")) or text_of(item.node.get("logo")),
        item.strategy,
        f"{item.path}.logo",
    )
    for link in as_list(item.node.get("sameAs")):
        if is_profile_link(text_of(link)):
            into.add("social_links", text_of(link), item.strategy, f"{item.path}.sameAs")


def _people(node: dict[str, object]) -> str:
    """schema.org QuantitativeValue."""
    low, high = text_of(node.get("minValue")), text_of(node.get("maxValue"))
    if low and high:
        return f"{low}-{high}"
    return text_of(node.get("value")) or (f"{low}+" if low else "")


def _add_points(into: Collected, item: Item, parsed: ParsedPage) -> None:
    """Contact points that serve everybody; not the press desk, not the fax."""
    for index, point in enumerate(parsed.schema.nodes(item.node.get("contactPoint"))):
        if re.search(r"press|media|job|career|billing|fax|investor", text_of(point.get("contactType")), re.I):
            continue
        path = f"{item.path}.contactPoint[{index}]"
        into.add("stated_phone", text_of(point.get("telephone")), item.strategy, f"{path}.telephone")
        into.add("stated_email", text_of(point.get("email")), item.strategy, f"{path}.email")


def _from_meta(into: Collected, parsed: ParsedPage) -> None:
    into.add_all("description", parsed.metas("og:description", "description", "twitter:description"))
    canonical = parsed.facts.urls[-1]
    into.add("website_url", parsed.meta.get("og:url", ""), Strategy.MICRODATA, "meta[og:url]")
    into.add("website_url", canonical, Strategy.DOM, "link[rel=canonical]" if len(parsed.facts.urls) > 1 else "url")
    for node in parsed.tree.css(
        'header img[class*="logo" i], img[class*="logo" i], a[class*="logo" i] img, header a[href="/"] img'
    )[:1]:
        source = node.attributes.get("src") or node.attributes.get("data-src") or ""
        if not source.startswith("data:"):
            into.add("logo_url", absolute(parsed.url, source), Strategy.DOM, "img.logo")
    hrefs = dict.fromkeys(node.attributes.get("href") or "" for node in parsed.tree.css("a[href]")[:2_000])
    for href in without_persons([href for href in hrefs if is_profile_link(href)]):
        into.add("social_links", href, Strategy.DOM, "a[href]")


_PERSON = re.compile(r"//(?:[\w-]+\.)?(?:linkedin\.com/in/|xing\.com/profile/)", re.IGNORECASE)
_FIRM_PAGE = re.compile(
    r"//(?:[\w-]+\.)?(?:linkedin\.com/(?:company|school|showcase)/|xing\.com/(?:pages|compan))", re.I
)


def without_persons(links: list[str]) -> list[str]:
    """People who work for a company have pages of their own; only a firm of one person is found on one."""
    persons = {link.split("?")[0].rstrip("/") for link in links if _PERSON.search(link)}
    if len(persons) == 1 and not any(_FIRM_PAGE.search(link) for link in links):
        return links
    return [link for link in links if not _PERSON.search(link)]


def is_profile_link(url: str) -> bool:
    """A page of somebody on a network: neither the network's front page nor a button that shares this one."""
    if not url.startswith(("http", "//")) or not _SOCIAL.search(host_of(url)) or _SHARING.search(url):
        return False
    return len(url.split("?")[0].rstrip("/").split("/")) > 3


def _contacts(into: Collected, parsed: ParsedPage) -> None:
    names = [value.raw for value in into.values.get("company_name", [])]
    into.add_all("contact_email", contact_email(parsed, names, into.values.pop("stated_email", [])))
    into.add_all("contact_phone", contact_phone(parsed, names, into.values.pop("stated_phone", [])))
    if not into.has("headquarters"):
        address = own_address(parsed)
        if address is not None:
            into.add_node("headquarters", _as_node(address), Strategy.DOM, "text")


def own_address(parsed: ParsedPage) -> Postal | None:
    """The one address of the page; of several the head office, the imprint's first or the footer's only one."""
    names = [value.raw for value in name_values(parsed)]
    lines = parsed.contact_lines
    own = ["" if is_address_of_others(lines, index) else line for index, line in enumerate(lines)]
    found = [_without_name(each, names) for each in addresses_in(own) if is_contact(each.around, names)]
    found = [address for address in found if not BOX.match(address.street)] or found
    if not parsed.is_contact_page:
        found = [
            each for each in found if not stands_under_another(each.around, each.raw, names) or _is_framed(each, parsed)
        ]
    if len(found) <= 1:
        return found[0] if found else None
    marked = [address for address in found if address.hq]
    if len(marked) == 1:
        return marked[0]
    if _IMPRINT.search(f"{parsed.url} {parsed.title} {' '.join(parsed.headings)}"):
        return found[0]
    for selector in ("footer", '[class*="footer" i], [id*="footer" i]', "address", '[class*="contact" i]'):
        inside = _addresses_inside(parsed.clean_tree.css(selector)[:20])
        if len(inside) == 1:
            return inside[0]
    return None


def _is_framed(address: Postal, parsed: ParsedPage) -> bool:
    nodes = parsed.clean_tree.css("footer, header, [class*='footer' i], [id*='footer' i]")[:20]
    return any(each.key == address.key for each in _addresses_inside(nodes))


def _without_name(address: Postal, names: list[str]) -> Postal:
    """A firm called "… Building" looks like the house it sits in."""
    head, _, rest = address.street.partition(", ")
    own = rest and any(bare_name(head).lower() == bare_name(name).lower() for name in names)
    return msgspec.structs.replace(address, street=rest) if own else address


def is_contact(around: str, names: list[str]) -> bool:
    """An address in a text may be anybody's. The company's own stands with its name, or with how to reach it."""
    return _CONTACT.search(around) is not None or any(bare_name(name).lower() in around.lower() for name in names)


def _addresses_inside(nodes: list[LexborNode]) -> list[Postal]:
    found = {address.key: address for node in nodes for address in addresses_in(lines_of(node))}
    return list(found.values())


def _as_node(address: Postal) -> dict[str, str]:
    names = {"street": "streetAddress", "code": "postalCode", "city": "addressLocality", "region": "addressRegion",
             "country": "addressCountry", "raw": "raw"}  # fmt: skip
    stated = {names[field]: value for field, value in msgspec.to_builtins(address).items() if field in names}
    return {"@type": "PostalAddress", **{key: value for key, value in stated.items() if value}}


def _from_text(into: Collected, parsed: ParsedPage) -> None:
    pairs = pairs_of(parsed)
    for field, labels in (("industry", "industry"), ("employee_count_range", "employees"), ("founded_year", "founded")):
        into.add(field, first_labelled(pairs, _LABELS[labels]), Strategy.DOM, f"label:{labels}")
    if not into.has("headquarters"):
        into.add("headquarters", first_labelled(pairs, _LABELS["headquarters"]), Strategy.DOM, "label:headquarters")
    text = "\n".join(line for line in parsed.lines if len(line) < 600)
    founded, people = set(_FOUNDED.findall(text)), _PEOPLE.findall(text)
    if len(founded) == 1:
        into.add("founded_year", founded.pop(), Strategy.DOM, "text")
    if len(set(people)) == 1:
        into.add("employee_count_range", people[0], Strategy.DOM, "text")
