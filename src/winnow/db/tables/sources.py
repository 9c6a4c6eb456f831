"""What we may watch: retailers, sources, targets.

Written by `sources/` only.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import (
    CHAR,
    BigInteger,
    CheckConstraint,
    Double,
    ForeignKey,
    Index,
    Interval,
    SmallInteger,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table

# Any word of a registered kind (kinds/registry.py); which ones there are is checked at the doors.
ANY_KIND = "kind ~ '^[a-z][a-z_]{0,31}$'"
STRATEGIES = "'adapter','hydration','json_ld','microdata','feed','dom'"

# F-004, F-134; how each writes its catalogues is in vocabulary/data/columns.json.
NETWORKS = "'IMPACT','AVANTLINK','CJ','RAKUTEN','SHAREASALE','AWIN','GOOGLE'"


class Retailer(Table):
    """Who sells. One source of a retailer may be its display primary (F-022)."""

    __tablename__ = "retailers"

    id: Mapped[Serial]
    name: Mapped[str] = mapped_column(unique=True)
    website: Mapped[str | None]
    domain: Mapped[str | None]
    created_at: Mapped[Moment]
    updated_at: Mapped[Moment]

    __table_args__ = (CheckConstraint("btrim(name) <> ''", name="name"),)


class SourceIdentity:
    """What the source is, whose it is, and how it earns (F-020 … F-022, F-112)."""

    id: Mapped[Serial]
    name: Mapped[str]
    url: Mapped[str]
    domain: Mapped[str]
    kind: Mapped[str] = mapped_column(server_default="offer")
    retailer_id: Mapped[int | None] = mapped_column(ForeignKey("retailers.id"))
    source_kind: Mapped[str] = mapped_column(server_default="DIRECT")
    is_display_primary: Mapped[bool] = mapped_column(server_default=text("false"))
    affiliate_network: Mapped[str | None]
    affiliate_account_id: Mapped[str | None]
    affiliate_account_name: Mapped[str | None]
    affiliate_tracking_template: Mapped[str | None]


class SourceBehaviour:
    """How it is fetched and read, and what a person allowed (P-066, P-103, E-050, E-097).

    `scrape_config` keeps the document's keys: rateLimit, fetcherType, customHeaders (P-066).
    `robots_compliant` false blocks every target of the source (P-052).
    """

    adapter_id: Mapped[str | None]
    scrape_config: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    tier_config: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    tos_reviewed_at: Mapped[datetime | None]
    tos_approved_by: Mapped[str | None]
    robots_compliant: Mapped[bool] = mapped_column(server_default=text("true"))
    enabled: Mapped[bool] = mapped_column(server_default=text("true"))
    auto_disabled: Mapped[bool] = mapped_column(server_default=text("false"))
    paused: Mapped[bool] = mapped_column(server_default=text("false"))
    needs_review: Mapped[bool] = mapped_column(server_default=text("false"))
    review_reason: Mapped[str | None]
    schedule: Mapped[str | None]
    priority: Mapped[int] = mapped_column(server_default="0")
    tier: Mapped[str] = mapped_column(server_default="standard")
    deep_scrape_enabled: Mapped[bool] = mapped_column(server_default=text("false"))
    default_latitude: Mapped[float | None] = mapped_column(Double)
    default_longitude: Mapped[float | None] = mapped_column(Double)
    timezone: Mapped[str | None]
    locale: Mapped[str | None]
    notes: Mapped[str | None]


class SourceStatistics:
    """What was learnt about it: the strategy that wins (E-053), the fetcher that works (E-036).

    `answered_days` is what a language model said of days that the rules cannot read, the newest first (E-061).
    `winning_method` and `winning_count` are the wins in a row that lead to a preference, `selector_sets` what matched
    the entries of its list, the newest first (E-058).
    How its runs went is not kept here but derived from them, by the view source_health_status (E-028).
    """

    preferred_method: Mapped[str | None]
    winning_method: Mapped[str | None]
    winning_count: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    answered_days: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default=text("'[]'::jsonb"))
    selector_sets: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default=text("'[]'::jsonb"))
    healing_asked_at: Mapped[datetime | None]
    preferred_fetcher: Mapped[str | None]
    detected_cms: Mapped[str | None]
    discovery_confidence: Mapped[float | None] = mapped_column(Double)
    created_at: Mapped[Moment]
    updated_at: Mapped[Moment]
    created_by: Mapped[str | None]
    fetcher_learnt_at: Mapped[datetime | None]


class Source(SourceIdentity, SourceBehaviour, SourceStatistics, Table):
    __tablename__ = "sources"
    __table_args__ = (
        CheckConstraint(ANY_KIND, name="kind"),
        CheckConstraint("source_kind IN ('DIRECT','AFFILIATE_FEED','OTHER')", name="source_kind"),
        # DESIGN §11.3: only what is sold needs a seller; F-020: an affiliate source always has one.
        CheckConstraint(
            "retailer_id IS NOT NULL OR (kind <> 'offer' AND source_kind <> 'AFFILIATE_FEED')",
            name="retailer",
        ),
        CheckConstraint(f"affiliate_network IN ({NETWORKS})", name="affiliate_network"),
        CheckConstraint(f"preferred_method IN ({STRATEGIES})", name="preferred_method"),
        CheckConstraint(f"winning_method IN ({STRATEGIES})", name="winning_method"),
        CheckConstraint("preferred_fetcher IN ('static','dynamic','scrapingbee')", name="preferred_fetcher"),
        CheckConstraint("discovery_confidence BETWEEN 0 AND 1", name="discovery_confidence"),
        CheckConstraint("(default_latitude IS NULL) = (default_longitude IS NULL)", name="default_coordinates_pair"),
        CheckConstraint(
            "default_latitude BETWEEN -90 AND 90 AND default_longitude BETWEEN -180 AND 180",
            name="default_coordinates",
        ),
        Index("sources_retailer_id_idx", "retailer_id"),
        Index(
            "sources_one_primary_per_retailer",
            "retailer_id",
            unique=True,
            postgresql_where=text("is_display_primary"),
        ),
        Index("idx_sources_domain", "domain"),
    )


class ScrapeTarget(Table):
    """One URL of a source: the allow-list of the prices job (P-001), and what recurs (DESIGN §11.1).

    `priority` is the document's (higher first, default 0); the catalogue's 1 … 10 is 5 - priority.
    `next_crawl_at` is when it is due next, whether by cron (`schedule`) or by `crawl_frequency`
    (C-018); NULL means only by hand. `last_*`, `etag` and `content_hash` make requests conditional
    and let unchanged pages be skipped (DESIGN §11.17). The retailer is the source's (P-060).
    """

    __tablename__ = "scrape_targets"

    id: Mapped[Serial]
    url: Mapped[str]
    canonical_url: Mapped[str]
    url_hash: Mapped[str] = mapped_column(CHAR(64))
    domain: Mapped[str]
    kind: Mapped[str] = mapped_column(server_default="offer")
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    adapter_id: Mapped[str]
    source_product_id: Mapped[int | None] = mapped_column(ForeignKey("source_products.id", ondelete="SET NULL"))
    # The run whose pages led to it; NULL: somebody gave it. What a run found is visited when a page leads there again.
    found_by_run_id: Mapped[int | None] = mapped_column(BigInteger)
    schedule: Mapped[str | None]
    crawl_frequency: Mapped[timedelta | None] = mapped_column(Interval)
    # The longest time between two visits by cron or interval, written with them; NULL: visited only by hand.
    expected_every: Mapped[timedelta | None] = mapped_column(Interval)
    next_crawl_at: Mapped[datetime | None]
    # Why it is due then (C-020): its cadence, a change that was seen, a person, or what has to be confirmed.
    due_because: Mapped[str] = mapped_column(server_default="time")
    # The interval follows the changes of the record between these two (sources/revisit.py); NULL: it is fixed.
    revisit_least: Mapped[timedelta | None] = mapped_column(Interval)
    revisit_most: Mapped[timedelta | None] = mapped_column(Interval)
    data_changed_at: Mapped[datetime | None]
    visits_changed: Mapped[int] = mapped_column(server_default="0")
    visits_same: Mapped[int] = mapped_column(server_default="0")  # in a row, since the last change
    # Clicks, watches and reads of its offers within 30 days (C-021), counted by upkeep.
    popularity: Mapped[int] = mapped_column(server_default="0")
    max_attempts: Mapped[int | None] = mapped_column(SmallInteger)
    priority: Mapped[int] = mapped_column(server_default="0")
    status: Mapped[str] = mapped_column(server_default="ACTIVE")
    enabled: Mapped[bool] = mapped_column(server_default=text("true"))
    # PN-01: true blocks this URL, false inherits; it never lifts a block of the domain.
    robots_path_blocked: Mapped[bool] = mapped_column(server_default=text("false"))
    last_task_id: Mapped[UUID | None]
    last_page_id: Mapped[UUID | None]
    last_scraped_at: Mapped[datetime | None]
    last_status: Mapped[str | None]
    last_error: Mapped[str | None]
    last_adapter_version: Mapped[str | None]
    last_verdict: Mapped[str | None]
    last_accepted: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    last_held: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    last_rejected: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    etag: Mapped[str | None]
    last_modified: Mapped[str | None]
    content_hash: Mapped[str | None]
    last_changed_at: Mapped[datetime | None]
    # When a body arrived last, and how many visits ended without one (304) since then.
    full_fetch_at: Mapped[datetime | None]
    not_modified_count: Mapped[int] = mapped_column(server_default="0")
    unchanged_count: Mapped[int] = mapped_column(server_default="0")
    consecutive_failures: Mapped[int] = mapped_column(server_default="0")
    created_at: Mapped[Moment]
    updated_at: Mapped[Moment]
    created_by: Mapped[str | None]
    notes: Mapped[str | None]
    # The variant or the place of the price that a person chose (extract/target_choice.py).
    choice: Mapped[dict[str, Any] | None]

    __table_args__ = (
        UniqueConstraint("source_id", "canonical_url"),
        CheckConstraint("status IN ('ACTIVE','PAUSED','BROKEN','STALE')", name="status"),
        CheckConstraint(ANY_KIND, name="kind"),
        CheckConstraint("last_verdict IN ('accept','hold','reject')", name="last_verdict"),
        CheckConstraint("url_hash ~ '^[0-9a-f]{64}$'", name="url_hash"),
        CheckConstraint("crawl_frequency > interval '0'", name="crawl_frequency"),
        CheckConstraint("expected_every > interval '0'", name="expected_every"),
        CheckConstraint("due_because IN ('time','change','hand','confirm')", name="due_because"),
        CheckConstraint("(revisit_least IS NULL) = (revisit_most IS NULL)", name="revisit_pair"),
        CheckConstraint("revisit_least > interval '0' AND revisit_least <= revisit_most", name="revisit"),
        CheckConstraint("max_attempts BETWEEN 1 AND 10", name="max_attempts"),
        CheckConstraint(
            "consecutive_failures >= 0 AND unchanged_count >= 0 AND not_modified_count >= 0", name="counts"
        ),
        Index("idx_scrape_targets_source", "source_id"),
        Index("idx_scrape_targets_adapter", "adapter_id"),
        Index("idx_scrape_targets_status", "status"),
        Index("idx_scrape_targets_schedule", "schedule", postgresql_where=text("enabled")),
        Index(
            "idx_scrape_targets_next_crawl_at",
            "next_crawl_at",
            postgresql_where=text("enabled AND status = 'ACTIVE'"),
        ),
        # C-022: in the catalogue a URL has one row, whatever source it was submitted under.
        Index(
            "idx_scrape_targets_url_hash",
            "url_hash",
            unique=True,
            postgresql_where=text("kind = 'product'"),
        ),
        Index("idx_scrape_targets_source_url_hash", "source_id", "url_hash"),
        Index("idx_scrape_targets_domain", "domain"),
        Index(
            "idx_scrape_targets_source_product_id",
            "source_product_id",
            postgresql_where=text("source_product_id IS NOT NULL"),
        ),
        {"postgresql_with": {"fillfactor": "80"}},
    )


class CrawlBatch(Table):
    """URLs that were submitted together (C-005), and whether they may be visited.

        running ⇄ paused, both ─▶ stopped

    Its targets go on recurring after it; a URL that is submitted again belongs to both batches.
    """

    __tablename__ = "crawl_batches"

    id: Mapped[Serial]
    state: Mapped[str] = mapped_column(server_default="running")
    note: Mapped[str | None]
    requested_by: Mapped[str]
    created_at: Mapped[Moment]
    updated_at: Mapped[Moment]

    __table_args__ = (CheckConstraint("state IN ('running','paused','stopped')", name="state"),)


class CrawlBatchTarget(Table):
    """A target of a batch; `created`: it was not known before."""

    __tablename__ = "crawl_batch_targets"

    batch_id: Mapped[int] = mapped_column(
        ForeignKey("crawl_batches.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    target_id: Mapped[int] = mapped_column(
        ForeignKey("scrape_targets.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    created: Mapped[bool]

    __table_args__ = (Index("idx_crawl_batch_targets_target_id", "target_id"),)
