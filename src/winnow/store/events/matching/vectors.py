"""Vectors of titles: of the small model that comes with wordllama, or of an embedding API. Both are optional.

Without either, words decide alone (DESIGN §11.30 never merges on vectors alone).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from winnow.store.events.matching.decision import Similarity

MODEL = "wordllama-l2-supercat-256"
OTHER_MODELS_AGREE = 0.95  # E-073's figure; that of our own model is measured (decision.py)


class Vectors(Protocol):
    """Similarities of pairs of titles, in their order; None where there is no model. `asks_ahead`: titles are prepared
    outside of any transaction, because a service is asked for them."""

    @property
    def asks_ahead(self) -> bool: ...

    async def prepare(self, titles: Sequence[str]) -> None: ...

    async def similarities(self, pairs: Sequence[tuple[str, str]]) -> list[Similarity | None]: ...


class NoVectors:
    asks_ahead = False

    async def prepare(self, titles: Sequence[str]) -> None:
        return

    async def similarities(self, pairs: Sequence[tuple[str, str]]) -> list[Similarity | None]:
        return [None] * len(pairs)


class OfflineVectors:
    """wordllama, from the files in its own package: 0.04 ms a title, and no download ever."""

    asks_ahead = False

    async def prepare(self, titles: Sequence[str]) -> None:
        return

    async def similarities(self, pairs: Sequence[tuple[str, str]]) -> list[Similarity | None]:
        if not pairs:
            return []
        model = _model()
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        embedded = dict(zip(texts, model.embed(texts, norm=True), strict=True))
        return [Similarity(float(embedded[a] @ embedded[b]), MODEL) for a, b in pairs]


def is_installed() -> bool:
    return importlib.util.find_spec("wordllama") is not None


def offline() -> Vectors:
    return OfflineVectors() if is_installed() else NoVectors()


@cache
def _model() -> Any:
    import wordllama  # 60 MB of memory: only a process that compares titles pays for it

    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
