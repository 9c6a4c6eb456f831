"""Held records, and the decisions a person can make about them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field, model_validator

from winnow.actions.quarantine import MAX_DIGITS
from winnow.api.models.fields import MAX_IDS, Id, Name, Reason, RequestModel, ResponseModel, Text


class HeldResponse(ResponseModel):
    """`record_key` identifies the record within its source and kind; `title`, `url`, `price_minor` and `currency` are
    what was read; the detail has all of it."""

    id: int
    target_id: int | None
    source_id: int | None
    run_id: int | None
    kind: str
    record_key: str
    adapter_id: str | None
    adapter_version: str | None
    reason: str
    details: str | None
    title: str | None
    url: str | None
    price_minor: int | None
    currency: str | None
    availability: str | None
    created_at: datetime
    resolution: str | None
    resolved_at: datetime | None
    resolved_by: str | None
    note: str | None


class HeldDetail(HeldResponse):
    """`last_minor` and `last_currency` are the price the offer has now."""

    task_id: UUID | None
    page_id: UUID | None
    findings: list[Any]
    payload: dict[str, Any]
    last_minor: int | None = None
    last_currency: str | None = None


class Decide(RequestModel):
    note: Reason | None = None


class Accept(Decide):
    """`price` replaces what was read, as a decimal text ("19.99"); `currency` defaults to what was read."""

    price: Annotated[Text, Field(min_length=1, max_length=MAX_DIGITS, examples=["19.99"])] | None = None
    currency: Annotated[Text, Field(pattern="^[A-Z]{3}$")] | None = None


class Noted(RequestModel):
    note: Annotated[Reason, Field(min_length=1)]


class DecideMany(RequestModel):
    """Named entries, or every open one that matches; one of the two is needed."""

    ids: Annotated[list[Id], Field(min_length=1, max_length=MAX_IDS)] | None = None
    all_open: bool = Field(False, description="Every open entry that matches the filters.")
    reason: Name | None = None
    source_id: Id | None = None
    adapter_id: Name | None = None
    note: Reason | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> DecideMany:
        if (self.ids is not None) == self.all_open:
            raise ValueError("give either ids or all_open")
        return self


class RefusedResponse(ResponseModel):
    id: int
    code: str
    message: str


class Decided(ResponseModel):
    done: list[int]
    refused: list[RefusedResponse]
    left: int = Field(0, description="Matching entries beyond the limit of one request.")
