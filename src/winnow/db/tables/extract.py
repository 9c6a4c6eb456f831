"""What extraction read and how it got there. Written by `extract/` (through run/)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Double, Index, Integer, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table
from winnow.db.tables.sources import ANY_KIND, STRATEGIES


class DraftRow(Table):
    """Raw values of one thing found on a page (E-103, `raw_events`), for every kind.

    `values` is a Draft's: field -> candidates [{raw, strategy, path}]. The event columns of E-103 are
    fields in it: raw_title = title, raw_date = date, raw_time = time, raw_location = location,
    raw_description = description, detail_url = url, image_url = image. What every kind has stands in
    columns: parse_strategy = strategy, confidence_score = confidence, raw_html (the block), status.
    No foreign keys and one index: written by the hundred per second, read by task.
    """

    __tablename__ = "drafts"

    id: Mapped[Serial]
    task_id: Mapped[UUID]
    source_id: Mapped[int | None] = mapped_column(BigInteger)
    page_id: Mapped[UUID | None]
    run_id: Mapped[int | None] = mapped_column(BigInteger)
    kind: Mapped[str]
    values: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    raw_html: Mapped[str | None]
    strategy: Mapped[str]
    adapter_id: Mapped[str | None]
    adapter_version: Mapped[str | None]
    confidence: Mapped[float] = mapped_column(Double, server_default="1")
    status: Mapped[str] = mapped_column(server_default="pending")
    error_message: Mapped[str | None]
    created_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint(ANY_KIND, name="kind"),
        CheckConstraint(f"strategy IN ({STRATEGIES})", name="strategy"),
        CheckConstraint("status IN ('pending','normalized','failed')", name="status"),
        CheckConstraint("confidence BETWEEN 0 AND 1", name="confidence"),
        Index("idx_drafts_task_id", "task_id"),
        Index("idx_drafts_pending", "id", postgresql_where=text("status = 'pending'")),
    )


class Insight(Table):
    """Which strategy won on a page and what was tried before it (E-055, E-109).

    The document's job id is `task_id`, its run id `job_id` for a daily run over many sources and
    `run_id` for the run of one source.
    """

    __tablename__ = "insights"

    id: Mapped[Serial]
    source_id: Mapped[int | None] = mapped_column(BigInteger)
    task_id: Mapped[UUID | None]
    job_id: Mapped[UUID | None]
    run_id: Mapped[int | None] = mapped_column(BigInteger)
    page_id: Mapped[UUID | None]
    kind: Mapped[str]
    winning_strategy: Mapped[str | None]
    strategy_trace: Mapped[list[Any]] = mapped_column(JSONB, server_default=text("'[]'::jsonb"))
    failure_reason: Mapped[str | None]
    events_found: Mapped[int] = mapped_column(Integer, server_default="0")
    records_cut: Mapped[int] = mapped_column(Integer, server_default="0")
    execution_time_ms: Mapped[int] = mapped_column(Integer, server_default="0")
    created_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint(ANY_KIND, name="kind"),
        CheckConstraint(f"winning_strategy IN ({STRATEGIES})", name="winning_strategy"),
        Index("idx_insights_source_id", "source_id", "created_at"),
    )
