"""Candidates tried out: on stored pages (replay) and beside the live adapter (shadow)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from winnow.api.models.fields import Id, Moment, Name, RequestModel, ResponseModel


class ReplayResponse(ResponseModel):
    """`same`, `changed`, `gained` and `lost` count pages; gained and lost are about what would be accepted."""

    id: int
    mode: str
    adapter_id: str
    live_version: str | None
    candidate_version: str | None
    scope: dict[str, Any]
    status: str
    pages: int
    same: int
    changed: int
    gained: int
    lost: int
    error_message: str | None
    requested_by: str | None
    created_at: datetime
    finished_at: datetime | None


class FieldDifferences(ResponseModel):
    field: str
    changed: int
    found: int
    lost: int


class DifferenceExample(ResponseModel):
    field: str
    kind: str
    before: str | None
    after: str | None
    url: str | None
    page_id: Any


class ReplayDetail(ReplayResponse):
    fields: list[FieldDifferences]
    examples: list[DifferenceExample]


class ReplayOrder(RequestModel):
    """A registered adapter at one of its versions; `new` is the newest candidate. Without a version: the live one,
    which shows what has changed since the pages were read."""

    adapter_id: Name
    version: Name | None = None
    source_id: Id | None = None
    since: Moment | None = None
    limit: Annotated[int, Field(ge=1, le=100_000, description="Most pages, newest first.")] = 1_000


class ShadowOrder(RequestModel):
    adapter_id: Name
    version: Name = "new"


class ShadowStop(RequestModel):
    adapter_id: Name
