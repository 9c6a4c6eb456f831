"""What several stages share is written once (E-116)."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache

import pytest

from docs.generate import ROOT

SOURCE = ROOT / "src/winnow"


@cache
def definitions() -> dict[str, list[str]]:
    """Name of a class or function at the top of a module -> the modules that define it."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                found[node.name].append(path.relative_to(SOURCE).as_posix())
    return found


@pytest.mark.parametrize(
    ("subject", "name", "module"),
    [
        ("types", "FetchResult", "fetch/outcome.py"),
        ("page fetcher", "HttpFetcher", "fetch/http/client.py"),
        ("breaker", "CircuitRules", "schedule/circuit.py"),
        ("rate limiting", "Grants", "run/admission/grants.py"),
        ("dates", "When", "normalise/dates/read.py"),
        ("categories", "classify_event", "normalise/categories.py"),
        ("geocoding", "geocoder_of", "services/geocoder/http.py"),
        ("AI enrichment", "llm_of", "services/llm/http.py"),
        ("Slack and alerts", "open_alert", "publish/alerts.py"),
        ("DLQ", "Letter", "schedule/queue/dead_letters.py"),
        ("observability", "is_secret_name", "observe/mask.py"),
    ],
)
def test_e116_each_shared_subject_has_one_module(subject: str, name: str, module: str) -> None:
    assert definitions()[name] == [module], subject
