"""The links of a page that was read, as rows of its run's frontier. Pure.

A link stays within the registrable domain of its page, unless the source lists others (`scrape_config.followDomains`);
pictures may be anywhere. In a crawl its scope decides (schedule/scope.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from winnow.errors import UrlRefused
from winnow.extract.draft import Draft, Link, Role
from winnow.extract.links.sitemap import MAX_URLS
from winnow.extract.links.url_shape import is_multiplying, shape_of, shape_of_view, unknown_parameters
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.url import parse_url
from winnow.normalise.urls import url_hash
from winnow.run.brief import Brief
from winnow.run.visit import FoundLinks
from winnow.schedule.budget import Budget, CutBy, depth_of
from winnow.schedule.follow_ups import Planned
from winnow.schedule.queue.rank import LOWEST
from winnow.schedule.queue.task import Claimed
from winnow.schedule.scope import Scope
from winnow.sources.domain import domain_of

MAX_LINKS = 1_000  # of one page; the rest is counted
MAX_URL = 2_048  # longer ones are sessions and traps
MAX_SEED = 65_536  # bytes of a listing's draft that travel with a link: more is a page of its own
RANKS_AFTER_PAGE = {
    Role.NEXT_PAGE: 0,
    Role.FEED: 0,
    Role.DETAIL: 5,
    Role.ITEM: 5,
    Role.IMAGE: LOWEST,
    Role.SITEMAP: 0,
    Role.LISTING: 1,
    Role.PAGE: 10,
    Role.VARIANT: 60,
}  # ranks after its page
MAY_MULTIPLY = (Role.PAGE, Role.VARIANT)


def links_to_follow(task: Claimed, brief: Brief, links: Sequence[Link], allow: AllowList) -> FoundLinks:
    """What the links of a page add to its run; nothing where its run follows none."""
    progress = brief.following
    if not links or task.run_id is None or progress is None:
        return FoundLinks()
    domains, scope = {domain_of(task.url), *brief.follow_domains}, brief.scope
    most = MAX_URLS if task.role == Role.SITEMAP else MAX_LINKS
    read = [_planned(task, link, n, scope or domains, progress.budget, allow) for n, link in enumerate(links[:most])]
    planned = [link for link in read if link is not None]
    cut = Counter({CutBy.PER_PAGE: len(links) - len(read), CutBy.INVALID: len(read) - len(planned)})
    return FoundLinks(planned, +cut, [link.url for link in links[:most]])


def followed_drafts(links: Sequence[Link], found: FoundLinks) -> set[int]:
    """The entries of a listing whose detail page is planned, not cut."""
    planned = [links[link.position] for link in found.links if link.cut_by is None]
    return {link.draft for link in planned if link.role is Role.DETAIL and link.draft is not None}


def _planned(
    task: Claimed, link: Link, position: int, scope: set[str] | Scope, budget: Budget, allow: AllowList
) -> Planned | None:
    """None: not a URL that may be fetched."""
    assert task.run_id is not None
    url = _checked(link.url, allow)
    if url is None:
        return None
    depth = depth_of(link.role, task.depth)
    return Planned(
        run_id=task.run_id,
        from_task=task.id,
        url=url,
        url_hash=url_hash(url),
        role=link.role,
        depth=depth,
        position=position,
        later=RANKS_AFTER_PAGE[link.role],
        seed=_seed(link.seed),
        cut_by=_cut_by(link.role, url, depth, scope, budget),
        shape=_shape(link.role, url),
        listed=link.listed,
        in_sitemap=task.role == Role.SITEMAP and link.role is not Role.SITEMAP,
    )


def _shape(role: Role, url: str) -> str | None:
    if role is Role.VARIANT and not unknown_parameters(url):
        return shape_of_view(url)
    return shape_of(url) if role in MAY_MULTIPLY and is_multiplying(url) else None


def _checked(url: str, allow: AllowList) -> str | None:
    if len(url) > MAX_URL:
        return None
    try:
        return parse_url(url, allow).url
    except UrlRefused:
        return None


def _cut_by(role: Role, url: str, depth: int, scope: set[str] | Scope, budget: Budget) -> CutBy | None:
    if role is not Role.IMAGE and not _is_within(role, url, scope):
        return CutBy.SCOPE
    return None if budget.allows_depth(depth) else CutBy.DEPTH


def _is_within(role: Role, url: str, scope: set[str] | Scope) -> bool:
    if isinstance(scope, set):
        return domain_of(url) in scope
    return domain_of(url) == scope.domain if role is Role.SITEMAP else scope.contains(url)


def _seed(draft: Draft | None) -> dict[str, object] | None:
    """The values of a listing's draft. Its block stays behind: it is stored with the listing's own draft."""
    if draft is None:
        return None
    values = msgspec.structs.replace(draft, block="")
    if len(msgspec.json.encode(values)) > MAX_SEED:
        return None
    plain: dict[str, object] = msgspec.to_builtins(values)
    return plain
