"""Request and response models of the scraping service (S-023 … S-030)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BeforeValidator, ConfigDict, Field
from pydantic.config import JsonDict, JsonValue

from winnow.api.models.fields import RequestModel, ResponseModel, Text, Url, number
from winnow.fetch.credentials import PROVIDER

MAX_TARGETS = 100  # S-014
TargetTypeName = Annotated[
    Text,
    Field(min_length=1, max_length=63, description="One of GET /api/v1/scrape/types.", examples=["company_website"]),
]
ProviderName = Annotated[str, Field(pattern=f"^{PROVIDER}$", examples=["partner_portal"])]
FieldName = Annotated[Text, Field(min_length=1, max_length=100)]

TaskStatus = Literal["queued", "running", "completed", "failed", "cancelled"]  # S-026
JobStatus = Literal["queued", "running", "completed", "partially_completed", "failed", "cancelled"]  # S-027

_EXAMPLE: JsonDict = {
    "target_type": "company_website",
    "target_url": "https://www.example.com/",
    "workspace_id": "ws_42",
    "requested_fields": ["company_name", "contact_email"],
}
_TASK = "0192f3a4-5b6c-7d8e-9f00-112233445566"
_OTHER_TASK = "0192f3a4-5b6c-7d8e-9f00-112233445577"
_JOB = "0192f3a4-5b6c-7d8e-9f00-665544332211"
_RESULT: JsonDict = {"company_name": "Example Ltd", "contact_email": None}
_PROBLEMS: JsonDict = {"contact_email": "not_stated"}
_WHEN = "2026-05-12T09:30:00Z"


def _example(**example: JsonValue) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [example]})


class ScrapeRequest(RequestModel):
    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    target_type: TargetTypeName
    target_url: Url
    workspace_id: Annotated[Text, Field(min_length=1, max_length=200)]
    requested_fields: Annotated[list[FieldName], Field(max_length=100)] | None = Field(
        None, description="Only these fields come back, each with a value or a reason; null means all (S-030)."
    )
    callback_url: Url | None = Field(None, description="Gets a signed POST when the task has ended.")
    credential_provider: ProviderName | None = Field(
        None, description="Fetch the page with the workspace's credential for this provider, asked of the backend."
    )


class SyncScrapeRequest(ScrapeRequest):
    model_config = ConfigDict(json_schema_extra={"examples": [{**_EXAMPLE, "timeout_seconds": 30}]})

    timeout_seconds: Annotated[int, BeforeValidator(number)] = Field(
        60, ge=5, le=120, description="Then the answer is 504 (S-012)."
    )


class BatchScrapeRequest(RequestModel):
    model_config = ConfigDict(json_schema_extra={"examples": [{"targets": [_EXAMPLE]}]})

    targets: Annotated[list[ScrapeRequest], Field(min_length=1, max_length=MAX_TARGETS)]
    callback_url: Url | None = Field(
        None, description="Receives a signed POST when the job has ended; replaces SCRAPER_DEFAULT_WEBHOOK_URL (S-134)."
    )


class TaskAccepted(ResponseModel):
    model_config = _example(task_id=_TASK, status="queued")

    task_id: UUID
    status: Literal["queued"] = Field("queued", description="Of the first submit, when an Idempotency-Key repeats it.")


class JobAccepted(ResponseModel):
    model_config = _example(job_id=_JOB, status="queued", total_tasks=2)

    job_id: UUID
    status: Literal["queued"] = "queued"
    total_tasks: int


class ScrapeTask(ResponseModel):
    """`result` is there exactly when `status` is completed (S-099): something of what was asked for was found. Every
    requested field is in it with its value, or null with its reason in `problems`."""

    model_config = _example(
        id=_TASK, job_id=_JOB, **_EXAMPLE, status="completed", result=_RESULT, further_results=[], problems=_PROBLEMS,
        priority=12, created_at=_WHEN, started_at=_WHEN, completed_at=_WHEN,
    )  # fmt: skip

    id: UUID
    job_id: UUID | None
    target_type: str
    target_url: str
    requested_fields: list[str] | None
    workspace_id: str | None
    status: TaskStatus
    result: dict[str, Any] | None = None
    further_results: list[dict[str, Any]] = Field([], description="Of a page with several things, the others.")
    problems: dict[str, str] = Field(
        {}, description="Why each null field of `result` is null: `not_stated`, or what could not be read and why."
    )
    error: str | None = None
    priority: int
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None


class ScrapeJob(ResponseModel):
    model_config = _example(
        id=_JOB, task_ids=[_TASK, _OTHER_TASK], status="partially_completed",
        total_tasks=2, completed_tasks=1, failed_tasks=1, cancelled_tasks=0,
        callback_url="https://backend.example.com/callbacks", created_at=_WHEN, updated_at=_WHEN, finished_at=_WHEN,
    )  # fmt: skip

    id: UUID
    task_ids: list[UUID] = Field(description="In the order of the targets; each can be asked for, e.g. why it failed.")
    status: JobStatus
    total_tasks: int
    completed_tasks: int
    failed_tasks: int
    cancelled_tasks: int
    callback_url: str | None
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None


class ScrapeResult(ResponseModel):
    """A task of the job that is completed; the others have no result (S-102)."""

    model_config = _example(
        task_id=_TASK,
        target_type=_EXAMPLE["target_type"],
        target_url=_EXAMPLE["target_url"],
        result=_RESULT,
        problems=_PROBLEMS,
    )

    task_id: UUID
    target_type: str
    target_url: str
    result: dict[str, Any] | None = Field(description="Null after its retention period.")
    problems: dict[str, str] = Field(
        {}, description="Why each null field of `result` is null: `not_stated`, or what could not be read and why."
    )


class JobCancelled(ResponseModel):
    model_config = _example(job_id=_JOB, status="cancelled", cancelled=1)

    job_id: UUID
    status: Literal["cancelled"] = "cancelled"
    cancelled: int = Field(description="Queued tasks that will not run; running ones finish.")


class TypeResponse(ResponseModel):
    name: str
    kind: str
    version: str
    fields: list[str]
    result_schema: dict[str, Any]
