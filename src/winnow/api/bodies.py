"""JSON as it is meant: every name once, numbers that are numbers, text that can be stored.

What the standard reader lets pass would be read one way here and another way elsewhere, or fail where it is stored.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from winnow.errors import InvalidInput


class JsonRoute(APIRoute):
    """A route whose body is read by `read`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def strict(request: Request) -> Response:
            return await handle(_Request(request.scope, request.receive))

        return strict


class _Request(Request):
    async def json(self) -> Any:
        return read(await self.body())


def read(body: bytes) -> Any:
    """JSONDecodeError when it is no JSON at all, InvalidInput for the rest. What was sent is not repeated."""
    found = json.loads(body, object_pairs_hook=_once, parse_constant=_number)
    if b"\\u" in body:
        _whole(found)
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise InvalidInput("a name is there twice in one object")
    return made


def _number(_: str) -> None:
    raise InvalidInput("NaN and Infinity are not JSON")


def _whole(value: Any) -> None:
    """An escape may name half of a character (a lone surrogate), which no encoding of text can hold."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InvalidInput("a text has half of a character") from None
