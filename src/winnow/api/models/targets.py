from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field, model_validator

from winnow.actions.intake import Cadence
from winnow.api.models.fields import Changes, Cron, Id, Moment, Name, Notes, RequestModel, ResponseModel, Text, Url

TargetStatus = Literal["ACTIVE", "PAUSED", "BROKEN", "STALE"]
Seconds = Annotated[int, Field(ge=60, le=31_622_400, examples=[14_400])]


class CadenceFields(Changes):
    """Cron, or an interval, or neither: then the source's cron, else once a day."""

    schedule: Cron | None = None
    every_seconds: Seconds | None = None
    by_hand: bool = Field(False, description="Never by itself, only when a run is started.")
    first_at: Moment | None = Field(None, description="When it is due first; default: now, or the cron's next time.")

    @model_validator(mode="after")
    def _one_of_them(self) -> CadenceFields:
        if sum((self.schedule is not None, self.every_seconds is not None, self.by_hand)) > 1:
            raise ValueError("schedule, every_seconds and by_hand exclude each other")
        return self

    def cadence(self) -> Cadence:
        every = None if self.every_seconds is None else timedelta(seconds=self.every_seconds)
        return Cadence(schedule=self.schedule, every=every, by_hand=self.by_hand, first_at=self.first_at)


class ChoiceBody(RequestModel):
    """What of the page is read. An empty body leaves the page to its adapter again."""

    sku: Text | None = None
    size: Text | None = None
    colour: Text | None = None
    selector: Text | None = Field(None, description="CSS selector of the price.")


class TargetCreate(CadenceFields):
    source_id: Id
    url: Url
    adapter_id: Name | None = None
    priority: int = Field(0, ge=-1000, le=1000, description="Higher first (P-057).")
    enabled: bool = True
    notes: Notes | None = None


class Watch(CadenceFields):
    """One URL; source and retailer are made from its domain when there are none."""

    url: Url
    priority: int = Field(0, ge=-1000, le=1000)
    notes: Notes | None = None


class TargetUpdate(CadenceFields):
    """Only the fields that are sent are changed; cadence fields replace the whole cadence."""

    NEEDED = frozenset({"adapter_id", "priority", "enabled", "robots_path_blocked"})

    adapter_id: Name | None = None
    priority: int | None = Field(None, ge=-1000, le=1000)
    enabled: bool | None = None
    robots_path_blocked: bool | None = None
    notes: Notes | None = None


class TargetAdded(ResponseModel):
    id: int
    source_id: int
    created: bool = True


class TargetResponse(ResponseModel):
    id: int
    url: str
    canonical_url: str
    domain: str
    kind: str
    source_id: int
    source_name: str
    retailer_id: int | None
    adapter_id: str
    source_product_id: int | None
    schedule: str | None
    crawl_frequency: timedelta | None
    expected_every: timedelta | None
    next_crawl_at: datetime | None
    priority: int
    status: str
    enabled: bool
    robots_path_blocked: bool
    last_task_id: UUID | None
    last_scraped_at: datetime | None
    last_status: str | None
    last_error: str | None
    last_verdict: str | None
    consecutive_failures: int
    created_at: datetime
    updated_at: datetime
    created_by: str | None
    notes: str | None
    choice: dict[str, str] | None = Field(None, description="The variant or selector that is read.")


class RowRefused(ResponseModel):
    line: int
    reason: str


class ImportResponse(ResponseModel):
    """What became of each row. `repeated` ones were there already, or stood earlier in the file."""

    rows: int
    added: int
    repeated: int
    wrong: int
    wrong_rows: list[RowRefused]
    repeated_rows: list[RowRefused]
    ignored_columns: list[str]
    encoding: str

    @classmethod
    def of(cls, report: Any) -> ImportResponse:
        return cls.model_validate(report)
