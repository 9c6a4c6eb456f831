"""Strict JSON: UTF-8 only, no duplicate names, no NaN or Infinity, no text that PostgreSQL cannot store.

The standard decoder accepts bodies that other parsers read differently or that the database refuses.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from winnow.errors import InvalidInput

BODY = ""  # the field that is wrong when the body as a whole is


class JsonRoute(APIRoute):
    """A route whose body is read by `read`, and which refuses query parameters it does not have."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle, takes_one = super().get_route_handler(), self.body_field is not None
        known = _query_names(self.dependant)

        async def strict(request: Request) -> Response:
            if unknown := [name for name in request.query_params if name not in known]:
                raise RequestValidationError([_unknown(name) for name in dict.fromkeys(unknown)])
            if takes_one and _sent(request) and not _is_json(request):
                raise HTTPException(415, "the body has to be sent as application/json")
            if takes_one and _coded(request):
                raise HTTPException(415, "the body must be sent without a Content-Encoding")
            return await handle(_Request(request.scope, request.receive))

        return strict


def _query_names(dependant: Dependant) -> frozenset[str]:
    own = frozenset(parameter.alias for parameter in dependant.query_params)
    return own.union(*(_query_names(inner) for inner in dependant.dependencies))


def _unknown(name: str) -> dict[str, Any]:
    """A parameter that is misspelled would otherwise be ignored, and the answer would look like a filtered one."""
    return {"loc": ("query", name[:100]), "msg": "there is no such parameter", "type": "extra_forbidden"}


class _Request(Request):
    async def json(self) -> Any:
        return read(await self.body())


def read(body: bytes) -> Any:
    """JSONDecodeError when it is no JSON at all, InvalidInput for the rest. What was sent is not repeated."""
    found = json.loads(_text(body), object_pairs_hook=_once, parse_constant=_number)
    if b"\\u" in body:
        _whole(found)
    return found


def _sent(request: Request) -> bool:
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers


def _is_json(request: Request) -> bool:
    """`application/json` or `application/…+json`, whatever comes after it."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def _coded(request: Request) -> bool:
    """RFC 9110 §15.5.16. What is packed would be measured by its packed length."""
    return request.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity")


def _text(body: bytes) -> str:
    """RFC 8259 §8.1: UTF-8, and a mark at its beginning may be ignored. The standard reader guesses other encodings
    and lets halves of characters pass, which fail where they are stored."""
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("the body is not UTF-8", BODY) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise InvalidInput("a name is there twice in one object", BODY)
    return made


def _number(_: str) -> None:
    raise InvalidInput("NaN and Infinity are not JSON", BODY)


def _whole(value: Any) -> None:
    """An escape may name half of a character (a lone surrogate), which no encoding of text can hold."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InvalidInput("a text has half of a character", BODY) from None
