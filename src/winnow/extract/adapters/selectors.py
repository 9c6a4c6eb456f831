"""A site as a TOML file of selectors: an adapter without code.

id = "shop-example"
version = "1.0.0"
domain = "example.com"
currency = "USD"          # what $ means there; optional
needs_browser = false     # optional
wait_for = ".price"       # in a browser: read the page once this element is there; optional
scrolls = 5               # in a browser: scroll to the end so often, while the page grows; optional
root = "main.product"     # the product's own part of the page; optional

[fields]                  # see rules.py
title = "h1"
price = ".price"
availability = ".stock"

[tiers]                   # quantity breaks, see tiers.py; optional
rows = "table.tiers tr"
quantity = "td:first-child"
price = "td:last-child"
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any

import msgspec
from selectolax.lexbor import LexborHTMLParser

from winnow.errors import ConfigError, InvalidInput
from winnow.extract.adapter import Context
from winnow.extract.adapters.missing_price import classify_missing_price
from winnow.extract.adapters.rules import Rules, check_selector, read_fields, rules_of
from winnow.extract.adapters.tiers import Tiers, tiers_of, with_tiers
from winnow.extract.css_selectors import select_first
from winnow.extract.draft import Draft, Extracted, Extraction, Failure, Reason, Strategy
from winnow.extract.limits import MAX_BODY, too_deep
from winnow.extract.page import Page
from winnow.extract.page_facts import facts_from_dom
from winnow.extract.refusal import refusal
from winnow.fetch.page_actions import MAX_SCROLLS

MAX_FILE = 1_000_000  # bytes; a page of selectors has a few hundred
_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
_DOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?")
PRICED = ("offer", "product")  # kinds whose pages must have a price and stock (P-015)


class SelectorFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file as it stands."""

    id: str
    version: str
    domain: str
    fields: dict[str, Any]
    kind: str = "offer"
    currency: str | None = None
    needs_browser: bool = False
    wait_for: str = ""
    scrolls: Annotated[int, msgspec.Meta(ge=0, le=MAX_SCROLLS)] = 0
    root: str | None = None
    tiers: dict[str, Any] | None = None
    notes: str | None = None


class SelectorAdapter:
    """Reads one site by the rules of its file. `home` is the folder its recorded pages stand in."""

    def __init__(self, file: SelectorFile, rules: Rules, tiers: Tiers | None, home: Path | None = None) -> None:
        self.id, self.version, self.domain, self.kind = file.id, file.version, file.domain, file.kind
        self.needs_browser = file.needs_browser
        self.wait_for, self.scrolls = file.wait_for, file.scrolls
        self.home = home
        self.currency = file.currency
        self._root = file.root
        self._rules, self._tiers = rules, tiers

    def fast(self, page: Page, ctx: Context) -> Extraction | None:
        return None  # selectors need a DOM

    def extract(self, page: Page, ctx: Context) -> Extraction:
        if not page.body or page.body.isspace():
            return Failure(Reason.EMPTY_PAGE, "the body is empty")
        if len(page.body) > MAX_BODY or too_deep(page.body):
            return Failure(Reason.PAGE_STRUCTURE_CHANGED, "limit: too large or too deeply nested to be read")
        return self._read(LexborHTMLParser(page.body if page.is_utf8 else page.text()), page, ctx)

    def _read(self, tree: LexborHTMLParser, page: Page, ctx: Context) -> Extraction:
        scope = tree if self._root is None else select_first(tree, self._root)
        values = {} if scope is None else read_fields(scope, self._rules)
        if scope is not None and self._tiers is not None:
            values = with_tiers(values, scope, self._tiers)
        if not values:
            return self._nothing(tree, page)
        if "title" in self._rules and "title" not in values:
            return Failure(Reason.TITLE_NOT_FOUND, self._rules["title"][0].css)
        found = Extracted([Draft(self.kind, values)], Strategy.ADAPTER)
        return classify_missing_price(found, ctx) if self.kind in PRICED else found

    def _nothing(self, tree: LexborHTMLParser, page: Page) -> Failure:
        """The reason for an empty result: the page is not one of the shop, or the site has changed."""
        reason, details = refusal(tree, facts_from_dom(page, tree), has_title=False)
        if reason in (Reason.BLOCKED_PAGE, Reason.EMPTY_PAGE):
            return Failure(reason, details)
        missing = f"{self._root!r} is not on the page" if self._root else "no selector finds anything"
        return Failure(Reason.PAGE_STRUCTURE_CHANGED, missing)


def load_adapter(path: Path) -> SelectorAdapter:
    """Load an adapter file. ConfigError names the file and its error in one sentence."""
    return parse_adapter(read_file(path), path)


def read_file(path: Path) -> str:
    try:
        if path.exists() and not path.is_file():
            raise ConfigError(f"{path} cannot be read: it is not a file")  # to read a pipe would wait for ever
        if path.stat().st_size > MAX_FILE:
            raise ConfigError(f"{path}: an adapter file of more than a megabyte")
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(f"there is no adapter file {path}") from None
    except (OSError, UnicodeDecodeError) as wrong:
        raise ConfigError(f"{path} cannot be read: {getattr(wrong, 'strerror', None) or 'it is not UTF-8'}") from None


def parse_adapter(text: str, path: Path) -> SelectorAdapter:
    try:
        file = msgspec.convert(tomllib.loads(text), SelectorFile)
        _check(file)
        rules = rules_of(file.fields, "[fields]")
        tiers = None if file.tiers is None else tiers_of(file.tiers, "[tiers]")
        if file.kind in PRICED:
            _check_priced(rules, tiers)
    except (ValueError, msgspec.ValidationError, InvalidInput, RecursionError) as wrong:
        raise ConfigError(f"{path}: {' '.join(str(wrong).split())}") from None
    return SelectorAdapter(file, rules, tiers, path.parent)


def _check(file: SelectorFile) -> None:
    if not _ID.fullmatch(file.id):
        raise InvalidInput(f"the id {file.id!r} must be lower-case letters, digits, - and _")
    if not _DOMAIN.fullmatch(file.domain):
        raise InvalidInput(f"{file.domain!r} is not a domain such as example.com")
    if file.currency is not None and not re.fullmatch("[A-Z]{3}", file.currency):
        raise InvalidInput(f"the currency {file.currency!r} is not an ISO code such as USD")
    if file.root is not None:
        check_selector(file.root, "root")
    if file.wait_for:
        check_selector(file.wait_for, "wait_for")


def _check_priced(rules: Rules, tiers: Tiers | None) -> None:
    """Without these nothing could ever be accepted (P-015)."""
    for name in ("title", "availability"):
        if name not in rules:
            raise InvalidInput(f"[fields] needs {name!r}")
    if "price" not in rules and tiers is None:
        raise InvalidInput("[fields] needs 'price', or there must be [tiers]")
