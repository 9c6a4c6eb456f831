"""Who wrote an article: people, not the paper, not an account, not the writers of the articles beside it."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from winnow.extract.company.name_words import alphanumeric, fits_label, has_legal_form
from winnow.extract.dom.area import names_of, words_of
from winnow.extract.draft import Strategy, Value
from winnow.extract.parsed_page import ParsedPage, label_of, text_in
from winnow.extract.structured.schema_graph import as_list
from winnow.extract.structured.schema_items import Item

MAX_BYLINES = 12
MAX_AUTHOR = 60
_JOINED = re.compile(r"\s*[;|]\s*|\s+/\s+|\s+(?:and|und|et|y|e|og|och|ja|en|&)\s+(?=[A-ZÀ-Ý])")
_BY = re.compile(
    r"^(?:by|von|par|por|door|di|af|av|text|words by|written by|author|autor|autorin|auteur)\s*:?\s+", re.IGNORECASE
)
_DEGREE = re.compile(r"(?:jr|sr|ph\.?\s?d|m\.?d|mba|esq|dr|prof|m\.?a|b\.?a|rn)\.?", re.IGNORECASE)
_BYLINES = '[rel="author"], [itemprop="author"] [itemprop="name"], .byline .author, .author-name, .byline__name, .article-author, [class*="byline" i] a'
# Words before the name in a link to all articles of an author.
_ALL_OF = re.compile(
    r"^(?:(?:zeige |show |view |see |read )?(?:all|alle|more|mehr|tous les|todos los|todas as|altri|alle)\s+(?:posts?|articles?|stories|beiträge|artikel|entradas|postagens|berichten|inlägg)\s+(?:by|of|from|von|de|par|di|van|av)\s+)"
    r"|\s*[→»›]+$",
    re.IGNORECASE,
)
_NOT_AN_AUTHOR = re.compile(
    r"(?:no author|unknown|anonym\w*|admin\w*|wordpress\w*|root|webmaster|redak\w*|redac\w*|redazione|editors?|editorial(?: (?:team|staff|board))?|staff(?: (?:writer|reporter)s?)?|agenc(?:y|ies)|agenturen|agentur"
    r"|guest(?: author)?|gastautor|edit|bearbeiten|archiv anzeigen|author|autor|news ?desk|press release|pressemitteilung|team)",
    re.IGNORECASE,
)
_ACCOUNT = re.compile(r"[a-z0-9._-]+")
_OF_PEOPLE = re.compile(
    r"auth|autor|auteur|writer|people|person|profil|team|user|staff|redakt|journalist|contribut|mitarbeiter|/by/|~|@",
    re.IGNORECASE,
)
_REMARKS = frozenset(["comment", "comments", "comentario", "kommentar", "related", "sidebar", "widget"])
_BESIDE_REMARKS = frozenset(["has", "with", "no", "content", "main", "article", "post", "entry", "blog"])


def authors_of(item: Item | None, parsed: ParsedPage) -> list[Value]:
    """The first that names people: structured data, meta tags, the byline. The paper itself is not its author."""
    schema = parsed.schema
    stated = as_list(item.node.get("author")) or as_list(item.node.get("creator")) if item is not None else []
    houses = [house for house in _houses(item, parsed) if house]
    groups = [
        [Value(schema.name(author), item.strategy, f"{item.path}.author") for author in stated] if item else [],
        parsed.metas("author"),
        parsed.metas("article:author", "citation_author", "dc.creator", "parsely-author", "byl", "sailthru.author"),
        [Value(text_in(node), Strategy.DOM, "byline") for node in _bylines(parsed)],
    ]
    for group in groups:
        named = [(name, each) for each in group for name in _written_by(each.raw, houses, parsed)]
        found = [Value(name, each.strategy, each.path) for name, each in named if _is_author_name(name, each)]
        if found:
            return found
    return []


def _is_author_name(name: str, value: Value) -> bool:
    """The name of an account is an author's where readers see it, not where a system filled it in."""
    return value.path == "byline" or _ACCOUNT.fullmatch(name) is None


