"""Fetched bytes and what decided about fetching them. Written by `fetch/` (through run/)."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Index, Integer, LargeBinary, SmallInteger, text
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table

OUTCOMES = "'ok','error','blocked','timeout','too_large','robots_blocked','incomplete','refused'"


class Page(Table):
    """One fetch and, when it brought a body, where that body is archived (E-102).

    `decision` is why the fetch was allowed or not: lane, grant time and the robots rule that
    matched (DESIGN: the decision and its reason are stored with every fetch).
    """

    __tablename__ = "pages"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    task_id: Mapped[UUID | None]
    source_id: Mapped[int | None] = mapped_column(BigInteger)
    target_id: Mapped[int | None] = mapped_column(BigInteger)
    url: Mapped[str]
    final_url: Mapped[str]
    outcome: Mapped[str]
    status_code: Mapped[int | None] = mapped_column(SmallInteger)
    fetcher_used: Mapped[str] = mapped_column(server_default="static")
    is_failover: Mapped[bool] = mapped_column(server_default=text("false"))
    fetch_duration_ms: Mapped[int] = mapped_column(Integer)
    content_hash: Mapped[str | None]
    body_bytes: Mapped[int | None] = mapped_column(Integer)
    stored_bytes: Mapped[int | None] = mapped_column(Integer)
    charset: Mapped[str | None]
    content_type: Mapped[str | None]
    etag: Mapped[str | None]
    last_modified: Mapped[str | None]
    error_class: Mapped[str | None]
    decision: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    screenshot_hash: Mapped[str | None]
    body_deleted_at: Mapped[datetime | None]
    created_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint(f"outcome IN ({OUTCOMES})", name="outcome"),
        CheckConstraint("fetcher_used IN ('static','dynamic','scrapingbee')", name="fetcher_used"),
        Index("idx_pages_content_hash", "source_id", "content_hash"),
        Index("idx_pages_hash", "content_hash", postgresql_where=text("body_deleted_at IS NULL")),
        Index("idx_pages_screenshot_hash", "screenshot_hash", postgresql_where=text("screenshot_hash IS NOT NULL")),
        Index(
            "idx_pages_body",
            "created_at",
            postgresql_where=text("content_hash IS NOT NULL AND body_deleted_at IS NULL"),
        ),
        Index("idx_pages_target_id", "target_id", "created_at", postgresql_where=text("target_id IS NOT NULL")),
        Index("idx_pages_task_id", "task_id"),
        Index("idx_pages_created_at", "created_at"),
    )


class Robots(Table):
    """robots.txt of one origin as last fetched: shared by all processes, one refresh at a time."""

    __tablename__ = "robots"

    origin: Mapped[str] = mapped_column(primary_key=True)
    domain: Mapped[str]
    state: Mapped[str]
    body: Mapped[bytes | None] = mapped_column(LargeBinary)
    status_code: Mapped[int | None] = mapped_column(SmallInteger)
    error_class: Mapped[str | None]
    failures: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    crawl_delay_seconds: Mapped[float | None]
    fetched_at: Mapped[datetime | None]
    expires_at: Mapped[datetime]
    refreshing_until: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("state IN ('unknown','rules','allow_all','unreachable')", name="state"),
        CheckConstraint("state <> 'rules' OR body IS NOT NULL", name="rules_have_body"),
        Index("idx_robots_domain", "domain"),
    )


class Proxy(Table):
    """An exit for requests (C-037 … C-039). The password is encrypted; "direct" needs no row."""

    __tablename__ = "proxies"

    id: Mapped[Serial]
    proxy_url: Mapped[str]
    proxy_port: Mapped[int]
    proxy_protocol: Mapped[str] = mapped_column(server_default="http")
    proxy_username: Mapped[str | None]
    proxy_password: Mapped[bytes | None] = mapped_column(LargeBinary)
    region: Mapped[str | None]
    is_active: Mapped[bool] = mapped_column(server_default=text("true"))
    is_healthy: Mapped[bool] = mapped_column(server_default=text("true"))
    failure_count: Mapped[int] = mapped_column(server_default="0")
    success_count: Mapped[int] = mapped_column(BigInteger, server_default="0")
    total_failure_count: Mapped[int] = mapped_column(BigInteger, server_default="0")
    last_used_at: Mapped[datetime | None]
    last_success_at: Mapped[datetime | None]
    last_failure_at: Mapped[datetime | None]
    last_checked_at: Mapped[datetime | None]
    avg_response_time_ms: Mapped[int | None]
    from_settings: Mapped[bool] = mapped_column(server_default=text("false"))
    created_at: Mapped[Moment]
    updated_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("proxy_protocol IN ('http','https','socks5')", name="proxy_protocol"),
        CheckConstraint("proxy_port BETWEEN 1 AND 65535", name="proxy_port"),
        Index("idx_proxies_is_active", "is_active"),
        Index("idx_proxies_last_used_at", "last_used_at"),
        Index("idx_proxies_failure_count", "failure_count"),
        Index(
            "proxies_endpoint_key",
            "proxy_protocol",
            "proxy_url",
            "proxy_port",
            "proxy_username",
            unique=True,
            postgresql_nulls_not_distinct=True,
        ),
    )


class ProxyUse(Table):
    """When a proxy last served a domain (cooldown, S-112) and how often in the window (C-064)."""

    __tablename__ = "proxy_uses"

    proxy_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    domain: Mapped[str] = mapped_column(primary_key=True)
    last_used_at: Mapped[datetime]
    window_start: Mapped[datetime]
    request_count: Mapped[int] = mapped_column(server_default="0")
