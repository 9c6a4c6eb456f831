"""Crawls: what is asked for, and how far it is."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from winnow.api.models.fields import Id, RequestModel, ResponseModel, Text, Url
from winnow.api.models.work import FollowBudget
from winnow.schedule.budget import MAX_BUDGET
from winnow.schedule.scope import MAX_PATTERN, MAX_PATTERNS

CrawlState = Literal["waiting", "running", "paused", "done", "stopped", "failed"]
Pattern = Annotated[Text, Field(min_length=1, max_length=MAX_PATTERN, pattern=r"^[/*]", examples=["/products/*"])]
Patterns = Annotated[list[Pattern], Field(max_length=MAX_PATTERNS)]


class CrawlScope(RequestModel):
    """Which URLs belong to it. Patterns are written as in robots.txt."""

    whole_domain: bool = Field(False, description="Every host of the registrable domain, not only that of the URL.")
    path: Annotated[Text, Field(max_length=MAX_PATTERN)] = Field("", description="Prefix of all paths, such as /en/.")
    include: Patterns = Field([], description="Only URLs that match one of these.")
    exclude: Patterns = Field([], description="No URL that matches one of these.")
    sections: Annotated[
        dict[Pattern, Annotated[int, Field(ge=1, le=MAX_BUDGET["pages"])]], Field(max_length=MAX_PATTERNS)
    ] = Field({}, description="At most so many pages of paths that begin so.", examples=[{"/blog/": 100}])


class CrawlCreate(RequestModel):
    url: Url
    source_id: Id | None = Field(None, description="Default: the source of the URL's domain, made if need be.")
    kind: Literal["product", "offer"] = Field("product", description="Kind of a source that is made.")
    scope: CrawlScope = CrawlScope()
    budget: FollowBudget = Field(
        FollowBudget(), description="What is not given is 100 000 pages, 20 links, 7 days, 100 GB."
    )


class CrawlStarted(ResponseModel):
    """`waiting`: its source has another run, or is paused."""

    id: int
    state: CrawlState


class ScopeResponse(ResponseModel):
    domain: str
    host: str
    path: str
    include: list[str]
    exclude: list[str]
    sections: dict[str, int] = Field({})


class CrawlResponse(ResponseModel):
    """`pages` were fetched or tried, of which `failed` could not be read; `products` were accepted, `held` wait for a
    person; `queue` is still to be visited."""

    id: int
    url: str
    state: CrawlState
    source_id: int
    source_name: str
    run_id: int | None
    requested_by: str | None
    created_at: datetime
    started_at: datetime | None
    paused_at: datetime | None
    ended_at: datetime | None
    scope: ScopeResponse
    budget: dict[str, int]
    deadline_at: datetime | None
    pages: int
    failed: int
    robots_blocked: int
    products: int
    held: int
    rejected: int
    queue: int
    bytes: int
    links_found: int
    links_by_role: dict[str, int]
    links_cut_by: dict[str, int]


class WithoutProduct(ResponseModel):
    """Pages that ended alike; `example` is what was said of one of them."""

    outcome: str
    reason: str
    example: str | None
    n: int


class SitemapCoverage(ResponseModel):
    """Of the URLs that sitemaps name: how many were read, how many of those had a product, how many were cut."""

    listed: int
    read: int
    products: int
    cut: int


class CrawlReport(CrawlResponse):
    """The pace of the last minute, or of all of it once it has ended, and how long the queue takes at it."""

    pages_per_second: float
    eta_seconds: int | None
    sitemap: SitemapCoverage | None
    without_product: list[WithoutProduct]


class CrawlTasks(ResponseModel):
    """How many queued tasks were paused, resumed or taken out."""

    tasks: int
