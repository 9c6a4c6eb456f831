"""Opens the outside services a process may ask, as the settings say (services/). One that is off answers that it is
off.

async with open_services(database, settings) as services:
    (answer,) = await services.llm.ask([question])
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from winnow.db.engine import Database
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.run.admission.grants import Grants
from winnow.schedule.ledger.ledger import Ledger
from winnow.schedule.ledger.ledgers import ledger_of
from winnow.services.client import ServiceClient
from winnow.services.embeddings.http import Embedder, embedder_of
from winnow.services.geocoder.http import Geocoder, geocoder_of
from winnow.services.llm.http import llm_of
from winnow.services.llm.questions import Llm
from winnow.services.web_search import Search, search_of
from winnow.settings import Settings


@dataclass(frozen=True, slots=True)
class Services:
    client: ServiceClient
    llm: Llm
    geocoder: Geocoder
    embedder: Embedder
    search: Search


@asynccontextmanager
async def open_services(
    database: Database, settings: Settings, ledger: Ledger | None = None
) -> AsyncIterator[Services]:
    """`ledger`: the caller's own, where it has one."""
    used = ledger or ledger_of(database, settings.schedule)
    guard = EgressGuard(AllowList(settings.fetch.egress_allow))
    client = ServiceClient(guard, settings.fetch.user_agent, used, Grants(used).for_hop)
    try:
        yield Services(
            client,
            llm=llm_of(database, settings.services, client),
            geocoder=geocoder_of(database, settings.services, client),
            embedder=embedder_of(database, settings.services, client),
            search=search_of(database, settings.services, client),
        )
    finally:
        await client.close()
        if ledger is None:
            await used.close()
