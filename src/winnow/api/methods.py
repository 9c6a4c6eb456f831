"""Which methods a path has. HEAD is GET without its body, on every path that has GET (RFC 9110 §9.3.2)."""

from __future__ import annotations

from starlette.routing import Match, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ALL = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")


def allowed(routes: Router, scope: Scope) -> list[str]:
    """What `Allow` says of this path: the framework names the methods of one of its routes only."""
    found = {method for method in ALL if _has(routes, scope, method)}
    return sorted(found | {"HEAD"} if "GET" in found else found)


def _has(routes: Router, scope: Scope, method: str) -> bool:
    """Matching leaves notes in the scope, so it is given a copy."""
    asked = {"type": "http", "path": scope["path"], "root_path": "", "headers": scope["headers"], "method": method}
    return any(route.matches(dict(asked))[0] is Match.FULL for route in routes.routes)


class HeadRequests:
    """Answers HEAD by the GET route of the path, unless the path has its own HEAD route."""

    def __init__(self, app: ASGIApp, routes: Router) -> None:
        self._app = app
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "HEAD":
            send = _bare(send)
            if _has(self._routes, scope, "GET") and not _has(self._routes, scope, "HEAD"):
                scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)


def _bare(send: Send) -> Send:
    async def without_body(message: Message) -> None:
        await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

    return without_body
