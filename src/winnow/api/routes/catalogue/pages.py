"""Fetched pages and pictures as they were kept (C-029, C-048). A body never runs as a page of ours: it is sent as plain
text or as an attachment, and browsers are told not to guess."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec
from fastapi import APIRouter
from starlette.responses import Response

from winnow.actions.pages import KeptPage, kept, kept_image
from winnow.actions.parts import Parts
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.crawl_jobs import StoredPageResponse
from winnow.api.params import PartsDep, PathId
from winnow.errors import NotFound
from winnow.fetch.archive.archive import Archive

router = APIRouter(tags=["crawls"], responses=errors(), route_class=JsonRoute)

# Nothing in it may run or load, whatever opens it; every answer says `nosniff` already.
SAFE = {
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "private, no-store",
}
_TEXT = {"content": {"text/plain": {"schema": {"type": "string"}}}}
_IMAGE = {"content": {"image/*": {"schema": {"type": "string", "format": "binary"}}}}


@router.get("/pages/{page_id}", response_model=Envelope[StoredPageResponse], responses=errors(404))
async def get_page(parts: PartsDep, page_id: UUID) -> Any:
    found = await _kept(parts, page_id)
    facts = {name: getattr(found.page, name) for name in msgspec.structs.asdict(found.page)}
    return ok(StoredPageResponse.of({**facts, "id": page_id, "kept": found.body is not None}))


@router.get("/pages/{page_id}/body", response_class=Response, responses={200: _TEXT, **errors(404)})
async def get_body(parts: PartsDep, page_id: UUID) -> Response:
    """The source of the page as text, in the encoding it was read in."""
    found = await _kept(parts, page_id)
    if found.body is None:
        raise NotFound(f"the body of page {page_id} was not kept")
    name = f'attachment; filename="{page_id}.txt"'
    return Response(
        found.source().encode(), media_type="text/plain; charset=utf-8", headers={**SAFE, "Content-Disposition": name}
    )


@router.get("/images/{image_id}/body", response_class=Response, responses={200: _IMAGE, **errors(404)})
async def get_image(parts: PartsDep, image_id: PathId) -> Response:
    """A picture of a product as it was fetched; its type is that of its bytes."""
    archive = Archive(parts.settings.fetch.archive_url, parts.settings.db.folder / "pages")
    try:
        image = await kept_image(parts.database, archive, image_id)
    finally:
        archive.close()
    return Response(image.body, media_type=image.content_type, headers=SAFE)


async def _kept(parts: Parts, page_id: UUID) -> KeptPage:
    archive = Archive(parts.settings.fetch.archive_url, parts.settings.db.folder / "pages")
    try:
        return await kept(parts.database, archive, page_id)
    finally:
        archive.close()
