"""P-095 … P-098: exactly these names and labels."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from winnow.observe import metrics

NAMES = {
    "scrape_urls_attempted_total": {"adapter_id", "source_id", "status"},
    "scrape_urls_succeeded_total": {"adapter_id", "source_id"},
    "scrape_urls_failed_total": {"adapter_id", "source_id", "reason"},
    "scrape_offers_extracted_total": {"adapter_id", "source_id"},
    "scrape_offers_valid_total": {"adapter_id", "source_id"},
    "scrape_offers_dropped_total": {"adapter_id", "source_id", "reason"},
    "scrape_offers_quarantined_total": {"adapter_id", "source_id", "reason"},
    "scrape_oos_no_price_total": {"adapter_id", "source_id"},
    "scrape_adapter_disabled_total": {"adapter_id", "reason"},
    "scrape_queue_rejected_total": {"reason"},
    "scrape_fetch_duration_ms_count": {"adapter_id"},
    "scrape_extract_duration_ms_count": {"adapter_id"},
    "scrape_rate_limit_wait_ms_count": {"domain"},
    "scrape_queue_pending": {"adapter_id"},
    "scrape_adapter_enabled": {"adapter_id"},
    "scrape_targets_active": {"adapter_id", "source_id"},
    "scrape_targets_broken": {"adapter_id", "source_id"},
    "scrape_targets_stale": {"adapter_id", "source_id"},
}


def count_everything() -> list[metrics.GaugeValue]:
    metrics.visited("generic", 1, "ok", 12.0)
    metrics.succeeded("generic", 1, 2, 3.0)
    metrics.failed("generic", 1, "timeout")
    metrics.valid("generic", 1)
    metrics.dropped("generic", 1, "OOS_NO_PRICE")
    metrics.quarantined("generic", 1, "ZERO_PRICE_EXTRACTED")
    metrics.adapter_disabled("generic", "DRIFT_DETECTED")
    metrics.queue_rejected("queue_full", 3)
    metrics.rate_limit_wait("shop.example", 2_000.0)
    return [metrics.GaugeValue(n, ["x"] * len(labels), 1) for n, (_, labels) in metrics.GAUGES.items()]


def test_p095_to_p098_names_and_labels() -> None:
    text = metrics.as_text(metrics.families(count_everything())).decode()
    found = {s.name: set(s.labels) for f in text_string_to_metric_families(text) for s in f.samples}
    assert {name: found.get(name) for name in NAMES} == NAMES
    assert not [name for name in found if name.endswith("_created")]


def test_data_shows_every_name_even_before_anything_happened() -> None:
    data = metrics.as_data(metrics.families([]))
    assert {n for n in NAMES if not n.endswith("_count")} <= set(data)


def test_processes_of_one_machine_add_up(tmp_path: Path) -> None:
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    count = "from winnow.observe import metrics; metrics.valid('generic', 1, 2)"
    show = "from winnow.observe import metrics; print(metrics.as_text(metrics.families([])).decode())"
    for _ in range(2):
        subprocess.run([sys.executable, "-c", count], env=environment, check=True)
    shown = subprocess.run([sys.executable, "-c", show], env=environment, check=True, capture_output=True, text=True)
    assert 'scrape_offers_valid_total{adapter_id="generic",source_id="1"} 4.0' in shown.stdout
    assert {n for n in NAMES if f"# TYPE {n.removesuffix('_count')} " not in shown.stdout} == set()  # P-095 … P-098


def test_p096_disabled_adapters_and_rejected_tasks_are_counted_by_reason() -> None:
    before = metrics.as_data(metrics.families([]))["scrape_adapter_disabled_total"]
    metrics.adapter_disabled("sgammo", "DRIFT_DETECTED")
    metrics.queue_rejected("adapter_disabled", 2)
    data = metrics.as_data(metrics.families([]))
    labels = {"adapter_id": "sgammo", "reason": "DRIFT_DETECTED"}
    counted = [s["value"] for s in data["scrape_adapter_disabled_total"] if s["labels"] == labels]
    known = [s["value"] for s in before if s["labels"] == labels]
    assert counted[0] == (known[0] if known else 0) + 1
    assert {"reason": "adapter_disabled"} in [s["labels"] for s in data["scrape_queue_rejected_total"]]


def test_p097_the_gauges_are_these() -> None:
    listed = {"scrape_queue_pending", "scrape_adapter_enabled", "scrape_targets_active", "scrape_targets_broken"}
    assert {*listed, "scrape_targets_stale"} <= set(metrics.GAUGES)
    assert metrics.GAUGES["scrape_adapter_enabled"][1] == ("adapter_id",)


def test_s018_browsers_of_a_worker_that_died_are_no_longer_counted(tmp_path: Path) -> None:
    """Its file stays; whoever saw it die says so. What it had counted stays counted."""
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}

    def told(code: str) -> str:
        script = f"import os; from winnow.observe import metrics; {code}"
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    died = told("metrics.browsers(3, 2); metrics.BROWSER_PAGES.inc(7); print(os.getpid(), flush=True); os._exit(0)")
    assert told("print(*metrics.pool())") == "3 1 2 7 0"
    assert told(f"metrics.forget_process({died}); print(*metrics.pool())") == "0 0 0 7 0"
