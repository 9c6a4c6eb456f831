"""Erases everything known of one page (DESIGN §11.26): what the scraping service read there, and the bodies it
read.

Prices and verdicts of offers are not personal and stay. What callers were sent is kept as long as other deliveries.
"""

from __future__ import annotations

import msgspec

from winnow.db.engine import Database
from winnow.fetch.archive import retention
from winnow.fetch.archive.archive import Archive
from winnow.normalise.urls import canonical_url, clickable_url, url_hash
from winnow.observe import audit
from winnow.store import enrichment


class Erased(msgspec.Struct, frozen=True, kw_only=True):
    """`bodies` were deleted now; one younger than an hour, or that another page has too, goes when that is over."""

    results: int
    pages: int
    bodies: int


async def erase(database: Database, archive: Archive, url: str, actor: str) -> Erased:
    """Raises UrlRefused when `url` is not a URL."""
    named = url_hash(url)
    async with database.transaction() as conn:
        results, read = await enrichment.erase(conn, named)
        spellings = sorted({url, canonical_url(url), clickable_url(url)})
        pages, hashes = await retention.let_go(conn, read, spellings)
        done = {"results": results, "pages": pages}
        await audit.record(conn, actor, "pages.erased", "url", named, after=done)
    async with database.connection() as conn:
        bodies = await retention.delete_unreferenced(conn, archive, hashes)
    return Erased(results=results, pages=pages, bodies=bodies)
