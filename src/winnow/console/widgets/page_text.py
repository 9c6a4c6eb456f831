"""A page as it was fetched, for a person: as text, never as our HTML."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from uuid import UUID

from winnow.actions.pages import KeptPage, kept
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.html import div, mono, quiet, tag
from winnow.console.widgets.parts import facts
from winnow.errors import ArchiveError, NotFound
from winnow.fetch.archive.archive import Archive

MAX_CHARACTERS = 60_000  # characters; the whole of it is `winnow pages open`
AROUND = 160  # characters shown on each side of a place that is marked
MOST_MARKED = 5


async def read_page(view: View, page_id: UUID) -> KeptPage | None:
    archive = Archive(view.settings.fetch.archive_url, view.settings.db.folder / "pages")
    try:
        return await kept(view.database, archive, page_id)
    except (NotFound, ArchiveError):
        return None
    finally:
        archive.close()


async def text_of(page: KeptPage) -> str:
    """Parsing a large page takes a while: not on the loop that serves everybody."""
    return await asyncio.to_thread(page.text)


def show_facts(page: KeptPage) -> None:
    seen = page.page
    facts({
        "Address": seen.final_url,
        "Outcome": f"{formatting.humanize(seen.outcome)}{f' · HTTP {seen.status_code}' if seen.status_code else ''}",
        "Fetched": seen.created_at,
        "By": f"{seen.fetcher_used}, {seen.fetch_duration_ms} ms",
        "Size": f"{formatting.number(seen.body_bytes)} bytes, {seen.content_type or 'of unknown type'}",
        "Permission": ", ".join(f"{k}: {formatting.text(v)}" for k, v in seen.decision.items()) or formatting.NOTHING,
    })  # fmt: skip


def show_text(text: str) -> None:
    mono(text[:MAX_CHARACTERS])
    if len(text) > MAX_CHARACTERS:
        quiet(f"The first {formatting.number(MAX_CHARACTERS)} of {formatting.number(len(text))} characters.")


def show_marked(text: str, evidence: Iterable[str]) -> bool:
    """The places of the text where the evidence stands, each with what is around it; False when it is nowhere."""
    places = _places(text, [e for e in dict.fromkeys(evidence) if e and len(e.strip()) > 1])
    for start, end in places[:MOST_MARKED]:
        with div("w-pre w-evidence", tabindex="0"):
            tag("span", ("…" if start > AROUND else "") + text[max(0, start - AROUND) : start])
            tag("mark", text[start:end])
            tag("span", text[end : end + AROUND] + ("…" if end + AROUND < len(text) else ""))
    return bool(places)


def _places(text: str, evidence: list[str]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for wanted in evidence:
        start = text.find(wanted.strip())
        while start >= 0 and len(found) < MOST_MARKED:
            found.append((start, start + len(wanted.strip())))
            start = text.find(wanted.strip(), start + len(wanted))
    return sorted(set(found))
