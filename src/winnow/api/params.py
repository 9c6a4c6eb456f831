"""Dependencies and parameter types of routes: the shared parts, ids, filters, paging."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Query, Request
from pydantic import AfterValidator, BaseModel

from winnow.actions.parts import Parts
from winnow.api.models.fields import MAX_BIGINT, storable

PathId = Annotated[int, Path(ge=1, le=MAX_BIGINT)]
QueryId = Annotated[int | None, Query(ge=1, le=MAX_BIGINT)]
Filter = Annotated[str | None, AfterValidator(lambda v: v if v is None else storable(v)), Query(max_length=500)]


class Paging(BaseModel):
    limit: int
    after: int | None


# Dependencies are coroutines: FastAPI runs plain functions in a thread, which costs more than the function itself.
async def paging(
    limit: Annotated[int, Query(ge=1, le=500, description="Rows per page.")] = 50,
    after: Annotated[int | None, Query(ge=0, le=MAX_BIGINT, description="meta.next of the page before.")] = None,
) -> Paging:
    return Paging(limit=limit, after=after)


Paged = Annotated[Paging, Depends(paging)]


async def parts_of(request: Request) -> Parts:
    parts = request.app.state.parts
    assert isinstance(parts, Parts)
    return parts


PartsDep = Annotated[Parts, Depends(parts_of)]
