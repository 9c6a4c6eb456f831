"""Deny by default (R-25): every route needs a key, except the five on the list.

The gate stands before routing, so that a new route is closed, and before the body is read
(S-021). What it does not know as a route it answers itself; nothing behind it runs without a caller.
"""

from __future__ import annotations

import re
import time
from typing import Annotated

import psycopg
import structlog
from fastapi import Depends, FastAPI, Request
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import ASGIApp, Receive, Scope, Send

from winnow.api.envelope import failure
from winnow.api.failures import response_to
from winnow.api.transport import not_found
from winnow.db.engine import Database
from winnow.errors import DatabaseUnavailable
from winnow.observe import keys
from winnow.observe.keys import Caller
from winnow.observe.keys import Scope as KeyScope

log = structlog.get_logger(__name__)

# Readers who follow an offer have no key (F-136), nor have calendar programs: the address of a subscription is its key.
FOLLOWING = re.compile(r"/(?:go|calendar)/[^/]+")
PUBLIC = frozenset({"/health", "/readiness", "/metrics", "/go/{offer_id}", "/calendar/{token}.{form}"})
VERSIONED = "/api/"  # without a key every path here answers 401, known or not (S-096)
SCRAPING = "/api/v1/scrape"  # the enrichment endpoints: the scrape scope may submit there
# All a key of scope `read` may do: look at what consumers may see, through their views (P-092). Everything else shows
# how it is come by (hosts, errors, payloads, what is held) and needs `admin`; so does every other route.
CONSUMED = re.compile(
    r"/api/v1/(prices|products|targets/[^/]+/prices|events(?:\.ics|\.rss|\.jsonld)?|feed)(/.*)?"
    r"|/api/v1/exports/[^/]+|/openapi\.json"
)
# Apps that show events report what their readers did with a key that may only read.
REPORTED = re.compile(r"/api/v1/events/[^/]+/reactions")
READING = frozenset({"GET", "HEAD", "OPTIONS"})
NOTED_SECONDS = 60.0  # how often the use of a key is written down

UNKNOWN_KEY = "Invalid or missing service key: X-Service-Key or Authorization: Bearer has to carry one"  # S-078
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="winnow"'}


class ApiKeyGate:
    def __init__(self, app: ASGIApp, routes: FastAPI, database: Database, chosen: keys.ChosenKey) -> None:
        self._app = app
        self._routes = routes
        self._database = database
        self._chosen = chosen
        self._noted: dict[int, float] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            refusal = await self._refusal(scope)
            await (self._app if refusal is None else refusal)(scope, receive, send)
        else:  # no WebSocket is served
            await send({"type": "websocket.close", "code": 1008, "reason": ""})

    async def _refusal(self, scope: Scope) -> Response | None:
        if scope["path"] in PUBLIC or FOLLOWING.fullmatch(scope["path"]):
            return None
        known = self._known(scope)
        if not known and not scope["path"].startswith(VERSIONED):
            return not_found()
        try:
            caller = await self._caller(scope)
        except (DatabaseUnavailable, psycopg.OperationalError) as away:
            return response_to(DatabaseUnavailable(str(away)))
        if caller is None:
            return failure(401, UNKNOWN_KEY, headers=_CHALLENGE)
        if not known:
            return not_found()
        wanted = needed(scope["method"], scope["path"])
        if not caller.may(wanted):
            return failure(403, f"this key lacks the scope {wanted.value!r}")
        scope.setdefault("state", {})["caller"] = caller
        return None

    def _known(self, scope: Scope) -> bool:
        """Matching leaves notes in the scope, so it is given a copy."""
        return any(route.matches(dict(scope))[0] is not Match.NONE for route in self._routes.router.routes)

    async def _caller(self, scope: Scope) -> Caller | None:
        given = presented(scope)
        if given is None:
            return None
        chosen = self._chosen.caller(given)
        if chosen is not None:
            return chosen
        async with self._database.connection() as conn:
            caller = await keys.verify(conn, given)
            if caller is not None and caller.key_id is not None and self._to_be_noted(caller.key_id):
                await keys.record_use(conn, caller.key_id)
        return caller

    def _to_be_noted(self, key_id: int) -> bool:
        now = time.monotonic()
        if now - self._noted.get(key_id, -NOTED_SECONDS) < NOTED_SECONDS:
            return False
        self._noted[key_id] = now
        return True


def presented(scope: Scope) -> bytes | None:
    """The key as raw bytes. Two keys in one request are as good as none."""
    found = [value.strip() for name, value in scope["headers"] if name == b"x-service-key"]
    for name, value in scope["headers"]:
        scheme, _, rest = value.strip().partition(b" ")
        if name == b"authorization" and scheme.lower() == b"bearer":
            found.append(rest.strip())
    return found[0] if found and all(f == found[0] for f in found) and found[0] else None


def needed(method: str, path: str) -> KeyScope:
    """The scope is decided by method and place, so that no new route can forget it."""
    if path == SCRAPING or path.startswith(SCRAPING + "/"):
        return KeyScope.SCRAPE
    may_read = (method in READING and CONSUMED.fullmatch(path)) or REPORTED.fullmatch(path)
    return KeyScope.READ if may_read else KeyScope.ADMIN


async def caller_of(request: Request) -> Caller:
    caller = request.scope.get("state", {}).get("caller")
    if not isinstance(caller, Caller):  # cannot happen behind the gate; without it nothing may run
        raise RuntimeError("a route was reached without a caller")
    return caller


CurrentCaller = Annotated[Caller, Depends(caller_of)]
