"""Which failures each kind of route documents, so that the OpenAPI text says what really comes back."""

from __future__ import annotations

from typing import Any

from winnow.api.envelope import Failure

Responses = dict[int | str, dict[str, Any]]

_TEXT = {
    401: "No valid key.",
    403: "The key lacks the scope.",
    404: "Not found.",
    405: "The path has no such method; Allow names those it has.",
    409: "It exists already, or is being worked on; `meta.existing` names it.",
    413: "The body is larger than 1 MB.",
    415: "The body is not sent as application/json.",
    422: "A value is not valid; `meta.details` says which.",
    429: "The queue is full; Retry-After says when to ask again.",
    502: "The task failed (`meta.task_id`), or the backend gives no credential for this workspace and provider.",
    503: "The database is not available right now, or the queue is full, or this process is stopping.",
    504: "No result in time; `error` says what became of the task, `meta.task_id` names it.",
}


def errors(*statuses: int) -> Responses:
    """OpenAPI descriptions of the errors every guarded route may answer, and of `statuses` besides. 413 implies 415."""
    if 413 in statuses:
        statuses = (*statuses, 415)
    return {s: {"model": Failure, "description": _TEXT[s]} for s in sorted({401, 403, 422, 503, *statuses})}
