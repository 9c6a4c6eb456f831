"""Proxies: the exits requests take in turn."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from winnow.actions import proxies
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.fields import Changed
from winnow.api.models.proxies import ProxyCreate, ProxyResponse, ProxyTested
from winnow.api.params import PartsDep, PathId
from winnow.fetch.proxies import roster

router = APIRouter(prefix="/proxies", tags=["proxies"], responses=errors(), route_class=JsonRoute)


@router.get("", response_model=Envelope[list[ProxyResponse]])
async def list_proxies(parts: PartsDep) -> Any:
    async with parts.database.connection() as conn:
        return ok([ProxyResponse.model_validate(p) for p in await roster.listed(conn)])


@router.post("", response_model=Envelope[ProxyResponse], status_code=201, responses=errors(409, 413))
async def add_proxy(parts: PartsDep, caller: CurrentCaller, body: ProxyCreate) -> Any:
    """Requests go through proxies as soon as there is one. A host inside the network is refused (R-10)."""
    async with parts.database.connection() as conn:
        made = await proxies.add(
            conn,
            caller.name,
            parts.settings.db,
            parts.allow,
            protocol=body.protocol,
            host=body.host,
            port=body.port,
            username=body.username,
            password=body.password.get_secret_value() if body.password else None,
            region=body.region,
        )
    return ok(ProxyResponse.model_validate(made))


@router.get("/{proxy_id}", response_model=Envelope[ProxyResponse], responses=errors(404))
async def get_proxy(parts: PartsDep, proxy_id: PathId) -> Any:
    async with parts.database.connection() as conn:
        return ok(ProxyResponse.model_validate(await roster.get(conn, proxy_id)))


@router.delete("/{proxy_id}", response_model=Envelope[Changed], responses=errors(404))
async def remove_proxy(parts: PartsDep, caller: CurrentCaller, proxy_id: PathId) -> Any:
    async with parts.database.connection() as conn:
        await proxies.remove(conn, caller.name, proxy_id)
    return ok(Changed(ids=[proxy_id]))


@router.post("/{proxy_id}/enable", response_model=Envelope[ProxyResponse], responses=errors(404))
async def enable_proxy(parts: PartsDep, caller: CurrentCaller, proxy_id: PathId) -> Any:
    async with parts.database.connection() as conn:
        return ok(ProxyResponse.model_validate(await proxies.set_active(conn, caller.name, proxy_id, True)))


@router.post("/{proxy_id}/disable", response_model=Envelope[ProxyResponse], responses=errors(404))
async def disable_proxy(parts: PartsDep, caller: CurrentCaller, proxy_id: PathId) -> Any:
    async with parts.database.connection() as conn:
        return ok(ProxyResponse.model_validate(await proxies.set_active(conn, caller.name, proxy_id, False)))


@router.post("/{proxy_id}/test", response_model=Envelope[ProxyTested], responses=errors(404))
async def test_proxy(parts: PartsDep, proxy_id: PathId) -> Any:
    """Connects to the proxy and logs in. The result decides whether it is used."""
    return ok(ProxyTested(trouble=await parts.exits.check(proxy_id)))
