"""All 43 properties of the scraping service are there, each under its own title (S-088)."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
TAG = re.compile(
    r"^# Feature: scraping-microservices, Property (\d+): (.+)$\n(?:@.+\n|    .*\n|\).*\n)*(?:async )?def (test_\w+)",
    re.M,
)
TITLES = (
    "JSON envelope consistency",
    "Readiness reflects pool state",
    "Request ID uniqueness",
    "Service key authentication",
    "Pydantic validation produces 422 with field errors",
    "Async task creation returns queued status",
    "Task status retrieval reflects current state",
    "Batch job creates one task per target",
    "Job status derived from task outcomes",
    "Job results contain only completed tasks",
    "Job cancellation preserves running tasks",
    "Browser instance recycling after page threshold",
    "Missing extraction fields default to null",
    "Fingerprint attributes within valid ranges",
    "Fingerprint geo-consistency with proxy region",
    "Fingerprint rotation across sessions",
    "Action delays within configured range",
    "Proxy round-robin skips unhealthy",
    "Failed proxy marked unhealthy",
    "Proxy per-domain cooldown",
    "Proxy metrics accuracy",
    "Token bucket rate limiting per domain",
    "Domain policy YAML parsing round trip",
    "Allowed scraping hours enforcement",
    "Robots.txt compliance",
    "Adaptive rate reduction on 429",
    "Circuit breaker state transition on failures",
    "Open circuit rejects immediately",
    "Half-open probe determines next state",
    "Credential cache TTL behavior",
    "Result normalization produces valid schema",
    "Partial result on validation failure",
    "URL normalization",
    "Location normalization structure",
    "Result serialization round trip",
    "Priority queue ordering by job size",
    "Queue stats accuracy",
    "Structured log format",
    "No credentials in logs or metrics",
    "HMAC-SHA256 webhook signature correctness",
    "Webhook payload size by job task count",
    "Webhook callback URL override",
    "Terminal job state triggers webhook",
)


def test_s088_every_property_has_a_test_of_its_own() -> None:
    found: dict[int, set[str]] = {}
    for file in TESTS.rglob("test_*.py"):
        for number, title, name in TAG.findall(file.read_text(encoding="utf-8")):
            assert title == TITLES[int(number) - 1], (file.name, number)
            found.setdefault(int(number), set()).add(name)
    assert sorted(found) == list(range(1, 44))
    assert [number for number, names in found.items() if len(names) > 1] == [], "one function each"
