"""One word per concept: the names the whole house speaks of are declared once."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from pathlib import Path

import winnow

SRC = Path(winnow.__file__).parent
MAX_MODULES = 30  # of one folder; a fuller one is split by subject
ONCE = {
    "Ending": ["run/visit.py"],
    "FailureCode": ["fetch/failure.py"],
    "Fault": ["fetch/meaning.py"],
    "Outcome": ["fetch/meaning.py"],
    "Visit": ["run/visit.py"],
}


def test_each_of_these_words_means_one_thing() -> None:
    declared: dict[str, list[str]] = defaultdict(list)
    for path in sorted(SRC.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and node.name in ONCE:
                declared[node.name].append(path.relative_to(SRC).as_posix())
    assert declared == ONCE


def test_no_folder_holds_more_than_thirty_modules() -> None:
    modules = Counter(path.parent.relative_to(SRC).as_posix() for path in SRC.rglob("*.py"))
    assert {folder: n for folder, n in modules.items() if n > MAX_MODULES} == {}
