"""The link to the next page of the same list (E-046, §11.28): said by the page, in words or in numbers."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

from winnow.extract.dom.area import words_of
from winnow.extract.event.outline import Element, Outline
from winnow.extract.event.terms import is_next
from winnow.extract.page_facts import absolute, page_key
from winnow.extract.parsed_page import ParsedPage

_NEXT_NAMES = frozenset(["next", "volgende", "suivant", "siguiente", "weiter", "loadmore"])
_PAGER = frozenset(
    [
        "pagination",
        "pager",
        "paging",
        "pagenavi",
        "paginator",
        "pages",
        "pagenav",
        "nav",
        "navigation",
        "calendar",
        "load",
    ]
)
_PAGE_QUERY = re.compile(
    r"^(?:page|p|pg|paged|pagina|seite|offset|start|sf_paged|tribe_paged|month|maand|monat|date|datum|from|year|m)$",
    re.I,
)
_ARROWS = frozenset(["»", "›", ">", "→", ">>", "❯", "⟩"])


def next_page(parsed: ParsedPage, page: Outline) -> str:
    """`rel=next`, else a link that says "next", else the number after the current one; "" where there is none."""
    stated = parsed.tree.css_first("link[rel~=next][href], a[rel~=next][href]")
    if stated is not None and (found := _usable(parsed, stated.attributes.get("href") or "")):
        return found
    links = [e for e in page.elements if e.tag == "a" and e.node.attributes.get("href")]
    for element in links:
        if _says_next(page, element) and (found := _usable(parsed, element.node.attributes.get("href") or "")):
            return found
    return _numbered(parsed, page, links)


def _says_next(page: Outline, element: Element) -> bool:
    own = element.node.attributes
    text = page.text_of(element).strip()
    label = own.get("aria-label") or own.get("title") or ""
    if is_next(text) and len(text) <= 40:
        return _is_pager(page, element) or text.lower().strip(" »›→>") not in (
            "next",
            "volgende",
            "weiter",
            "more",
            "verder",
            "next »",
        )
    if text in _ARROWS or not text:
        return (is_next(label) or bool(words_of(element.names) & _NEXT_NAMES)) and _is_pager(page, element)
    return is_next(label) and _is_pager(page, element)


def _is_pager(page: Outline, element: Element) -> bool:
    for _, above in zip(range(5), page.above(element.at), strict=False):
        words = words_of(above.names)
        if above.tag == "nav" or words & _PAGER or words & _NEXT_NAMES:
            return not words & {"slider", "carousel", "swiper", "slick"}
    return _has_page_query(element.node.attributes.get("href") or "")


def _has_page_query(href: str) -> bool:
    try:
        parts = urlsplit(href)
    except ValueError:
        return False
    return any(_PAGE_QUERY.match(name) for name, _ in parse_qsl(parts.query)) or bool(
        re.search(r"/page/\d+|/20\d\d[-/]\d\d?(?:/|$)", parts.path)
    )


def _usable(parsed: ParsedPage, href: str) -> str:
    """The same site, and another page."""
    if not href or href.startswith(("#", "javascript:", "mailto:")):
        return ""
    found = absolute(parsed.url, href).partition("#")[0]
    key, own = page_key(found), page_key(parsed.url)
    return found if key and own and key[0] == own[0] and key != own else ""


def _numbered(parsed: ParsedPage, page: Outline, links: list[Element]) -> str:
    """In a row of page numbers, the one after the number that is no link, or after the page's own."""
    numbers: dict[int, list[tuple[int, Element]]] = {}
    for element in links:
        text = page.text_of(element).strip()
        if re.fullmatch(r"\d{1,3}", text):
            for level, above in enumerate(page.above(element.parent)):
                if above.tag in ("ul", "ol", "nav", "div", "p") or level == 3:
                    numbers.setdefault(above.at, []).append((int(text), element))
                    break
    for at, found in numbers.items():
        if not _is_pager(page, page.elements[at]) and not all(
            _has_page_query(e.node.attributes.get("href") or "") for _, e in found
        ):
            continue
        current = _current(parsed, page, at, found)
        following = next((e for number, e in found if number == current + 1), None)
        if following is not None and (url := _usable(parsed, following.node.attributes.get("href") or "")):
            return url
    return ""


def _current(parsed: ParsedPage, page: Outline, at: int, found: list[tuple[int, Element]]) -> int:
    linked = {
        number
        for number, element in found
        if page_key(absolute(parsed.url, element.node.attributes.get("href") or "")) != page_key(parsed.url)
    }
    element = page.elements[at]
    shown = {
        int(n)
        for line in page.lines[element.first : element.last]
        for n in re.findall(r"(?<!\d)\d{1,3}(?!\d)", line.text)
    }
    missing = sorted(shown - linked)
    return missing[0] if len(missing) == 1 else 1 if 1 not in linked else 0
