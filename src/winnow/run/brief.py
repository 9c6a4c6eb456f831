"""What a worker needs to know about a claimed task besides the task itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row

from winnow.db.sql import load
from winnow.extract.answered_day import AnsweredDay
from winnow.extract.draft import Role
from winnow.extract.selector_set import SelectorSet
from winnow.extract.target_choice import Choice
from winnow.fetch import failure as failures
from winnow.fetch.failure import FailureCode
from winnow.fetch.meaning import Outcome
from winnow.fetch.tiers import Known, Route
from winnow.judge.counts import VerdictCounts
from winnow.observe.mask import is_secret_name
from winnow.run.admission.proxy_choice import ProxyWish, wish_of
from winnow.schedule.budget import BudgetUse
from winnow.schedule.queue.task import Claimed
from winnow.schedule.scope import Scope
from winnow.sources.domain import domain_of, origin_of

BRIEF = load("run/brief.sql")


class Brief(msgspec.Struct, frozen=True, kw_only=True):
    """From the target (None where the task has none), its source, its domain and its origin's robots."""

    id: UUID
    etag: str | None = None
    last_modified: str | None = None
    content_hash: str | None = None
    last_adapter_version: str | None = None
    last_verdict: str | None = None
    last_status: str | None = None
    may_send_validators: bool = False
    last_accepted: int = 0
    last_held: int = 0
    last_rejected: int = 0
    linked: int | None = None
    choice: dict[str, Any] | None = None
    path_blocked: bool = False
    retailer_id: int | None = None
    source_url: str | None = None
    locale: str | None = None
    timezone: str | None = None
    source_compliant: bool = True
    config: dict[str, Any] = {}
    tier_config: dict[str, Any] = {}
    preferred_fetcher: str | None = None
    preferred_method: str | None = None
    selector_sets: list[dict[str, Any]] = []
    answered_days: list[dict[str, Any]] = []
    fetcher_learnt_at: datetime | None = None
    deep_scrape: bool = False
    default_latitude: float | None = None
    default_longitude: float | None = None
    respect_robots: bool = True
    robots_state: str | None = None
    robots_fetched_at: datetime | None = None
    robots_failures: int = 0
    robots_fresh: bool = False
    adapter_enabled: bool = True
    shadow_id: int | None = None
    shadow_version: str | None = None
    progress: dict[str, Any] | None = None
    crawl_scope: dict[str, Any] | None = None

    @property
    def scope(self) -> Scope | None:
        """Which URLs belong to the crawl it is visited in; None where it is visited in none."""
        return None if self.crawl_scope is None else msgspec.convert(self.crawl_scope, Scope)

    @property
    def last_counts(self) -> VerdictCounts:
        """The verdicts on the records its page had when it was read last (DESIGN §11.17)."""
        return VerdictCounts(self.last_accepted, self.last_held, self.last_rejected)

    @property
    def was_gone(self) -> bool:
        """Whether the server answered the last visit with 404 or 410."""
        failure = self._last_failure
        return failure is not None and failure.meaning.absent

    @property
    def was_refused(self) -> bool:
        """Whether the site refused the last visit, or robots.txt forbade it."""
        failure = self._last_failure
        return failure is not None and failure.meaning.outcome in (Outcome.BLOCKED, Outcome.ROBOTS_BLOCKED)

    @property
    def _last_failure(self) -> FailureCode | None:
        outcome, _, reason = (self.last_status or "").partition(":")
        return failures.of_task(outcome, reason or None)

    def headers_for(self, url: str) -> dict[str, str]:
        """The source's own request headers (P-036): all of them to its own origin, those that hold no secret to other
        hosts of its domain, none anywhere else (DESIGN §11.35)."""
        given = self.config.get("customHeaders")
        if not isinstance(given, dict) or self.source_url is None:
            return {}
        headers = {str(name): str(value) for name, value in given.items()}
        if origin_of(url) == origin_of(self.source_url):
            return headers
        if domain_of(url) != domain_of(self.source_url):
            return {}
        return {name: value for name, value in headers.items() if not is_secret_name(name)}

    def wants_picture(self, default: bool) -> bool:
        given = self.config.get("images")
        return given if isinstance(given, bool) else default

    def known(self, route: Route, needs_browser: bool) -> Known:
        """What decides about the way its page is fetched."""
        tiers, configured = self.tier_config.get("tiers"), self.config.get("fetcherType")
        return Known(
            route=route,
            configured=configured if isinstance(configured, str) else None,
            tiers=[str(tier) for tier in tiers] if isinstance(tiers, list) else None,
            needs_browser=needs_browser,
            preferred=self.preferred_fetcher,
            learnt_at=self.fetcher_learnt_at,
        )

    @property
    def follow(self) -> tuple[Role, ...]:
        """The roles of links that its source wants followed."""
        return () if self.following is None else tuple(Role(role) for role in self.following.wanted)

    @property
    def following(self) -> BudgetUse | None:
        """How far its run may follow links, and has; None where it follows none."""
        return None if self.progress is None else msgspec.convert(self.progress, BudgetUse)

    @property
    def follow_domains(self) -> list[str]:
        """Other domains than their own that links of its pages may lead to."""
        given = self.config.get("followDomains")
        return [str(domain) for domain in given] if isinstance(given, list) else []

    @property
    def guesses_feeds(self) -> bool:
        """Whether feeds that its pages do not name are looked for where their systems keep them (E-050)."""
        return self.tier_config.get("feedGuessing") is True

    @property
    def selectors(self) -> tuple[SelectorSet, ...]:
        """Those that are kept for the list of its pages (E-058)."""
        return msgspec.convert(tuple(self.selector_sets), tuple[SelectorSet, ...])

    @property
    def days(self) -> tuple[AnsweredDay, ...]:
        """What a language model said of days that the rules cannot read (E-061)."""
        return msgspec.convert(tuple(self.answered_days), tuple[AnsweredDay, ...])

    @property
    def exit(self) -> ProxyWish:
        return wish_of(self.config)

    @property
    def chosen(self) -> Choice | None:
        """The variant or the place of the price that a person chose for the target."""
        return None if self.choice is None else msgspec.convert(self.choice, Choice)

    @property
    def currency(self) -> str | None:
        """What the source sells in, where its pages only say `$`."""
        given = self.config.get("currency")
        return given if isinstance(given, str) else None

    @property
    def assume_in_stock(self) -> bool:
        """Whether a page of the source that says nothing about stock is taken as in stock."""
        return self.config.get("assumeInStock") is True


async def briefs(conn: AsyncConnection[Any], tasks: Sequence[Claimed]) -> dict[UUID, Brief]:
    given = {
        "id": [t.id for t in tasks],
        "target_id": [t.target_id for t in tasks],
        "source_id": [t.source_id for t in tasks],
        "origin": [t.origin for t in tasks],
        "lane": [t.lane for t in tasks],
        "adapter_id": [t.adapter_id for t in tasks],
        "run_id": [t.run_id for t in tasks],
    }
    async with conn.cursor(row_factory=class_row(Brief)) as cursor:
        await cursor.execute(BRIEF, given)
        return {brief.id: brief for brief in await cursor.fetchall()}
