"""Names of companies whose domain does not spell them: what the title, the frame of the page and the contacts agree on."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from selectolax.lexbor import LexborNode

from winnow.extract.company.name_words import (
    FIRM,
    MAX_WORDS,
    alphanumeric,
    bare_name,
    has_legal_form,
    is_name,
    plain_words,
    with_and,
)
from winnow.extract.company.shown_names import greeted_name
from winnow.extract.contact.email_text import FREE_MAIL, mail_domains
from winnow.extract.parsed_page import ParsedPage, host_of, inside, label_of, lines_of, text_in
from winnow.vocabulary.page_names import maker_phrases, page_names

MAX_LINE = 90
MAX_REPEATED_LINE = 400  # a longer one is a text about anything
MIN_SAME = 3  # letters of a name that is compared
MAX_BESIDE = MAX_WORDS - 3  # words of what stands beside a page's name; a slogan has more
MAX_LINKS = 2_000
_NETWORKS = re.compile(r"(?:^|\.)(?:facebook|instagram|twitter|x|linkedin|youtube|tiktok|xing|pinterest)\.com$")
_NO_DOMAIN = re.compile(r"^(?:example|domain|email|company|yourdomain|mysite)\.|(?:^|\.)pec\.|sentry|wixpress")
_HANDLE = re.compile(r"/(?:company/|in/|pages/|user/|channel/|c/|@)?([\w.-]{4,60})/?")
_NO_HANDLES = frozenset(["sharer", "share", "intent", "home", "login", "profile.php", "sharer.php", "hashtag", "watch"])
_SEPARATED = re.compile(r"\s[-–—:|/]|:\s|[?!]$")
_FRAME = "header, footer, address, [class*='footer' i], [id*='footer' i], [class*='logo' i]"
_IMPRINT = re.compile(r"impressum|imprint|mentions[- ]l[eé]gales|aviso[- ]legal|note[- ]legali|colofon", re.IGNORECASE)
_CONTACT = re.compile(r"^contact\s+", re.IGNORECASE)
_HOME = re.compile(r"(?:\./|/)?(?:index\.\w+|#.*)?")


def further_labels(parsed: ParsedPage) -> list[str]:
    """What the company's mail domain and its pages on networks are called, each only where it is one."""
    mails = {domain for domain in mail_domains(parsed) if domain not in FREE_MAIL and not _NO_DOMAIN.search(domain)}
    handles = {alphanumeric(handle) for handle in _handles(parsed)}
    labels = [alphanumeric(label_of(mails.pop()))] if len(mails) == 1 else []
    return [*labels, *(handles if len(handles) == 1 else [])]


def _handles(parsed: ParsedPage) -> set[str]:
    found = set()
    for node in parsed.tree.css("a[href^='http']")[:MAX_LINKS]:
        address = node.attributes.get("href") or ""
        url = urlsplit(address) if _NETWORKS.search(host_of(address)) else None
        handle = _HANDLE.fullmatch(url.path) if url is not None and not url.query else None
        if handle and handle[1].lower() not in _NO_HANDLES:
            found.add(handle[1].lower())
    return found


def unspelled_names(parsed: ParsedPage, titles: list[list[str]], copyrights: list[str]) -> list[tuple[str, str]]:
    """Best first: the other part of "Contact | Acme", the name of the copyright line where the page says it once more, a
    part of the title that the page's frame shows as a line of its own, the only firm an imprint names."""
    frame = _frame_lines(parsed)
    greeted = [name for title in dict.fromkeys(_titles(parsed)) if (name := greeted_name(title))]
    greeted = [name for name in greeted if _may_be_company(name) and _is_repeated(name, parsed)]
    named = [(name, "title") for parts in titles for name in _beside_page_name(parts)]
    firms = [_CONTACT.sub("", part) for parts in titles for part in parts if FIRM.search(part)]
    named += [(firm, "title") for firm in firms if _is_repeated(firm, parsed)]
    named += [(name, "copyright") for name in copyrights if _is_repeated(name, parsed) and not _is_maker(name, parsed)]
    named += [(part, "title") for parts in titles for part in parts if _is_line_of(part, frame)]
    named += [(line, "title") for line in frame if _begins_a_title(line, parsed)]
    named += [(name, "imprint") for name in _only_firm(parsed)]
    subjects = {alphanumeric(text) for text in [*parsed.own_headings, *_linked_pages(parsed)]} - set(
        _footer_names(parsed)
    )
    named = [(name, path) for name, path in named if _may_be_company(name) and alphanumeric(name) not in subjects]
    return [*((name, "title") for name in greeted), *named]


