"""Whatever the tree cites is in the tree: requirement ids, properties, sections of the design, files.

Ids in sample data look the same but have another number of digits, or a letter around them.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from docs.generate import ROOT

TEXT = frozenset([".py", ".sql", ".md", ".toml", ".yml", ".yaml", ".sh", ".lua", ".css", ".js"])
LISTS = ROOT / "docs/requirements"
README = LISTS / "README.md"
# Rows without a test because nothing is to be done about them; docs/requirements/README.md says why.
ARGUED = frozenset(["C-063", "C-073", "C-075", "E-028", "E-105", "E-112", "E-117"])
DESIGN = ROOT / "docs/DESIGN.md"
# The plan names what is not built yet, and may.
PLANNED = frozenset([DESIGN])
# What may be an id, and what is one: the cheap pattern goes through all 6 MB, the exact one over what it found.
CANDIDATE = re.compile(r"[CEFPRSN]-\d{2,3}(?![\w-])")
ID = re.compile(r"(?:^|[^\w-])((?:[CEFPS]-\d{3}|(?:R|FN|PN)-\d{2}))$")
TEST_NAME = re.compile(r"def test_((?:(?:[cefps]\d{3}|r\d{2}|[fp]n\d{2})_)+)")
PROPERTY = re.compile(r"ropert(?:y|ies) (\d+(?:(?:, | … |–| and | to )\d+)*)")
SECTION = re.compile(r"DESIGN §(\d+(?:\.\d+)?)(?:(?:–| … )§?(\d+(?:\.\d+)?))?")
NOTES = re.compile(r'#[^\n]*|""".*?"""', re.DOTALL)  # comments and docstrings
FILE = re.compile(
    r"(?<![\w/.:%{}<>*-])(?:\.{1,2}/)*([\w-][\w.-]*(?:/[\w.-]+)*\.(?:py|sql|md|toml|tsv|lua|yml))(?![\w/(-])"
)
FOLDER = re.compile(r"(?<![\w/.-])((?:src|tests|docs|bench|deploy)/[\w/-]+)/(?![\w.<*{-])")
EXAMPLE = re.compile(r"example|(?:^|/)(?:my|your)[_-]")  # what a reader is told to make
_CITED = r"[A-Z]{1,2}-\d{2,3}|[Pp]ropert(?:y|ies) \d+|DESIGN §[\d.]+"
ONLY_IDS = re.compile(rf'"""(?:{_CITED})(?:{_CITED}|and|to|[\d,;.…– ])*"""')


@cache
def tree() -> tuple[frozenset[str], frozenset[str]]:
    """Every file and folder, relative to the root."""
    files, folders = set[str](), set[str]()
    for here, below, names in os.walk(ROOT):
        below[:] = [name for name in below if name == ".ci" or not name.startswith((".", "__pycache__"))]
        base = os.path.relpath(here, ROOT)
        files.update(os.path.normpath(os.path.join(base, name)) for name in names)
        folders.update(os.path.normpath(os.path.join(base, name)) for name in below)
    return frozenset(files), frozenset(folders)


@cache
def sources() -> list[tuple[Path, str]]:
    wanted = (ROOT / name for name in sorted(tree()[0]) if Path(name).suffix in TEXT or name.endswith("file"))
    return [(path, path.read_text(encoding="utf-8")) for path in wanted]


@cache
def endings() -> frozenset[str]:
    """`run/pipeline.py` names src/winnow/run/pipeline.py; so does `pipeline.py` in a comment beside it."""
    parts = (name.split("/") for name in tree()[0])
    return frozenset("/".join(each[start:]) for each in parts for start in range(len(each)))


@cache
def requirements() -> frozenset[str]:
    rows = (re.findall(r"^\| ([A-Z]+-\d+) \|", page.read_text(encoding="utf-8"), re.M) for page in LISTS.glob("*.md"))
    return frozenset(name for each in rows for name in each)


@cache
def rows_of(page: str) -> frozenset[str]:
    return frozenset(re.findall(r"^\| ([A-Z]+-\d+) \|", (LISTS / page).read_text(encoding="utf-8"), re.M))


@cache
def open_rows() -> frozenset[str]:
    """Rows that no test proves yet, as the page of the requirements lists them."""
    listed = README.read_text(encoding="utf-8").split("\n## Rows that no test names\n")[1].split("\n## ")[0]
    return frozenset(name for _, name in ids(listed))


@cache
def proved() -> frozenset[str]:
    """Rows that the name or docstring of a test names. A range names its two ends."""
    found = set[str]()
    for path, text in sources():
        if not path.is_relative_to(ROOT / "tests") or path.suffix != ".py":
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                named = f"def {node.name}\n{ast.get_docstring(node) or ''}"
                found.update(name for _, name in ids(named))
    return frozenset(found)


@cache
def sections() -> frozenset[str]:
    """Headings of the design, and its settled questions: 11 and 11.17."""
    text = DESIGN.read_text(encoding="utf-8")
    questions = re.findall(r"^(\d+)\. ", text.split("\n## 11. ")[1], re.M)
    return frozenset([*re.findall(r"^## (\d+)\. ", text, re.M), *(f"11.{number}" for number in questions)])


def line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def ids(text: str) -> Iterator[tuple[int, str]]:
    for found in CANDIDATE.finditer(text):
        name = ID.search(text[max(found.start() - 2, 0) : found.end()])
        if name:
            yield found.start(), name[1]
    for found in TEST_NAME.finditer(text):
        for name in found[1].rstrip("_").split("_"):
            yield found.start(), re.sub(r"(\D+)(\d+)", r"\1-\2", name).upper()


def test_the_lists_are_whole() -> None:
    counted = {family: 0 for family in ("P", "F", "C", "S", "E", "R", "PN", "FN")}
    for name in requirements():
        counted[name.partition("-")[0]] += 1
    assert counted == {"P": 110, "F": 140, "C": 75, "S": 135, "E": 123, "R": 28, "PN": 15, "FN": 20}
    for family, most in counted.items():
        width = 2 if family in ("R", "PN", "FN") else 3
        assert {f"{family}-{number:0{width}}" for number in range(1, most + 1)} <= requirements()


def test_every_requirement_cited_exists() -> None:
    missing = [
        f"{path.relative_to(ROOT)}:{line(text, at)}: {name}"
        for path, text in sources()
        for at, name in ids(text)
        if name not in requirements()
    ]
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize(
    "page", ["events.md", "prices.md", "feeds.md", "enrichment.md", "reliability.md", "catalog.md"]
)
def test_every_requirement_is_proved_by_a_test_or_argued_away(page: str) -> None:
    left = rows_of(page) - proved() - ARGUED - open_rows()
    assert not left, f"no test names {sorted(left)}: name one, or argue the row away in docs/requirements/README.md"


def test_what_is_argued_away_says_why() -> None:
    text = README.read_text(encoding="utf-8")
    argued = {name for row in re.findall(r"^\| ([A-Z][^|]*) \|[^|]+\|[^|]+\|$", text, re.M)
              for name in re.findall(r"[A-Z]+-\d+", row)}  # fmt: skip
    assert argued >= ARGUED, "each has a row in docs/requirements/README.md"


def test_what_is_open_is_still_open() -> None:
    done = open_rows() & (proved() | ARGUED)
    assert not done, f"take {sorted(done)} out of the open rows of docs/requirements/README.md: a test names them"


def test_every_property_cited_exists() -> None:
    text = (LISTS / "enrichment.md").read_text(encoding="utf-8")
    known = {int(number) for number in re.findall(r"^\| S-\d+ \| P(\d+): ", text, re.M)}
    assert known == set(range(1, 44))
    cited = [(path, int(number)) for path, said in sources() for found in PROPERTY.findall(said)
             for number in re.findall(r"\d+", found)]  # fmt: skip
    assert {path for path, number in cited if number not in known} == set()


def test_every_section_of_the_design_cited_exists() -> None:
    missing = [
        f"{path.relative_to(ROOT)}:{line(text, found.start())}: {found[0]}"
        for path, text in sources()
        for found in SECTION.finditer(text)
        if not {found[1], _end(found)} <= sections()
    ]
    assert not missing, "\n".join(missing)


def _end(cited: re.Match[str]) -> str:
    """11.13 of "DESIGN §11.10–13", and the section itself where there is no range."""
    chapter, _, question = cited[1].partition(".")
    last = cited[2] or cited[1]
    return f"{chapter}.{last}" if question and "." not in last else last


def test_the_design_cites_sections_of_its_own() -> None:
    assert set(re.findall(r"§(\d+(?:\.\d+)?)", DESIGN.read_text(encoding="utf-8"))) <= sections()


def test_every_file_and_folder_cited_exists() -> None:
    missing = []
    for path, text in sources():
        said = "\n".join(NOTES.findall(text)) if path.suffix == ".py" else text
        files = {name for name in FILE.findall(said) if name not in endings()}
        folders = {name for name in FOLDER.findall(said) if name not in tree()[1]}
        cited = files | folders if path not in PLANNED else files
        missing += [f"{path.relative_to(ROOT)}: {name}" for name in cited if not EXAMPLE.search(name)]
    assert not missing, "\n".join(sorted(missing))


def test_no_docstring_is_only_an_id() -> None:
    """The id is where to look something up; what the function does is said beside it."""
    bare = [
        f"{path.relative_to(ROOT)}:{line(text, found.start())}: {found[0]}"
        for path, text in sources()
        if path.suffix == ".py"
        for found in ONLY_IDS.finditer(text)
    ]
    assert not bare, "\n".join(bare)


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("(P-083 … P-091)", ["P-083", "P-091"]),
        ("def test_f063_fn02_a_killed_load(", ["F-063", "FN-02"]),
        ("def test_c003_pausing(", ["C-003"]),
        ('sku="S-1", "R-1234", "XP-100", "C-130J", "P-1234"', []),
    ],
)
def test_ids_are_found_and_sample_data_are_not(text: str, cited: list[str]) -> None:
    assert [name for _, name in ids(text)] == cited
