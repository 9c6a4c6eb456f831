from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from winnow.actions import dead_letters as dead_letter_actions
from winnow.actions.parts import Parts
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.fields import MAX_IDS
from winnow.api.models.work import (
    DeadLetterDetail,
    DeadLetterResponse,
    LetterChoice,
    LetterDiscard,
    LettersChanged,
    Stage,
)
from winnow.api.params import Filter, Paged, PartsDep, PathId, QueryId
from winnow.errors import InvalidInput, NotFound
from winnow.observe import mask
from winnow.queries import dead_letters as queries
from winnow.queries.reading import reader

router = APIRouter(prefix="/dead-letters", tags=["dead letters"], responses=errors(), route_class=JsonRoute)

LetterStatus = Literal["pending", "retrying", "resolved", "discarded"]


@router.get("", response_model=Envelope[list[DeadLetterResponse]])
async def list_dead_letters(
    parts: PartsDep,
    paged: Paged,
    status: Annotated[LetterStatus | None, Query()] = None,
    stage: Annotated[Stage | None, Query()] = None,
    error_type: Filter = None,
    source_id: QueryId = None,
) -> Any:
    """Newest first."""
    async with reader(parts.database) as conn:
        found, following = await queries.listed(
            conn,
            status=status,
            stage=stage,
            error_type=error_type,
            source_id=source_id,
            after=paged.after,
            limit=paged.limit,
        )
    return ok([DeadLetterResponse.of(row) for row in found], limit=paged.limit, following=following)


@router.get("/{letter_id}", response_model=Envelope[DeadLetterDetail], responses=errors(404))
async def get_dead_letter(parts: PartsDep, letter_id: PathId) -> Any:
    async with reader(parts.database) as conn:
        row = await queries.one(conn, letter_id)
    if row is None:
        raise NotFound(f"there is no dead letter {letter_id}")
    hidden = {name: mask.value(row[name], name) for name in ("payload", "error_stack")}
    return ok(DeadLetterDetail.of({**row, **hidden}))


@router.post("/retry", response_model=Envelope[LettersChanged], responses=errors(413))
async def retry_dead_letters(parts: PartsDep, caller: CurrentCaller, body: LetterChoice) -> Any:
    """Named ones, or all that match, at most a thousand at once; `left` says how many remain."""
    ids, left = await _chosen(parts, body)
    async with parts.database.transaction() as conn:
        changed = await dead_letter_actions.retry(conn, caller.name, ids) if ids else 0
    return ok(LettersChanged(changed=changed, left=left))


@router.post("/discard", response_model=Envelope[LettersChanged], responses=errors(413))
async def discard_dead_letters(parts: PartsDep, caller: CurrentCaller, body: LetterDiscard) -> Any:
    ids, left = await _chosen(parts, body)
    async with parts.database.transaction() as conn:
        changed = await dead_letter_actions.discard(conn, caller.name, ids, body.note) if ids else 0
    return ok(LettersChanged(changed=changed, left=left))


async def _chosen(parts: Parts, body: LetterChoice) -> tuple[list[int], int]:
    if (body.ids is not None) == body.all_pending:
        raise InvalidInput("give either ids or all_pending", field="ids")
    if body.ids is not None:
        return body.ids, 0
    async with reader(parts.database) as conn:
        ids, total = await queries.pending(
            conn, stage=body.stage, error_type=body.error_type, source_id=body.source_id, limit=MAX_IDS
        )
    return ids, total - len(ids)
