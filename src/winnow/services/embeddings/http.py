"""An OpenAI-compatible embedding API over HTTP: metered, at the pace of the ledger, its answers checked."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, sqrt
from typing import Any, Protocol

import msgspec
import structlog

from winnow.db.engine import Database
from winnow.errors import ServiceFailed, Trouble
from winnow.services.calls import Budget, Ended
from winnow.services.client import ServiceClient
from winnow.services.meter import Meter
from winnow.services.settings import ServiceSettings

log = structlog.get_logger(__name__)
SERVICE, PURPOSE = "embeddings", "titles"
TEXTS_OF_A_REQUEST = 200
MAX_TEXT = 300  # characters of a title that are sent
MAX_DIMENSIONS = 8_192

Vector = list[float]


class Embedded(msgspec.Struct, frozen=True, kw_only=True):
    """Of length one each, in the order of the texts; those of the requests that were answered before `trouble`."""

    vectors: list[Vector] = []
    trouble: Trouble | None = None
    retry_after_s: float | None = None


class Embedder(Protocol):
    @property
    def is_on(self) -> bool: ...

    @property
    def model(self) -> str: ...

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """Never raises for what the service does."""


class NoEmbedder:
    is_on = False
    model = ""

    async def embed(self, texts: Sequence[str]) -> Embedded:
        return Embedded(trouble=Trouble.OFF)


def embedder_of(database: Database, settings: ServiceSettings, client: ServiceClient) -> Embedder:
    """The embedding API of the settings, or none."""
    return NoEmbedder() if settings.embeddings_url is None else HttpEmbedder(database, settings, client)


class HttpEmbedder:
    is_on = True

    def __init__(self, database: Database, settings: ServiceSettings, client: ServiceClient) -> None:
        assert settings.embeddings_url is not None
        assert settings.embeddings_model is not None
        self.model = settings.embeddings_model
        self._address = f"{settings.embeddings_url.rstrip('/')}/embeddings"
        key = settings.embeddings_key
        self._headers = {} if key is None else {"Authorization": f"Bearer {key.get_secret_value()}"}
        self._seconds = settings.embeddings_timeout_seconds
        self._client = client
        budget = Budget(requests=settings.embeddings_requests_per_day)
        self._meter = Meter(database, SERVICE, budget, settings.embeddings_model)

    async def embed(self, texts: Sequence[str]) -> Embedded:
        vectors: list[Vector] = []
        for at in range(0, len(texts), TEXTS_OF_A_REQUEST):
            batch = [text[:MAX_TEXT] for text in texts[at : at + TEXTS_OF_A_REQUEST]]
            try:
                found, _ = await self._measure(batch)
            except ServiceFailed as failed:
                log.warning("embeddings_failed", texts=len(batch), trouble=failed.trouble, error=str(failed))
                return Embedded(vectors=vectors, trouble=failed.trouble, retry_after_s=failed.retry_after_s)
            vectors += found
        return Embedded(vectors=vectors)

    async def _measure(self, batch: list[str]) -> tuple[list[Vector], int]:
        def ended(done: tuple[list[Vector], int]) -> Ended:
            return Ended(answered=len(batch), tokens=done[1])

        return await self._meter.measure(PURPOSE, len(batch), lambda: self._ask(batch), ended)

    async def _ask(self, batch: list[str]) -> tuple[list[Vector], int]:
        body = {"model": self.model, "input": batch, "encoding_format": "float"}
        answer = await self._client.post(self._address, body, self._headers, seconds=self._seconds)
        return read(answer, len(batch)), _tokens(answer)


def read(answer: Any, count: int) -> list[Vector]:
    """One vector for each text, all of one size; anything else is nonsense: a wrong vector would compare well."""
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or len(data) != count:
        raise ServiceFailed(Trouble.NONSENSE, f"its answer has not {count} vectors")
    found: dict[int, Vector] = {}
    for item in data:
        index = item.get("index") if isinstance(item, dict) else None
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < count:
            raise ServiceFailed(Trouble.NONSENSE, "a vector of its answer belongs to no text")
        found[index] = _unit(item.get("embedding"))
    if len(found) != count or len({len(vector) for vector in found.values()}) != 1:
        raise ServiceFailed(Trouble.NONSENSE, "its vectors are not one for each text, or differ in size")
    return [found[n] for n in range(count)]


def _unit(values: Any) -> Vector:
    if not isinstance(values, list) or not 0 < len(values) <= MAX_DIMENSIONS:
        raise ServiceFailed(Trouble.NONSENSE, "a vector of its answer is no list of numbers")
    if any(isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) for value in values):
        raise ServiceFailed(Trouble.NONSENSE, "a vector of its answer holds what is no number")
    length = sqrt(sum(value * value for value in values))
    if not length or not isfinite(length):
        raise ServiceFailed(Trouble.NONSENSE, "a vector of its answer has no direction")
    return [value / length for value in values]


def _tokens(answer: Any) -> int:
    usage = answer.get("usage")
    tokens = usage.get("total_tokens") if isinstance(usage, dict) else None
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) and 0 < tokens < 2**31 else 0
