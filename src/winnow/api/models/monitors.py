"""Monitors of the sources: what each says of the last run, and the limits it is judged by."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from winnow.api.models.fields import RequestModel, ResponseModel


class MonitorResult(ResponseModel):
    monitor: str = Field(description="items, coverage, prices or held.")
    state: str = Field(description="ok, broken, learning (too little is known) or off.")
    sentence: str


class MonitoredSource(ResponseModel):
    source_id: int
    source_name: str
    run_id: int
    taken_at: datetime
    items: int
    held: int
    seen: int = Field(description="Offers or events that were looked at for coverage and prices.")
    coverage: dict[str, float]
    price_median: int | None = Field(description="In minor units.")
    currency: str | None
    results: list[MonitorResult]
    accepted_at: datetime | None = Field(description="Runs from before this do not say what is usual.")


Share = Annotated[float | None, Field(ge=0, le=1, allow_inf_nan=False)]


class MonitorChange(RequestModel):
    """What is left out stays; null takes the default of the settings again."""

    enabled: bool = True
    items_share: Share = None
    coverage_points: Share = None
    price_factor: Annotated[float | None, Field(ge=1, le=1_000_000, allow_inf_nan=False)] = None
    held_points: Share = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("name at least one limit")
        return self

    def changes(self) -> dict[str, Any]:
        return self.model_dump(include=self.model_fields_set)
