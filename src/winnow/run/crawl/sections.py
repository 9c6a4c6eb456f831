"""Limits of sections: at most so many pages of a crawl whose paths begin alike. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from winnow.schedule.follow_ups import WaitingLink

_GAUGE = "section "  # how the counters of sections are called among those of the run


def section_of(url: str, limits: Mapping[str, int]) -> str | None:
    """The longest prefix that the path begins with."""
    path = urlsplit(url).path or "/"
    return max((prefix for prefix in limits if path.startswith(prefix)), key=len, default=None)


def within_sections(
    found: Sequence[WaitingLink], limits: Mapping[str, int], gauges: Mapping[str, int]
) -> tuple[list[WaitingLink], list[WaitingLink]]:
    """Those that the limits allow, and those beyond."""
    used = Counter({prefix: gauges.get(_GAUGE + prefix, 0) for prefix in limits})
    allowed: list[WaitingLink] = []
    beyond: list[WaitingLink] = []
    for row in found:
        section = section_of(row.url, limits)
        if section is not None and used[section] >= limits[section]:
            beyond.append(row)
            continue
        if section is not None:
            used[section] += 1
        allowed.append(row)
    return allowed, beyond


def count_queued(queued: Sequence[WaitingLink], limits: Mapping[str, int]) -> Counter[str]:
    """What these add to the counters of the run."""
    sections = (section_of(row.url, limits) for row in queued) if limits else ()
    return Counter(_GAUGE + section for section in sections if section is not None)
