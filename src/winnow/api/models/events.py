"""Events as consumers read them. What is guaranteed of each (E-113) is not nullable."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import Field, computed_field, field_serializer

from winnow.api.models.fields import Id, Name, RequestModel, ResponseModel, Text
from winnow.publish.calendars.entry import format_amount


class EventResponse(ResponseModel):
    id: int
    title: str
    description: str
    event_date: date = Field(description="The local day.")
    event_time: str = Field(description="The local hour, HH:MM; TBD where the source states none.", examples=["20:30"])
    starts_at: datetime = Field(description="Local midnight where `event_time` is TBD.")
    ends_at: datetime | None
    end_date: date | None
    time_zone: str | None
    doors: str | None
    timing: str
    recurrence: str | None = Field(description="The rule (RFC 5545) of an event that repeats.")
    category: str
    event_status: str
    sold_out: bool | None
    venue_id: int | None
    venue_name: str
    structured_date: dict[str, Any]
    structured_location: dict[str, Any] = Field(
        description="The address as far as it is known, always with coordinates."
    )
    latitude: float
    longitude: float
    precision: str = Field(description="How near the coordinates are: exact, street, postcode or town.")
    online: bool | None
    organiser: str | None
    performers: list[str]
    price_low_minor: int | None = Field(exclude=True)
    price_high_minor: int | None = Field(exclude=True)
    currency: str | None
    image_url: str | None
    url: str | None
    ticket_url: str | None
    language: str | None
    source_id: int
    source_name: str
    confidence: float
    normalization_method: str = Field(description="rules, or hybrid where a language model read the day.")
    sequence: int
    missing_since: datetime | None = Field(description="Its source stopped listing it; nobody said why.")
    created_at: datetime
    updated_at: datetime

    @field_serializer("structured_location")
    def _with_coordinates(self, address: dict[str, Any]) -> dict[str, Any]:
        """E-113: at least those of the town."""
        return address | {"latitude": self.latitude, "longitude": self.longitude, "precision": self.precision}

    @computed_field
    def price_low(self) -> str | None:
        return None if self.price_low_minor is None else format_amount(self.price_low_minor, self.currency)

    @computed_field
    def price_high(self) -> str | None:
        return None if self.price_high_minor is None else format_amount(self.price_high_minor, self.currency)


class RankedEvent(EventResponse):
    score: float = Field(description="From 0 to 1; how it is made stands in docs/how-to/serve-events.md.")
    listed_by: int = Field(description="How many sources list it.")
    metres: float = Field(description="How far away it is.")


class EventMember(ResponseModel):
    id: int
    source_id: int
    source_name: str
    title: str
    event_date: date
    event_time: str
    url: str | None
    status: str
    event_status: str
    missing_since: datetime | None
    last_seen_at: datetime


class EventDetail(EventResponse):
    """With where each value stood, and the same event as every source lists it."""

    provenance: dict[str, Any]
    listed_as: list[EventMember] = Field(default_factory=list)


class EventChange(ResponseModel):
    changed_at: datetime
    cause: str = Field(description="Why: the listing says so, it was renamed or moved, a person corrected it …")
    changes: dict[str, Any] = Field(description="{field: [before, after]}")


class Reaction(RequestModel):
    """What people did with an event since the last report."""

    clicks: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    saves: Annotated[int, Field(ge=-1_000_000, le=1_000_000, description="Negative: taken back.")] = 0


class SubscriptionFilters(RequestModel):
    latitude: Annotated[float, Field(ge=-90, le=90)] | None = None
    longitude: Annotated[float, Field(ge=-180, le=180)] | None = None
    radius_m: Annotated[float, Field(gt=0, le=500_000)] | None = None
    categories: Annotated[list[Text], Field(max_length=10)] = Field(default_factory=list)
    q: Annotated[Text, Field(max_length=200)] | None = None
    source_id: Id | None = None
    venue_id: Id | None = None


class SubscriptionCreate(RequestModel):
    name: Name
    filters: SubscriptionFilters = SubscriptionFilters()


class SubscriptionMade(ResponseModel):
    id: int
    ics: str = Field(description="Path of the calendar. Whoever knows it may read it; it is shown only now.")
    rss: str
    jsonld: str


class SubscriptionResponse(ResponseModel):
    id: int
    name: str
    filters: dict[str, Any]
    created_by: str
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


EventStatus = Literal["scheduled", "cancelled", "postponed", "rescheduled", "moved_online"]
