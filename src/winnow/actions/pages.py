"""One stored page for a person: how its fetch went, and its body where that was kept."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from selectolax.lexbor import LexborHTMLParser

from winnow.db.engine import Database
from winnow.errors import NotFound
from winnow.extract.visible_text import VisibleText
from winnow.fetch import pages
from winnow.fetch.archive.archive import Archive
from winnow.fetch.pages import FetchFacts
from winnow.fetch.picture import read_picture
from winnow.store import images

_SUFFIXES = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/json": ".json",
    "application/ld+json": ".json",
    "application/xml": ".xml",
    "text/xml": ".xml",
    "text/plain": ".txt",
    "text/csv": ".csv",
    "application/pdf": ".pdf",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/avif": ".avif",
    "image/svg+xml": ".svg",
}


@dataclass(frozen=True, slots=True)
class KeptPage:
    """`body` is None when there was none, or it is gone by the rules of retention."""

    id: UUID
    page: FetchFacts
    body: bytes | None

    @property
    def suffix(self) -> str:
        return _SUFFIXES.get(self.page.content_type or "text/html", ".bin")

    def source(self) -> str:
        return (self.body or b"").decode(self.page.charset or "utf-8", "replace")

    def text(self) -> str:
        """Return the visible text of an HTML page, and any other body unchanged."""
        if self.suffix != ".html":
            return self.source()
        seen = str(VisibleText(LexborHTMLParser(self.source())))
        return "\n".join(line for line in (part.strip() for part in seen.splitlines()) if line)


async def kept(database: Database, archive: Archive, page_id: UUID) -> KeptPage:
    async with database.connection() as conn:
        page = await pages.facts(conn, page_id)
    if page is None:
        raise NotFound(f"there is no page {page_id}")
    if page.content_hash is None or page.body_deleted_at is not None:
        return KeptPage(page_id, page, None)
    try:
        return KeptPage(page_id, page, await archive.get(page.content_hash))
    except NotFound:
        return KeptPage(page_id, page, None)


@dataclass(frozen=True, slots=True)
class KeptImage:
    """`content_type` is what its bytes are, not what a server called them."""

    body: bytes
    content_type: str


# Kinds of pictures that cannot run anything.
SHOWN_TYPES = frozenset(["image/jpeg", "image/png", "image/gif", "image/webp", "image/avif"])


async def kept_image(database: Database, archive: Archive, image_id: int) -> KeptImage:
    """The bytes of a product's picture; NotFound where there are none."""
    async with database.connection() as conn:
        image = await images.one(conn, image_id)
    if image is None or image.content_hash is None:
        raise NotFound(f"no bytes of image {image_id} are kept")
    body = await archive.get(image.content_hash)
    picture = read_picture(body)
    if picture is None or picture.content_type not in SHOWN_TYPES:
        raise NotFound(f"image {image_id} is of a kind that is not shown")
    return KeptImage(body, picture.content_type)
