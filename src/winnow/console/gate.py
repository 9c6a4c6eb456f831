"""Deny by default: without a session only the login page and the files it is made of are served.

It stands before routing, like the API's gate, and looks at every request: pages, uploads, the WebSocket's handshake
and its polling fallback. What a page says about itself afterwards is looked at by `events`.
"""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie
from urllib.parse import quote, urlsplit

import psycopg
import structlog
from nicegui import __version__ as nicegui_version
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from winnow.console.urls import COOKIE, LOGIN, ROOT
from winnow.db.engine import Database
from winnow.errors import DatabaseUnavailable
from winnow.observe import sessions
from winnow.observe.sessions import LoginSession

log = structlog.get_logger(__name__)

READING = frozenset({"GET", "HEAD"})
# Ours and NiceGUI's own scripts, styles and fonts: the same for everybody.
FILES = (f"{ROOT}/static/", f"{ROOT}/_nicegui/{nicegui_version}/")
MAX_UPLOAD = 64 * 1024 * 1024  # an uploaded CSV of targets; everything else is a few kilobytes
MAX_FORM = 64 * 1024  # what anybody may send without a session: the login form
TOO_LARGE = "this is too large"

# Vue compiles templates in the browser, hence 'unsafe-eval'. Nothing may be loaded from, or sent to, anywhere else.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"permissions-policy", b"geolocation=(), camera=(), microphone=()"),
]


class LoginGate:
    def __init__(self, app: ASGIApp, database: Database) -> None:
        self._app = app
        self._database = database

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self._request(scope, receive, _with_headers(send))

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = await self._refusal(scope)
        await (refusal or self._app)(scope, limited(receive, _max_body(scope)), send)

    async def _refusal(self, scope: Scope) -> Response | None:
        headers, path = Headers(scope=scope), scope["path"]
        reading = scope["method"] in READING
        if not reading and not same_origin(headers):
            log.warning("console_refused", path=path, why="origin")
            return PlainTextResponse("this came from another site", 403)
        if _announced(headers) > _max_body(scope):
            return PlainTextResponse(TOO_LARGE, 413)
        if path == LOGIN or (reading and path.startswith(FILES)):
            return None
        try:
            session = await self._session(headers)
        except (DatabaseUnavailable, psycopg.OperationalError):
            return PlainTextResponse("The database is unavailable. Try again in a moment.", 503)
        if session is None:
            return _to_login(scope) if reading and "_nicegui" not in path else PlainTextResponse("please log in", 401)
        scope.setdefault("state", {})["session"] = session
        return None

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        allowed = False
        if same_origin(headers):
            try:
                allowed = await self._session(headers) is not None
            except (DatabaseUnavailable, psycopg.OperationalError):
                allowed = False
        if not allowed:
            log.warning("console_refused", path=scope["path"], why="handshake")
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
            return
        await self._app(scope, receive, send)

    async def _session(self, headers: Headers) -> LoginSession | None:
        token = token_of(headers.get("cookie", ""))
        if token is None:
            return None
        async with self._database.connection() as conn:
            session = await sessions.find(conn, token)
            if session is not None:
                await sessions.seen(conn, session)
        return session


def _max_body(scope: Scope) -> int:
    return MAX_FORM if scope["path"] == LOGIN else MAX_UPLOAD


def _announced(headers: Headers) -> int:
    """The stated length of the body; 0 where it is missing or no number. The bytes are counted in any case."""
    stated = headers.get("content-length", "")[:20]
    return int(stated) if stated.isascii() and stated.isdigit() else 0


def limited(receive: Receive, limit: int) -> Receive:
    """Count the bytes of a body while they arrive: a chunked one does not state its length."""
    read = 0

    async def counted() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > limit:
            raise HTTPException(413, TOO_LARGE)
        return message

    return counted


def token_of(cookies: str) -> str | None:
    try:
        found = SimpleCookie(cookies).get(COOKIE)
    except CookieError:
        return None
    return found.value if found is not None and found.value else None


def same_origin(headers: Headers) -> bool:
    """A browser names the page a POST or a handshake comes from. Who names none is no browser, and is refused too:
    nothing here is meant for programs, they have the API."""
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc.lower() == headers.get("host", "").lower() != ""


def session_of(request: Request) -> LoginSession:
    session = request.scope.get("state", {}).get("session")
    if not isinstance(session, LoginSession):  # cannot happen behind the gate; without it nothing may be shown
        raise RuntimeError("a page was reached without a session")
    return session


def _to_login(scope: Scope) -> Response:
    asked = scope["path"] + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
    wanted = "" if asked.rstrip("/") == ROOT else f"?next={quote(asked, safe='')}"
    return RedirectResponse(LOGIN + wanted, 303)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *HEADERS]}
        await send(message)

    return sending
