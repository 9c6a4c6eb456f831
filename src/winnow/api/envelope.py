"""The one shape of every answer: {success, data, error, meta} (S-023, S-093).

Handlers return `ok(...)`; whatever goes wrong anywhere becomes a `Failure` through `failure(...)`. Neither
ever repeats what the caller sent: a value in a wrong field may be a secret in the wrong place (R-26).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, Literal, TypeVar
from uuid import uuid4

import orjson
import structlog
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

T = TypeVar("T")

CODES = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    413: "body_too_large",
    415: "unsupported_media_type",
    422: "invalid",
    429: "busy",
    500: "internal",
    502: "bad_gateway",
    503: "unavailable",
    504: "timeout",
}


class Meta(BaseModel):
    """`next` is the cursor of the following page; null on the last one."""

    request_id: str = Field(description="The X-Request-ID of this answer.")
    limit: int | None = None
    next: str | None = None


class Detail(BaseModel):
    field: str = Field(description="Which value, e.g. body.url or query.limit.")
    message: str
    type: str


class FailureMeta(BaseModel):
    """`details` name the wrong fields of a 422; `existing` what is there already, so that a caller can go on with
    it (R-07); `task_id` the task a failed sync scrape made, to be read with GET /api/v1/scrape/{task_id}."""

    request_id: str = Field(description="The X-Request-ID of this answer.")
    code: str = Field(description="The stable word for programs; `error` is a sentence for people.")
    details: list[Detail] = []
    existing: str | None = None
    task_id: str | None = None


class Envelope(BaseModel, Generic[T]):
    """`error` is null in every answer that succeeded."""

    model_config = ConfigDict(extra="forbid")

    success: Literal[True] = True
    data: T
    error: None = None
    meta: Meta


class Failure(BaseModel):
    model_config = ConfigDict(extra="forbid")

    success: Literal[False] = False
    data: None = None
    error: str
    meta: FailureMeta


def ok(data: T, *, limit: int | None = None, following: str | None = None) -> Envelope[T]:
    """Built without validation: handlers give models, and the response model checks them once."""
    meta = Meta.model_construct(request_id=request_id(), limit=limit, next=following)
    return Envelope.model_construct(success=True, data=data, error=None, meta=meta)


def request_id() -> str:
    """Of the request being answered; outside of one (a test calling a handler), a fresh one."""
    return str(structlog.contextvars.get_contextvars().get("request_id") or uuid4())


def failure(
    status: int,
    message: str,
    *,
    code: str | None = None,
    details: Sequence[Detail] = (),
    existing: str | None = None,
    task_id: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    meta = FailureMeta(
        request_id=request_id(),
        code=code or CODES.get(status, "error"),
        details=list(details),
        existing=existing,
        task_id=task_id,
    )
    body = Failure(error=message, meta=meta)
    return json_response(body.model_dump(), status, headers)


def json_response(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(orjson.dumps(content), status, dict(headers or {}), media_type="application/json")
