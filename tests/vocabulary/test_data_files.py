"""The files of the vocabulary: written in one form, each keyed by language, each read by somebody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.vocabulary import DATA, formatted

FILES = sorted(DATA.glob("*.json"))
BY_SUBJECT = {"columns"}  # its keys are parts of one table; the languages stand inside it
BY_CATEGORY = {"event_categories"}  # the languages stand inside each category, whose order decides


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_written_in_the_one_form(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text == formatted(json.loads(text)), "run `python -m tools.vocabulary`"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_language_stands_once_and_in_its_order(path: Path) -> None:
    pairs = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=list)
    if path.stem in BY_SUBJECT:
        pairs = dict(pairs)["languages"]
    for one in [own for _, own in pairs] if path.stem in BY_CATEGORY else [pairs]:
        keys = [key for key, _ in one]
        assert keys == sorted(set(keys))
