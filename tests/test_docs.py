"""The docs say what the code does: every setting, command, metric, event and table, and no more than there are."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
import types
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from pydantic_settings import BaseSettings

from docs import generate
from winnow.db.tables import Table, objects  # noqa: F401 - objects imports every table
from winnow.extract.adapter import Context, Registry
from winnow.extract.page import Page
from winnow.judge.assess import assess
from winnow.judge.verdict import Decision
from winnow.normalise.record import Availability, Money
from winnow.publish import callbacks
from winnow.settings import Settings

ROOT = generate.ROOT
SOURCE = ROOT / "src/winnow"
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "bench/README.md"])
LEVELS = {"debug", "info", "warning", "error", "exception", "critical"}
FENCED = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", flags=re.MULTILINE | re.DOTALL)
AUDITED = re.compile(
    r"(adapter|alerts|correction|dead_letters|delivery|domain|job|key|offer|proxy|quarantine|replay|run|shadow|source|target|targets|task|user"
    r"|watch|webhook)\.[a-z_]+"
)


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def section(page: str, heading: str) -> str:
    """From one `## heading` to the next."""
    return re.split(rf"^## {re.escape(heading)}$", text(page), flags=re.MULTILINE)[1].split("\n## ")[0]


def first_cells(table: str) -> set[str]:
    """The `names` in the first column of a Markdown table."""
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


@pytest.mark.parametrize("page", generate.PAGES)
def test_pages_made_from_the_code_are_up_to_date(page: str):
    assert text(page) == generate.PAGES[page](), f"{page} is out of date: run `python -m docs.generate`"


# settings


def declared_settings() -> Iterator[type[BaseSettings]]:
    for file in SOURCE.glob("*/settings.py"):
        module = importlib.import_module(f"winnow.{file.parent.name}.settings")
        found = (v for v in vars(module).values() if isinstance(v, type) and issubclass(v, BaseSettings))
        yield from (owner for owner in found if owner.__module__ == module.__name__)


def test_every_settings_class_is_composed_and_so_documented():
    assert set(declared_settings()) == set(generate.setting_classes())


@pytest.mark.parametrize("owner", list(declared_settings()), ids=lambda owner: owner.__name__)
def test_every_setting_is_documented_and_in_the_example(owner: type[BaseSettings]):
    for name, field in generate.settings_of(owner):
        assert field.description, f"{name} has no description"
        assert f"| `{name}` |" in text("docs/reference/settings.md")
        assert f"\n# {name}=" in text(".env.example")


def test_the_example_can_be_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """With every # taken away: no value is of the wrong kind."""
    lines = re.findall(r"^# ([A-Z0-9_]+=.*)$", text(".env.example"), flags=re.MULTILINE)
    (tmp_path / ".env").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for owner in generate.setting_classes():
        for name, _ in generate.settings_of(owner):
            monkeypatch.delenv(name, raising=False)
        assert owner().model_fields_set == set(owner.model_fields)


def test_settings_named_anywhere_in_the_docs_exist():
    settings = [found for owner in declared_settings() for found in generate.settings_of(owner)]
    known = {each for name, field in settings for each in (name, *generate.other_names(field))}
    for page in PAGES:
        named = set(re.findall(r"\b(?:WINNOW|SCRAPER)_[A-Z0-9_]*[A-Z0-9]\b(?!\*|_)", page.read_text(encoding="utf-8")))
        assert named <= known, f"{page.name} names {named - known}"


# commands


def test_every_command_is_documented_and_says_what_it_does():
    for path, command in generate.commands():
        assert f"\n## winnow {path}\n" in text("docs/reference/cli.md")
        assert command.help, f"winnow {path} has no help"


def used_commands() -> Iterator[tuple[str, str]]:
    """What the docs tell people to type: lines of code blocks, and `winnow …` in a sentence."""
    for page in PAGES:
        said = page.read_text(encoding="utf-8")
        blocks = [body for language, body in FENCED.findall(said) if not language]
        prose = FENCED.sub("", said)
        spans = [" ".join(span.split()) for span in re.findall(r"`([^`]*winnow [^`]+)`", prose)]
        for line in [*(line.strip() for block in blocks for line in block.splitlines()), *spans]:
            found = re.fullmatch(r"(?:[A-Z_]+=\S+ |[A-Z]+=\$\()?winnow ([a-zA-Z][^)|…]*)\)?", line)
            if found and "─" not in line:
                yield page.name, found[1]


def test_commands_the_docs_tell_people_to_type_exist():
    known = dict(generate.commands())
    used = list(used_commands())
    assert len(used) > 20
    for page, line in used:
        words = shlex.split(line)
        path = next((p for n in (2, 1) if (p := " ".join(words[:n])) in known), None)
        group = any(p.startswith(f"{words[0]} ") for p in known) and len(words) == 1
        assert path or group or words[0] == "COMMAND", f"{page} says `winnow {line}`"
        options = {o for p in getattr(known.get(path or ""), "params", []) for o in [*p.opts, *p.secondary_opts]}
        for word in (w for w in words if w.startswith("--")):
            assert word == "--help" or word.split("=")[0] in options, f"{page} says `winnow {line}`"


def test_make_targets_the_docs_name_exist():
    targets = set(re.findall(r"^([a-z]+):", text("Makefile"), flags=re.MULTILINE))
    for page in PAGES:
        named = set(re.findall(r"(?:`|^)make ([a-z]+)", page.read_text(encoding="utf-8"), flags=re.MULTILINE))
        assert named <= targets, f"{page.name} names {named - targets}"


