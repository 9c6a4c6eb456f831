"""Proxies: the exits requests take in turn."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from winnow.api.auth import Asking
from winnow.api.bodies import JsonRoute
from winnow.api.documented import failing
from winnow.api.envelope import Envelope, ok
from winnow.api.models.fields import Changed
from winnow.api.models.proxies import ProxyGiven, ProxyShown, ProxyTested
from winnow.api.params import PathId, With

router = APIRouter(prefix="/proxies", tags=["proxies"], responses=failing(), route_class=JsonRoute)


@router.get("", response_model=Envelope[list[ProxyShown]])
async def list_proxies(parts: With) -> Any:
    return ok([ProxyShown.model_validate(p) for p in await parts.proxies.listed()])


@router.post("", response_model=Envelope[ProxyShown], status_code=201, responses=failing(409, 413))
async def add_proxy(parts: With, asking: Asking, body: ProxyGiven) -> Any:
    """Requests go through proxies as soon as there is one. A host inside the network is refused (R-10)."""
    made = await parts.proxies.add(
        asking.name,
        body.protocol,
        body.host,
        body.port,
        username=body.username,
        password=body.password.get_secret_value() if body.password else None,
        region=body.region,
    )
    return ok(ProxyShown.model_validate(made))


@router.get("/{proxy_id}", response_model=Envelope[ProxyShown], responses=failing(404))
async def get_proxy(parts: With, proxy_id: PathId) -> Any:
    return ok(ProxyShown.model_validate(await parts.proxies.get(proxy_id)))


@router.delete("/{proxy_id}", response_model=Envelope[Changed], responses=failing(404))
async def remove_proxy(parts: With, asking: Asking, proxy_id: PathId) -> Any:
    await parts.proxies.remove(asking.name, proxy_id)
    return ok(Changed(ids=[proxy_id]))


@router.post("/{proxy_id}/enable", response_model=Envelope[ProxyShown], responses=failing(404))
async def enable_proxy(parts: With, asking: Asking, proxy_id: PathId) -> Any:
    return ok(ProxyShown.model_validate(await parts.proxies.set_active(asking.name, proxy_id, True)))


@router.post("/{proxy_id}/disable", response_model=Envelope[ProxyShown], responses=failing(404))
async def disable_proxy(parts: With, asking: Asking, proxy_id: PathId) -> Any:
    return ok(ProxyShown.model_validate(await parts.proxies.set_active(asking.name, proxy_id, False)))


@router.post("/{proxy_id}/test", response_model=Envelope[ProxyTested], responses=failing(404))
async def test_proxy(parts: With, proxy_id: PathId) -> Any:
    """Connects to it and logs in; what was found decides whether it is used."""
    return ok(ProxyTested(trouble=await parts.proxies.test(proxy_id)))
