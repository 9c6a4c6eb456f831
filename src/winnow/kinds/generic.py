"""A kind's own reading as an adapter: it serves every site that has none of its own."""

from __future__ import annotations

from winnow.extract.adapter import ANY_DOMAIN, Context
from winnow.extract.draft import Extraction
from winnow.extract.page import Page
from winnow.kinds.kind import Kind


class GenericAdapter:
    domain = ANY_DOMAIN
    currency = None

    def __init__(self, kind: Kind) -> None:
        self.id = kind.generic_adapter
        self.version = kind.version
        self.kind = kind.name
        self.needs_browser = kind.needs_browser
        self.wait_for, self.scrolls = kind.wait_for, kind.scrolls
        self._kind = kind

    def fast(self, page: Page, ctx: Context) -> Extraction | None:
        return self._kind.fast(page, ctx)

    def extract(self, page: Page, ctx: Context) -> Extraction:
        return self._kind.read(page, ctx)
