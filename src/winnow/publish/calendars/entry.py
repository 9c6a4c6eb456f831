"""One event as it is published, whatever the format."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from winnow.normalise.money.currencies import exponent

# Events have had this namespace since the first calendar was published; another one would double every subscription.
NAMESPACE = UUID("6f3f7f0e-6d0b-5a0e-9a35-0d7e5a4c1b52")
NO_HOUR = "TBD"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """`starts_at` is local midnight where no hour is known (`event_time` is TBD then), `created_at` when the event was
    first read, `updated_at` when it changed last, `sequence` how often it did."""

    id: int
    title: str
    event_date: date
    event_time: str
    starts_at: datetime
    created_at: datetime
    updated_at: datetime
    category: str
    venue_name: str
    latitude: float
    longitude: float
    sequence: int = 0
    description: str = ""
    ends_at: datetime | None = None
    end_date: date | None = None
    time_zone: str | None = None
    event_status: str = "scheduled"
    sold_out: bool | None = None
    structured_location: dict[str, Any] = {}
    online: bool | None = None
    organiser: str | None = None
    performers: list[str] = []
    price_low_minor: int | None = None
    price_high_minor: int | None = None
    currency: str | None = None
    image_url: str | None = None
    url: str | None = None
    ticket_url: str | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Entry:
        """Of a row of `shown_events`."""
        return cls(**{name: row[name] for name in cls.__struct_fields__ if row.get(name) is not None})

    @property
    def uid(self) -> str:
        """The same for as long as the event exists, whatever is corrected about it (RFC 7986 §5.3)."""
        made = self.created_at.astimezone(UTC).isoformat(timespec="microseconds")
        return str(uuid5(NAMESPACE, f"event:{self.id}:{made}"))

    @property
    def has_hour(self) -> bool:
        return self.event_time != NO_HOUR

    @property
    def zone(self) -> ZoneInfo:
        """UTC where none is known, or one that this machine does not know."""
        try:
            return ZoneInfo(self.time_zone or "UTC")
        except (ZoneInfoNotFoundError, ValueError):
            return ZoneInfo("UTC")

    @property
    def place(self) -> str:
        """The venue and its address in one line."""
        known = self.structured_location
        town = " ".join(str(part) for part in (known.get("postal_code"), known.get("city")) if part)
        parts = [self.venue_name, str(known.get("street") or ""), town]
        return ", ".join(dict.fromkeys(part for part in parts if part))


def format_amount(minor: int, currency: str | None) -> str:
    """`12.50`: a decimal number with the places of its currency (DESIGN §11.38)."""
    places = exponent(currency or "EUR")
    digits = str(abs(minor)).zfill(places + 1)
    sign = "-" if minor < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"
