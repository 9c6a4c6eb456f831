"""The one way to the files of `data/`.

They are JSON because worker and reader processes read them at their start: msgspec decodes all of them in under a
millisecond, where Python's TOML reader takes 40 ms, a third of a feed reader's start. What a key means is said by the
type that a subject's module decodes into; a key that is missing or unknown is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
DATA = Path(__file__).with_name("data")  # importlib.resources takes 3 ms to import


def load(subject: str, kind: type[T]) -> T:
    """The content of `data/<subject>.json`. Callers keep it: nothing is cached here."""
    return msgspec.json.decode(read(subject), type=kind)


def read(subject: str) -> bytes:
    return (DATA / f"{subject}.json").read_bytes()


def gather(words: Mapping[str, Any], *keys: str) -> list[str]:
    """The phrases of all languages under some keys, each once: key by key, language by language."""
    return list(dict.fromkeys(phrase for key in keys for known in words.values() for phrase in getattr(known, key)))
