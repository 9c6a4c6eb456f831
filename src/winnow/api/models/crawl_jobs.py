"""The catalogue's crawl jobs, their batches, and what became of each attempt (C-004 … C-030, C-054)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from winnow.actions.catalogue.crawl_jobs import CrawlJob
from winnow.api.models.fields import MAX_IDS, Moment, Notes, RequestModel, ResponseModel, Url
from winnow.api.models.targets import Seconds
from winnow.api.models.work import AttemptResponse

CrawlStatus = Literal["pending", "queued", "crawling", "downloaded", "parsing", "completed", "failed"]
MAX_RETRIES = "How often it is tried at most, the first attempt included (C-013: 3)."


class CrawlJobCreate(RequestModel):
    """C-054. Priority 1 is the most urgent (C-017). What is left out stays as a known URL has it."""

    url: Url
    priority: int | None = Field(None, ge=1, le=10, description="Default: 5.")
    scheduled_at: Moment | None = Field(None, description="Default: now.")
    crawl_frequency_seconds: Seconds | None = Field(None, description="Default: that of its domain, or a day.")
    revisit_least_seconds: Seconds | None = Field(None, description="The interval follows what changes, from here …")
    revisit_most_seconds: Seconds | None = Field(None, description="… to here; both or neither.")
    max_retries: int | None = Field(None, ge=1, le=10, description=MAX_RETRIES)

    def job(self) -> CrawlJob:
        return CrawlJob(
            url=self.url,
            priority=self.priority,
            scheduled_at=self.scheduled_at,
            every=_seconds(self.crawl_frequency_seconds),
            least=_seconds(self.revisit_least_seconds),
            most=_seconds(self.revisit_most_seconds),
            max_attempts=self.max_retries,
        )


def _seconds(given: int | None) -> timedelta | None:
    return None if given is None else timedelta(seconds=given)


class CrawlJobBatch(RequestModel):
    """C-005: many URLs, each with its own priority and time."""

    jobs: Annotated[list[CrawlJobCreate], Field(min_length=1, max_length=MAX_IDS)]
    note: Notes | None = Field(None, description="For people.")


class CrawlJobAccepted(ResponseModel):
    """`created` False: the URL was known (C-022) and is due again instead. What is sent together is one batch."""

    id: int
    url: str
    created: bool
    batch_id: int
    status: str = "pending"


class CrawlJobStatus(ResponseModel):
    """A recurring crawl task in the catalogue's words (C-010, C-011)."""

    id: int
    domain_id: int | None
    domain_name: str
    url: str
    url_hash: str
    status: str = Field(description="completed: its page was read. What was not says why in `outcome`.")
    outcome: str | None = Field(
        description="How its last visit ended: accepted, unchanged, robots_blocked, rejected, …"
    )
    reason: str | None
    paused: bool = Field(description="It, its domain, its source or everything is paused: not visited until resumed.")
    priority: int
    scheduled_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    last_crawled_at: datetime | None
    error_message: str | None
    retry_count: int
    max_retries: int = Field(description=MAX_RETRIES)
    crawl_frequency: timedelta
    next_crawl_at: datetime | None
    due_because: str = Field(description="time, change (C-020), hand, or confirm.")
    popularity: int = Field(description="Clicks, watches and reads within 30 days (C-021).")
    task_id: UUID | None
    page_id: UUID | None = Field(description="Its last page: GET /pages/{page_id}/body.")
    html_path: str | None = Field(description="The name its body is kept under (C-029, C-048).")
    created_at: datetime
    updated_at: datetime


class CrawlJobDetail(CrawlJobStatus):
    revisit: str = Field(description="Why it is visited when it is.")


class FetchResponse(ResponseModel):
    id: UUID
    created_at: datetime
    outcome: str
    status_code: int | None
    error_class: str | None
    fetcher_used: str
    fetch_duration_ms: int
    body_bytes: int | None
    kept: bool = Field(description="Its body can still be read.")


class CrawlAttempt(ResponseModel):
    """One visit with every request it made and every attempt that failed (C-008)."""

    task_id: UUID
    trigger: str
    status: str
    outcome: str | None
    reason: str | None
    attempts: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    last_error: str | None
    fetches: list[FetchResponse]
    errors: list[AttemptResponse]

    @classmethod
    def of(cls, row: Any) -> Any:
        return cls.model_validate({**row, "task_id": row["id"]})


class BatchResponse(ResponseModel):
    """`counts`: its URLs by status."""

    id: int
    state: Literal["running", "paused", "stopped"]
    note: str | None
    requested_by: str
    urls: int
    created: int = Field(description="URLs that were not known before.")
    counts: dict[str, int]
    created_at: datetime


class ControlResult(ResponseModel):
    changed: int


class CrawlingState(ResponseModel):
    """Whether everything is paused (C-003), and by whom; tasks by status, and per domain what is still to be done."""

    paused: bool
    paused_at: datetime | None
    paused_by: str | None
    by_status: dict[str, int]


class StoredPageResponse(ResponseModel):
    """One fetch. `kept`: its body can still be read."""

    id: UUID
    url: str
    final_url: str
    outcome: str
    status_code: int | None
    error_class: str | None
    fetcher_used: str
    fetch_duration_ms: int
    content_type: str | None
    charset: str | None
    body_bytes: int | None
    content_hash: str | None
    task_id: UUID | None
    source_id: int | None
    target_id: int | None
    created_at: datetime
    kept: bool
