"""The politeness ledger: how each domain is treated, why, and what a person decided about it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from winnow.actions import domains
from winnow.actions.domains import domain_named
from winnow.actions.parts import Parts
from winnow.api.auth import Asking
from winnow.api.bodies import JsonRoute
from winnow.api.documented import failing
from winnow.api.envelope import Envelope, ok
from winnow.api.models.domains import DomainShown, DomainUpdate
from winnow.api.params import Filter, With
from winnow.errors import NotFound
from winnow.queries import domains as queries
from winnow.queries.reading import reader

router = APIRouter(prefix="/domains", tags=["domains"], responses=failing(), route_class=JsonRoute)

Named = Annotated[str, Path(min_length=1, max_length=255, description="shop.example.com or host:port.")]


@router.get("", response_model=Envelope[list[DomainShown]])
async def list_domains(
    parts: With,
    q: Filter = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    after: Filter = None,
) -> Any:
    async with reader(parts.database) as conn:
        found, following = await queries.listed(conn, q=q, after=after, limit=limit)
    return ok([DomainShown.of(row) for row in found], limit=limit, following=following)


@router.get("/{domain}", response_model=Envelope[DomainShown], responses=failing(404))
async def get_domain(parts: With, domain: Named) -> Any:
    return ok(await _shown(parts, domain_named(domain)))


@router.patch("/{domain}", response_model=Envelope[DomainShown], responses=failing(413))
async def change_limits(parts: With, asking: Asking, domain: Named, body: DomainUpdate) -> Any:
    """Takes effect at once for all processes. Letting more through than before is audited as such."""
    name = domain_named(domain)
    changes = body.model_dump(exclude_unset=True, exclude={"reason"})
    await domains.change_limits(parts.database, asking.name, parts.politeness, name, changes, body.reason)
    return ok(await _shown(parts, name))


@router.post("/{domain}/pause", response_model=Envelope[DomainShown])
async def pause_domain(parts: With, asking: Asking, domain: Named) -> Any:
    """Nothing of it is scheduled or dispatched (C-023); what is running finishes."""
    name = domain_named(domain)
    await domains.pause(parts.database, asking.name, parts.politeness.ledger, name)
    return ok(await _shown(parts, name))


@router.post("/{domain}/resume", response_model=Envelope[DomainShown])
async def resume_domain(parts: With, asking: Asking, domain: Named) -> Any:
    name = domain_named(domain)
    await domains.resume(parts.database, asking.name, parts.politeness.ledger, name)
    return ok(await _shown(parts, name))


async def _shown(parts: Parts, domain: str) -> DomainShown:
    async with reader(parts.database) as conn:
        row = await queries.one(conn, domain)
    if row is None:
        raise NotFound(f"nothing is known about {domain}")
    return DomainShown.model_validate(row)