def _titles(parsed: ParsedPage) -> list[str]:
    return [parsed.title, parsed.meta.get("og:title", "")]


def _may_be_company(name: str) -> bool:
    """A name and nothing beside it: "Shoes - Acme" is two things, "All" the beginning of "All rights reserved"."""
    if _SEPARATED.search(name) or name.casefold() == "all" or name.casefold() in page_names():
        return False
    return is_name(name) and len(name.split()) <= MAX_WORDS and any(c.isupper() or c > "\u0590" for c in name)


def _beside_page_name(parts: list[str]) -> list[str]:
    others = [part for part in parts if part.casefold() not in page_names()]
    return others if len(parts) == 2 and len(others) == 1 and len(others[0].split()) <= MAX_BESIDE else []


def _frame_nodes(parsed: ParsedPage) -> list[LexborNode]:
    """The head of an article has the article's own lines."""
    nodes = parsed.clean_tree.css(_FRAME)[:20]
    return [node for node in nodes if not inside(node, ("article", "main"))]


def _frame_lines(parsed: ParsedPage) -> list[str]:
    lines = (line for node in _frame_nodes(parsed) for line in lines_of(node) if len(line) <= MAX_LINE)
    return list(dict.fromkeys(lines))


def _linked_pages(parsed: ParsedPage) -> list[str]:
    """What links to other pages are called: sections of the site."""
    nodes = parsed.clean_tree.css("a[href]")[:MAX_LINKS]
    return [text_in(node) for node in nodes if not _HOME.fullmatch(_path_of(node.attributes.get("href") or ""))]


def _path_of(address: str) -> str:
    try:
        return urlsplit(address).path
    except ValueError:
        return address


def _footer_names(parsed: ParsedPage) -> list[str]:
    """What an address or a logo shows is whose the page is, even when it is a heading or a link too."""
    nodes = parsed.clean_tree.css("address, [class*='logo' i], [class*='brand' i]")[:20]
    return [alphanumeric(line) for node in nodes for line in lines_of(node)[:3]]


def _is_line_of(part: str, lines: list[str]) -> bool:
    mine = with_and(bare_name(part))
    return len(mine) >= MIN_SAME and any(with_and(bare_name(line)) == mine for line in lines)


def _begins_a_title(line: str, parsed: ParsedPage) -> bool:
    """ "Harwood Builders, custom homes" and a line "Harwood Builders"."""
    return len(alphanumeric(line)) > MIN_SAME and re.match(rf"{re.escape(line)}\s*[,:|–—-]", parsed.title) is not None


def _only_firm(parsed: ParsedPage) -> list[str]:
    """Of an imprint, or of a page of contacts that names it twice."""
    imprint = _IMPRINT.search(f"{urlsplit(parsed.url).path} {parsed.title} {' '.join(parsed.headings)}") is not None
    if not (imprint or parsed.is_contact_page):
        return []
    firms = [line for line in parsed.contact_lines if len(line) <= MAX_LINE and FIRM.search(line)]
    same = len({alphanumeric(firm) for firm in firms}) == 1
    return firms[:1] if same and (imprint or len(firms) > 1) else []


def _is_maker(name: str, parsed: ParsedPage) -> bool:
    """The line about who made the site or its software has a sign of copyright too."""
    lines = [line.casefold() for line in parsed.lines if name in line and len(line) <= MAX_REPEATED_LINE]
    stated = [line for line in lines if "©" in line or "copyright" in line]
    return bool(stated) and all(any(phrase in line for phrase in maker_phrases()) for line in stated)


def _is_repeated(name: str, parsed: ParsedPage) -> bool:
    """In a line of its own, or in two lines beside the copyright line."""
    mine = plain_words(name)
    if len(mine) < MIN_SAME:
        return False
    others = [line for line in parsed.lines if "©" not in line and "copyright" not in line.lower()]
    alone = any(plain_words(line) == mine for line in others)
    within = sum(f" {mine} " in f" {plain_words(line)} " for line in others if len(line) <= MAX_REPEATED_LINE)
    return alone or within >= 2 or (has_legal_form(name) and within >= 1)
