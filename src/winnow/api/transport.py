"""The outermost layer: a fresh request id, a limit on bodies, and no exception ever leaves without an envelope."""

from __future__ import annotations

import time
from uuid import uuid4

import structlog
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from winnow.api.envelope import failure
from winnow.observe import logs

log = structlog.get_logger(__name__)

MAX_BODY = 1024 * 1024  # the largest valid request is smaller; whole files are imported with `winnow targets import`
TOO_LARGE = f"the body is larger than {MAX_BODY} bytes"


class Transport:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # Always a new one (S-095): an id chosen by a caller could repeat, or carry something secret.
        with logs.context(request_id=str(uuid4())):
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = _LoggedResponse(send, structlog.contextvars.get_contextvars()["request_id"])
        try:
            if _announced(scope) > MAX_BODY:
                await failure(413, TOO_LARGE)(scope, receive, answer.send)
            else:
                await self._app(scope, _limited(receive), answer.send)
        except Exception as error:  # the last place: logged, and answered with 500
            log.error("request_crashed", method=scope["method"], path=scope["path"], exc_info=error)
            if not answer.started:
                await failure(500, "something went wrong on our side")(scope, receive, answer.send)
        finally:
            answer.log(scope)


class _LoggedResponse:
    """Passes the answer on with its X-Request-ID and remembers how it went."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._id = request_id.encode("ascii")
        self._began = time.monotonic()
        self.status: int | None = None

    @property
    def started(self) -> bool:
        return self.status is not None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            kept = [(n, v) for n, v in message.get("headers", []) if n.lower() != b"x-request-id"]
            # The API serves no HTML: scraped text must never be executed by a browser.
            own = [
                (b"x-request-id", self._id),
                (b"x-content-type-options", b"nosniff"),
            ]
            if not any(name.lower() == b"cache-control" for name, _ in kept):  # calendars say how long a copy holds
                own.append((b"cache-control", b"no-store"))
            message = {**message, "headers": [*kept, *own]}
        await self._send(message)

    def log(self, scope: Scope) -> None:
        took = round((time.monotonic() - self._began) * 1000, 1)
        level = log.debug if scope["path"] in ("/health", "/readiness", "/metrics") else log.info
        level("request", method=scope["method"], path=scope["path"], status=self.status, duration_ms=took)


def _announced(scope: Scope) -> int:
    """Return the Content-Length, or None where it is missing or invalid; such a body is counted while it is read."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0


def _limited(receive: Receive) -> Receive:
    read = 0

    async def counted() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > MAX_BODY:
            raise HTTPException(413, TOO_LARGE)
        return message

    return counted


def unreadable() -> bytes:
    """The whole answer to a request that cannot be read as one: two lengths, a line that is none."""
    request_id = str(uuid4())
    with logs.context(request_id=request_id):
        answer = failure(400, "this is not a request that can be read")
    head = [(b"x-request-id", request_id.encode("ascii")), (b"connection", b"close"), *answer.raw_headers]
    lines = [b"HTTP/1.1 400 Bad Request", *(name + b": " + value for name, value in head)]
    return b"\r\n".join([*lines, b"", bytes(answer.body)])


def not_found() -> Response:
    return failure(404, "there is nothing here")
