"""One word per concept, in plain English: names that occur everywhere are declared once, and none is dialect."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import winnow

SRC = Path(winnow.__file__).parent
ROOT = Path(__file__).parents[1]
MAX_MODULES = 30  # of one folder; a fuller one is split by subject
MAX_LINES = 400  # of one module, tests and benchmarks included


@cache
def nodes() -> list[tuple[str, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Every class and function of the package, with the module it stands in."""
    return [
        (path.relative_to(SRC).as_posix(), node)
        for path in sorted(SRC.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    ]


ONCE = {
    "Ending": ["run/visit.py"],
    "FailureCode": ["fetch/failure.py"],
    "Fault": ["fetch/meaning.py"],
    "Kind": ["kinds/kind.py"],
    "Outcome": ["fetch/meaning.py"],
    "Visit": ["run/visit.py"],
}


def test_each_of_these_words_means_one_thing() -> None:
    declared: dict[str, list[str]] = defaultdict(list)
    for module, node in nodes():
        if isinstance(node, ast.ClassDef) and node.name in ONCE:
            declared[node.name].append(module)
    assert declared == ONCE


VAGUE = frozenset({"Answer", "Reading", "Rules", "State"})  # each was five classes that had nothing in common


def test_classes_are_named_after_their_subject() -> None:
    """`RobotsAnswer`, `CircuitRules`: what a search for the class finds is one thing."""
    offenders = [
        f"{module}:{node.lineno} {node.name}"
        for module, node in nodes()
        if isinstance(node, ast.ClassDef) and node.name in VAGUE
    ]
    assert not offenders, "rename these classes:\n" + "\n".join(offenders)


def test_no_folder_holds_more_than_thirty_modules() -> None:
    modules = Counter(path.parent.relative_to(SRC).as_posix() for path in SRC.rglob("*.py"))
    assert {folder: n for folder, n in modules.items() if n > MAX_MODULES} == {}


def test_no_module_is_longer_than_four_hundred_lines() -> None:
    paths = [path for folder in ("src", "tests", "bench", "tools") for path in sorted((ROOT / folder).rglob("*.py"))]
    lines = {path.relative_to(ROOT).as_posix(): path.read_text().count("\n") for path in paths}
    assert {path: n for path, n in lines.items() if n > MAX_LINES} == {}


DIALECT = frozenset(
    {
        "told",
        "said",
        "shown",
        "say",
        "tell",
        "breathe",
        "bury",
        "heed",
        "learnt",
        "lend",
        "likeness",
        "mended",
        "squash",
    }
)


def test_functions_are_named_in_words_that_engineers_search_for() -> None:
    """`describe_error`, `format_price`, `render`, `notify` or `to_row` say what the function does."""
    offenders = [
        f"{module}:{node.lineno} {node.name}"
        for module, node in nodes()
        if not isinstance(node, ast.ClassDef) and DIALECT & set(node.name.lower().split("_"))
    ]
    assert not offenders, "rename these functions:\n" + "\n".join(offenders)


def test_every_name_that_a_module_imports_is_there() -> None:
    """Two changes that were merged one after the other can leave an import of a name that the other one changed."""
    modules = [
        ".".join(path.relative_to(SRC.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted(SRC.rglob("*.py"))
        if path.name != "__main__.py" and "migrations" not in path.parts
    ]
    code = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"
    done = subprocess.run([sys.executable, "-c", code, *modules], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
