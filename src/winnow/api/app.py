"""The API, put together: transport, gate, routes, and one envelope for everything."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import structlog
from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.responses import Response

from winnow import __version__
from winnow.actions.catalogue.reads import FLUSH_SECONDS
from winnow.actions.parts import assemble
from winnow.api import auth, exports, failures, monitors
from winnow.api.envelope import json_response
from winnow.api.methods import HeadRequests
from winnow.api.routes import (
    adapters,
    alerts,
    catalog,
    corrections,
    crawls,
    daily_runs,
    dead_letters,
    deliveries,
    discovery,
    domains,
    event_decisions,
    event_subscriptions,
    events,
    feeds,
    following,
    health,
    prices,
    products,
    proxies,
    quarantine,
    replays,
    runs,
    scrape,
    sources,
    targets,
    tasks,
    venues,
    watches,
    webhooks,
)
from winnow.api.routes.catalogue import crawl_jobs, crawling, pages
from winnow.api.transport import Transport
from winnow.db.engine import Database
from winnow.errors import DatabaseUnavailable
from winnow.observe.keys import ChosenKey
from winnow.run.periodic import run_periodically
from winnow.settings import Settings

log = structlog.get_logger(__name__)

# Routes are tried in this order, each time: those that are called most come first.
VERSIONED = (
    scrape,
    prices,
    sources,
    targets,
    runs,
    crawls,
    crawl_jobs,
    crawling,
    pages,
    products,
    events,
    event_decisions,
    event_subscriptions,
    venues,
    daily_runs,
    discovery,
    catalog,
    corrections,
    tasks,
    dead_letters,
    domains,
    adapters,
    webhooks,
    deliveries,
    watches,
    quarantine,
    replays,
    alerts,
    proxies,
    feeds,
    exports,
    monitors,
)
DESCRIPTION = """Every answer is {success, data, error, meta}; `meta.request_id` is also in X-Request-ID.
Lists are paged: send `meta.next` as `after` for the next page. What is read with GET can be asked with HEAD for
its headers alone; a method that a path does not have is answered with 405, and `Allow` names those it has."""


def create_app(database: Database, settings: Settings) -> FastAPI:
    """`database` stays the caller's: it is opened before and closed after."""
    app = FastAPI(
        title="Winnow",
        version=__version__,
        description=DESCRIPTION,
        lifespan=_lifespan,
        openapi_url=None,  # served below, behind the gate
        docs_url=None,  # its pages load scripts from outside
        redoc_url=None,
        redirect_slashes=False,  # a redirect would be an answer without an envelope
        separate_input_output_schemas=False,
        servers=[{"url": settings.api.path_prefix}] if settings.api.path_prefix else None,
    )
    app.state.parts = assemble(database, settings)
    app.include_router(health.router)
    app.include_router(following.router)
    app.include_router(event_subscriptions.public)
    app.include_router(_versioned())
    app.add_api_route("/openapi.json", _openapi_route(app), include_in_schema=False)
    failures.install(app)
    app.add_middleware(auth.ApiKeyGate, routes=app, database=database, chosen=ChosenKey(settings.api.service_key))
    app.add_middleware(HeadRequests, routes=app.router)
    app.add_middleware(Transport)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    return app


def _versioned() -> APIRouter:
    router = APIRouter(prefix="/api/v1")
    for routes in VERSIONED:
        router.include_router(routes.router)
    return router


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    log.info("api_started", version=__version__)
    stopping, reads = asyncio.Event(), app.state.parts.reads
    beat = asyncio.create_task(run_periodically(stopping, FLUSH_SECONDS, reads.flush))
    yield
    stopping.set()
    await beat
    with contextlib.suppress(DatabaseUnavailable):
        await reads.flush()
    await app.state.parts.close()
    log.info("api_stopped")


def _openapi_route(app: FastAPI) -> Any:
    async def openapi() -> Response:
        """The one answer without an envelope: it is a document for tools that expect it bare."""
        return json_response(app.openapi())

    return openapi


def _openapi(app: FastAPI) -> dict[str, Any]:
    """With the two ways to present a key, on every route that needs one."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
            servers=app.servers or None,
        )
        schema.setdefault("components", {})["securitySchemes"] = {
            "ServiceKey": {"type": "apiKey", "in": "header", "name": "X-Service-Key"},
            "Bearer": {"type": "http", "scheme": "bearer"},
        }
        for path, operations in schema["paths"].items():
            for operation in operations.values():
                operation["security"] = [] if path in auth.PUBLIC else [{"ServiceKey": []}, {"Bearer": []}]
        app.openapi_schema = schema
    return app.openapi_schema
