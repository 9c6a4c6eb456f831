"""What the tests of the scraping service scrape, and the key they present."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import httpx

Rows = Callable[..., Awaitable[list[Any]]]

KEY = "a-service-key-of-the-backend"
SCRAPE = "/api/v1/scrape"


def company(name: str = "Northwind Traders", email: str = "hello@northwind-traders.com") -> str:
    return f"""<!doctype html><html><head><title>{name}</title>
    <script type="application/ld+json">{{"@context": "https://schema.org", "@type": "Organization", "name": "{name}",
    "email": "{email}", "telephone": "+31 20 794 1000", "url": "https://www.northwind-traders.com/"}}</script></head>
    <body><h1>{name}</h1><p>Wholesale of dairy and seafood since 1978, from Amsterdam.</p></body></html>"""


def asked(url: str, **more: Any) -> dict[str, Any]:
    return {"target_type": "company_website", "target_url": url, "workspace_id": "ws_1", **more}


async def data(answer: httpx.Response, status: int) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json()["data"]


async def submitted(backend: httpx.AsyncClient, url: str, **more: Any) -> UUID:
    return UUID((await data(await backend.post(SCRAPE, json=asked(url, **more)), 202))["task_id"])
