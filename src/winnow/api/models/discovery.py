"""Discovery of event sources: jobs and candidates."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from winnow.api.models.fields import Reason, RequestModel, ResponseModel, Text, Url

JobStatus = Literal["pending", "processing", "completed", "failed"]
CandidateStatus = Literal["pending", "accepted", "rejected", "not_added"]


class DiscoveryJobResponse(ResponseModel):
    """A municipality that is searched (E-014), or a page whose links are looked at. `checkpoint` counts the queries
    that are done."""

    id: int
    municipality: str | None
    population: int | None
    latitude: float | None
    longitude: float | None
    seed_url: str | None
    search_queries: list[str]
    status: JobStatus
    priority: int
    attempts: int
    checkpoint: int
    sources_found: int
    error_message: str | None
    next_attempt_at: datetime | None
    requested_by: str | None
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None


class CandidateResponse(ResponseModel):
    """A page that was looked at. `pending`: its source `source_id` is disabled and waits for a decision; `not_added`:
    it is no agenda or could not be reached, and `reason` says why."""

    id: int
    url: str
    domain: str
    title: str
    municipality: str | None
    found_by: Literal["search", "seed", "sitemap", "link"]
    found_at: str
    status: CandidateStatus
    reason: str | None
    confidence: float | None
    judged_by: Literal["rules", "llm"] | None
    events: int
    source_id: int | None
    source_name: str | None
    needs_review: bool | None
    review_reason: str | None
    examined_at: datetime
    decided_at: datetime | None
    decided_by: str | None


class DiscoveryStart(RequestModel):
    seed_urls: Annotated[list[Url], Field(max_length=1_000, default_factory=list)]
    municipalities: Annotated[list[Text], Field(max_length=500, default_factory=list)]
    provinces: Annotated[list[Text], Field(max_length=12, default_factory=list)]
    known: bool = Field(False, description="Also look at the pages of known event sources for links to others.")


class DiscoveryStarted(ResponseModel):
    jobs: list[int]


class CandidateAcceptance(RequestModel):
    """What the pages of the source need to be read: hours without a zone and events without a place are held."""

    timezone: Text | None = None
    locale: Text | None = None
    default_latitude: Annotated[float, Field(ge=-90, le=90)] | None = None
    default_longitude: Annotated[float, Field(ge=-180, le=180)] | None = None
    at_municipality: bool = Field(
        False, description="Its place and time zone are those of the municipality it was found for."
    )


class CandidateAccepted(ResponseModel):
    source_id: int


class CandidateRejection(RequestModel):
    reason: Reason | None = None


class MunicipalityResponse(ResponseModel):
    id: int
    name: str
    region: str
    country: str
    population: int
    latitude: float
    longitude: float
    enabled: bool
    last_searched_at: datetime | None
