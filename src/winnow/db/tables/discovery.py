"""Where new event sources are looked for, and what was found. Written by `sources/` only."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    ARRAY,
    CHAR,
    CheckConstraint,
    Double,
    ForeignKey,
    Index,
    SmallInteger,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table


class Municipality(Table):
    """Where event sources are looked for, largest first (E-013)."""

    __tablename__ = "municipalities"

    id: Mapped[Serial]
    name: Mapped[str]
    region: Mapped[str] = mapped_column(server_default="")
    country: Mapped[str] = mapped_column(CHAR(2), server_default="NL")
    population: Mapped[int] = mapped_column(server_default="0")
    latitude: Mapped[float] = mapped_column(Double)
    longitude: Mapped[float] = mapped_column(Double)
    enabled: Mapped[bool] = mapped_column(server_default=text("true"))
    last_searched_at: Mapped[datetime | None]
    created_at: Mapped[Moment]

    __table_args__ = (
        UniqueConstraint("country", "region", "name"),
        CheckConstraint("latitude BETWEEN -90 AND 90 AND longitude BETWEEN -180 AND 180", name="coordinates"),
        CheckConstraint("population >= 0", name="population"),
        Index("idx_municipalities_last_searched_at", "last_searched_at", postgresql_where=text("enabled")),
    )


class DiscoveryJob(Table):
    """One search for sources in one municipality (E-014), or one page whose links are looked at. `checkpoint` counts
    the queries that are done (E-020), `results` is what they brought, by query: the cache of E-019. Whoever works on it
    holds it until `lease_until`; one that died is followed by the next."""

    __tablename__ = "discovery_jobs"

    id: Mapped[Serial]
    municipality_id: Mapped[int | None] = mapped_column(ForeignKey("municipalities.id", ondelete="CASCADE"))
    seed_url: Mapped[str | None]
    municipality: Mapped[str | None]
    population: Mapped[int | None]
    latitude: Mapped[float | None] = mapped_column(Double)
    longitude: Mapped[float | None] = mapped_column(Double)
    search_queries: Mapped[list[str]] = mapped_column(ARRAY(Text), server_default=text("'{}'::text[]"))
    status: Mapped[str] = mapped_column(server_default="pending")
    priority: Mapped[int] = mapped_column(server_default="0")
    attempts: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    checkpoint: Mapped[int] = mapped_column(server_default="0")
    results: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'::jsonb"))
    sources_found: Mapped[int] = mapped_column(server_default="0")
    error_message: Mapped[str | None]
    next_attempt_at: Mapped[datetime | None]
    lease_until: Mapped[datetime | None]
    requested_by: Mapped[str | None]
    created_at: Mapped[Moment]
    started_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("status IN ('pending','processing','completed','failed')", name="status"),
        CheckConstraint("(municipality_id IS NULL) <> (seed_url IS NULL)", name="subject"),
        CheckConstraint(
            "municipality_id IS NULL OR (municipality IS NOT NULL AND population IS NOT NULL "
            "AND latitude IS NOT NULL AND longitude IS NOT NULL)",
            name="municipality",
        ),
        CheckConstraint("(status = 'processing') = (lease_until IS NOT NULL)", name="lease"),
        Index(
            "discovery_jobs_one_open_per_municipality",
            "municipality_id",
            unique=True,
            postgresql_where=text("status IN ('pending','processing')"),
        ),
        Index(
            "discovery_jobs_one_open_per_seed",
            "seed_url",
            unique=True,
            postgresql_where=text("status IN ('pending','processing')"),
        ),
        Index("idx_discovery_jobs_cache", "municipality_id", "completed_at"),
        Index("idx_discovery_jobs_open", "priority", "id", postgresql_where=text("status IN ('pending','processing')")),
    )


class DiscoveryCandidate(Table):
    """A page that may be an agenda, by its address: once looked at, never proposed twice. One that is an agenda has a
    disabled source that waits for a person (E-018); one that is none, or cannot be reached, is kept with its reason
    (E-022)."""

    __tablename__ = "discovery_candidates"

    id: Mapped[Serial]
    url: Mapped[str]
    url_hash: Mapped[str] = mapped_column(CHAR(64), unique=True)
    domain: Mapped[str]
    title: Mapped[str] = mapped_column(server_default="")
    municipality_id: Mapped[int | None] = mapped_column(ForeignKey("municipalities.id", ondelete="SET NULL"))
    job_id: Mapped[int | None] = mapped_column(ForeignKey("discovery_jobs.id", ondelete="SET NULL"))
    found_by: Mapped[str]
    found_at: Mapped[str]
    status: Mapped[str]
    reason: Mapped[str | None]
    confidence: Mapped[float | None] = mapped_column(Double)
    judged_by: Mapped[str | None]
    events: Mapped[int] = mapped_column(server_default="0")
    source_id: Mapped[int | None] = mapped_column(ForeignKey("sources.id", ondelete="SET NULL"))
    examined_at: Mapped[Moment]
    created_at: Mapped[Moment]
    decided_at: Mapped[datetime | None]
    decided_by: Mapped[str | None]

    __table_args__ = (
        CheckConstraint("status IN ('pending','accepted','rejected','not_added')", name="status"),
        CheckConstraint("status <> 'not_added' OR reason IS NOT NULL", name="reason"),
        CheckConstraint("found_by IN ('search','seed','sitemap','link')", name="found_by"),
        CheckConstraint("judged_by IN ('rules','llm')", name="judged_by"),
        CheckConstraint("confidence BETWEEN 0 AND 1", name="confidence"),
        Index("idx_discovery_candidates_status", "status", "id"),
        Index("idx_discovery_candidates_source_id", "source_id"),
        Index("idx_discovery_candidates_job_id", "job_id"),
        Index("idx_discovery_candidates_domain", "domain"),
        Index("idx_discovery_candidates_municipality_id", "municipality_id"),
    )
