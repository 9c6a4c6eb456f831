"""Adapters (site-specific extractors) and their registry (P-053 … P-055)."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Protocol

import msgspec

from winnow.errors import Conflict, InvalidInput
from winnow.extract.answered_day import AnsweredDay
from winnow.extract.draft import Draft, Extraction, Role, Strategy
from winnow.extract.page import Page
from winnow.extract.selector_set import SelectorSet
from winnow.extract.target_choice import Choice

# https://semver.org, without build metadata: two builds of one version must extract the same.
_SEMVER = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?")
ANY_DOMAIN = "*"  # the generic adapter's: it belongs to no site


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """What an adapter knows besides the page (P-053). `now` is the observation time (P-018), `url` the target's own
    URL (redirects do not change which offer it is), `currency` the one the source sells in, which decides what `$` or
    `kr` means where the page does not say, `assume_in_stock` whether the source's pages are taken as in stock where
    they say nothing about it (marked as assumed in the record's provenance), `locale` (BCP 47) and `timezone` (IANA)
    what the source says about its pages' numbers and dates where they do not say it themselves, `fields` what a caller
    of the scraping service wants to know (None: everything, S-030), `follow` the roles of links that are wanted,
    `defer` whether detail pages will be visited, so that entries which lack something wait for theirs, `seed` what
    the listing gave for the entry whose detail page this is, `choice` the variant or the place of the price that a
    person chose for this target. Of a source of events: `feed_guessing` whether feeds are looked for that its pages do
    not name, `deep_scrape` whether the page of every event is wanted or only of those whose listing lacks the day,
    `latitude` and `longitude` where its events take place if nobody says so (E-062),
    `preferred` the strategy that is tried first on its pages (E-053), `usual` how many records the page had when it was
    read last, `selectors` those that are kept for its list (E-058), `answered_days` what a language model said of days
    that the rules cannot read (E-061). `crawl` is what a crawl expects the page to be (a role, or "start"), None
    outside crawls; `needs_price`: a page without a price is a failure (P-010); `listed` a digest of the products on the
    list before it. `adapter_id`, `adapter_version` and `listing` are for normalising: who reads the page, and whether
    it lists several things."""

    source_id: str
    retailer_id: str
    run_id: str
    target_id: str
    url: str
    now: datetime
    currency: str | None = None
    assume_in_stock: bool = False
    locale: str | None = None
    timezone: str | None = None
    fields: list[str] | None = None
    follow: tuple[Role, ...] = ()
    defer: bool = True
    seed: Draft | None = None
    adapter_id: str = ""
    adapter_version: str = ""
    listing: bool = False
    choice: Choice | None = None
    feed_guessing: bool = False
    deep_scrape: bool = False
    latitude: float | None = None
    longitude: float | None = None
    preferred: Strategy | None = None
    usual: int = 0
    selectors: tuple[SelectorSet, ...] = ()
    answered_days: tuple[AnsweredDay, ...] = ()
    crawl: str | None = None
    listed: str | None = None
    needs_price: bool = True


def _precedence(version: str) -> tuple[list[int], bool, str]:
    """Semver §11, as far as candidates need it: numbers count, and a pre-release comes before its release."""
    numbers, _, pre = version.partition("-")
    return [int(n) for n in numbers.split(".")], not pre, pre


class Adapter(Protocol):
    """Pure and deterministic: the same page and context give the same result, no network (P-054).

    `version` is semver and rises with every change of what is extracted. `fast` may answer what can be
    read without building a DOM, and None means "run `extract`"; it must never say something else than
    `extract` would. It gives drafts; its kind normalises and judges them. An adapter may have a `normalise(draft, ctx)`
    of its own, which then takes the place of the kind's (P-053), a `currency` its site sells in, and `wait_for` (a CSS
    selector) and `scrolls`: what a browser does on its pages (S-051).
    """

    @property
    def id(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def domain(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def needs_browser(self) -> bool: ...

    def fast(self, page: Page, ctx: Context) -> Extraction | None: ...
    def extract(self, page: Page, ctx: Context) -> Extraction: ...


_SOLD = frozenset(["offer", "product"])  # the same pages, judged differently


def reads(adapter_kind: str, kind: str) -> bool:
    """Whether an adapter of one kind reads pages for the other."""
    return adapter_kind == kind or {adapter_kind, kind} <= _SOLD


def domains_of(adapter: Adapter) -> frozenset[str]:
    """Its domain, and others of the same shop (`domains`)."""
    return frozenset(name.lower() for name in (adapter.domain, *getattr(adapter, "domains", ())))


class BrokenAdapter(msgspec.Struct, frozen=True):
    """A file that cannot be used. Its id and its domain as far as the file states them; the folder's name stands in
    for an id that cannot be read."""

    id: str
    reason: str
    domain: str = ""
    is_live: bool = True


class Registry:
    """Adapters are registered by name, at start-up; nothing is discovered (P-055). A second adapter with
    the same id, or for the same kind of the same domain, is refused loudly."""

    def __init__(self) -> None:
        self._adapters: dict[str, Adapter] = {}
        self._candidates: dict[tuple[str, str], Adapter] = {}
        self.broken: list[BrokenAdapter] = []

    def register(self, adapter: Adapter) -> None:
        if not _SEMVER.fullmatch(adapter.version):
            raise InvalidInput(f"adapter {adapter.id}: version {adapter.version!r} is not semver", "version")
        if adapter.id in self._adapters:
            raise Conflict(f"adapter {adapter.id} is registered already", existing=adapter.id)
        for domain in domains_of(adapter) - {ANY_DOMAIN}:
            rival = self.for_domain(domain, adapter.kind)
            if rival is not None and rival.kind == adapter.kind:
                raise Conflict(f"{domain} has the adapter {rival.id} already", existing=rival.id)
        self._adapters[adapter.id] = adapter

    def propose(self, adapter: Adapter) -> None:
        """Another version of a registered adapter, for replay and shadow (C-069): it never runs live."""
        live = self._adapters.get(adapter.id)
        if live is None:
            raise Conflict(f"a candidate of {adapter.id}, which is not registered")
        if not _SEMVER.fullmatch(adapter.version):
            raise InvalidInput(f"adapter {adapter.id}: version {adapter.version!r} is not semver", "version")
        if adapter.version == live.version or (adapter.id, adapter.version) in self._candidates:
            raise Conflict(f"adapter {adapter.id} has a version {adapter.version} already", existing=adapter.version)
        self._candidates[adapter.id, adapter.version] = adapter

    def get(self, adapter_id: str) -> Adapter | None:
        return self._adapters.get(adapter_id)

    def version(self, adapter_id: str, version: str) -> Adapter | None:
        """This version of it, live or candidate."""
        live = self._adapters.get(adapter_id)
        return live if live is not None and live.version == version else self._candidates.get((adapter_id, version))

    def candidates(self, adapter_id: str) -> list[str]:
        """Versions of it that are not live, oldest first."""
        return sorted((v for name, v in self._candidates if name == adapter_id), key=_precedence)

    def list(self) -> list[str]:
        return sorted(self._adapters)

    def for_domain(self, domain: str, kind: str) -> Adapter | None:
        """The site's own adapter. One of offers reads products too, and the other way round."""
        wanted = domain.lower()
        own = [a for a in self._adapters.values() if wanted in domains_of(a)]
        exact = next((a for a in own if a.kind == kind), None)
        return exact or next((a for a in own if reads(a.kind, kind)), None)

    def broken_reason(self, adapter_id: str) -> str | None:
        """Why an adapter that is not registered cannot be used, where its file is there."""
        found = (broken.reason for broken in self.broken if broken.is_live and broken.id == adapter_id)
        return None if adapter_id in self._adapters else next(found, None)

    def broken_for_domain(self, domain: str) -> BrokenAdapter | None:
        """Nothing else may read the pages of a site whose own adapter is broken."""
        found = (broken for broken in self.broken if broken.is_live and broken.domain.lower() == domain.lower())
        return next(found, None)

    def shared(self) -> set[str]:
        """Adapters that belong to no site."""
        return {name for name, adapter in self._adapters.items() if adapter.domain == ANY_DOMAIN}

    def has_adapter_for_domain(self, domain: str) -> bool:
        wanted = domain.lower()
        return any(wanted in domains_of(adapter) for adapter in self._adapters.values())
