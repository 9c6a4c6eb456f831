"""One task through fetch → extract → normalise → judge. What it found is committed by commit/committer.py."""

from __future__ import annotations

import asyncio
import time
import traceback
from datetime import datetime, timedelta

import msgspec
import structlog

from winnow.clock import Clock, now
from winnow.errors import ArchiveError, CredentialsUnavailable, DatabaseUnavailable, NoHealthyProxies, ProxiesCooling
from winnow.extract.adapter import Adapter, Context, Registry
from winnow.extract.draft import Draft, Link, Role, Strategy
from winnow.extract.links.crawled_page import START
from winnow.extract.links.sitemap import MAX_BYTES as MAX_SITEMAP
from winnow.extract.page import Page
from winnow.fetch import tiers
from winnow.fetch.blocked.detect import is_script_driven
from winnow.fetch.credentials import Credential, Credentials
from winnow.fetch.egress.allow import NOTHING, AllowList
from winnow.fetch.failure import FailureCode
from winnow.fetch.outcome import FetchRequest, FetchResult
from winnow.fetch.page_actions import actions_of
from winnow.fetch.ways import Ways
from winnow.judge.verdict import Decision
from winnow.kinds.assess import Assessment, Judged, assess_fast, without_details
from winnow.kinds.offer import GENERIC
from winnow.kinds.registry import Kinds
from winnow.observe import metrics
from winnow.run import endings, image_tasks
from winnow.run.admission.gatekeeper import Admission, Gatekeeper
from winnow.run.archived_pages import ArchivedPages
from winnow.run.commit.committer import Committer
from winnow.run.crawl.known_links import KnownLinks
from winnow.run.links import followed_drafts, links_to_follow
from winnow.run.parsers import ParserPool
from winnow.run.visit import Ending, FetchPlan, Visit
from winnow.schedule.queue.task import PROVIDER_KEY, TIMEOUT_KEY, Producer, Stage, new_id

log = structlog.get_logger(__name__)

CACHED_HOURS = 24  # E-043
CHECKPOINT_AFTER = 0.25  # seconds a parse may take before its page is committed without waiting for it
CHECKPOINT_IN_LINE = 2.0  # the same where other pages are parsed before it: waiting is no sign of a difficult page


