"""Crawls as people start, pause, resume and stop them (C-003, C-005). Each change is audited in its own transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec
from psycopg import AsyncConnection

from winnow.actions import sources as source_actions
from winnow.actions import validation
from winnow.actions.intake import Intake
from winnow.errors import Conflict, InvalidInput
from winnow.fetch.failure import FailureCode
from winnow.observe import audit
from winnow.run import closing
from winnow.schedule import crawls, domains
from winnow.schedule.budget import MAX_BUDGET
from winnow.schedule.crawls import DEFAULTS, NewCrawl
from winnow.schedule.scope import MAX_PATTERN, MAX_PATTERNS, Scope, scope_of
from winnow.schedule.settings import ScheduleSettings
from winnow.sources import sources
from winnow.sources.sources import Source

Connection = AsyncConnection[Any]


class CrawlOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What a person asks for. `source_id` None: the source of the URL's domain, made if need be."""

    url: str
    kind: str = "product"
    source_id: int | None = None
    whole_domain: bool = False
    path: str = ""
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    sections: Mapping[str, int] = {}
    budget: Mapping[str, int] = {}


async def start(
    conn: Connection, actor: str, intake: Intake, settings: ScheduleSettings, order: CrawlOrder
) -> tuple[int, bool]:
    """The crawl's id, and whether it began at once; it waits while its source has another crawl."""
    checked = intake.check(order.url)
    source = await _source(conn, actor, intake, order)
    if source.kind not in ("product", "offer"):
        raise InvalidInput(f"a crawl looks for products, and source {source.id} has {source.kind}s", field="source_id")
    new = NewCrawl(
        source_id=source.id,
        adapter_id=source.adapter_id or intake.adapter_for(None, source.kind, checked.domain),
        url=checked.url,
        scope=_scope(checked.url, order),
        budget=DEFAULTS | validation.follow_budget(order.budget),
        requested_by=actor,
    )
    await domains.change(conn, checked.domain, {})  # C-028: the domain its tasks belong to
    crawl_id = await crawls.add(conn, new, checked.url_hash)
    await audit.record(conn, actor, "crawl.started", "crawl", crawl_id, after=msgspec.to_builtins(new))
    return crawl_id, crawl_id in await crawls.start_waiting(conn, settings)


async def _source(conn: Connection, actor: str, intake: Intake, order: CrawlOrder) -> Source:
    if order.source_id is None:
        return await source_actions.find_or_add(conn, actor, intake, order.url, order.kind)
    return await sources.get(conn, order.source_id)


def _scope(url: str, order: CrawlOrder) -> Scope:
    path = _pattern(order.path, "path") if order.path else ""
    if "*" in path or "$" in path:
        raise InvalidInput("path is a plain prefix such as /en/; patterns go into include", field="path")
    scope = scope_of(
        url,
        whole_domain=order.whole_domain,
        path=path,
        include=_patterns(order.include, "include"),
        exclude=_patterns(order.exclude, "exclude"),
        sections=_sections(order.sections),
    )
    if not msgspec.structs.replace(scope, include=[]).contains(url):
        raise InvalidInput("the URL itself is outside the scope of the crawl", field="url")
    return scope


def _patterns(given: Sequence[str], field: str) -> list[str]:
    if len(given) > MAX_PATTERNS:
        raise InvalidInput(f"{field} has more than {MAX_PATTERNS} patterns", field=field)
    return [_pattern(one, field) for one in given]


def _sections(given: Mapping[str, int]) -> dict[str, int]:
    if len(given) > MAX_PATTERNS:
        raise InvalidInput(f"there are more than {MAX_PATTERNS} sections", field="sections")
    for prefix, pages in given.items():
        if "*" in _pattern(prefix, "sections") or not 1 <= pages <= MAX_BUDGET["pages"]:
            most = MAX_BUDGET["pages"]
            raise InvalidInput(f"a section is a plain prefix such as /blog/ and 1 to {most} pages", field="sections")
    return dict(given)


def _pattern(given: str, field: str) -> str:
    pattern = validation.text(given, field, MAX_PATTERN)
    if not pattern.startswith(("/", "*")):
        raise InvalidInput(f"{field} begins with / or *, as in robots.txt", field=field)
    return pattern


async def pause(conn: Connection, actor: str, crawl_id: int) -> int:
    """How many queued tasks wait now; running ones finish."""
    crawl = await _in_state(conn, crawl_id, "running")
    waiting = await crawls.pause(conn, crawl_id, crawl["run_id"])
    await audit.record(conn, actor, "crawl.paused", "crawl", crawl_id)
    return waiting


async def resume(conn: Connection, actor: str, crawl_id: int) -> int:
    """How many queued tasks go on; it continues where it was."""
    crawl = await _in_state(conn, crawl_id, "paused")
    resumed = await crawls.resume(conn, crawl_id, crawl["run_id"], crawl["paused_at"])
    await audit.record(conn, actor, "crawl.resumed", "crawl", crawl_id)
    return resumed


async def stop(conn: Connection, actor: str, crawl_id: int) -> int:
    """Ends it for good: how many queued tasks were taken out. Running ones finish, what was stored stays."""
    crawl = await _in_state(conn, crawl_id, "waiting", "running", "paused")
    if crawl["run_id"] is None:
        await crawls.stop_waiting(conn, crawl_id)
        cancelled: list[UUID] = []
    else:
        cancelled = [t.id for t in (await closing.withdraw(conn, FailureCode.CANCELLED, run_id=crawl["run_id"])).tasks]
    await audit.record(conn, actor, "crawl.stopped", "crawl", crawl_id, after={"cancelled": len(cancelled)})
    return len(cancelled)


async def _in_state(conn: Connection, crawl_id: int, *states: str) -> Mapping[str, Any]:
    crawl = await crawls.get(conn, crawl_id, lock=True)
    if crawl["state"] not in states:
        raise Conflict(f"crawl {crawl_id} is {crawl['state']}", existing=crawl["state"])
    return crawl