def _written_by(raw: str, houses: list[str], parsed: ParsedPage) -> list[str]:
    text = _ALL_OF.sub("", _ALL_OF.sub("", " ".join(raw.split())))
    if any(alphanumeric(text) == alphanumeric(house) for house in houses):
        return []
    for house in houses:
        text = re.sub(rf"^{re.escape(house)}\s+[-–|:]\s+", "", text, flags=re.IGNORECASE)
    return [name for name in map(_named, _people(text)) if _is_person(name, houses, parsed)]


def _named(name: str) -> str:
    return _BY.sub("", name)


def _is_person(name: str, houses: list[str], parsed: ParsedPage) -> bool:
    """Neither the paper, nor a firm, nor the name of an account."""
    lower = name.lower()
    if not name or len(name) > MAX_AUTHOR or _NOT_AN_AUTHOR.fullmatch(name) or has_legal_form(name):
        return False
    labels = [alphanumeric(label_of(domain)) for domain in parsed.own_domains if label_of(domain)]
    is_site = any(fits_label(name, label) for label in labels if len(alphanumeric(name)) > 2)
    dotted = any(len(house) > 3 and f"{house.lower()}." in lower for house in houses)
    return not is_site and not dotted and all(lower != house.lower() for house in houses)


def _bylines(parsed: ParsedPage) -> list[LexborNode]:
    """Those of the article: the first one, and what stands beside it."""
    shown = [node for node in parsed.clean_tree.css(_BYLINES)[:MAX_BYLINES] if text_in(node) and not is_remark(node)]
    nodes = [node for node in shown if _leads_to_people(node)]
    places = [(node.parent.mem_id if node.parent is not None else 0) for node in nodes]
    return [node for node, place in zip(nodes, places, strict=True) if place == places[0]][:3]


def _leads_to_people(node: LexborNode) -> bool:
    """A byline links its topics too."""
    href = node.attributes.get("href") or ""
    named = " " in text_in(node) and alphanumeric(text_in(node)) in alphanumeric(href)  # /ann-lee
    return not href or named or node.attributes.get("rel") == "author" or _OF_PEOPLE.search(href) is not None


def _houses(item: Item | None, parsed: ParsedPage) -> list[str]:
    publisher = parsed.schema.name(item.node.get("publisher")) if item is not None else ""
    labels = [label_of(domain) for domain in parsed.own_domains]
    return [
        publisher,
        parsed.meta.get("og:site_name", ""),
        parsed.meta.get("application-name", ""),
        *labels,
        *parsed.own_domains,
    ]


def _people(text: str) -> list[str]:
    """ "By Ann Lee and Bo Dahl, dpa" names three; "Lee, Ann" and "Ann Lee, PhD" one; an address or a credit none."""
    if re.match(r"(?:https?:|www\.|/)", text) or re.search(r"[(\[:]", text):
        text = re.sub(r"\s*[(\[][^)\]]*[)\]]\s*$", "", text)
        if re.search(r"[/(\[:]", text):
            return []
    parts = _JOINED.split(_BY.sub("", " ".join(text.split())))
    found = []
    for part in parts:
        pieces = [piece.strip() for piece in part.split(",")]
        whole = len(pieces) == 1 or len(pieces[0].split()) < 2
        found += [part.strip(" ,")] if whole else [piece for piece in pieces if piece and not _DEGREE.fullmatch(piece)]
    return [name for name in found if name]


def is_remark(node: LexborNode) -> bool:
    """Readers' comments and lists of other articles have days and names too."""
    above: LexborNode | None = node
    for _ in range(12):
        if above is None or above.tag in ("body", "html", "main"):
            return False  # "has-sidebar" is said of the whole page
        words = words_of(names_of(above))
        if words & _REMARKS and not words & _BESIDE_REMARKS:
            return True
        above = above.parent
    return False
