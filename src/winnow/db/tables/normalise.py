"""What normalising remembers between pages. Written by `normalise/` (through run/)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, Double
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Table


class Geocode(Table):
    """Answers of the geocoder, the misses too (E-062). `expires_at` makes a miss be asked again."""

    __tablename__ = "geocodes"

    query: Mapped[str] = mapped_column(primary_key=True)
    latitude: Mapped[float | None] = mapped_column(Double)
    longitude: Mapped[float | None] = mapped_column(Double)
    label: Mapped[str | None]
    answered_at: Mapped[Moment]
    expires_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("(latitude IS NULL) = (longitude IS NULL)", name="coordinates_pair"),
        CheckConstraint("latitude BETWEEN -90 AND 90 AND longitude BETWEEN -180 AND 180", name="coordinates"),
    )
