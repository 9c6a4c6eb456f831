"""The metrics of P-095 … P-098, under exactly those names.

Counters and histograms are counted where things happen, in every process; with PROMETHEUS_MULTIPROC_DIR set
(`winnow up` does) the processes of one machine share them through files and the API shows the sum. Gauges
are read from the database when asked for: the truth is there, not in a process.
"""

from __future__ import annotations

import os
from collections import Counter as Counts
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, multiprocess
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector

disable_created_metrics()  # type: ignore[no-untyped-call]  # P-095 names no *_created series

REGISTRY = CollectorRegistry()
# From a cached answer to the 30 s limit of one fetch (P-036), in milliseconds.
MILLISECONDS = (5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000)
WAITS = (10, 100, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000)

_SOURCE = ("adapter_id", "source_id")
_POOL = frozenset({"winnow_browsers", "winnow_browser_pages", "winnow_browsers_replaced"})


def _counter(name: str, help_text: str, *labels: str) -> Counter:
    return Counter(name, help_text, labels, registry=REGISTRY)


ATTEMPTED = _counter("scrape_urls_attempted_total", "URLs visited, by how the fetch ended.", *_SOURCE, "status")
SUCCEEDED = _counter("scrape_urls_succeeded_total", "URLs that gave a page that could be read.", *_SOURCE)
FAILED = _counter("scrape_urls_failed_total", "URLs that did not, by reason.", *_SOURCE, "reason")
EXTRACTED = _counter("scrape_offers_extracted_total", "Offers read from pages.", *_SOURCE)
VALID = _counter("scrape_offers_valid_total", "Offers accepted.", *_SOURCE)
DROPPED = _counter("scrape_offers_dropped_total", "Offers rejected, by reason.", *_SOURCE, "reason")
QUARANTINED = _counter("scrape_offers_quarantined_total", "Offers held for a person, by reason.", *_SOURCE, "reason")
OOS_NO_PRICE = _counter("scrape_oos_no_price_total", "Out of stock and without a price.", *_SOURCE)
ADAPTER_DISABLED = _counter("scrape_adapter_disabled_total", "Adapters disabled, by reason.", "adapter_id", "reason")
FETCHES = _counter("winnow_fetches_total", "Requests for pages, by way and by how they ended.", "way", "outcome")
ESCALATIONS = _counter("winnow_tier_escalations_total", "Pages tried another way (E-034).", "way", "to", "reason")
BROWSER_PAGES = _counter("winnow_browser_pages_total", "Pages shown in browsers (S-020).")
BROWSERS_REPLACED = _counter("winnow_browsers_replaced_total", "Browsers replaced, by reason (S-020).", "reason")
QUEUE_REJECTED = _counter("scrape_queue_rejected_total", "Tasks the queue had no room for, by reason.", "reason")

BROWSERS = Gauge(
    "winnow_browsers",
    "Browsers of all workers, by what they do (S-020).",
    ["state"],
    registry=REGISTRY,
    multiprocess_mode="livesum",
)
FETCH_MS = Histogram(
    "scrape_fetch_duration_ms", "Time of one fetch.", ["adapter_id"], buckets=MILLISECONDS, registry=REGISTRY
)
EXTRACT_MS = Histogram(
    "scrape_extract_duration_ms",
    "Time of one extraction.",
    ["adapter_id"],
    buckets=MILLISECONDS,
    registry=REGISTRY,
)
WAIT_MS = Histogram(
    "scrape_rate_limit_wait_ms",
    "Time a request waited for its domain.",
    ["domain"],
    buckets=WAITS,
    registry=REGISTRY,
)

# P-097, name -> (help, labels). Their values come from queries/gauges.py.
GAUGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "scrape_queue_pending": ("Tasks waiting.", ("adapter_id",)),
    "scrape_adapter_enabled": ("1 when the adapter may run.", ("adapter_id",)),
    "scrape_targets_active": ("Targets that are visited.", _SOURCE),
    "scrape_targets_broken": ("Targets that failed too often.", _SOURCE),
    "scrape_targets_stale": ("Targets whose tasks waited too long.", _SOURCE),
    "winnow_tasks_running": ("Tasks in a worker's hands.", ()),
    "winnow_workers_active": ("Workers holding at least one task.", ()),
    "scrape_queue_depth": ("Tasks of the scraping service that wait (S-129).", ()),
    "scrape_active_workers": ("Tasks of the scraping service under way, each in one worker's hands (S-129).", ()),
    "scrape_avg_duration_ms": ("From the start of its tasks to their end, among the latest 2 000 (S-020).", ()),
    "winnow_circuits": ("Domains whose circuit is not closed, by state (S-020).", ("state",)),
    "winnow_lanes_held": ("Domains that are sent nothing for now, or less (429), by why (S-020).", ("why",)),
    "winnow_proxies": ("Proxies, by whether they are used.", ("state",)),
    "winnow_proxy_requests": ("Requests through a proxy since it was added.", ("proxy_id", "outcome")),
    "winnow_search_changes_waiting": ("Changes of offers that searches do not see yet.", ()),
    "winnow_search_documents_waiting": ("Documents that the index of a search server has not got.", ("index",)),
    "winnow_search_lag_seconds": ("How long search has been behind, at its worst; 0 when it is not.", ()),
    "winnow_dead_letters_pending": ("Work that failed for good and waits.", ()),
}


