"""Pause, resume and stop of everything (C-003)."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from winnow.actions.catalogue import control
from winnow.actions.parts import Parts
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.crawl_jobs import ControlResult, CrawlingState
from winnow.api.params import PartsDep
from winnow.queries import tasks
from winnow.queries.reading import reader
from winnow.schedule import crawling

router = APIRouter(prefix="/crawling", tags=["crawls"], responses=errors(), route_class=JsonRoute)


@router.get("", response_model=Envelope[CrawlingState])
async def get_state(parts: PartsDep) -> Any:
    return ok(await _state(parts))


@router.post("/pause", response_model=Envelope[CrawlingState])
async def pause_everything(parts: PartsDep, caller: CurrentCaller) -> Any:
    """No page is scheduled or fetched until it is resumed, requests of the scraping service among them; running visits
    finish. Feeds are not pages and go on."""
    async with parts.database.transaction() as conn:
        await control.pause_all(conn, caller.name)
    return ok(await _state(parts))


@router.post("/resume", response_model=Envelope[CrawlingState])
async def resume_everything(parts: PartsDep, caller: CurrentCaller) -> Any:
    async with parts.database.transaction() as conn:
        await control.resume_all(conn, caller.name)
    return ok(await _state(parts))


@router.post("/stop", response_model=Envelope[ControlResult])
async def stop_everything(parts: PartsDep, caller: CurrentCaller) -> Any:
    """Pauses everything and cancels all queued visits of URLs that recur."""
    async with parts.database.transaction() as conn:
        return ok(ControlResult(changed=await control.stop_all(conn, caller.name)))


async def _state(parts: Parts) -> CrawlingState:
    async with parts.database.connection() as conn:
        state = await crawling.state(conn)
    async with reader(parts.database) as reading:
        counted = await tasks.summary(reading)
    return CrawlingState(paused=state["paused_at"] is not None, **state, by_status=counted["by_status"])
