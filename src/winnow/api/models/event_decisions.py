"""What operators decide about events and venues, and what they decide on."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, ClassVar

from pydantic import Field

from winnow.api.models.events import EventStatus
from winnow.api.models.fields import Changes, Id, Reason, RequestModel, ResponseModel, Text


class Reasoned(RequestModel):
    reason: Reason | None = Field(None, description="Kept in the audit trail.")


class Merge(Reasoned):
    other_id: Id = Field(description="The event that is the same.")


class MergedResponse(ResponseModel):
    kept_id: int = Field(description="The event both are or were shown as.")
    merged_id: int


class Correction(Changes):
    NEEDED: ClassVar[frozenset[str]] = frozenset({"title", "description", "venue_name", "category", "event_status",
                                                  "latitude", "longitude"})  # fmt: skip

    title: Annotated[Text, Field(min_length=1, max_length=500)] | None = None
    description: Annotated[Text, Field(max_length=20_000)] | None = None
    venue_name: Annotated[Text, Field(min_length=1, max_length=200)] | None = None
    category: Annotated[Text, Field(max_length=50)] | None = None
    event_status: EventStatus | None = None
    sold_out: bool | None = None
    organiser: Annotated[Text, Field(max_length=500)] | None = None
    image_url: Annotated[Text, Field(max_length=8_192)] | None = None
    url: Annotated[Text, Field(max_length=8_192)] | None = None
    ticket_url: Annotated[Text, Field(max_length=8_192)] | None = None
    latitude: Annotated[float, Field(ge=-90, le=90)] | None = None
    longitude: Annotated[float, Field(ge=-180, le=180)] | None = None
    reason: Reason | None = None


class Corrected(ResponseModel):
    changes: dict[str, list[Any]] = Field(description="{field: [before, after]}; empty where all was so already.")


class DoubtResponse(ResponseModel):
    """`low` and `high` are the two events, by their ids."""

    id: int
    low_id: int
    high_id: int
    score: float
    status: str
    low_title: str
    high_title: str
    low_source_id: int
    high_source_id: int
    low_event_date: date
    high_event_date: date
    low_event_time: str
    high_event_time: str
    low_venue_name: str
    high_venue_name: str
    low_url: str | None
    high_url: str | None
    decided_by: str | None
    decided_at: datetime | None


class Decision(Reasoned):
    same: bool = Field(description="They are one event, and are merged; else they are two and stay so.")


class Decided(ResponseModel):
    kept_id: int | None = Field(description="The event both are shown as; null where they are two.")


class VenueResponse(ResponseModel):
    id: int
    name: str
    street: str | None
    postal_code: str | None
    town: str | None
    country: str | None
    latitude: float | None
    longitude: float | None
    coordinates_from: str | None
    precision: str | None
    merged_into: int | None
    created_at: datetime
    updated_at: datetime


class AliasResponse(ResponseModel):
    alias_key: str
    town_key: str = Field(description="The town, or `source:<id>` where the source names none.")
    merged_from: int | None


class VenueDetail(VenueResponse):
    aliases: list[AliasResponse]


class VenueCorrection(Changes):
    NEEDED: ClassVar[frozenset[str]] = frozenset({"name", "latitude", "longitude"})

    name: Annotated[Text, Field(min_length=1, max_length=200)] | None = None
    street: Annotated[Text, Field(max_length=200)] | None = None
    postal_code: Annotated[Text, Field(max_length=20)] | None = None
    town: Annotated[Text, Field(max_length=200)] | None = None
    country: Annotated[Text, Field(pattern="^[A-Z]{2}$")] | None = None
    latitude: Annotated[float, Field(ge=-90, le=90)] | None = None
    longitude: Annotated[float, Field(ge=-180, le=180)] | None = None
    reason: Reason | None = None


class VenueMerge(Reasoned):
    into: Id = Field(description="The venue it is.")
