"""A page opened once for all who read it: tree, structured data, meta tags, lines of text, own domains."""

from __future__ import annotations

import re
from functools import cached_property
from html import unescape
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from winnow.extract.draft import Failure, Reason, Strategy, Value
from winnow.extract.limits import MAX_BODY, too_deep
from winnow.extract.page import Page
from winnow.extract.page_facts import PageFacts, absolute, facts_from_dom
from winnow.extract.structured.schema_items import SchemaItems
from winnow.fetch.blocked.detect import WallKind, recognise
from winnow.sources.domain import domain_of

MAX_LINES = 4_000  # a long page has about a thousand
MAX_META = 300
_UNSEEN = ["script", "style", "noscript", "template", "svg", "iframe", "select", "textarea"]
_BLOCK = re.compile(
    r"<(?:/?(?:address|article|aside|blockquote|dd|details|div|dl|dt|figcaption|figure|footer|form|h[1-6]|header|hr|li|main"
    r"|nav|ol|p|pre|section|summary|table|tbody|td|th|tr|ul|button|body|html)\b[^<>\"]*(?:\"[^\"]*\"[^<>\"]*)*|br\b[^<>]*)>",
    re.IGNORECASE,
)
# A page without text may carry all of it as state for its script: there is something to read.
_CONTACT_PAGE = re.compile(
    r"contact|kontakt|impressum|imprint|anfahrt|mentions[- ]l[eé]gales|aviso[- ]legal|note[- ]legali|contatt|contato|colofon|legal[- ]notice|about-?us|\babout\b|ueber-uns|über uns|over-ons|over ons|qui-sommes",
    re.IGNORECASE,
)
_ARTICLES = frozenset(
    ["newsarticle", "blogposting", "article", "reportagenewsarticle", "opinionnewsarticle", "liveblogposting"]
)
_POST_URL = re.compile(
    r"/(?:blogs?|news|aktuelles|magazin|stories|actualites?|noticias|nieuws|posts?|articles?|artikel|press-?releases?|presse(?:mitteilung\w*|rom)?|pressemeldung\w*|comunicati)/[^/?#]{4,}|/20\d\d/(?:\d\d/)?[^/?#]{4,}"
)
_POST_MARKS = "article h1, article h2, h1.entry-title, h1.post-title, .hentry, .post h1, .post h2, .blog-post, .news-detail, .news-single, [itemprop=articleBody]"
_FRAME = "footer, header, address, [class*='footer' i], [id*='footer' i], [class*='contact' i], [class*='impressum' i]"
_FRAME_WORD = re.compile(r"footer|contact|kontakt|imprint|impressum|colophon|topbar|top-bar|masthead")
_STATE = re.compile(rb"window\.__\w{2,40}\s*=|__appData|application/(?:ld\+)?json")
_TAG = re.compile(r"<[^<>\"]*(?:\"[^\"]*\"[^<>\"]*)*>")
_SEPARATOR = re.compile(r"<(span|i|em)\b[^<>]{0,200}?\b(?:separator|divider|middot)\b[^<>]{0,200}></\1>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
# info@<i class="hidden">clutter</i>acme.ch: words that only those see who do not look. "hidden md:inline" is seen.
_CLUTTER = re.compile(
    r"<(span|i|em|b|small)\b[^<>]{0,300}?(?:\bstyle=\"[^\"]*display:\s*none|\bclass=\"(?:hidden|d-none|hide|nospam|invisible|display-none)\"|\shidden(?:=\"[^\"]*\")?(?=[\s>]))[^<>]{0,300}>[^<>]{0,40}</\1>",
    re.IGNORECASE,
)


class ParsedPage:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.url = page.url
        self.tree = LexborHTMLParser(page.body if page.is_utf8 else page.text())

    @cached_property
    def facts(self) -> PageFacts:
        return facts_from_dom(self.page, self.tree)

    @cached_property
    def schema(self) -> SchemaItems:
        return SchemaItems(self.tree)

    @cached_property
    def meta(self) -> dict[str, str]:
        """The first content of each name or property."""
        found: dict[str, str] = {}
        for node in self.tree.css("meta[property][content], meta[name][content], meta[itemprop][content]")[:MAX_META]:
            own = node.attributes
            for attribute in ("property", "name", "itemprop"):
                if own.get(attribute):
                    found.setdefault((own[attribute] or "").lower(), " ".join((own.get("content") or "").split()))
        return {name: content for name, content in found.items() if content}

    @cached_property
    def own_domains(self) -> frozenset[str]:
        """Registrable domains the page calls its own: where it stands, and what it says its address is."""
        own = [*self.facts.urls, absolute(self.url, self.meta.get("og:url", ""))]
        return frozenset(domain_of(url) for url in own if url.startswith("http"))

    @cached_property
    def clean_tree(self) -> LexborHTMLParser:
        """Parsed again rather than cloned: Lexbor cannot clone every document it can parse."""
        copy = LexborHTMLParser(self.page.body if self.page.is_utf8 else self.page.text())
        copy.strip_tags(_UNSEEN)
        return copy

    @cached_property
    def lines(self) -> list[str]:
        body = self.clean_tree.body
        return lines_of(body) if body is not None else []

    @cached_property
    def is_contact_page(self) -> bool:
        """Contact page or imprint: what it lists is how to reach the company."""
        names = [
            part
            for title in [self.title, *self.headings]
            for part in re.split(r"[|–—:·-]", title)
            if len(part.split()) <= 4
        ]
        return any(_CONTACT_PAGE.search(text) for text in [urlsplit(self.url).path, *names])

    @cached_property
    def contact_lines(self) -> list[str]:
        """Where a company's own contacts can stand: anywhere, except in the text of an article it published."""
        if self.is_contact_page or not self.is_article:
            return self.lines
        nodes = [n for n in self.clean_tree.css(_FRAME) if not inside(n, ("article",))]
        return [line for node in nodes[:20] for line in lines_of(node)]

    @cached_property
    def is_article(self) -> bool:
        if "article:section" in self.meta or bool(self.schema.of(_ARTICLES)):
            return True
        return bool(_POST_URL.search(self.url)) and self.tree.css_first(_POST_MARKS) is not None

    @cached_property
    def title(self) -> str:
        node = self.tree.css_first("head > title") or self.tree.css_first("title")
        return " ".join((node.text() or "").split()) if node is not None else ""

    @cached_property
    def headings(self) -> list[str]:
        return [text for text in (text_in(node) for node in self.clean_tree.css("h1")[:5]) if text]

    @cached_property
    def own_headings(self) -> list[str]:
        """Without the name of the site, which many themes make a heading of the first level on every page."""
        nodes = [node for node in self.clean_tree.css("h1")[:5] if not _is_masthead(node)]
        return [text for text in map(text_in, nodes) if text]

    def metas(self, *names: str) -> list[Value]:
        return [Value(self.meta[n], Strategy.MICRODATA, f"meta[{n}]") for n in names if self.meta.get(n)]

    def is_own(self, url: str) -> bool:
        try:
            return bool(url) and domain_of(absolute(self.url, url)) in self.own_domains
        except ValueError:
            return False


def open_page(page: Page) -> ParsedPage | Failure:
    """Every kind begins here: nothing is read of empty pages, walls and pages that cost too much (R-17)."""
    if not page.body or page.body.isspace():
        return Failure(Reason.EMPTY_PAGE, "the body is empty")
    if len(page.body) > MAX_BODY or too_deep(page.body):
        return Failure(Reason.PAGE_STRUCTURE_CHANGED, "limit: too large or too deeply nested to be read")
    wall = recognise(page.status_code, {"content-type": page.content_type}, page.body, page.codec)
    if wall is not None and not (wall.kind is WallKind.EMPTY_SHELL and _STATE.search(page.body)):
        return Failure(Reason.BLOCKED_PAGE, f"{wall.kind.value}: {wall.sign}")
    return ParsedPage(page)


def lines_of(node: LexborNode) -> list[str]:
    """The text of an element as a reader sees it: one line per block, per table cell and between line breaks."""
    html = _SEPARATOR.sub(" · ", _CLUTTER.sub("", _COMMENT.sub("", node.html or "")))
    text = unescape(_TAG.sub("", _BLOCK.sub("\n", re.sub(r"\s+", " ", html))))
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return [line for line in lines if line][:MAX_LINES]


def inside(node: LexborNode, tags: tuple[str, ...]) -> bool:
    above: LexborNode | None = node
    for _ in range(64):
        if above is None:
            return False
        if above.tag in tags:
            return True
        above = above.parent
    return False


def in_frame(node: LexborNode) -> bool:
    """Footer, header, address or anything called contact: the parts of a page that speak for its owner."""
    above: LexborNode | None = node
    for _ in range(64):
        if above is None or above.tag in ("article", "body"):
            return False
        names = f"{above.attributes.get('class') or ''} {above.attributes.get('id') or ''}".lower()
        if above.tag in ("footer", "header", "address") or _FRAME_WORD.search(names):
            return True
        above = above.parent
    return False


_MASTHEAD = re.compile(r"\b(?:logo|brand|masthead|site-?(?:title|name|branding)|sitename|branding)\b", re.IGNORECASE)


def _is_masthead(heading: LexborNode) -> bool:
    link = heading.css_first("a[href]")
    if link is not None and urlsplit(link.attributes.get("href") or "").path in ("", "/", "./"):
        return True
    above: LexborNode | None = heading
    for _ in range(4):
        if above is None or above.tag in ("main", "article", "body"):
            return False
        if above.tag == "a" or _MASTHEAD.search(
            f"{above.attributes.get('class') or ''} {above.attributes.get('id') or ''}"
        ):
            return True
        above = above.parent
    return False


def text_in(node: LexborNode | None) -> str:
    return " ".join(lines_of(node)) if node is not None else ""


def label_of(domain: str) -> str:
    """`acme` of `acme.co.uk`; "" for addresses."""
    host = domain.rpartition(":")[0] or domain
    return host.split(".")[0] if not host.replace(".", "").isdigit() and "." in host else ""


def host_of(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""
