"""The public routes: is it alive, may it be sent work, how is it doing (S-018 … S-020)."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import psycopg
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from winnow import __version__
from winnow.actions.parts import Parts
from winnow.api.envelope import Envelope, Failure, failure, ok
from winnow.api.params import PartsDep
from winnow.errors import DatabaseUnavailable
from winnow.fetch.browser.chromium import find_chromium
from winnow.fetch.proxies import roster
from winnow.fetch.proxies.roster import Proxy
from winnow.observe import metrics
from winnow.queries import gauges
from winnow.queries.reading import reader

router = APIRouter(tags=["health"])

STARTED = time.monotonic()
HEALTH_TIMEOUT = 2.0  # seconds a health question may take before the database counts as away
SCRAPE_SECONDS = 8.0  # below the 10 s after which Prometheus gives up
TEXT_TYPES = ("text/plain", "application/openmetrics-text")
TEXT = "text/plain; version=0.0.4; charset=utf-8"


class ProxyCount(BaseModel):
    """S-018. Addresses of proxies are left out."""

    id: int
    is_healthy: bool
    success_count: int
    failure_count: int


class BrowserPool(BaseModel):
    """S-018: the browsers of the workers of this machine; none runs before the first page that needs one."""

    total: int
    available: int
    in_use: int
    pages_processed: int
    recycled_count: int


class Queue(BaseModel):
    """Of the scraping service (S-041): waiting, under way, and how long the latest took, in milliseconds."""

    queue_depth: int
    active_workers: int
    avg_duration: float | None


class Health(BaseModel):
    """`degraded`: this process answers, the database does not."""

    status: str
    version: str
    uptime_seconds: float
    checks: dict[str, str]
    pool: BrowserPool
    queue: Queue | None = None
    proxies: list[ProxyCount] = []


class Readiness(BaseModel):
    ready: bool
    checks: dict[str, str]


@router.get("/health", response_model=Envelope[Health])
async def health(parts: PartsDep) -> Any:
    """Always 200 while the process lives: restarting it would not bring a database back."""
    checks = await _checks(parts)
    status = "ok" if all(v == "ok" for v in checks.values()) else "degraded"
    uptime = round(time.monotonic() - STARTED, 1)
    there = "proxies" in checks  # otherwise the database is not, or has no tables yet
    return ok(
        Health(
            status=status,
            version=__version__,
            uptime_seconds=uptime,
            checks=checks,
            pool=BrowserPool(**metrics.pool()._asdict()),
            queue=await _queue(parts) if there else None,
            proxies=await _proxies(parts) if there else [],
        )
    )


@router.get("/readiness", response_model=Envelope[Readiness], responses={503: {"model": Failure}})
async def readiness(request: Request, parts: PartsDep) -> Any:
    checks = await _checks(parts)
    if getattr(request.app.state, "stopping", False):  # S-085: no new work is sent here
        checks["process"] = "stopping"
    missing = [f"{name}: {state}" for name, state in checks.items() if state != "ok"]
    if missing:
        return failure(503, "not ready: " + "; ".join(missing), code="not_ready")
    return ok(Readiness(ready=True, checks=checks))


@router.get("/metrics", response_model=Envelope[dict[str, list[dict[str, Any]]]], responses={503: {"model": Failure}})
async def show_metrics(request: Request, parts: PartsDep) -> Any:
    """The envelope by default; the text format for a client that asks for text, as Prometheus does."""
    try:
        async with asyncio.timeout(SCRAPE_SECONDS), reader(parts.database) as conn:
            found = metrics.families(await gauges.readings(conn, parts.registry.list()))
    except TimeoutError:
        return failure(503, "the database is not available right now")
    accepted = request.headers.get("accept", "")
    if any(kind in accepted for kind in TEXT_TYPES):
        return Response(metrics.as_text(found), headers={"content-type": TEXT})
    return ok(metrics.as_data(found))


async def _checks(parts: Parts) -> dict[str, str]:
    try:
        schema = await asyncio.wait_for(_schema(parts), HEALTH_TIMEOUT)
        if not schema:
            return {"database": "ok", "schema": "behind: run `winnow db upgrade`"}
        proxies = await asyncio.wait_for(parts.exits.state(), HEALTH_TIMEOUT)
    except (TimeoutError, DatabaseUnavailable, psycopg.Error):
        return {"database": "away"}
    return {"database": "ok", "schema": "ok", "proxies": proxies, "browsers": _browsers(parts)}


def _browsers(parts: Parts) -> str:
    """S-094. Browsers start with the first page that needs one: until then a Chromium that can be started counts."""
    settings, pool = parts.settings.browser, metrics.pool()
    if pool.total:
        return "ok" if pool.available else f"all {pool.total} in use"
    there = not settings.browser_fallback or find_chromium(settings.browser_executable) is not None
    return "ok" if there else "no Chromium: install one, or set SCRAPER_BROWSER_FALLBACK=false"


async def _queue(parts: Parts) -> Queue | None:
    try:
        async with asyncio.timeout(HEALTH_TIMEOUT), reader(parts.database) as conn:
            return Queue(**(await gauges.queue_stats(conn))._asdict())
    except (TimeoutError, DatabaseUnavailable, psycopg.Error, SQLAlchemyError):
        return None


async def _proxies(parts: Parts) -> list[ProxyCount]:
    try:
        listed = await asyncio.wait_for(_listed(parts), HEALTH_TIMEOUT)
    except (TimeoutError, DatabaseUnavailable, psycopg.Error):
        return []
    return [
        ProxyCount(
            id=p.id,
            is_healthy=p.is_active and p.is_healthy,
            success_count=p.success_count,
            failure_count=p.total_failure_count,
        )
        for p in listed
    ]


async def _listed(parts: Parts) -> list[Proxy]:
    async with parts.database.connection() as conn:
        return await roster.listed(conn)


async def _schema(parts: Parts) -> bool:
    async with parts.database.connection() as conn:
        found = await (await conn.execute("SELECT to_regclass('api_keys') IS NOT NULL")).fetchone()
    return bool(found and found[0])
