"""A web search over HTTP, as Serper and what is compatible with it answer (E-015). Metered like every service; off
unless its address is set."""

from __future__ import annotations

from typing import Any, Protocol
from urllib.parse import urlsplit

import msgspec

from winnow.db.engine import Database
from winnow.errors import ServiceFailed, Trouble
from winnow.services.calls import Budget, Ended
from winnow.services.client import ServiceClient
from winnow.services.meter import Meter
from winnow.services.settings import ServiceSettings

SERVICE = "search"
RESULTS = 10  # of one query
MAX_URL = 2_000


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    url: str
    title: str = ""
    snippet: str = ""


class Search(Protocol):
    @property
    def is_on(self) -> bool: ...

    async def search(self, query: str, country: str) -> list[Hit]:
        """Best first. ServiceFailed says why there is no answer."""


class NoSearch:
    is_on = False

    async def search(self, query: str, country: str) -> list[Hit]:
        raise ServiceFailed(Trouble.OFF, "no search API is set up (WINNOW_WEB_SEARCH_URL)")


def search_of(database: Database, settings: ServiceSettings, client: ServiceClient) -> Search:
    """The search API of the settings, or none."""
    return NoSearch() if settings.web_search_url is None else HttpSearch(database, settings, client)


class HttpSearch:
    is_on = True

    def __init__(self, database: Database, settings: ServiceSettings, client: ServiceClient) -> None:
        assert settings.web_search_url is not None
        self._url = settings.web_search_url
        key = settings.web_search_key
        self._headers = {} if key is None else {"X-API-KEY": key.get_secret_value()}
        self._seconds = settings.web_search_timeout_seconds
        self._client = client
        self._meter = Meter(database, SERVICE, Budget(requests=settings.web_search_requests_per_day))

    async def search(self, query: str, country: str) -> list[Hit]:
        body = {"q": query, "gl": country.lower(), "hl": country.lower(), "num": RESULTS}

        async def ask() -> list[Hit]:
            return read_hits(await self._client.post(self._url, body, self._headers, seconds=self._seconds))

        return await self._meter.measure("discover", 1, ask, lambda hits: Ended(answered=min(len(hits), 1)))


def read_hits(answer: Any) -> list[Hit]:
    """The organic results; what is no web address is left out, and an answer without a list of them is nonsense."""
    organic = answer.get("organic") if isinstance(answer, dict) else None
    if not isinstance(organic, list):
        raise ServiceFailed(Trouble.NONSENSE, "its answer has no list of results")
    hits = [hit for item in organic[: 2 * RESULTS] if (hit := _hit(item)) is not None]
    if organic and not hits:
        raise ServiceFailed(Trouble.NONSENSE, "none of its results has an address")
    return hits


def _hit(item: Any) -> Hit | None:
    url = item.get("link") if isinstance(item, dict) else None
    if not isinstance(url, str) or len(url) > MAX_URL or not _is_web(url):
        return None
    return Hit(url=url, title=str(item.get("title") or "")[:300], snippet=str(item.get("snippet") or "")[:500])


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False
