"""One order for everybody's priorities. Lower runs first; each API keeps its own meaning.

    0          a person or a backend is waiting for it (sync scrape)
    10 … 110   enrichment: standalone first, then by job size (S-038)
    55 … 100   catalogue: priority 1 (urgent) … 10, default 5 (C-017)
    40 … 110   prices: priority 0 is 75, each point up is one rank earlier (P-057: higher first)

The claim adds 20 ms per rank when it orders domains, so the most a priority can weigh between two
domains is about two seconds of waiting; within a domain it is strict.
"""

from __future__ import annotations

SYNC = 0
HIGHEST, LOWEST = 0, 250


def for_prices(priority: int) -> int:
    return min(110, max(40, 75 - priority))


def for_catalogue(priority: int) -> int:
    return 50 + 5 * min(10, max(1, priority))


def for_enrichment(job_size: int | None) -> int:
    return 10 if job_size is None else 10 + min(100, max(1, job_size))
