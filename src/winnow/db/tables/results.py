"""People, companies and job postings read for a caller. Written by `store/`."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, CHAR, CheckConstraint, Index, Text, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Table


class EnrichmentResult(Table):
    """The result of one enrichment task (S-013, S-016, S-053 … S-055). Kinds and types are open: plugins add some.

    Personal data: upkeep empties `data` at `expires_at`, and an erasure request at once; the row
    stays to say that there was a result (DESIGN §11.26).
    """

    __tablename__ = "enrichment_results"

    task_id: Mapped[UUID] = mapped_column(primary_key=True)
    job_id: Mapped[UUID | None]
    kind: Mapped[str]
    target_type: Mapped[str]
    version: Mapped[str]
    workspace_id: Mapped[str | None]
    target_url: Mapped[str]
    url_hash: Mapped[str] = mapped_column(CHAR(64))
    requested_fields: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    data: Mapped[dict[str, Any] | None]
    further: Mapped[list[Any]] = mapped_column(JSONB, server_default=text("'[]'::jsonb"))
    problems: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    provenance: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    verdict: Mapped[str]
    reasons: Mapped[list[str]] = mapped_column(ARRAY(Text), server_default=text("'{}'::text[]"))
    page_id: Mapped[UUID | None]
    created_at: Mapped[Moment]
    expires_at: Mapped[datetime | None]
    erased_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("verdict IN ('accept','hold','reject')", name="verdict"),
        CheckConstraint("(data IS NULL) = (erased_at IS NOT NULL)", name="erased"),
        Index("idx_enrichment_results_job_id", "job_id", postgresql_where=text("job_id IS NOT NULL")),
        Index("idx_enrichment_results_url_hash", "kind", "url_hash", "created_at"),
        Index("idx_enrichment_results_expires_at", "expires_at", postgresql_where=text("data IS NOT NULL")),
    )
