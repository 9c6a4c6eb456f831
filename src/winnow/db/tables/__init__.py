"""Every table, declared once. One file per stage; a table is written by its own stage only (DESIGN §1)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from sqlalchemy import BigInteger, DateTime, Identity, MetaData, Text, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.dialects.postgresql import UUID as PG_UUID
from sqlalchemy.orm import DeclarativeBase, mapped_column

NAMING = {
    "ix": "idx_%(table_name)s_%(column_0_N_name)s",
    "uq": "%(table_name)s_%(column_0_N_name)s_key",
    "ck": "%(table_name)s_%(constraint_name)s_check",
    "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
    "pk": "%(table_name)s_pkey",
}


class Table(DeclarativeBase):
    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads it from the class
        datetime: DateTime(timezone=True),
        dict[str, Any]: JSONB,
        str: Text,
        UUID: PG_UUID(as_uuid=True),
    }


# The column shapes that recur: a serial key, a moment that defaults to the database clock.
Serial = Annotated[int, mapped_column(BigInteger, Identity(always=False), primary_key=True)]
Moment = Annotated[datetime, mapped_column(DateTime(timezone=True), server_default=func.now())]
