"""The download behind the button CSV: a list as a file, for whoever may look at it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse

from winnow.actions.parts import Parts
from winnow.console.gate import session_of
from winnow.console.urls import ROOT, href
from winnow.errors import WinnowError
from winnow.publish.exports import datasets
from winnow.publish.exports.datasets import Audience
from winnow.publish.exports.files import stream
from winnow.publish.exports.selection import Asked
from winnow.publish.exports.text_files import MEDIA_TYPES, Counted, Format

PATH = f"{ROOT}/exports/{{dataset}}.csv"


class Downloads:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def answer(self, request: Request) -> Response:
        if session_of(request).must_change_password:
            return RedirectResponse(href("/account"), 303)
        offer, source = request.query_params.get("offer", ""), request.query_params.get("source", "")
        try:
            dataset = datasets.find(request.path_params["dataset"])
        except WinnowError as wrong:
            return PlainTextResponse(str(wrong), 404)
        asked = Asked(dataset=dataset, audience=Audience.OPERATOR, offer_id=_id(offer), source_id=_id(source))
        async with self._parts.database.connection() as conn:
            selection = await asked.open(conn)
        body = _body(stream(self._parts.database, selection, Format.CSV, Counted()))
        await anext(body)
        headers = {"Content-Disposition": f'attachment; filename="{dataset.name}.csv"', "Cache-Control": "no-store"}
        return StreamingResponse(body, media_type=MEDIA_TYPES[Format.CSV], headers=headers)


async def _body(chunks: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """Yields nothing once the first chunk is there, so that what is wrong from the start has its status."""
    async with aclosing(chunks):
        first = await anext(chunks, b"")
        yield b""
        yield first
        async for chunk in chunks:
            yield chunk


def _id(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
