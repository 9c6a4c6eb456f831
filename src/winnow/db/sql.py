"""Loads the SQL files (and what else is text) that stand beside the stage that owns them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def load(path: str) -> str:
    """`load("schedule/claim.sql")`: the text of one statement, or of another file of the package."""
    return files("winnow").joinpath(path).read_text(encoding="utf-8").strip()