class GaugeValue:
    """One value of one gauge."""

    __slots__ = ("labels", "name", "value")

    def __init__(self, name: str, labels: Sequence[str], value: float) -> None:
        self.name, self.labels, self.value = name, [str(v) for v in labels], float(value)


def visited(adapter_id: str, source_id: int | str, status: str, duration_ms: float) -> None:
    """One fetch ended with this outcome."""
    ATTEMPTED.labels(adapter_id, str(source_id), status).inc()
    FETCH_MS.labels(adapter_id).observe(duration_ms)


def succeeded(adapter_id: str, source_id: int | str, offers: int, extract_ms: float | None = None) -> None:
    SUCCEEDED.labels(adapter_id, str(source_id)).inc()
    EXTRACTED.labels(adapter_id, str(source_id)).inc(offers)
    if extract_ms is not None:
        EXTRACT_MS.labels(adapter_id).observe(extract_ms)


def failed(adapter_id: str, source_id: int | str, reason: str) -> None:
    FAILED.labels(adapter_id, str(source_id), reason).inc()


def valid(adapter_id: str, source_id: int | str, n: int = 1) -> None:
    VALID.labels(adapter_id, str(source_id)).inc(n)


def dropped(adapter_id: str, source_id: int | str, reason: str, n: int = 1) -> None:
    """OOS_NO_PRICE has a counter of its own besides (P-095)."""
    DROPPED.labels(adapter_id, str(source_id), reason).inc(n)
    if reason == "OOS_NO_PRICE":
        OOS_NO_PRICE.labels(adapter_id, str(source_id)).inc()


def quarantined(adapter_id: str, source_id: int | str, reason: str, n: int = 1) -> None:
    QUARANTINED.labels(adapter_id, str(source_id), reason).inc(n)


def adapter_disabled(adapter_id: str, reason: str) -> None:
    ADAPTER_DISABLED.labels(adapter_id, reason).inc()


def fetched(way: str, outcome: str) -> None:
    FETCHES.labels(way, outcome).inc()


def escalated(way: str, to: str, reason: str) -> None:
    ESCALATIONS.labels(way, to, reason).inc()


def browsers(total: int, in_use: int) -> None:
    BROWSERS.labels("in_use").set(in_use)
    BROWSERS.labels("available").set(max(0, total - in_use))


def no_browsers_yet() -> None:
    """Report an empty pool from the start of a worker, so that no browser differs from no report (S-020)."""
    browsers(0, 0)
    for reason in ("crashed", "too_large", "page_limit"):
        BROWSERS_REPLACED.labels(reason)


class Pool(NamedTuple):
    """S-018, S-020: the browsers of all workers of this machine. None runs before the first page that needs one."""

    total: int
    available: int
    in_use: int
    pages_processed: int
    recycled_count: int


def pool() -> Pool:
    counted: Counts[tuple[str, str | None]] = Counts()
    for metric in _registry().collect():
        if metric.name in _POOL:
            for sample in metric.samples:
                counted[metric.name, sample.labels.get("state")] += int(sample.value)
    available, in_use = counted["winnow_browsers", "available"], counted["winnow_browsers", "in_use"]
    pages, replaced = (counted[name, None] for name in ("winnow_browser_pages", "winnow_browsers_replaced"))
    return Pool(available + in_use, available, in_use, pages, replaced)


def queue_rejected(reason: str, n: int = 1) -> None:
    QUEUE_REJECTED.labels(reason).inc(n)


def rate_limit_wait(domain: str, waited_ms: float) -> None:
    WAIT_MS.labels(domain).observe(waited_ms)


def families(readings: Iterable[GaugeValue]) -> list[Metric]:
    """All metric families with their current values; counters that were never incremented are 0."""
    found = list(_registry().collect())
    known = {metric.name for metric in found}
    unseen = (Metric(m.name, m.documentation, m.type) for m in REGISTRY.collect() if m.name not in known)
    return [*found, *unseen, *_gauges(readings)]


def _registry() -> CollectorRegistry:
    if not os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        return REGISTRY
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry


def forget_process(pid: int) -> None:
    """Drop the gauges of a process that has ended; its counters stay."""
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        multiprocess.mark_process_dead(pid)  # type: ignore[no-untyped-call]


def as_text(found: list[Metric]) -> bytes:
    """The text format Prometheus scrapes."""
    registry = CollectorRegistry()
    registry.register(_Found(found))
    return generate_latest(registry)


def as_data(found: list[Metric]) -> dict[str, list[dict[str, Any]]]:
    """The same as values: sample name -> [{labels, value}]."""
    samples: dict[str, list[dict[str, Any]]] = {}
    for metric in found:
        samples.setdefault(f"{metric.name}_total" if metric.type == "counter" else metric.name, [])
        for sample in metric.samples:
            samples.setdefault(sample.name, []).append({"labels": sample.labels, "value": sample.value})
    return samples


def _gauges(readings: Iterable[GaugeValue]) -> Iterator[GaugeMetricFamily]:
    found = {name: GaugeMetricFamily(name, text, labels=labels) for name, (text, labels) in GAUGES.items()}
    for reading in readings:
        found[reading.name].add_metric(reading.labels, reading.value)
    yield from found.values()


class _Found(Collector):
    def __init__(self, found: list[Metric]) -> None:
        self._found = found

    def collect(self) -> Iterable[Metric]:
        return self._found
