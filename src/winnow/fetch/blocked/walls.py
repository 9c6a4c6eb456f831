"""The final check of a fetched page: a wall ends the visit as `blocked`, with the evidence (E-039). Pure."""

from __future__ import annotations

import msgspec

from winnow.fetch.blocked.detect import Blocked, recognise
from winnow.fetch.failure import FailureCode
from winnow.fetch.outcome import FetchResult, Outcome


def mark_blocked(result: FetchResult) -> FetchResult:
    """The same result, or `blocked` with the kind of wall as its reason. What only its status says keeps that."""
    found = _recognise(result)
    if found is None or found.sign.startswith("status "):
        return result
    failure = FailureCode(found.kind)
    return msgspec.structs.replace(
        result,
        outcome=failure.meaning.outcome,
        error_class=failure,
        error=f"{failure.meaning.sentence} ({found.sign})",
        body=None,
        hashed=None,
        etag=None,
        last_modified=None,
    )


def _recognise(result: FetchResult) -> Blocked | None:
    if result.not_modified or result.status_code is None:
        return None
    body = result.body if result.outcome is Outcome.OK else result.error_body
    answered = result.outcome is Outcome.OK or result.ended_by_status
    if not answered or (body is None and not result.kept):
        return None
    headers = {**result.kept, "content-type": result.content_type or "text/html"}
    led_to = result.final_url if result.redirects else ""
    return recognise(result.status_code, headers, body or b"", result.charset, led_to)
