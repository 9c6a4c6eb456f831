"""Works on discovery jobs, one at a time: find addresses, look at each, keep what is an agenda for a person to review
(E-012 … E-023).

Addresses are stored before the first is looked at, and each answer before the next look, so that a killed process is
followed by another one that goes on where it stood.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta

import msgspec
import structlog

from winnow.clock import now
from winnow.db.engine import Connection, Database
from winnow.errors import Conflict, DatabaseUnavailable, NotFound
from winnow.kinds.event import EVENT
from winnow.normalise.urls import url_hash
from winnow.observe import audit
from winnow.run.discovery import spool
from winnow.run.discovery.examine import Examiner, Found, Lead
from winnow.run.discovery.pages import PageReader, open_page_reader
from winnow.run.discovery.searching import SearchDown, SearchWaits, hits_of, leads_of, search_all
from winnow.run.discovery.spool import Spooled, SpooledFound, SpooledHits
from winnow.run.services import open_services
from winnow.services.web_search import Hit, Search
from winnow.settings import Settings
from winnow.sources import discovery, sources
from winnow.sources.discovery import Job
from winnow.sources.domain import domain_of
from winnow.sources.sources import NewSource
from winnow.vocabulary.noise_domains import noise_domains

log = structlog.get_logger(__name__)

ACTOR = "discovery"
LEADS = "leads"  # key of a job's results
MAX_LEADS = 60  # of one job: about two minutes of requests where each site is asked once
NOT_NOW = timedelta(minutes=15)  # until sites are asked again whose turn was too far away
MAX_ATTEMPTS = 5


class Discovery:
    """`stopping`: between two pages it is looked at, and the job is given back."""

    def __init__(self, database: Database, settings: Settings, stopping: asyncio.Event | None = None) -> None:
        self._database = database
        self._settings = settings
        self._stopping = stopping or asyncio.Event()

    async def run_once(self) -> bool:
        """Works on the next job; False when there is none."""
        async with self._database.transaction() as conn:
            job = await discovery.claim(conn)
        if job is None:
            return False
        async with (
            open_services(self._database, self._settings) as services,
            open_page_reader(self._database, self._settings) as reader,
        ):
            await self._work(job, reader, Examiner(reader, services.llm), services.search)
        return True

    async def run_until_empty(self) -> int:
        """How many jobs were worked on."""
        done = 0
        while not self._stopping.is_set() and await self.run_once():
            done += 1
        return done

    async def _work(self, job: Job, reader: PageReader, examiner: Examiner, search: Search) -> None:
        why = None
        try:
            if job.municipality_id is None:
                leads = await self._leads_of_seed(job, reader, examiner)
            else:
                leads, why = await self._leads_of_search(job, job.municipality_id, search)
        except SearchWaits as waits:
            return await self._postpone(job, waits.wait, str(waits))
        except SearchDown as down:
            return await self._fail(job, str(down))
        later = 0
        for lead in leads:
            if self._stopping.is_set():
                return await self._give_back(job)
            later += not await self._examine(job, lead, examiner)
        await self._end(job, later, why)

    async def _examine(self, job: Job, lead: Lead, examiner: Examiner) -> bool:
        """False when its site may not be asked yet."""
        if not await self._is_new(job, lead):
            return True
        try:
            found = await examiner.examine(lead)
        except Conflict as not_now:
            log.info("discovery_lead_waits", url=lead.url, reason=str(not_now))
            return False
        await self._store(job, found)
        return True

    async def _leads_of_search(self, job: Job, municipality_id: int, search: Search) -> tuple[list[Lead], str | None]:
        """What the queries bring; where the API is down, what they brought the last time, and the reason (E-019)."""

        async def keep(query: str, hits: list[Hit], checkpoint: int) -> None:
            kept = {query: msgspec.to_builtins(hits)}
            spooled = SpooledHits(job_id=job.id, query=query, checkpoint=checkpoint, hits=hits)
            await self._or_spool(lambda conn: discovery.keep(conn, job.id, kept, checkpoint), spooled)

        async with self._database.connection() as conn:
            country = (await discovery.place_of(conn, municipality_id))["country"]
        try:
            return usable(leads_of(await search_all(job, search, country, keep))), None
        except SearchDown as down:
            async with self._database.connection() as conn:
                cached = await discovery.cached_results(conn, municipality_id)
            if not cached:
                raise
            log.warning("discovery_search_cached", municipality=job.municipality, reason=str(down))
            return usable(leads_of(hits_of(cached))), f"cached results were used: {down}"

    async def _leads_of_seed(self, job: Job, reader: PageReader, examiner: Examiner) -> list[Lead]:
        """Its site's agendas by link and sitemap, and one page of each site it links to; the page itself is judged at
        once."""
        if LEADS in job.results:
            return msgspec.convert(job.results[LEADS], list[Lead])
        assert job.seed_url is not None
        itself = Lead(url=job.seed_url, found_by="seed", found_at=job.seed_url)
        is_new = await self._is_new(job, itself)
        url, seen = await reader.survey(job.seed_url)
        if is_new:
            await self._store(job, await examiner.judge(itself, url, seen))
        leads: list[Lead] = []
        if seen.failure is None:
            leads += [Lead(url=one, found_by="link", found_at=url) for one in seen.own_links]
            leads += [Lead(url=one, found_by="sitemap", found_at=url) for one in await reader.agendas_in_sitemaps(url)]
            leads += [Lead(url=one, found_by="link", found_at=url) for one in seen.site_links]
        kept = usable(leads)
        async with self._database.transaction() as conn:
            await discovery.keep(conn, job.id, {LEADS: msgspec.to_builtins(kept)}, 1)
        return kept

    async def _is_new(self, job: Job, lead: Lead) -> bool:
        """Whether an address was neither examined by this job before an interruption, nor belongs to a site that is
        a source."""
        async with self._database.transaction() as conn:
            await discovery.renew(conn, job.id)
            if await discovery.examined(conn, [url_hash(lead.url)], job.created_at):
                return False
            return not await discovery.known_domains(conn, [domain_of(lead.url)])

    async def _store(self, job: Job, found: Found) -> None:
        candidate = msgspec.structs.replace(found.candidate, municipality_id=job.municipality_id)
        kept = msgspec.structs.replace(found, candidate=candidate)
        await self._or_spool(lambda conn: store(conn, kept, job.id), SpooledFound(found=kept))

    async def _or_spool(self, write: Callable[[Connection], Awaitable[object]], spooled: Spooled) -> None:
        """What cannot be stored because the database is away is kept in a file (E-023); the job goes on later."""
        try:
            async with self._database.transaction() as conn:
                await write(conn)
        except DatabaseUnavailable as away:
            file = spool.append(self._settings.db.folder, spooled, now())
            log.error("discovery_spooled", file=str(file), reason=str(away))
            raise

    async def _postpone(self, job: Job, wait: timedelta, why: str) -> None:
        log.warning("discovery_postponed", job=job.id, seconds=wait.total_seconds(), reason=why)
        async with self._database.transaction() as conn:
            await discovery.postpone(conn, job.id, wait, why)

    async def _fail(self, job: Job, why: str) -> None:
        """The municipality is skipped until the next week (E-019)."""
        log.warning("discovery_failed", job=job.id, municipality=job.municipality, reason=why)
        async with self._database.transaction() as conn:
            await discovery.end(conn, job.id, failed=why)

    async def _give_back(self, job: Job) -> None:
        async with self._database.transaction() as conn:
            await discovery.give_back(conn, job.id)

    async def _end(self, job: Job, later: int, why: str | None) -> None:
        async with self._database.transaction() as conn:
            if later and job.attempts < MAX_ATTEMPTS:
                await discovery.postpone(conn, job.id, NOT_NOW, f"{later} sites may not be asked yet")
                return
            await discovery.end(conn, job.id, note=why)
            if job.municipality_id is not None and why is None:
                await discovery.mark_searched(conn, job.municipality_id)


async def store(conn: Connection, found: Found, job_id: int | None) -> int | None:
    """The candidate, with a disabled source where it is an agenda (E-018); None when it was known."""
    candidate = found.candidate
    if candidate.status == "pending":
        if await discovery.known_domains(conn, [candidate.domain]):
            return None
        candidate = msgspec.structs.replace(candidate, source_id=await _add_source(conn, found))
    else:
        log.info("discovery_not_added", url=candidate.url, reason=candidate.reason)
    return await discovery.add_candidate(conn, msgspec.structs.replace(candidate, job_id=job_id))


async def _add_source(conn: Connection, found: Found) -> int:
    candidate = found.candidate
    new = NewSource(
        name=await _free_name(conn, candidate.url, candidate.domain),
        url=candidate.url,
        domain=candidate.domain,
        kind=EVENT.name,
        enabled=False,
        discovery_confidence=candidate.confidence,
        needs_review=found.doubt is not None,
        review_reason=found.doubt,
        notes=f"found by {candidate.found_by}: {candidate.found_at}"[:1_000],
        created_by=ACTOR,
    )
    made = await sources.add(conn, new)
    await audit.record(conn, ACTOR, "source.added", "source", made.id, after=msgspec.structs.asdict(new))
    log.info("discovery_candidate", source_id=made.id, url=candidate.url, confidence=candidate.confidence)
    return made.id


async def _free_name(conn: Connection, url: str, domain: str) -> str:
    """The domain, or the address where another source has that name."""
    try:
        await sources.find(conn, domain)
    except Conflict:
        return url
    except NotFound:
        return domain
    return url


def usable(leads: Sequence[Lead]) -> list[Lead]:
    """Return each address once, without sites that never have an agenda (E-016)."""
    noise = noise_domains()
    found: dict[str, Lead] = {}
    for lead in leads:
        if domain_of(lead.url) not in noise:
            found.setdefault(url_hash(lead.url), lead)
    return list(found.values())[:MAX_LEADS]
