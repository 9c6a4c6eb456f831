"""Loads the SQL files that stand beside the stage that owns them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def load(path: str) -> str:
    """`load("schedule/queue/claim.sql")`: the text of one statement."""
    return files("winnow").joinpath(path).read_text(encoding="utf-8").strip()
