"""What each error becomes over HTTP. One table, so that no route decides it for itself."""

from __future__ import annotations

import math
from http import HTTPStatus

import psycopg
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.responses import Response

from winnow.api.bodies import BODY
from winnow.api.envelope import CODES, Detail, failure
from winnow.api.methods import allowed
from winnow.errors import (
    Conflict,
    CredentialsUnavailable,
    DatabaseUnavailable,
    Forbidden,
    InvalidInput,
    NoHealthyProxies,
    NotFound,
    QueueFull,
    TaskFailed,
    TaskTimedOut,
    WinnowError,
)

log = structlog.get_logger(__name__)

STATUS = (
    (InvalidInput, 422),
    (Forbidden, 403),
    (NotFound, 404),
    (Conflict, 409),
    (DatabaseUnavailable, 503),
    (QueueFull, 503),
    (NoHealthyProxies, 503),
    (CredentialsUnavailable, 502),
    (TaskTimedOut, 504),
    (TaskFailed, 502),
)
BODY_PLACE = "body"
RETRY_SECONDS = "5"  # a restart of the private server takes less than a second, a failover some more
# Errors of the database for values it cannot store (too large, a zero character): the caller's fault.
_BAD_VALUES = (psycopg.DataError, psycopg.errors.CheckViolation, psycopg.errors.NotNullViolation)
# Two callers met: the other one was faster (a row that is there now, or gone now), or the database chose one.
_RACES = (psycopg.IntegrityError, psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure)


def install(app: FastAPI) -> None:
    app.add_exception_handler(WinnowError, _winnow)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(DBAPIError, _database)
    app.add_exception_handler(psycopg.Error, _driver)
    app.add_exception_handler(PoolTimeout, _busy)


def response_to(error: WinnowError, place: str = BODY_PLACE) -> Response:
    """`place` of the request its wrong values stand in."""
    status = next((status for kind, status in STATUS if isinstance(error, kind)), 500)
    if status == 500:
        log.error("request_failed", error=str(error))
        return failure(500, "something went wrong on our side")
    details = _details(error, place)
    existing = error.existing if isinstance(error, Conflict) else None
    task_id = error.task_id if isinstance(error, TaskFailed) else None
    away = isinstance(error, DatabaseUnavailable)  # whose message names hosts
    message = "the database is not available right now" if away else str(error)
    headers = {"Retry-After": _retry_after(error)} if status == 503 else None
    return failure(
        status, message, code=error.code, details=details, existing=existing, task_id=task_id, headers=headers
    )


def _retry_after(error: WinnowError) -> str:
    return str(math.ceil(error.retry_after_s)) if isinstance(error, QueueFull) else RETRY_SECONDS


def _details(error: WinnowError, place: str) -> list[Detail]:
    """S-097: every field that is wrong, not only the first one. A field without a name is the body as a whole."""
    if not isinstance(error, InvalidInput):
        return []
    return [
        Detail(field=f"{place}.{wrong.field}".removesuffix("."), message=str(wrong), type=wrong.code)
        for wrong in (error, *error.further)
        if wrong.field is not None
    ]


async def _winnow(request: Request, error: Exception) -> Response:
    assert isinstance(error, WinnowError)
    return response_to(error, "query" if request.method in ("GET", "HEAD") else BODY_PLACE)


async def _validation(_: Request, error: Exception) -> Response:
    """S-097: one detail per field. The values themselves are left out."""
    assert isinstance(error, RequestValidationError)
    details = [
        Detail(field=".".join(map(str, e["loc"])), message=str(e["msg"]), type=str(e["type"])) for e in error.errors()
    ]
    return failure(422, _sentence(details), details=details)


def _sentence(details: list[Detail]) -> str:
    """The first wrong field with what is wrong, and the names of the others."""
    if not details:
        return "the request is not valid"
    others = ", ".join(detail.field for detail in details[1:])
    return f"{details[0].field}: {details[0].message}" + (f" (also wrong: {others})" if others else "")


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, InvalidInput):
        return response_to(error.__cause__)
    if error.status_code == 400:  # how the framework calls a body it cannot read at all
        return response_to(InvalidInput("the body cannot be read", BODY))
    message = str(error.detail) if error.status_code in CODES else HTTPStatus(error.status_code).phrase
    headers = error.headers
    if error.status_code == 405:
        headers = {"Allow": ", ".join(allowed(request.app.router, request.scope))}
    return failure(error.status_code, message, headers=headers)


async def _database(request: Request, error: Exception) -> Response:
    assert isinstance(error, DBAPIError)
    return await _driver(request, error.orig or error)


async def _driver(_: Request, error: BaseException) -> Response:
    if isinstance(error, _BAD_VALUES):
        log.warning("value_refused", error=type(error).__name__)
        return failure(422, "a value cannot be stored")
    if isinstance(error, _RACES):
        return failure(503, "another request changed the same object: try again", headers={"Retry-After": "1"})
    if isinstance(error, psycopg.OperationalError):
        log.warning("database_away", error=str(error))
        return response_to(DatabaseUnavailable(str(error)))
    log.error("request_failed", error=type(error).__name__, exc_info=error)
    return failure(500, "something went wrong on our side")


async def _busy(_: Request, __: Exception) -> Response:
    return response_to(DatabaseUnavailable("all connections are in use"))
