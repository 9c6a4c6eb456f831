"""What watching a URL would bring, before anything is saved: one polite fetch, read and judged as a visit would be.

For a face that serves many people at once: the page is read in a process of its own, which can be stopped (R-17).
"""

from __future__ import annotations

import msgspec

from winnow.actions import scrape_url as scrape_url_actions
from winnow.actions.scrape_url import Scraped
from winnow.db.engine import Database
from winnow.fetch.outcome import Outcome
from winnow.fetch.tiers import Way
from winnow.run.parsers import ParserPool
from winnow.settings import Settings


class PreviewDesk:
    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings

    async def look(self, url: str, currency: str | None = None) -> Scraped:
        """Waits for the domain's next slot like everybody; Conflict when that is too far away."""
        adapter = scrape_url_actions.adapter_for(self._settings, url, None)
        way = Way.DYNAMIC if adapter.needs_browser else Way.STATIC
        found = await scrape_url_actions.fetch(self._database, self._settings, url, way)
        if found.result.outcome is not Outcome.OK:
            return found
        page = scrape_url_actions.page_of(found.result)
        parsers = ParserPool(self._settings.run)
        try:
            context = scrape_url_actions.context_of(url, page, currency)
            seen = await parsers.assess(page, adapter.id, context, adapter.kind)
        finally:
            await parsers.close()
        return msgspec.structs.replace(found, assessment=seen, kind=adapter.kind)
