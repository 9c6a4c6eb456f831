"""Calls to outside services. Written by `services/`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, Index
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table


class ServiceCall(Table):
    """One request to a language model, a geocoder or an embedding API: what for, what it cost, how it ended (E-065,
    E-083). `asked`: it has not ended, or its process died. `discarded` are answers that were of no use."""

    __tablename__ = "service_calls"

    id: Mapped[Serial]
    service: Mapped[str]
    purpose: Mapped[str]
    model: Mapped[str] = mapped_column(server_default="")
    outcome: Mapped[str] = mapped_column(server_default="asked")
    questions: Mapped[int] = mapped_column(server_default="1")
    answered: Mapped[int] = mapped_column(server_default="0")
    tokens: Mapped[int] = mapped_column(server_default="0")
    duration_ms: Mapped[int] = mapped_column(server_default="0")
    detail: Mapped[str | None]
    discarded: Mapped[list[Any]] = mapped_column(JSONB, server_default="[]")
    created_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("outcome IN ('asked','ok','away','busy','spent','refused','nonsense')", name="outcome"),
        CheckConstraint("questions > 0 AND answered BETWEEN 0 AND questions AND tokens >= 0", name="counts"),
        Index("idx_service_calls_service", "service", "created_at"),
        Index("idx_service_calls_created_at", "created_at"),
    )


class Geocode(Table):
    """What the geocoder answered, nothing as well (E-062): `candidates` are places with coordinates, a precision and
    the names around them. Which of them is believed is decided anew each time."""

    __tablename__ = "geocodes"

    query: Mapped[str] = mapped_column(primary_key=True)
    candidates: Mapped[list[Any]] = mapped_column(JSONB, server_default="[]")
    answered_at: Mapped[Moment]
    expires_at: Mapped[datetime]

    __table_args__ = (
        CheckConstraint("jsonb_typeof(candidates) = 'array'", name="candidates"),
        Index("idx_geocodes_expires_at", "expires_at"),
    )