class Pipeline:
    """Everything a task needs on its way; built once per worker process."""

    def __init__(
        self,
        *,
        ways: Ways,
        gatekeeper: Gatekeeper,
        archived: ArchivedPages,
        parsers: ParserPool,
        registry: Registry,
        kinds: Kinds,
        committer: Committer,
        credentials: Credentials,
        clock: Clock = now,
        timeout_ms: int,
        task_seconds: float,
        max_bytes: int,
        recheck: timedelta,
        images: bool,
        allow: AllowList = NOTHING,
    ) -> None:
        self._ways = ways
        self._gatekeeper = gatekeeper
        self._archived = archived
        self._parsers = parsers
        self._registry = registry
        self._kinds = kinds
        self._committer = committer
        self._credentials = credentials
        self._clock = clock
        self._timeout_ms = timeout_ms
        self._task_seconds = task_seconds
        self._max_bytes = max_bytes
        self._recheck = recheck
        self._images = images
        self._allow = allow
        self.known_links = KnownLinks()

    async def warm(self) -> None:
        await self._parsers.warm()

    async def run(self, visit: Visit) -> None:
        """Ends the visit whatever happens and hands it to the committer."""
        try:
            await self._in_time(visit)
        except CredentialsUnavailable as missing:
            visit.ending = endings.no_credential(missing)
        except (DatabaseUnavailable, ArchiveError) as away:
            visit.ending = endings.postponed(FailureCode(away.code), stage=visit.resume_stage)
        except ProxiesCooling as cooling:
            visit.ending = endings.postponed(FailureCode.PROXIES_COOLING, cooling.wait_seconds)
        except NoHealthyProxies as none:
            visit.ending = endings.no_proxy(visit.task, none)
        except Exception as defect:
            log.exception("task_defect", task_id=str(visit.task.id), url=visit.task.url)
            visit.ending = endings.of_defect(visit.task, defect, traceback.format_exc(limit=20), visit.resume_stage)
        _log_visit(visit)
        self._committer.add(visit)

    async def _in_time(self, visit: Visit) -> None:
        """Limit the whole visit of an API request (S-034); other visits have only the limits of their stages."""
        if visit.task.producer != Producer.ENRICHMENT:
            await self._trip(visit)
            return
        seconds = float((visit.task.payload or {}).get(TIMEOUT_KEY) or self._task_seconds)
        try:
            async with asyncio.timeout(seconds) as limit:
                await self._trip(visit)
        except TimeoutError:
            if not limit.expired():
                raise
            visit.ending = endings.took_too_long(seconds, visit.resume_stage)

    async def _trip(self, visit: Visit) -> None:
        if visit.task.kind == image_tasks.KIND:
            await self._picture(visit)
            return
        visit.wants_picture = visit.brief.wants_picture(self._images)
        adapter = self._registry.get(visit.task.adapter_id or GENERIC)
        visit.kind = None if adapter is None else self._kinds.of_task(visit.task.kind, adapter.id)
        if adapter is None or visit.kind is None:
            broken = self._registry.broken_reason(visit.task.adapter_id or GENERIC)
            visit.ending = endings.no_adapter(visit.task, broken)
            return
        if not visit.brief.adapter_enabled:
            visit.ending = endings.adapter_disabled()
            return
        visit.adapter_version = adapter.version
        visit.plan = self._plan(visit, adapter)
        page = await self._page(visit, adapter)
        if page is not None:
            await self._assess(visit, page, adapter)

    async def _page(self, visit: Visit, adapter: Adapter) -> Page | None:
        """The page to read: from the archive when it was fetched already, else from the site."""
        if visit.task.page_id is not None and visit.task.stage != Stage.FETCH:
            page = await self._archived.load(visit.task.page_id)
            if page is not None:
                visit.page_id, visit.checkpointed = visit.task.page_id, True
                return page
            visit.ending = endings.lost_page()
            return None
        visit.credential = await self._credential(visit)
        admitted = await self._gatekeeper.admit(visit)
        if isinstance(admitted, Ending):
            visit.ending = endings.past_forbidden(admitted, visit.task, visit.plan)
            return None
        comparable = _comparable(visit, adapter)
        result = await self._fetch(visit, admitted, comparable and visit.brief.may_send_validators)
        visit.ending = endings.of_fetch(visit.task, result, visit.plan)
        self._doubt(visit, result)
        if result.error_class is FailureCode.API_QUOTA:
            return await self._kept(visit)
        if visit.ending is not None:
            return None
        if comparable and (result.not_modified or result.content_hash == visit.brief.content_hash):
            visit.unchanged, visit.ending = True, endings.unchanged()
            return None
        return Page(
            url=result.final_url,
            body=result.body or b"",
            fetched_at=self._clock(),
            charset=result.charset,
            content_type=result.content_type or "text/html",
            status_code=result.status_code or 200,
        )

    async def _kept(self, visit: Visit) -> Page | None:
        """Read the newest page of the target under 24 h old when no quota is left (E-043), with the time it was
        fetched. One that was accepted before counts as cached."""
        target_id = visit.task.target_id
        kept = None if target_id is None else await self._archived.newest_page(target_id, CACHED_HOURS)
        page = None if kept is None else await self._archived.load(kept.id)
        if kept is None or page is None:
            return None
        visit.cached = kept.created_at
        if visit.brief.last_verdict == Decision.ACCEPT and visit.brief.content_hash == kept.content_hash:
            visit.ending = endings.cached(kept.created_at)
            return None
        visit.fetch, visit.page_id, visit.checkpointed, visit.ending = None, kept.id, True, None
        return page

    async def _credential(self, visit: Visit) -> Credential | None:
        """Fetch the credential before the grant is checked: a slow answer costs another grant and no more."""
        asked = visit.task.payload or {}
        if PROVIDER_KEY not in asked:
            return None
        return await self._credentials.of(str(asked.get("workspace_id")), str(asked[PROVIDER_KEY]), visit.url)

    def _doubt(self, visit: Visit, result: FetchResult) -> None:
        """Drop a cached credential that a site does not accept: it may have been replaced."""
        if visit.credential is not None and result.status_code in (401, 403):
            asked = visit.task.payload or {}
            self._credentials.forget(str(asked.get("workspace_id")), str(asked.get(PROVIDER_KEY)))

    async def _picture(self, visit: Visit) -> None:
        """Fetch a picture through the same admission as a page (C-036); it is measured and archived, not read."""
        admitted = await self._gatekeeper.admit(visit)
        if isinstance(admitted, Ending):
            visit.ending = admitted
            return
        visit.ending = image_tasks.ending_of(visit, await self._fetch(visit, admitted, False))

    def _plan(self, visit: Visit, adapter: Adapter) -> FetchPlan:
        known = visit.brief.known(tiers.route_of(visit.task.route), adapter.needs_browser)
        ladder = tiers.ladder_of(known, self._ways.available)
        return FetchPlan(
            known, ladder, tiers.first_way(known, ladder, self._clock(), self._recheck), actions_of(adapter)
        )

    async def _fetch(self, visit: Visit, admitted: Admission, conditional: bool) -> FetchResult:
        brief, task, way = visit.brief, visit.task, visit.plan.way
        request = FetchRequest(
            url=visit.url,
            headers=_headers(visit),
            etag=brief.etag if conditional else None,
            last_modified=brief.last_modified if conditional else None,
            timeout_ms=tiers.timeout_ms(self._timeout_ms, task.last_outcome),
            max_bytes=max(self._max_bytes, MAX_SITEMAP) if task.role == Role.SITEMAP else self._max_bytes,
            actions=admitted.actions,
        )
        result = await self._ways.fetch(
            way, request, on_hop=admitted.on_hop, before=admitted.before, proxy=admitted.proxy
        )
        await self._gatekeeper.answered(visit, result)
        if result.error_class is None or not result.error_class.meaning.unsent:
            visit.fetch, visit.page_id = result, new_id()
        return result

    async def _assess(self, visit: Visit, page: Page, adapter: Adapter) -> None:
        started = time.monotonic()
        assert visit.kind is not None
        context = _context(visit, page)
        visit.observed_at = page.fetched_at
        assessment = assess_fast(page, adapter, visit.kind, context)
        if assessment is None:
            assessment = await self._parse(visit, page, adapter, context)
        if assessment is not None:
            assessment = await self._with_sitemaps(visit, page, assessment)
            new = self.known_links.unknown(visit, assessment.links)
            visit.leads = links_to_follow(visit.task, visit.brief, new, self._allow)
            assessment = without_details(assessment, followed_drafts(new, visit.leads))
            visit.assessment = assessment
            visit.extract_ms = int((time.monotonic() - started) * 1000)
            visit.ending = self._ended(visit, page, endings.of_assessment(assessment))
            if visit.cached is not None:
                _note_age(visit, visit.cached)
            await self._shadow(visit, page, adapter, context)

    async def _with_sitemaps(self, visit: Visit, page: Page, found: Assessment) -> Assessment:
        """The page that a crawl begins with leads to the sitemaps of its site too."""
        if visit.brief.crawl_scope is None or visit.task.role is not None or found.failure is not None:
            return found
        named = [Link(url, Role.SITEMAP) for url in await self._gatekeeper.sitemaps(page.url)]
        return msgspec.structs.replace(found, links=[*named, *found.links])

    def _ended(self, visit: Visit, page: Page, found: Ending) -> Ending:
        """Return the ending as the page was read; or, when nothing was read, try another way first."""
        if found.outcome != endings.EXTRACT_FAILED:
            return found
        elsewhere = endings.read_another_way(
            found, visit.task.kind, visit.task.url, visit.plan, is_script_driven(page.body)
        )
        return elsewhere or endings.unread(found, visit.task)

    async def _shadow(self, visit: Visit, page: Page, adapter: Adapter, context: Context) -> None:
        """Start the candidate that runs beside the adapter, if there is one; its failures never affect the visit."""
        version = visit.brief.shadow_version
        final = visit.ending is not None and visit.ending.final
        if version is None or not final or self._registry.version(adapter.id, version) is None:
            return
        try:
            visit.shadow = await self._parsers.assess(page, adapter.id, context, visit.task.kind, version=version)
        except Exception:
            log.exception("shadow_failed", adapter_id=adapter.id, version=version, url=page.url)

    async def _parse(self, visit: Visit, page: Page, adapter: Adapter, context: Context) -> Assessment | None:
        """In a child process. None: meanwhile the page could not be archived, which ended the visit."""
        in_line = self._parsers.is_busy
        parsing = asyncio.ensure_future(self._parsers.assess(page, adapter.id, context, visit.task.kind))
        try:
            await asyncio.wait({parsing}, timeout=CHECKPOINT_IN_LINE if in_line else CHECKPOINT_AFTER)
            if not parsing.done() and not visit.checkpointed:
                await self._committer.checkpoint(visit)
            return await parsing if visit.ending is None else None
        finally:
            parsing.cancel()


