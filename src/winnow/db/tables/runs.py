"""Runs, and the links that their pages lead on to. Written by `schedule/` only."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import CHAR, BigInteger, CheckConstraint, ForeignKey, Index, Interval, Numeric, SmallInteger, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table
from winnow.db.tables.schedule import TRIGGERS

ROLES = "'next_page','detail','feed','item','image','sitemap','listing','page','variant'"


class ScrapeRun(Table):
    """The tasks of one source started together, with counters (P-062, PN-04).

    `budget` says how far links are followed (schedule/budget.py); NULL where none are. Of the links found, each is
    waiting, queued or cut; `links_by_role` counts the queued ones, `links_cut_by` says why the others were cut.
    `stopping`: nothing more is queued for it; `paused`: its tasks wait until a person resumes it.
    """

    __tablename__ = "scrape_runs"

    id: Mapped[Serial]
    adapter_id: Mapped[str]
    adapter_version: Mapped[str] = mapped_column(server_default="")
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    retailer_id: Mapped[int | None] = mapped_column(ForeignKey("retailers.id"))
    trigger: Mapped[str] = mapped_column(server_default="SCHEDULED")
    status: Mapped[str] = mapped_column(server_default="RUNNING")
    started_at: Mapped[Moment]
    completed_at: Mapped[datetime | None]
    duration_ms: Mapped[int | None] = mapped_column(BigInteger)
    urls_planned: Mapped[int] = mapped_column(server_default="0")
    urls_attempted: Mapped[int] = mapped_column(server_default="0")
    urls_succeeded: Mapped[int] = mapped_column(server_default="0")
    urls_failed: Mapped[int] = mapped_column(server_default="0")
    urls_unchanged: Mapped[int] = mapped_column(server_default="0")
    urls_robots_blocked: Mapped[int] = mapped_column(server_default="0")
    urls_cancelled: Mapped[int] = mapped_column(server_default="0")
    offers_extracted: Mapped[int] = mapped_column(server_default="0")
    offers_valid: Mapped[int] = mapped_column(server_default="0")
    offers_dropped: Mapped[int] = mapped_column(server_default="0")
    offers_quarantined: Mapped[int] = mapped_column(server_default="0")
    oos_no_price_count: Mapped[int] = mapped_column(server_default="0")
    zero_price_count: Mapped[int] = mapped_column(server_default="0")
    unknown_availability_count: Mapped[int] = mapped_column(server_default="0")
    pages_yielding: Mapped[int] = mapped_column(server_default="0")
    pages_empty: Mapped[int] = mapped_column(server_default="0")
    pages_neutral: Mapped[int] = mapped_column(server_default="0")
    records_same: Mapped[int] = mapped_column(server_default="0")
    records_cut: Mapped[int] = mapped_column(server_default="0")
    gauges: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    bytes: Mapped[int] = mapped_column(BigInteger, server_default="0")
    budget: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    deadline_at: Mapped[datetime | None]
    # The longest expected interval of the targets it began with, which holds for those it finds.
    expected_every: Mapped[timedelta | None] = mapped_column(Interval)
    is_crawl: Mapped[bool] = mapped_column(server_default=text("false"))
    stopping: Mapped[bool] = mapped_column(server_default=text("false"))
    paused: Mapped[bool] = mapped_column(server_default=text("false"))
    links_found: Mapped[int] = mapped_column(server_default="0")
    links_waiting: Mapped[int] = mapped_column(server_default="0")
    links_queued: Mapped[int] = mapped_column(server_default="0")
    links_cut: Mapped[int] = mapped_column(server_default="0")
    links_cut_by: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    links_by_role: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    failure_rate: Mapped[Decimal | None] = mapped_column(Numeric(5, 4))
    yield_rate: Mapped[Decimal | None] = mapped_column(Numeric(5, 4))
    drop_rate: Mapped[Decimal | None] = mapped_column(Numeric(5, 4))
    close_monitoring: Mapped[bool] = mapped_column(server_default=text("false"))
    drift_checked_at: Mapped[datetime | None]
    error_code: Mapped[str | None]
    error_message: Mapped[str | None]
    requested_by: Mapped[str | None]
    created_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("status IN ('RUNNING','SUCCESS','FAILED','QUARANTINED')", name="status"),
        CheckConstraint(f"trigger IN ({TRIGGERS})", name="trigger"),
        CheckConstraint("links_waiting >= 0", name="links_waiting"),
        Index("idx_scrape_runs_adapter", "adapter_id"),
        Index("idx_scrape_runs_source", "source_id"),
        Index("idx_scrape_runs_retailer", "retailer_id"),
        Index("idx_scrape_runs_status", "status"),
        Index("idx_scrape_runs_started", "started_at"),
        Index(
            "idx_scrape_runs_unchecked",
            "completed_at",
            postgresql_where=text("completed_at IS NOT NULL AND drift_checked_at IS NULL"),
        ),
        # The runs that the feeder looks at, four times a second: usually none.
        Index("idx_scrape_runs_links_waiting", "id", postgresql_where=text("links_waiting > 0")),
        # one active run per source, and one crawl beside it; the second one to come gets the id of the first.
        Index(
            "scrape_runs_one_active_per_source",
            "source_id",
            "is_crawl",
            unique=True,
            postgresql_where=text("status = 'RUNNING'"),
        ),
    )


class FollowUp(Table):
    """A page that another page of the run leads to, once per run (DESIGN §11.28). `own` are the pages a run began with.

    `url_hash` is of the canonical URL, `depth` the links away from where the run began, `seed` what the listing said
    of it, `position` its place on the page that named it, `shape` what it has in common with others that may lead to
    nothing new (run/crawl/variants.py), `in_sitemap` whether a sitemap names it, `listed` a digest of the products
    on the list whose next page or view it is. No foreign keys: rows are written by the hundred a page, and each check
    would lock the run whose counters change next.
    """

    __tablename__ = "follow_ups"

    run_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    url_hash: Mapped[str] = mapped_column(CHAR(64), primary_key=True)
    url: Mapped[str]
    role: Mapped[str | None]
    depth: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    rank: Mapped[int] = mapped_column(SmallInteger, server_default="100")
    position: Mapped[int] = mapped_column(server_default="0")
    seed: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    from_task: Mapped[UUID | None]
    target_id: Mapped[int | None] = mapped_column(BigInteger)
    task_id: Mapped[UUID | None]
    state: Mapped[str] = mapped_column(server_default="waiting")
    cut_by: Mapped[str | None]
    shape: Mapped[str | None]
    in_sitemap: Mapped[bool] = mapped_column(server_default=text("false"))
    listed: Mapped[str | None]
    created_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("state IN ('own','waiting','queued','cut')", name="state"),
        CheckConstraint(f"role IN ({ROLES})", name="role"),
        CheckConstraint("(state = 'own') = (role IS NULL)", name="own"),
        CheckConstraint("(state = 'cut') = (cut_by IS NOT NULL)", name="cut_by"),
        CheckConstraint("state <> 'queued' OR task_id IS NOT NULL", name="task_id"),
        Index(
            "idx_follow_ups_waiting",
            "run_id",
            "rank",
            "created_at",
            "position",
            postgresql_where=text("state = 'waiting'"),
        ),
        Index("idx_follow_ups_shape", "run_id", "shape", postgresql_where=text("shape IS NOT NULL")),
    )