# metrics and events


def test_every_metric_is_documented():
    documented = first_cells(text("docs/reference/metrics.md"))
    assert {name for name, *_ in generate.metric_rows()} == documented


@cache
def trees() -> list[ast.Module]:
    return [ast.parse(file.read_text(encoding="utf-8")) for file in SOURCE.rglob("*.py")]


def logged() -> dict[str, set[str]]:
    """Event and fields of log.<level>("event", field=…), and of `level("event", …)` where a condition chose it."""
    found: dict[str, set[str]] = {}
    for call in (node for tree in trees() for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args):
        func, first = call.func, call.args[0]
        chosen = isinstance(func, ast.Name) and func.id == "level"
        plain = isinstance(func, ast.Attribute) and func.attr in LEVELS and ast.unparse(func.value).endswith("log")
        if (chosen or plain) and isinstance(first, ast.Constant) and isinstance(first.value, str):
            found.setdefault(first.value, set()).update(k.arg or "**" for k in call.keywords if k.arg != "exc_info")
    return found


def test_every_log_event_is_documented_with_its_fields():
    table = section("docs/reference/events.md", "Log events")
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| `")]
    documented = {row[1].strip(" `"): set(re.findall(r"`(\w+)`", row[4])) for row in rows}
    assert documented == logged()


def topics() -> Iterator[str]:
    """First arguments of outbox.Message(…), which are constants of their module."""
    for tree in trees():
        constants = {ast.unparse(n.targets[0]): n.value for n in ast.walk(tree) if isinstance(n, ast.Assign)}
        for call in (n for n in ast.walk(tree) if isinstance(n, ast.Call) and n.args):
            if ast.unparse(call.func) == "outbox.Message":
                named = constants.get(ast.unparse(call.args[0]), call.args[0])
                yield ast.literal_eval(named)


def test_every_outbox_topic_is_documented():
    assert set(topics()) == first_cells(section("docs/reference/events.md", "Outbox topics"))


def texts() -> Iterator[str]:
    for node in (node for tree in trees() for node in ast.walk(tree)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_every_audit_action_is_documented():
    actions = {text for text in texts() if AUDITED.fullmatch(text)} - set(topics()) - {callbacks.TOPIC}
    assert actions == first_cells(section("docs/reference/events.md", "Audit actions"))


# architecture


def test_every_table_has_an_owner_and_every_owned_table_exists():
    rows = [line.split("|") for line in section("ARCHITECTURE.md", "7. Who writes which table").splitlines()]
    owned = [name for row in rows if len(row) > 3 for name in re.findall(r"`([a-z_]+)`", row[2])]
    assert len(owned) == len(set(owned)), "a table has two owners"
    assert set(owned) == set(Table.metadata.tables)
    folders = {name for row in rows if len(row) > 3 for name in re.findall(r"`([a-z]+)/`", row[1])}
    assert all((SOURCE / folder).is_dir() for folder in folders)


def test_settings_cover_every_stage_once():
    names = [generate.environment_name(o, n) for o in generate.setting_classes() for n in o.model_fields]
    assert len(names) == len(set(names))
    assert len(generate.setting_classes()) == len(Settings.__dataclass_fields__)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_files_named_in_the_docs_exist(page: Path):
    said = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", said):
        if not link.startswith(("http://", "https://")):
            assert (page.parent / link.partition("#")[0]).exists(), f"{page.name}: {link}"
    for path in re.findall(r"`((?:tests|bench|docs|src)/[\w./-]+\.(?:py|md|tsv|sql))`", said):
        assert (ROOT / path).exists(), f"{page.name}: {path}"
    stages = "api|cli|db|demo|extract|fetch|judge|normalise|observe|publish|run|schedule|sources|store"
    for path in re.findall(rf"`((?:{stages})/[\w./-]+\.(?:py|sql))`", said):
        assert (SOURCE / path).exists(), f"{page.name}: {path}"


def test_source_comments_name_docs_that_exist():
    for file in SOURCE.rglob("*.py"):
        for path in re.findall(r"\bdocs/[\w/-]+\.md", file.read_text(encoding="utf-8")):
            assert (ROOT / path).exists(), f"{file.name}: {path}"


# the adapter of the how-to


PRODUCT = b"""<html lang="de"><h1 class="name">Zelt</h1><p class="article-no">Z-1</p>
<div class="buy-box"><b class="price">1.299,00 EUR</b><i class="stock">In stock</i></div></html>"""


def test_the_adapter_of_the_how_to_works():
    code = re.findall(r"```python\n(.*?)```", text("docs/how-to/add-an-adapter.md"), flags=re.DOTALL)[0]
    module = types.ModuleType("shop_example")
    exec(compile(code, "add-an-adapter.md", "exec"), vars(module))
    adapters = Registry()
    adapters.register(module.ShopExample())
    adapter = adapters.for_domain("example.com", "offer")
    now = datetime(2026, 1, 1, tzinfo=UTC)
    url = "https://shop.example.com/p/1"
    context = Context(source_id="1", retailer_id="1", run_id="1", target_id="1", url=url, now=now)
    said = assess(Page(url, PRODUCT, now), adapter, context)
    assert said.verdict.decision is Decision.ACCEPT
    assert said.offer.price == Money(129_900, "EUR")
    assert said.offer.availability is Availability.IN_STOCK
    assert assess(Page(url, b"<html></html>", now), adapter, context).failure is not None
