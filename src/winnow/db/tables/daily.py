"""The daily run of event sources. Written by `schedule/` only."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Date, Double, ForeignKey, Index, SmallInteger, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table


class DailyRun(Table):
    """All event sources visited together, once a day or when a person asks (E-024, E-080). `day` is that of the
    installation's time zone; a day has one scheduled run. `workers` is how many sources are visited at the same time
    (E-030), `summary` what is told when it is over (E-081)."""

    __tablename__ = "daily_runs"

    id: Mapped[Serial]
    run_id: Mapped[UUID] = mapped_column(unique=True)
    day: Mapped[date] = mapped_column(Date)
    trigger: Mapped[str]
    requested_by: Mapped[str | None]
    status: Mapped[str] = mapped_column(server_default="RUNNING")
    workers: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    started_at: Mapped[Moment]
    completed_at: Mapped[datetime | None]
    summary: Mapped[dict[str, Any] | None] = mapped_column(JSONB)

    __table_args__ = (
        CheckConstraint("trigger IN ('SCHEDULED','MANUAL')", name="trigger"),
        CheckConstraint("status IN ('RUNNING','COMPLETED')", name="status"),
        CheckConstraint(
            "(status = 'COMPLETED') = (completed_at IS NOT NULL AND summary IS NOT NULL)", name="completed"
        ),
        CheckConstraint("workers BETWEEN 0 AND 10", name="workers"),
        Index("daily_runs_one_a_day", "day", unique=True, postgresql_where=text("trigger = 'SCHEDULED'")),
        Index("daily_runs_one_at_a_time", "status", unique=True, postgresql_where=text("status = 'RUNNING'")),
        Index("idx_daily_runs_started_at", "started_at"),
    )


class DailyRunSource(Table):
    """One source in a daily run: it waits for its turn by `position`, was started as `scrape_run_id`, or was left out
    for a `reason` that holds `until` a moment (E-025, E-026)."""

    __tablename__ = "daily_run_sources"

    daily_run_id: Mapped[int] = mapped_column(ForeignKey("daily_runs.id", ondelete="CASCADE"), primary_key=True)
    source_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    position: Mapped[int]
    priority_score: Mapped[float] = mapped_column(Double)
    state: Mapped[str]
    reason: Mapped[str | None]
    until: Mapped[datetime | None]
    scrape_run_id: Mapped[int | None] = mapped_column(BigInteger)

    __table_args__ = (
        CheckConstraint("state IN ('waiting','started','left_out')", name="state"),
        CheckConstraint("(state = 'left_out') = (reason IS NOT NULL)", name="reason"),
        CheckConstraint("(state = 'started') = (scrape_run_id IS NOT NULL)", name="started"),
        Index("idx_daily_run_sources_waiting", "daily_run_id", "position", postgresql_where=text("state = 'waiting'")),
        Index("idx_daily_run_sources_source_id", "source_id"),
        Index(
            "idx_daily_run_sources_scrape_run_id",
            "scrape_run_id",
            postgresql_where=text("scrape_run_id IS NOT NULL"),
        ),
    )
