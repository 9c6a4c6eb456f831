"""A Nominatim-compatible geocoder over HTTP: cached, metered, at the pace of the ledger (E-062, E-094)."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec
import structlog

from winnow.db.engine import Database
from winnow.errors import ServiceFailed, Trouble
from winnow.services.calls import Budget, Ended
from winnow.services.client import ServiceClient
from winnow.services.geocoder import cache, nominatim
from winnow.services.geocoder.nominatim import Candidate
from winnow.services.meter import Meter
from winnow.services.settings import ServiceSettings

log = structlog.get_logger(__name__)
SERVICE, PURPOSE = "geocoder", "place"
MAX_TEXT = 300  # characters of a place's name and address that are sent


class Located(msgspec.Struct, frozen=True, kw_only=True):
    """`trouble` None: `candidates` is the answer, and may be empty. `cached`: nothing was sent."""

    candidates: list[Candidate] = []
    trouble: Trouble | None = None
    retry_after_s: float | None = None
    cached: bool = False


class Geocoder(Protocol):
    @property
    def is_on(self) -> bool: ...

    async def search(self, text: str, country: str | None) -> Located:
        """Never raises for what the service does."""


class NoGeocoder:
    is_on = False

    async def search(self, text: str, country: str | None) -> Located:
        return Located(trouble=Trouble.OFF)


def geocoder_of(database: Database, settings: ServiceSettings, client: ServiceClient) -> Geocoder:
    """The geocoder of the settings, or none."""
    return NoGeocoder() if settings.geocoder_url is None else HttpGeocoder(database, settings, client)


class HttpGeocoder:
    is_on = True

    def __init__(self, database: Database, settings: ServiceSettings, client: ServiceClient) -> None:
        assert settings.geocoder_url is not None
        self._address = settings.geocoder_url
        self._seconds = settings.geocoder_timeout_seconds
        self._database = database
        self._client = client
        self._meter = Meter(database, SERVICE, Budget(requests=settings.geocoder_requests_per_day))

    async def search(self, text: str, country: str | None) -> Located:
        text = " ".join(text.split())[:MAX_TEXT]
        async with self._database.connection() as conn:
            known = await cache.read(conn, text, country)
        if known is not None:
            return Located(candidates=known, cached=True)
        try:
            found, _ = await self._meter.measure(PURPOSE, 1, lambda: self._ask(text, country), _ended)
        except ServiceFailed as failed:
            log.warning("geocoder_failed", trouble=failed.trouble, error=str(failed))
            return Located(trouble=failed.trouble, retry_after_s=failed.retry_after_s)
        async with self._database.transaction() as conn:
            await cache.write(conn, text, country, found)
        return Located(candidates=found)

    async def _ask(self, text: str, country: str | None) -> tuple[list[Candidate], list[Any]]:
        answer = await self._client.get(self._address, nominatim.query(text, country), seconds=self._seconds)
        return nominatim.read(answer)


def _ended(done: tuple[list[Candidate], list[Any]]) -> Ended:
    found, discarded = done
    return Ended(answered=1 if found else 0, discarded=discarded)
