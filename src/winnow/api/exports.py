"""Exports as streams. A caller with the admin scope gets everything, others what consumers may see (P-092).

An answer that breaks off never looks whole: its length is not announced, and on an error the connection is cut before
the last chunk. `X-Export-Cursor` is the moment up to which the export goes, and the `since` of the next one.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from pydantic import AwareDatetime
from starlette.responses import Response, StreamingResponse

from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import Responses, errors
from winnow.api.models.fields import MAX_BIGINT
from winnow.api.params import PartsDep, QueryId
from winnow.errors import QueueFull
from winnow.observe.keys import Scope
from winnow.publish.exports import datasets
from winnow.publish.exports.datasets import Audience
from winnow.publish.exports.files import stream
from winnow.publish.exports.selection import Asked, Selection
from winnow.publish.exports.text_files import MEDIA_TYPES, Counted, Format

router = APIRouter(prefix="/exports", tags=["exports"], responses=errors(404), route_class=JsonRoute)

MAX_AT_ONCE = 4  # each holds a connection and, for Parquet, some 100 MB
RETRY_SECONDS = 30.0
CURSOR = "X-Export-Cursor"
_SCHEMA = {"schema": {"type": "string", "format": "binary"}}
_DOCUMENT: Responses = {
    200: {
        "description": "The rows, in the order of their id.",
        "content": {kind.partition(";")[0]: _SCHEMA for kind in MEDIA_TYPES.values()},
        "headers": {CURSOR: {"description": "The `since` of the next export.", "schema": {"type": "string"}}},
    }
}
_running: set[object] = set()

Name = Annotated[str, Path(max_length=20, description=f"One of {', '.join(datasets.DATASETS)}.")]


async def moments(
    since: Annotated[AwareDatetime | None, Query(description="Changed from here on.")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Changed before this.")] = None,
) -> tuple[datetime | None, datetime | None]:
    return since, until


Moments = Annotated[tuple[datetime | None, datetime | None], Depends(moments)]
After = Annotated[int | None, Query(ge=0, le=MAX_BIGINT, description="Go on after the row with this id.")]
Raw = Annotated[bool, Query(description="CSV cells as they are, also those that look like formulas (R-21).")]


@router.get("/{dataset}", responses=_DOCUMENT, response_class=StreamingResponse)
async def export_rows(
    parts: PartsDep,
    caller: CurrentCaller,
    dataset: Name,
    moments: Moments,
    format: Format = Format.CSV,
    after: After = None,
    source_id: QueryId = None,
    source_product_id: QueryId = None,
    raw: Raw = False,
) -> Response:
    """Prices, offers, products or events, as many as there are. Repeat a broken export with the same `since`,
    `until=` the cursor it announced and `after=` the last id that arrived."""
    asked = Asked(
        dataset=datasets.find(dataset),
        audience=Audience.OPERATOR if caller.may(Scope.ADMIN) else Audience.CONSUMER,
        since=moments[0],
        until=moments[1],
        after=after,
        source_id=source_id,
        offer_id=source_product_id,
    )
    async with parts.database.connection() as conn:
        selection = await asked.open(conn)
    return await answer(stream(parts.database, selection, format, Counted(), raw=raw), selection, format)


@router.head("/{dataset}", include_in_schema=False)
async def export_headers(parts: PartsDep, dataset: Name, format: Format = Format.CSV) -> Response:
    """The headers alone, without reading the rows."""
    asked = Asked(dataset=datasets.find(dataset), audience=Audience.CONSUMER)
    async with parts.database.connection() as conn:
        selection = await asked.open(conn)
    head = Response(media_type=MEDIA_TYPES[format], headers=_headers(selection, format))
    del head.headers["Content-Length"]  # GET does not announce its length either
    return head


async def answer(chunks: AsyncGenerator[bytes], selection: Selection, format: Format) -> Response:
    """The first chunk is read before the answer begins, so that what is wrong from the start has its status."""
    ticket = object()
    if len(_running) >= MAX_AT_ONCE:
        raise QueueFull(f"{MAX_AT_ONCE} exports are under way; ask again later", RETRY_SECONDS)
    _running.add(ticket)
    body = _body(chunks, ticket)
    await anext(body)
    return StreamingResponse(body, media_type=MEDIA_TYPES[format], headers=_headers(selection, format))


async def _body(chunks: AsyncGenerator[bytes], ticket: object) -> AsyncGenerator[bytes]:
    """Yields nothing once the first chunk is there, then every chunk."""
    try:
        async with aclosing(chunks):
            first = await anext(chunks, b"")
            yield b""
            yield first
            async for chunk in chunks:
                yield chunk
    finally:
        _running.discard(ticket)


def _headers(selection: Selection, format: Format) -> dict[str, str]:
    cursor = selection.window.until.isoformat()
    name = f"{selection.dataset.name}-{cursor[:10]}.{format.value}"
    return {CURSOR: cursor, "Content-Disposition": f'attachment; filename="{name}"'}
