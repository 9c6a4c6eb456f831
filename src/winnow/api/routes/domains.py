"""The politeness ledger: the limits of each domain, where they come from, and changing them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from winnow.actions import domains
from winnow.actions.catalogue import control
from winnow.actions.domains import domain_named
from winnow.actions.parts import Parts
from winnow.api.auth import CurrentCaller
from winnow.api.bodies import JsonRoute
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, ok
from winnow.api.models.domains import DomainResponse, DomainUpdate
from winnow.api.params import Filter, PartsDep
from winnow.errors import NotFound
from winnow.queries import domains as queries
from winnow.queries.reading import reader

router = APIRouter(prefix="/domains", tags=["domains"], responses=errors(), route_class=JsonRoute)

Named = Annotated[str, Path(min_length=1, max_length=255, description="shop.example.com or host:port.")]


@router.get("", response_model=Envelope[list[DomainResponse]])
async def list_domains(
    parts: PartsDep,
    q: Filter = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    after: Filter = None,
) -> Any:
    async with reader(parts.database) as conn:
        found, following = await queries.listed(conn, q=q, after=after, limit=limit)
    return ok([DomainResponse.of(row) for row in found], limit=limit, following=following)


@router.get("/{domain}", response_model=Envelope[DomainResponse], responses=errors(404))
async def get_domain(parts: PartsDep, domain: Named) -> Any:
    return ok(await _read_one(parts, domain_named(domain)))


@router.patch("/{domain}", response_model=Envelope[DomainResponse], responses=errors(413))
async def change_limits(parts: PartsDep, caller: CurrentCaller, domain: Named, body: DomainUpdate) -> Any:
    """Takes effect at once for all processes. Letting more through than before is audited as such."""
    name = domain_named(domain)
    changes = body.changes()
    await domains.change_limits(parts.database, caller.name, parts.politeness, name, changes, body.reason)
    return ok(await _read_one(parts, name))


@router.post("/{domain}/pause", response_model=Envelope[DomainResponse])
async def pause_domain(parts: PartsDep, caller: CurrentCaller, domain: Named) -> Any:
    """Stops scheduling and dispatching tasks of the domain (C-023); running tasks finish."""
    name = domain_named(domain)
    await domains.pause(parts.database, caller.name, parts.politeness.ledger, name)
    return ok(await _read_one(parts, name))


@router.post("/{domain}/resume", response_model=Envelope[DomainResponse])
async def resume_domain(parts: PartsDep, caller: CurrentCaller, domain: Named) -> Any:
    name = domain_named(domain)
    await domains.resume(parts.database, caller.name, parts.politeness.ledger, name)
    return ok(await _read_one(parts, name))


@router.post("/{domain}/stop", response_model=Envelope[DomainResponse])
async def stop_domain(parts: PartsDep, caller: CurrentCaller, domain: Named) -> Any:
    """Pauses it and cancels what is queued; running tasks finish."""
    name = domain_named(domain)
    await control.stop_domain(parts.database, caller.name, parts.politeness.ledger, name)
    return ok(await _read_one(parts, name))


async def _read_one(parts: Parts, domain: str) -> DomainResponse:
    async with reader(parts.database) as conn:
        row = await queries.one(conn, domain)
    if row is None:
        raise NotFound(f"nothing is known about {domain}")
    return DomainResponse.model_validate(row)
