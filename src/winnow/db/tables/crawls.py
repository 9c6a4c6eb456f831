"""Crawls of whole sites, and what they learn about the shapes of addresses. Written by `schedule/` only."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CHAR, BigInteger, CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table

STATES = "'waiting','running','paused','done','stopped','failed'"


class Crawl(Table):
    """A site whose pages are found by links and sitemaps, in one run of a source.

        waiting ─▶ running ⇄ paused ─▶ done, stopped (by a person) or failed (no page could be read)

    It waits as long as its source has another crawl. `scope` says which URLs belong to it (schedule/scope.py), `budget`
    how far it goes (schedule/budget.py).
    """

    __tablename__ = "crawls"

    id: Mapped[Serial]
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    run_id: Mapped[int | None] = mapped_column(ForeignKey("scrape_runs.id", ondelete="SET NULL"))
    adapter_id: Mapped[str]
    url: Mapped[str]
    url_hash: Mapped[str] = mapped_column(CHAR(64))
    scope: Mapped[dict[str, Any]]
    budget: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(server_default="waiting")
    requested_by: Mapped[str | None]
    created_at: Mapped[Moment]
    started_at: Mapped[datetime | None]
    paused_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint(f"state IN ({STATES})", name="state"),
        CheckConstraint("(state = 'waiting') = (started_at IS NULL) OR state = 'stopped'", name="started"),
        CheckConstraint("(state IN ('done','stopped','failed')) = (ended_at IS NOT NULL)", name="ended"),
        Index("idx_crawls_run_id", "run_id", unique=True, postgresql_where=text("run_id IS NOT NULL")),
        Index("idx_crawls_source_id", "source_id"),
        Index("idx_crawls_waiting", "id", postgresql_where=text("state = 'waiting'")),
    )


class CrawlShape(Table):
    """How many pages of one shape a run has visited, how many of them led to something new, and how many of the last
    ones in a row did not. No foreign keys, as in `follow_ups`."""

    __tablename__ = "crawl_shapes"

    run_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    shape: Mapped[str] = mapped_column(primary_key=True)
    visited: Mapped[int] = mapped_column(server_default="0")
    fruitful: Mapped[int] = mapped_column(server_default="0")
    barren: Mapped[int] = mapped_column(server_default="0")
