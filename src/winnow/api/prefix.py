"""Behind a proxy that shows us below a path of its own (`WINNOW_PATH_PREFIX`)."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

FORWARDED = b"x-forwarded-prefix"  # links must not depend on a header that any client can send


class Prefixed:
    """Takes the prefix off, if the proxy has not done so."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            headers = [pair for pair in scope["headers"] if pair[0] != FORWARDED]
            path = self._inside(scope["path"])
            scope = {**scope, "headers": headers, "path": path, "raw_path": path.encode()}
        await self._app(scope, receive, send)

    def _inside(self, path: str) -> str:
        if self._prefix and (path == self._prefix or path.startswith(f"{self._prefix}/")):
            return path.removeprefix(self._prefix) or "/"
        return path
