"""Every route of the API, and a value for every placeholder in their paths."""

from __future__ import annotations

from collections import defaultdict

from fastapi import FastAPI

# Most ids are numbers.
PLACES = defaultdict(
    lambda: "1",
    task_id="00000000-0000-7000-8000-000000000000",
    job_id="00000000-0000-7000-8000-000000000000",
    page_id="00000000-0000-7000-8000-000000000000",
    domain="shop.example.com",
    adapter_id="generic",
    form="ics",
    dataset="prices",
)


def all_routes(api: FastAPI) -> list[tuple[str, str]]:
    found = []
    for route in api.router.routes:
        if not hasattr(route, "original_router"):
            found += [(m, route.path) for m in route.methods]  # type: ignore[attr-defined]
    for path, operations in api.openapi()["paths"].items():
        found += [(method.upper(), path) for method in operations]
    return sorted(set(found))
