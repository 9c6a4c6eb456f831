"""Affiliate catalogues: what to fetch, every run of it, and what each run saw. Written by `feeds/`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    desc,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.sql.elements import conv

from winnow.db.tables import Moment, Serial, Table
from winnow.db.tables.sources import NETWORKS


class AffiliateFeed(Table):
    """How one affiliate source is ingested (F-003 … F-010); the source is its commercial identity.

    `manual_run_requested_at` tells a click made during a run from one before it (FN-02).
    `transport` FILE reads from the allow-listed folder only (DESIGN §11.21).
    """

    __tablename__ = "affiliate_feeds"

    id: Mapped[Serial]
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id"), unique=True)
    network: Mapped[str] = mapped_column(server_default="IMPACT")
    status: Mapped[str] = mapped_column(server_default="DRAFT")
    schedule_frequency_hours: Mapped[int | None]
    schedule_cron: Mapped[str | None]
    next_run_at: Mapped[datetime | None]
    expiry_hours: Mapped[int] = mapped_column(server_default="48")
    heartbeat_hours: Mapped[int] = mapped_column(server_default="24")
    consecutive_failures: Mapped[int] = mapped_column(server_default="0")
    last_run_at: Mapped[datetime | None]
    manual_run_pending: Mapped[bool] = mapped_column(server_default=text("false"))
    manual_run_requested_at: Mapped[datetime | None]
    transport: Mapped[str] = mapped_column(server_default="SFTP")
    host: Mapped[str | None]
    port: Mapped[int | None]
    path: Mapped[str | None]
    username: Mapped[str | None]
    host_key_fingerprint: Mapped[str | None]
    secret_ciphertext: Mapped[bytes | None] = mapped_column(LargeBinary)
    secret_key_id: Mapped[str | None]
    secret_version: Mapped[int] = mapped_column(server_default="1")
    format: Mapped[str] = mapped_column(server_default="CSV")
    compression: Mapped[str] = mapped_column(server_default="NONE")
    # How the file differs from what is found out by looking at it; `column_overrides`: field of a row -> column.
    encoding: Mapped[str | None]
    delimiter: Mapped[str | None]
    default_currency: Mapped[str] = mapped_column(server_default="USD")
    column_overrides: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    # Address of an offer whose file has none, with {column} for a cell: exports of shop systems have handles.
    url_template: Mapped[str | None]
    # INCREMENTAL: the file names additions, updates and deletions; what it does not name stays as it is.
    update_mode: Mapped[str] = mapped_column(server_default="FULL")
    last_remote_mtime: Mapped[datetime | None]
    last_remote_size: Mapped[int | None] = mapped_column(BigInteger)
    last_content_hash: Mapped[str | None]
    max_file_size_bytes: Mapped[int | None] = mapped_column(BigInteger)
    max_row_count: Mapped[int | None]
    # F-008: the only key advisory locks use; nobody sets it by hand.
    feed_lock_id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), unique=True)
    # What holds for every offer that is in step with its feed (docs/decisions/presence-in-step.md): the
    # last complete run saw it, the last promoted run activated it.
    current_seen_at: Mapped[datetime | None]
    current_seen_run_id: Mapped[int | None] = mapped_column(BigInteger)
    promoted_at: Mapped[datetime | None]
    promoted_run_id: Mapped[int | None] = mapped_column(BigInteger)
    # The run whose rows are in the tables; while it is not the promoted one, consumers see what was there before it.
    loaded_run_id: Mapped[int | None] = mapped_column(BigInteger)
    # F-135: the file of each run is kept as long as the run.
    keep_files: Mapped[bool] = mapped_column(server_default=text("false"))
    refresh_unchanged: Mapped[bool] = mapped_column(server_default=text("false"))
    url_normalization_mode: Mapped[str] = mapped_column(server_default="PRESERVE_PATH_CASE")
    stale_alerted_at: Mapped[datetime | None]
    # Why its status is what it is, when the system decided it (F-137).
    status_reason: Mapped[str | None]
    # F-139: offers up to this one were shown to the resolver when they were new.
    linked_through_id: Mapped[int] = mapped_column(BigInteger, server_default="0")
    created_at: Mapped[Moment]
    updated_at: Mapped[Moment]
    created_by: Mapped[str | None]

    __table_args__ = (
        CheckConstraint(f"network IN ({NETWORKS})", name="network"),
        CheckConstraint("status IN ('DRAFT','ENABLED','PAUSED','DISABLED')", name="status"),
        CheckConstraint("transport IN ('FTP','FTPS','SFTP','FILE','HTTPS')", name="transport"),
        CheckConstraint("format IN ('CSV','TSV','XML','JSON')", name="format"),
        CheckConstraint("compression IN ('NONE','GZIP','ZIP')", name="compression"),
        CheckConstraint("update_mode IN ('FULL','INCREMENTAL')", name="update_mode"),
        CheckConstraint("schedule_frequency_hours IN (1,2,4,6,12,24)", name="schedule_frequency_hours"),
        CheckConstraint("schedule_frequency_hours IS NULL OR schedule_cron IS NULL", name="one_schedule"),
        CheckConstraint("expiry_hours BETWEEN 1 AND 168", name=conv("expiry_hours_range")),
        CheckConstraint("heartbeat_hours >= 1", name="heartbeat_hours"),
        CheckConstraint("port BETWEEN 1 AND 65535", name="port"),
        CheckConstraint(
            "url_normalization_mode IN ('PRESERVE_PATH_CASE','LOWERCASE_PATH')", name="url_normalization_mode"
        ),
        CheckConstraint("max_file_size_bytes > 0 AND max_row_count > 0", name="limits"),
        CheckConstraint("consecutive_failures >= 0 AND secret_version >= 1", name="counts"),
        # F-055: a feed that is paused or disabled is never due.
        CheckConstraint("next_run_at IS NULL OR status NOT IN ('PAUSED','DISABLED')", name="next_run_at"),
        Index("idx_affiliate_feeds_due", "next_run_at", postgresql_where=text("status = 'ENABLED'")),
    )


class RunCounts:
    """Figures of a run (F-014) and of its breaker (F-015)."""

    download_bytes: Mapped[int | None] = mapped_column(BigInteger)
    rows_read: Mapped[int | None]
    rows_parsed: Mapped[int | None]
    products_upserted: Mapped[int | None]
    products_expired: Mapped[int | None]
    products_rejected: Mapped[int | None]
    products_promoted: Mapped[int | None]
    prices_written: Mapped[int | None]
    error_count: Mapped[int] = mapped_column(Integer, server_default="0")
    duplicate_key_count: Mapped[int] = mapped_column(Integer, server_default="0")
    products_removed: Mapped[int] = mapped_column(Integer, server_default="0")
    unknown_stock_count: Mapped[int] = mapped_column(Integer, server_default="0")
    url_hash_fallback_count: Mapped[int | None]
    identity_upgrade_count: Mapped[int] = mapped_column(Integer, server_default="0")
    identity_flap_count: Mapped[int] = mapped_column(Integer, server_default="0")
    path_case_collision_count: Mapped[int] = mapped_column(Integer, server_default="0")
    active_count_before: Mapped[int | None]
    seen_success_count: Mapped[int | None]
    would_expire_count: Mapped[int | None]
    # Offers whose price is many times the price before, or a fraction of it.
    price_jump_count: Mapped[int | None]


class AffiliateFeedRun(RunCounts, Table):
    """One run (F-011 … F-017). `expiry_blocked` stays true after approval; pending means blocked and
    not approved (F-016)."""

    __tablename__ = "affiliate_feed_runs"

    id: Mapped[Serial]
    feed_id: Mapped[int] = mapped_column(ForeignKey("affiliate_feeds.id"))
    source_id: Mapped[int] = mapped_column(BigInteger)
    trigger: Mapped[str] = mapped_column(server_default="SCHEDULED")
    status: Mapped[str] = mapped_column(server_default="RUNNING")
    started_at: Mapped[Moment]
    finished_at: Mapped[datetime | None]
    duration_ms: Mapped[int | None] = mapped_column(BigInteger)
    expiry_hours_at_run: Mapped[int | None]
    expiry_blocked: Mapped[bool] = mapped_column(server_default=text("false"))
    expiry_blocked_reason: Mapped[str | None]
    expiry_approved_at: Mapped[datetime | None]
    expiry_approved_by: Mapped[str | None]
    is_partial: Mapped[bool] = mapped_column(server_default=text("false"))
    expiry_step_failed: Mapped[bool] = mapped_column(server_default=text("false"))
    skipped_reason: Mapped[str | None]
    error_code: Mapped[str | None]
    error_message: Mapped[str | None]
    artifact_url: Mapped[str | None]
    promoted_at: Mapped[datetime | None]
    # What promotion and the end of phase 1 replaced: a rollback puts it back (F-140).
    previous_seen_at: Mapped[datetime | None]
    previous_seen_run_id: Mapped[int | None] = mapped_column(BigInteger)
    previous_promoted_at: Mapped[datetime | None]
    previous_promoted_run_id: Mapped[int | None] = mapped_column(BigInteger)
    invalidated_at: Mapped[datetime | None]
    invalidated_by: Mapped[str | None]
    # The run that was loaded after this one was held and before anybody approved it.
    replaced_by_run_id: Mapped[int | None] = mapped_column(BigInteger)
    # Price changes of a promoted run are published up to this price; `changes_published_at`: all of them. Of a run that
    # was rolled back, those up to this price are still to be published the other way round.
    published_price_id: Mapped[int] = mapped_column(BigInteger, server_default="0")
    changes_published_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("trigger IN ('SCHEDULED','MANUAL','MANUAL_PENDING','ADMIN_TEST')", name="trigger"),
        CheckConstraint("status IN ('RUNNING','SUCCEEDED','FAILED')", name="status"),
        CheckConstraint("(status = 'RUNNING') = (finished_at IS NULL)", name="finished"),
        CheckConstraint(
            "expiry_blocked_reason IN ('SPIKE_THRESHOLD_EXCEEDED','DATA_QUALITY_URL_HASH_SPIKE','PRICE_JUMP')",
            name="expiry_blocked_reason",
        ),
        CheckConstraint("expiry_blocked = (expiry_blocked_reason IS NOT NULL)", name="expiry_blocked"),
        CheckConstraint(
            "(expiry_approved_at IS NULL) = (expiry_approved_by IS NULL)"
            " AND (expiry_approved_at IS NULL OR expiry_blocked)",
            name="expiry_approved",
        ),
        CheckConstraint("skipped_reason IN ('UNCHANGED_HASH','UNCHANGED_MTIME')", name="skipped_reason"),
        Index("affiliate_feed_runs_feed_started_idx", "feed_id", "started_at"),
        Index("affiliate_feed_runs_feed_trigger_started_idx", "feed_id", "trigger", "started_at"),
        Index("affiliate_feed_runs_feed_status_started_idx", "feed_id", "status", "started_at"),
        # F-114: clean-up by age, whatever the feed.
        Index("affiliate_feed_runs_started_idx", "started_at"),
        Index(
            "affiliate_feed_runs_unpublished_idx",
            "promoted_at",
            postgresql_where=text("promoted_at IS NOT NULL AND changes_published_at IS NULL"),
        ),
    )


class AffiliateFeedRunError(Table):
    """A row that could not be used, or the error that ended the run (F-019)."""

    __tablename__ = "affiliate_feed_run_errors"

    id: Mapped[Serial]
    run_id: Mapped[int] = mapped_column(ForeignKey("affiliate_feed_runs.id", ondelete="CASCADE"))
    code: Mapped[str]
    message: Mapped[str]
    row_number: Mapped[int | None]
    raw_row: Mapped[dict[str, Any] | None]
    created_at: Mapped[Moment]

    __table_args__ = (Index("affiliate_feed_run_errors_run_idx", "run_id"),)


class FeedRunSeen(Table):
    """Which offers a run saw, a part of them per row: staging for promotion, gone with its run (F-028).

    The view `source_product_seen` shows it one offer per row. A row per offer and run would cost a feed of
    500 000 rows more than its parsing.
    """

    __tablename__ = "feed_run_seen"

    run_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    part: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    source_product_ids: Mapped[list[int]] = mapped_column(ARRAY(BigInteger))
    created_at: Mapped[Moment]


class FeedRowMemory(Table):
    """The records of the last complete load: one that comes again unchanged is not loaded again.

    `entries` are 40 bytes each (feeds/read/memory.py): digest, identity, offer, when it was priced last. `salt` names
    what the digests were made with: another reader, another mapping or another header makes them worthless.
    """

    __tablename__ = "feed_row_memory"

    feed_id: Mapped[int] = mapped_column(
        ForeignKey("affiliate_feeds.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    part: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    run_id: Mapped[int] = mapped_column(BigInteger)
    salt: Mapped[str]
    entries: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[Moment]


class OfferBefore(Table):
    """An offer as it was before a run changed it: shown to consumers until the run is promoted, and restored when the
    run is taken back. Deleted when the next run is promoted."""

    __tablename__ = "offer_before"

    run_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    source_product_id: Mapped[int] = mapped_column(
        ForeignKey("source_products.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    title: Mapped[str]
    url: Mapped[str]
    image_url: Mapped[str | None]
    brand: Mapped[str | None]
    description: Mapped[str | None]
    category: Mapped[str | None]
    condition: Mapped[str | None]
    sku: Mapped[str | None]
    mpn: Mapped[str | None]
    impact_item_id: Mapped[str | None]
    normalized_url_hash: Mapped[str | None]
    gtin: Mapped[str | None]
    attributes: Mapped[dict[str, Any]]
    feed_run_id: Mapped[int | None] = mapped_column(BigInteger)

    __table_args__ = (Index("idx_offer_before_source_product_id", "source_product_id"),)


class OfferClick(Table):
    """A reader who followed an offer to its shop (F-136)."""

    __tablename__ = "offer_clicks"

    id: Mapped[Serial]
    source_product_id: Mapped[int] = mapped_column(ForeignKey("source_products.id", ondelete="CASCADE"))
    price_id: Mapped[int | None] = mapped_column(BigInteger)
    placement: Mapped[str | None]
    clicked_at: Mapped[Moment]

    __table_args__ = (Index("idx_offer_clicks_source_product_id", "source_product_id", desc("clicked_at")),)
