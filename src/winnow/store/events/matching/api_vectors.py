"""Vectors of titles by an embedding API, kept in `event_embeddings`; the offline model where the API gave none.

Both titles of a pair are compared by one model: vectors of two models have nothing in common.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from typing import Any

from psycopg import AsyncConnection
from psycopg.types.json import Jsonb

from winnow.clock import Monotonic
from winnow.db.engine import Database
from winnow.errors import Trouble
from winnow.services.embeddings.http import Embedded, Embedder, Vector
from winnow.store.events.matching.decision import Similarity
from winnow.store.events.matching.vectors import OTHER_MODELS_AGREE, Vectors

FIRST_PAUSE, LONGEST_PAUSE = 60.0, 3_600.0
_READ = "SELECT text_hash, embedding FROM event_embeddings WHERE model = %s AND text_hash = ANY(%s)"
_WRITE = """
INSERT INTO event_embeddings (model, text_hash, embedding)
SELECT %(model)s, h,
       ARRAY(SELECT x::double precision FROM jsonb_array_elements_text(v) WITH ORDINALITY AS e (x, n) ORDER BY n)
FROM unnest(%(hashes)s::text[], %(vectors)s::jsonb[]) AS g (h, v)
ON CONFLICT DO NOTHING
"""

Connection = AsyncConnection[Any]


class ApiVectors:
    asks_ahead = True

    def __init__(
        self, database: Database, embedder: Embedder, fallback: Vectors, monotonic: Monotonic = time.monotonic
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._fallback = fallback
        self._monotonic = monotonic
        self._not_before = 0.0
        self._pause = FIRST_PAUSE
        self._known: dict[str, Vector] = {}

    async def prepare(self, titles: Sequence[str]) -> None:
        """Read or ask for the vectors of these titles; afterwards those of others are forgotten."""
        wanted = {_hash(title): title for title in titles}
        async with self._database.connection() as conn:
            rows = await (await conn.execute(_READ, (self._embedder.model, list(wanted)))).fetchall()
        self._known = {wanted[text_hash]: vector for text_hash, vector in rows}
        missing = [title for title in wanted.values() if title not in self._known]
        if missing and self._monotonic() >= self._not_before:
            await self._ask(missing)

    async def similarities(self, pairs: Sequence[tuple[str, str]]) -> list[Similarity | None]:
        known = [a in self._known and b in self._known and self._comparable(a, b) for a, b in pairs]
        rest = iter(
            await self._fallback.similarities([p for p, by_api in zip(pairs, known, strict=True) if not by_api])
        )
        return [self._similarity(*p) if by_api else next(rest) for p, by_api in zip(pairs, known, strict=True)]

    def _comparable(self, a: str, b: str) -> bool:
        """The API may have been given another model under the same name since."""
        return len(self._known[a]) == len(self._known[b])

    def _similarity(self, a: str, b: str) -> Similarity:
        cosine = sum(x * y for x, y in zip(self._known[a], self._known[b], strict=True))
        return Similarity(cosine, self._embedder.model, OTHER_MODELS_AGREE)

    async def _ask(self, titles: Sequence[str]) -> None:
        answer = await self._embedder.embed(titles)
        found = dict(zip(titles, answer.vectors, strict=False))
        self._known |= found
        if found:
            async with self._database.transaction() as conn:
                await _keep(conn, self._embedder.model, found)
        self._rest_if(answer)

    def _rest_if(self, answer: Embedded) -> None:
        if answer.trouble is None or answer.trouble is Trouble.OFF:
            self._pause = FIRST_PAUSE
            return
        self._not_before = self._monotonic() + max(self._pause, answer.retry_after_s or 0.0)
        self._pause = min(2 * self._pause, LONGEST_PAUSE)


async def _keep(conn: Connection, model: str, found: dict[str, Vector]) -> None:
    given = {"model": model, "hashes": [_hash(t) for t in found], "vectors": [Jsonb(v) for v in found.values()]}
    await conn.execute(_WRITE, given)


def _hash(title: str) -> str:
    return hashlib.sha256(title.encode()).hexdigest()
