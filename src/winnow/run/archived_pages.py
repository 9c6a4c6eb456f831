"""Archived pages, read back by their id."""

from __future__ import annotations

from uuid import UUID

from winnow.db.engine import Database
from winnow.errors import ArchiveError, NotFound
from winnow.extract.page import Page
from winnow.fetch import pages
from winnow.fetch.archive.archive import Archive


class ArchivedPages:
    def __init__(self, database: Database, archive: Archive) -> None:
        self._database = database
        self._archive = archive

    async def newest_page(self, target_id: int, hours: int) -> pages.KeptBody | None:
        """The newest page of a target that may still be read instead of a fresh one."""
        async with self._database.connection() as conn:
            return await pages.kept(conn, target_id, hours)

    async def load(self, page_id: UUID) -> Page | None:
        """None when the row or its body is gone."""
        async with self._database.connection() as conn:
            stored = await pages.read(conn, page_id)
        if stored is None or stored.content_hash is None:
            return None
        try:
            body = await self._archive.get(stored.content_hash)
        except (ArchiveError, NotFound):
            return None
        return Page(
            url=stored.final_url,
            body=body,
            fetched_at=stored.created_at,
            charset=stored.charset or "utf-8",
            content_type=stored.content_type or "text/html",
            status_code=stored.status_code or 200,
        )
