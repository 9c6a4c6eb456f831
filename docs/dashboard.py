"""The Grafana dashboard of the scraper (P-102), made from the metrics, so that none is missing from it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

WIDTH, HEIGHT = 8, 7  # of a panel, in Grafana's grid of 24 columns
SOURCE = {"type": "prometheus", "uid": "${datasource}"}

Row = tuple[str, str, tuple[str, ...], str]


def dashboard(rows: Iterable[Row]) -> str:
    panels = [panel(n, *row) for n, row in enumerate(rows)]
    board = {
        "title": "Winnow",
        "uid": "winnow",
        "schemaVersion": 39,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [{"name": "datasource", "type": "datasource", "query": "prometheus"}]},
        "panels": panels,
    }
    return json.dumps(board, indent=1) + "\n"


def panel(n: int, name: str, kind: str, labels: tuple[str, ...], text: str) -> dict[str, Any]:
    return {
        "id": n + 1,
        "type": "timeseries",
        "title": text,
        "description": name,
        "datasource": SOURCE,
        "gridPos": {"x": n % 3 * WIDTH, "y": n // 3 * HEIGHT, "w": WIDTH, "h": HEIGHT},
        "targets": [
            {"refId": "A", "datasource": SOURCE, "expr": query(name, kind, labels), "legendFormat": legend(labels)}
        ],
        "fieldConfig": {"defaults": {"unit": "ms" if name.endswith("_ms") else "short"}, "overrides": []},
    }


def query(name: str, kind: str, labels: tuple[str, ...]) -> str:
    by = f" by ({', '.join(labels)})" if labels else ""
    if kind == "counter":
        return f"sum{by} (rate({name}[5m]))"
    if kind == "histogram":
        return f"histogram_quantile(0.95, sum by ({', '.join(['le', *labels])}) (rate({name}_bucket[5m])))"
    return f"sum{by} ({name})"


def legend(labels: tuple[str, ...]) -> str:
    return " ".join(f"{{{{{label}}}}}" for label in labels)