def _note_age(visit: Visit, since: datetime) -> None:
    """Note the age of the page on every record that was read from a cached page."""
    assert visit.assessment is not None
    records = [_with_age(judged, since) for judged in visit.assessment.records]
    visit.assessment = msgspec.structs.replace(visit.assessment, records=records)
    if visit.ending is not None:
        error = "; ".join(filter(None, [visit.ending.error, endings.cached_note(since)]))
        visit.ending = msgspec.structs.replace(visit.ending, error=error)


def _with_age(judged: Judged, since: datetime) -> Judged:
    content = judged.content
    provenance = {**content.provenance, "page": endings.cached_note(since)}
    aged = msgspec.structs.replace(content, provenance=provenance, digest=f"{content.digest}:kept")
    return msgspec.structs.replace(judged, content=aged)


def _headers(visit: Visit) -> dict[str, str]:
    own = visit.brief.headers_for(visit.url)
    if visit.task.kind == image_tasks.KIND:
        return own | image_tasks.ACCEPT
    return own if visit.credential is None else own | visit.credential.headers()


def _log_visit(visit: Visit) -> None:
    end, way = visit.ending, visit.plan.way
    if end is not None and end.route is not None:
        to = end.route.path or end.route.way or way
        log.info("tier_escalated", task_id=str(visit.task.id), url=visit.task.url, way=way, to=to, reason=end.reason)
        metrics.escalated(way, to, end.reason or "")


