"""Telling others: what happened, who wants to know, and every attempt to tell them.

Written by `publish/`; `outbox` rows are added by the stage whose transaction they belong to.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    CHAR,
    BigInteger,
    CheckConstraint,
    Double,
    ForeignKey,
    Index,
    LargeBinary,
    SmallInteger,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table


class Outbox(Table):
    """A change, written in the transaction that made it (R-02). `key` keeps the order of one thing's
    changes; `endpoint_id` addresses one receiver instead of all that want the topic; `published_at` is
    set when its deliveries exist."""

    __tablename__ = "outbox"

    id: Mapped[Serial]
    topic: Mapped[str]
    key: Mapped[str]
    payload: Mapped[dict[str, Any]]
    endpoint_id: Mapped[int | None] = mapped_column(BigInteger)
    created_at: Mapped[Moment]
    published_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("topic <> ''", name="topic"),
        Index("idx_outbox_unpublished", "id", postgresql_where=text("published_at IS NULL")),
        Index("idx_outbox_published_at", "published_at", postgresql_where=text("published_at IS NOT NULL")),
    )


class WebhookEndpoint(Table):
    """Who wants to know, about which topics: `*`, a topic, or `prefix.*`; none: only what is addressed to it.
    Of alerts it hears those of its `severities`; with `source_ids` only what is about one of these; a consumer hears
    of offers only, and of those that consumers may see (P-092). The secret is sealed (R-23); a Slack address is one,
    so `url` shows only its origin. 410 disables (R-24)."""

    __tablename__ = "webhook_endpoints"

    id: Mapped[Serial]
    name: Mapped[str] = mapped_column(unique=True)
    channel: Mapped[str] = mapped_column(server_default="webhook")
    url: Mapped[str]
    topics: Mapped[list[str]] = mapped_column(ARRAY(Text), server_default=text("'{}'::text[]"))
    severities: Mapped[list[str]] = mapped_column(ARRAY(Text), server_default=text("'{P1,P2,P3}'::text[]"))
    secret_ciphertext: Mapped[bytes | None] = mapped_column(LargeBinary)
    secret_key_id: Mapped[str | None]
    secret_version: Mapped[int] = mapped_column(server_default="1")
    audience: Mapped[str] = mapped_column(server_default="operator")
    enabled: Mapped[bool] = mapped_column(server_default=text("true"))
    disabled_at: Mapped[datetime | None]
    disabled_reason: Mapped[str | None]
    consecutive_failures: Mapped[int] = mapped_column(server_default="0")
    created_at: Mapped[Moment]
    updated_at: Mapped[Moment]
    created_by: Mapped[str | None]
    source_ids: Mapped[list[int]] = mapped_column(ARRAY(BigInteger), server_default=text("'{}'::bigint[]"))

    __table_args__ = (
        CheckConstraint("channel IN ('webhook','slack')", name="channel"),
        CheckConstraint("audience IN ('operator','consumer')", name="audience"),
    )


class Delivery(Table):
    """One message to one receiver with its attempts (S-074, R-24). Without an endpoint it is the
    callback of a job (S-075). `message_id` is what the receiver sees and signatures cover: the same on
    every attempt and redelivery. `fence` counts claims; `receiver` is what is sent to side by side, the
    endpoint or the host of a callback."""

    __tablename__ = "deliveries"

    id: Mapped[Serial]
    message_id: Mapped[UUID] = mapped_column(unique=True)
    outbox_id: Mapped[int | None] = mapped_column(BigInteger)
    endpoint_id: Mapped[int | None] = mapped_column(ForeignKey("webhook_endpoints.id", ondelete="CASCADE"))
    job_id: Mapped[UUID | None]
    receiver: Mapped[str]
    key: Mapped[str]
    channel: Mapped[str] = mapped_column(server_default="webhook")
    url: Mapped[str]
    topic: Mapped[str]
    payload: Mapped[dict[str, Any]]
    status: Mapped[str] = mapped_column(server_default="pending")
    attempts: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    fence: Mapped[int] = mapped_column(BigInteger, server_default="0")
    next_attempt_at: Mapped[Moment]
    lease_until: Mapped[datetime | None]
    last_status_code: Mapped[int | None] = mapped_column(SmallInteger)
    last_error: Mapped[str | None]
    last_duration_ms: Mapped[int | None]
    created_at: Mapped[Moment]
    delivered_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("channel IN ('webhook','slack')", name="channel"),
        CheckConstraint("status IN ('pending','sending','delivered','dead')", name="status"),
        CheckConstraint("(status = 'delivered') = (delivered_at IS NOT NULL)", name="delivered"),
        CheckConstraint("(status = 'sending') = (lease_until IS NOT NULL)", name="leased"),
        Index("idx_deliveries_due", "receiver", "next_attempt_at", postgresql_where=text("status = 'pending'")),
        Index("idx_deliveries_leased", "receiver", "lease_until", postgresql_where=text("status = 'sending'")),
        Index(
            "idx_deliveries_open",
            "receiver",
            "key",
            "id",
            postgresql_where=text("status IN ('pending','sending')"),
        ),
        # The fan-out of one outbox row may be repeated after a crash: each receiver gets one delivery.
        Index(
            "deliveries_once_per_endpoint",
            "outbox_id",
            "endpoint_id",
            unique=True,
            postgresql_where=text("outbox_id IS NOT NULL"),
        ),
        # A job calls back once, however often its end is noticed.
        Index("deliveries_once_per_job", "job_id", unique=True, postgresql_where=text("job_id IS NOT NULL")),
        Index("idx_deliveries_status", "status", "created_at"),
    )


class Alert(Table):
    """Something a person should look at (P-099, E-083). One open alert per `dedupe_key`; the next
    occurrence is counted on it. `notified_at`: when others were last told, which keeps repeats quiet; before
    `silenced_until` they are not told at all."""

    __tablename__ = "alerts"

    id: Mapped[Serial]
    severity: Mapped[str]
    code: Mapped[str]
    dedupe_key: Mapped[str]
    title: Mapped[str]
    details: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    occurrences: Mapped[int] = mapped_column(server_default="1")
    notified_at: Mapped[datetime | None]
    opened_at: Mapped[Moment]
    last_seen_at: Mapped[Moment]
    acknowledged_at: Mapped[datetime | None]
    acknowledged_by: Mapped[str | None]
    resolved_at: Mapped[datetime | None]
    resolved_by: Mapped[str | None]
    silenced_until: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("severity IN ('P1','P2','P3')", name="severity"),
        CheckConstraint("(acknowledged_at IS NULL) = (acknowledged_by IS NULL)", name="acknowledged"),
        CheckConstraint("(resolved_at IS NULL) = (resolved_by IS NULL)", name="resolved"),
        Index("alerts_one_open", "dedupe_key", unique=True, postgresql_where=text("resolved_at IS NULL")),
        Index("idx_alerts_opened_at", "opened_at"),
        Index("idx_alerts_notified_at", "dedupe_key", "notified_at"),
    )


class Watch(Table):
    """What someone wants to hear about one target (CLI `watch URL`).

    The threshold is `threshold_minor` / 10^`threshold_exponent` of `currency`; without one, the currency of the
    first price seen is taken. `armed`: the next crossing is told; `reference_minor`: what a drop is measured
    from. Both follow the accepted prices, in their transaction.
    """

    __tablename__ = "watches"

    id: Mapped[Serial]
    target_id: Mapped[int] = mapped_column(ForeignKey("scrape_targets.id", ondelete="CASCADE"))
    condition: Mapped[str]
    threshold_minor: Mapped[int | None] = mapped_column(BigInteger)
    threshold_exponent: Mapped[int | None] = mapped_column(SmallInteger)
    currency: Mapped[str | None] = mapped_column(CHAR(3))
    drop_percent: Mapped[float | None] = mapped_column(Double)
    endpoint_id: Mapped[int | None] = mapped_column(ForeignKey("webhook_endpoints.id", ondelete="RESTRICT"))
    enabled: Mapped[bool] = mapped_column(server_default=text("true"))
    armed: Mapped[bool] = mapped_column(server_default=text("true"))
    reference_minor: Mapped[int | None] = mapped_column(BigInteger)
    last_fired_at: Mapped[datetime | None]
    fired_count: Mapped[int] = mapped_column(server_default="0")
    created_at: Mapped[Moment]
    created_by: Mapped[str | None]

    __table_args__ = (
        CheckConstraint("condition IN ('price_below','price_drop','back_in_stock','any_change')", name="condition"),
        CheckConstraint(
            "(condition = 'price_below') = (threshold_minor IS NOT NULL AND threshold_exponent IS NOT NULL)",
            name="price_below",
        ),
        CheckConstraint("threshold_minor >= 1 AND threshold_exponent BETWEEN 0 AND 4", name="threshold"),
        CheckConstraint("drop_percent > 0 AND drop_percent <= 100", name="drop_percent"),
        CheckConstraint("(condition = 'price_drop') = (drop_percent IS NOT NULL)", name="price_drop"),
        Index("idx_watches_target_id", "target_id", postgresql_where=text("enabled")),
        # Asked for twice, told once.
        UniqueConstraint(
            "target_id",
            "condition",
            "threshold_minor",
            "threshold_exponent",
            "drop_percent",
            "endpoint_id",
            name="watches_once",
            postgresql_nulls_not_distinct=True,
        ),
    )


class ExportCursor(Table):
    """How far a data set is loaded into another store (C-074). Everything changed before `since` is there; while a
    window is being loaded, `until` is its end and `after_id` the last row that arrived."""

    __tablename__ = "export_cursors"

    destination: Mapped[str] = mapped_column(primary_key=True)
    dataset: Mapped[str] = mapped_column(primary_key=True)
    since: Mapped[datetime | None]
    until: Mapped[datetime | None]
    after_id: Mapped[int | None] = mapped_column(BigInteger)
    row_count: Mapped[int] = mapped_column(BigInteger, server_default="0")
    updated_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("since < until", name="window"),
        CheckConstraint("after_id IS NULL OR until IS NOT NULL", name="after"),
    )
