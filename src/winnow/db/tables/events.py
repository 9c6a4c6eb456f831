"""Events that were accepted, and the merges that can be undone. Written by `store/`."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    CHAR,
    REAL,
    BigInteger,
    CheckConstraint,
    Double,
    ForeignKey,
    Index,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table

# E-113: ten categories, of which the document names 'community', the one for everything unknown.
CATEGORIES = "'arts','community','education','family','food','market','music','nature','nightlife','sport'"


class Event(Table):
    """One event (E-106) with what its readers may rely on (E-113): a title, a description that is
    never null, a date, a venue, a category and coordinates.

    `event_time` is HH:MM or TBD (E-060). `merged_into` hides it behind another event.
    """

    __tablename__ = "events"

    id: Mapped[Serial]
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id"))
    event_fingerprint: Mapped[str] = mapped_column(CHAR(64))
    title: Mapped[str]
    description: Mapped[str] = mapped_column(server_default="")
    event_date: Mapped[datetime]
    event_time: Mapped[str] = mapped_column(server_default="TBD")
    ends_at: Mapped[datetime | None]
    structured_date: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    venue_name: Mapped[str]
    latitude: Mapped[float] = mapped_column(Double)
    longitude: Mapped[float] = mapped_column(Double)
    structured_location: Mapped[dict[str, Any]]
    needs_geocoding: Mapped[bool] = mapped_column(server_default=text("false"))
    category: Mapped[str] = mapped_column(server_default="community")
    image_url: Mapped[str | None]
    detail_url: Mapped[str | None]
    event_type: Mapped[str] = mapped_column(server_default="anchor")
    status: Mapped[str] = mapped_column(server_default="published")
    merged_into: Mapped[int | None] = mapped_column(ForeignKey("events.id", ondelete="SET NULL"))
    social_proof: Mapped[int] = mapped_column(server_default="0")
    confidence_score: Mapped[float] = mapped_column(Double, server_default="1")
    normalization_method: Mapped[str] = mapped_column(server_default="rules")
    content_hash: Mapped[str | None] = mapped_column(CHAR(64))
    record_id: Mapped[int | None] = mapped_column(BigInteger)
    page_id: Mapped[UUID | None]
    last_seen_at: Mapped[Moment]
    created_at: Mapped[Moment]
    updated_at: Mapped[Moment]

    __table_args__ = (
        # E-072: the upsert's target; running a step twice yields no second event.
        UniqueConstraint("source_id", "event_fingerprint"),
        CheckConstraint("btrim(title) <> '' AND btrim(venue_name) <> ''", name="texts"),
        CheckConstraint("event_time = 'TBD' OR event_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'", name="event_time"),
        CheckConstraint("latitude BETWEEN -90 AND 90 AND longitude BETWEEN -180 AND 180", name="coordinates"),
        CheckConstraint(f"category IN ({CATEGORIES})", name="category"),
        CheckConstraint("status IN ('published','hidden','cancelled','merged')", name="status"),
        CheckConstraint("status <> 'merged' OR merged_into IS NOT NULL", name="merged"),
        CheckConstraint("merged_into <> id", name="merged_into"),
        CheckConstraint("confidence_score BETWEEN 0 AND 1", name="confidence_score"),
        CheckConstraint("normalization_method IN ('rules','ai','hybrid')", name="normalization_method"),
        Index("idx_events_event_date", "event_date", postgresql_where=text("status = 'published'")),
        Index("idx_events_merged_into", "merged_into", postgresql_where=text("merged_into IS NOT NULL")),
        # Nearby events: a box on the map first, the exact distance (earthdistance) on what is left.
        Index(
            "idx_events_place",
            text("point(longitude, latitude)"),
            postgresql_using="gist",
            postgresql_where=text("status = 'published'"),
        ),
        Index("idx_events_needs_geocoding", "id", postgresql_where=text("needs_geocoding")),
        Index("idx_events_search", text("search_document(title, description)"), postgresql_using="gin"),
    )


class EventEmbedding(Table):
    """What an event means, as numbers (E-073).

    An array rather than pgvector's type, so that the schema is the same on a server without it
    (DESIGN §9); with it, `embedding::vector <=> …` compares the few events that start within 24 h,
    which an index on the vectors would not make faster.
    """

    __tablename__ = "event_embeddings"

    event_id: Mapped[int] = mapped_column(
        ForeignKey("events.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    model: Mapped[str]
    embedding: Mapped[list[float]] = mapped_column(ARRAY(REAL))
    created_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint(
            "cardinality(embedding) BETWEEN 1 AND 4096 AND array_position(embedding, NULL) IS NULL",
            name="embedding",
        ),
    )


class EventMerge(Table):
    """A duplicate that was folded into another event (E-074), with what is needed to undo it: the
    record that brought it, or the event it was before."""

    __tablename__ = "event_merges"

    id: Mapped[Serial]
    kept_event_id: Mapped[int] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"))
    merged_event_id: Mapped[int | None] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"))
    record_id: Mapped[int | None] = mapped_column(BigInteger)
    source_id: Mapped[int | None] = mapped_column(BigInteger)
    event_fingerprint: Mapped[str] = mapped_column(CHAR(64))
    payload: Mapped[dict[str, Any]]
    method: Mapped[str]
    similarity: Mapped[float | None] = mapped_column(Double)
    merged_at: Mapped[Moment]
    merged_by: Mapped[str | None]
    undone_at: Mapped[datetime | None]
    undone_by: Mapped[str | None]

    __table_args__ = (
        CheckConstraint("method IN ('fingerprint','semantic','manual')", name="method"),
        CheckConstraint("(method = 'semantic') = (similarity IS NOT NULL)", name="similarity"),
        CheckConstraint("(undone_at IS NULL) = (undone_by IS NULL)", name="undone"),
        Index("idx_event_merges_kept_event_id", "kept_event_id"),
        # A duplicate undone by a person is not merged again: the writer looks here first.
        Index("idx_event_merges_fingerprint", "source_id", "event_fingerprint"),
    )
