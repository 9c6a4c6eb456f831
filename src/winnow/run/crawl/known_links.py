"""Links that this process has already written to the frontier of a crawl.

The menu of a shop stands on each of its pages: without this, every page would check and write all of it again, to
change nothing. It is only a memory, not the truth: a link that it has forgotten, or that another process wrote, is
written again.
"""

from __future__ import annotations

from collections.abc import Sequence

from winnow.extract.draft import Link, Role
from winnow.run.visit import Visit

MAX_KNOWN = 100_000  # links of all crawls: about 20 MB


class KnownLinks:
    def __init__(self, most: int = MAX_KNOWN) -> None:
        self._most = most
        self._known: set[tuple[int, str]] = set()

    def unknown(self, visit: Visit, links: Sequence[Link]) -> list[Link]:
        """What has to be planned. What a sitemap names is marked as such, and so it is written again."""
        run_id = visit.task.run_id
        if visit.brief.crawl_scope is None or run_id is None or visit.task.role == Role.SITEMAP:
            return list(links)
        return [link for link in links if (run_id, link.url) not in self._known]

    def remember(self, visit: Visit) -> None:
        """The links of this visit are committed."""
        if visit.brief.crawl_scope is None or visit.task.run_id is None:
            return
        if len(self._known) + len(visit.leads.links) > self._most:
            self._known.clear()
        self._known.update((visit.task.run_id, url) for url in visit.leads.urls)
