"""Which events of several sources are one: merges, doubts, and vectors of titles. Written by `store/events/` only."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ARRAY, CHAR, CheckConstraint, Double, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table


class EventMerge(Table):
    """Two events found to be one. Both rows stay and are brought up to date by their own sources; `events.merged_into`
    is derived from the merges that stand. One that was undone is remembered: rules never make it again."""

    __tablename__ = "event_merges"

    id: Mapped[Serial]
    kept_id: Mapped[int] = mapped_column(ForeignKey("events.id"))
    merged_id: Mapped[int] = mapped_column(ForeignKey("events.id"))
    reason: Mapped[str]
    score: Mapped[float] = mapped_column(Double)
    facts: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    decided_by: Mapped[str]
    merged_at: Mapped[Moment]
    undone_at: Mapped[datetime | None]
    undone_by: Mapped[str | None]

    __table_args__ = (
        CheckConstraint("kept_id <> merged_id", name="two"),
        CheckConstraint("(undone_at IS NULL) = (undone_by IS NULL)", name="undone"),
        Index("event_merges_one_standing", "merged_id", unique=True, postgresql_where=text("undone_at IS NULL")),
        Index("idx_event_merges_merged_id", "merged_id"),
        Index("idx_event_merges_kept_id", "kept_id"),
    )


class EventDoubt(Table):
    """Two events that may be one: a person decides. `low_id` is the smaller of the two ids, so a pair has one row."""

    __tablename__ = "event_doubts"

    id: Mapped[Serial]
    low_id: Mapped[int] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"))
    high_id: Mapped[int] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"))
    score: Mapped[float] = mapped_column(Double)
    facts: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    status: Mapped[str] = mapped_column(server_default="open")
    created_at: Mapped[Moment]
    decided_by: Mapped[str | None]
    decided_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("low_id", "high_id", name="event_doubts_pair_key"),
        CheckConstraint("low_id < high_id", name="pair"),
        CheckConstraint("status IN ('open','merged','distinct')", name="status"),
        CheckConstraint("(status = 'open') = (decided_at IS NULL)", name="decided"),
        CheckConstraint("(decided_at IS NULL) = (decided_by IS NULL)", name="decided_by"),
        Index("idx_event_doubts_high_id", "high_id"),
        Index("idx_event_doubts_open", "id", postgresql_where=text("status = 'open'")),
    )


class EventEmbedding(Table):
    """Vectors that an HTTP embedding API gave for titles; those of the offline model are cheaper to compute anew."""

    __tablename__ = "event_embeddings"

    model: Mapped[str] = mapped_column(primary_key=True)
    text_hash: Mapped[str] = mapped_column(CHAR(64), primary_key=True)
    embedding: Mapped[list[float]] = mapped_column(ARRAY(Double))
    created_at: Mapped[Moment]

    __table_args__ = (CheckConstraint("cardinality(embedding) > 0", name="embedding"),)