def _seed(visit: Visit) -> Draft | None:
    """Return the draft that the listing had for this detail page."""
    stated = visit.task.follow_up.get("seed")
    return None if stated is None else msgspec.convert(stated, Draft)


def _context(visit: Visit, page: Page) -> Context:
    task, following = visit.task, visit.brief.following
    crawl = None if visit.brief.crawl_scope is None else task.role or START
    return Context(
        source_id=str(task.source_id or ""),
        retailer_id=str(visit.brief.retailer_id or ""),
        run_id=str(task.run_id or ""),
        target_id=str(task.target_id or ""),
        url=task.url if crawl is None else page.url,  # two addresses of a crawl may lead to one page
        now=page.fetched_at,
        currency=visit.brief.currency,
        assume_in_stock=visit.brief.assume_in_stock,
        locale=visit.brief.locale,
        timezone=visit.brief.timezone,
        fields=(task.payload or {}).get("requested_fields"),
        follow=visit.brief.follow,
        defer=following is not None and following.allows(Role.DETAIL, task.depth + 1),
        seed=_seed(visit),
        choice=visit.brief.chosen,
        feed_guessing=visit.brief.guesses_feeds,
        deep_scrape=visit.brief.deep_scrape,
        latitude=visit.brief.default_latitude,
        longitude=visit.brief.default_longitude,
        preferred=_preferred(visit),
        usual=visit.brief.last_accepted + visit.brief.last_held,
        selectors=() if visit.task.follow_up else visit.brief.selectors,
        answered_days=visit.brief.days,
        crawl=crawl,
        listed=task.follow_up.get("listed"),
    )


def _preferred(visit: Visit) -> Strategy | None:
    """The method that won on the pages of its source; the pages that those lead to are of another build."""
    method = visit.brief.preferred_method
    return Strategy(method) if method and not visit.task.follow_up else None


def _comparable(visit: Visit, adapter: Adapter) -> bool:
    """DESIGN §11.17: a page may count as seen before only under the same adapter version, when something of it was
    accepted and nothing held; then its validators are sent along and the same bytes are not read again. What was held
    or rejected is read again, so that its reason counts again (PN-03, PN-06). So is a page that may lead on: its links
    are followed in every run; and a page that was gone or refused, so that its return is published (DESIGN §11.33)."""
    brief = visit.brief
    if brief.follow and visit.task.role != Role.DETAIL:
        return False
    if brief.was_gone or brief.was_refused:
        return False
    settled = brief.last_verdict == Decision.ACCEPT and not brief.last_held
    return settled and brief.content_hash is not None and brief.last_adapter_version == adapter.version
