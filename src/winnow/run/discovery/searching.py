"""Runs the search queries of a municipality, and decides what to do when the search API gives nothing (E-015, E-019,
E-020)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import msgspec
import structlog

from winnow.errors import ServiceFailed, Trouble
from winnow.kinds.agenda_survey import says_agenda
from winnow.run.discovery.examine import Lead
from winnow.services.web_search import Hit, Search
from winnow.sources.discovery import Job
from winnow.sources.domain import domain_of

log = structlog.get_logger(__name__)

# E-015: five, as people in the Netherlands ask for it.
QUERIES = (
    "agenda {name}",
    "uitagenda {name} evenementen",
    "theater concerten programma {name}",
    "wat is er te doen in {name}",
    "{name} activiteiten kalender",
)
FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=6)
MAX_TRIES = {Trouble.BUSY: 8, Trouble.AWAY: 3, Trouble.NONSENSE: 3}  # in a row, then the API is down for this week

Keep = Callable[[str, list[Hit], int], Awaitable[None]]


class SearchWaits(Exception):
    """The job goes on from its checkpoint later."""

    def __init__(self, wait: timedelta, why: str) -> None:
        super().__init__(why)
        self.wait = wait


class SearchDown(Exception):
    """The API gives nothing this week; the cached results of the last search may help (E-019)."""


def queries_for(name: str) -> list[str]:
    return [query.format(name=name) for query in QUERIES]


def backoff(attempts: int, stated: float | None) -> timedelta:
    """1, 2, 4 minutes and so on, at most six hours, and never before what the API itself asks for."""
    own = min(LONGEST_WAIT, FIRST_WAIT * (1 << min(attempts, 16)))
    return max(own, timedelta(seconds=stated or 0))


async def search_all(job: Job, search: Search, country: str, keep: Keep) -> dict[str, list[Hit]]:
    """What every query brought; those that are done already are not asked again. `keep` stores each at once."""
    found = hits_of(job.results)
    attempts = job.attempts
    for n, query in enumerate(job.search_queries):
        if n < job.checkpoint:
            continue
        try:
            hits = await search.search(query, country)
        except ServiceFailed as failed:
            raise _plan(failed, attempts) from None
        await keep(query, hits, n + 1)
        found[query] = hits
        attempts = 0
    return found


def _plan(failed: ServiceFailed, attempts: int) -> Exception:
    if failed.trouble is Trouble.SPENT:
        return SearchWaits(timedelta(seconds=failed.retry_after_s or 3600.0), str(failed))
    if attempts + 1 < MAX_TRIES.get(failed.trouble, 1):
        return SearchWaits(backoff(attempts, failed.retry_after_s), str(failed))
    return SearchDown(str(failed))


def hits_of(results: Mapping[str, Any]) -> dict[str, list[Hit]]:
    return msgspec.convert(dict(results), dict[str, list[Hit]])


def leads_of(found: Mapping[str, Sequence[Hit]]) -> list[Lead]:
    """One address of each site: what calls itself an agenda before what was found first."""
    best: dict[str, Lead] = {}
    for query, hits in found.items():
        for hit in hits:
            known = best.get(domain_of(hit.url))
            if known is None or (says_agenda(hit.url) and not says_agenda(known.url)):
                best[domain_of(hit.url)] = Lead(url=hit.url, found_by="search", found_at=query)
    return list(best.values())
