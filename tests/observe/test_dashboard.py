"""P-102: a dashboard that shows every metric, and runbooks for what it may show."""

from __future__ import annotations

import json
import re

from docs import generate

PAGES = generate.ROOT / "docs"


def test_p102_c072_the_dashboard_shows_every_metric() -> None:
    board = json.loads((PAGES.parent / "deploy/grafana.json").read_text(encoding="utf-8"))
    queries = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    for name, kind, labels, _ in generate.metric_rows():
        (query,) = [q for q in queries if re.search(rf"\b{name}(_bucket)?\b", q)]
        assert ("rate(" in query) == (kind != "gauge"), name
        assert all(label in query for label in labels), name
    assert len(queries) == len({json.dumps(panel["gridPos"]) for panel in board["panels"]}), "none covers another"


def test_p102_there_are_runbooks_for_drift_and_for_enabling_again() -> None:
    drift = (PAGES / "how-to/drift.md").read_text(encoding="utf-8")
    assert "winnow adapters enable" in drift
    alerts = (PAGES / "how-to/alerts.md").read_text(encoding="utf-8")
    for code in ("adapter_disabled", "failure_rate", "queue_rejections", "stale_targets", "circuit_opened"):
        assert f"`{code}`" in alerts, "P-099"
