"""A target type in the pipeline: it is fetched, parsed in a child process and judged like an adapter's page."""

from __future__ import annotations

from winnow.extract.adapter import ANY_DOMAIN, Context
from winnow.extract.draft import Draft, Extraction
from winnow.extract.page import Page
from winnow.judge.target_type import Needs, TargetType
from winnow.normalise.fields import Normalised


class TargetAdapter:
    domain = ANY_DOMAIN

    def __init__(self, target: TargetType) -> None:
        self.target = target
        self.id = target.name
        self.version = target.version
        self.kind = target.kind
        self.needs_browser = target.needs is Needs.BROWSER

    def fast(self, page: Page, ctx: Context) -> Extraction | None:
        return None

    def extract(self, page: Page, ctx: Context) -> Extraction:
        return self.target.extract(page, ctx)

    def normalise(self, draft: Draft, ctx: Context) -> Normalised:
        return self.target.normalise(draft, ctx)
