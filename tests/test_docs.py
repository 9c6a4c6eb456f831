"""The docs say what the code does: every setting, command, metric, event and table, and no more than there are."""

from __future__ import annotations

import ast
import importlib
import json
import re
import shlex
import types
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic_settings import BaseSettings

from docs import generate
from tests.kinds.reading import assess
from winnow.db.tables import Table, objects  # noqa: F401 - objects imports every table
from winnow.errors import ArchiveError, ArchiveFull
from winnow.extract.adapter import Context, Registry
from winnow.extract.page import Page
from winnow.judge.drift import Sign
from winnow.judge.verdict import Decision
from winnow.normalise.record import Availability, Money
from winnow.publish import callbacks
from winnow.run import feed_runs
from winnow.settings import Settings

ROOT = generate.ROOT
SOURCE = ROOT / "src/winnow"
WRITTEN = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "bench/README.md"])
# What is wanted is not what can be typed today.
WANTED = {ROOT / "docs/DESIGN.md", *ROOT.glob("docs/requirements/*.md")}
PAGES = [page for page in WRITTEN if page not in WANTED]
LEVELS = {"debug", "info", "warning", "error", "exception", "critical"}
FENCED = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", flags=re.MULTILINE | re.DOTALL)
AUDITED = re.compile(
    r"(adapter|alerts|batch|correction|crawling|dead_letters|delivery|domain|event|job|key|offer|pages|proxy|quarantine|replay|run|shadow|source|target|targets|task|user"
    r"|venue|watch|webhook)\.[a-z_]+|monitors\.(?:accepted|changed)"
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
def test_c059_every_setting_is_documented_and_in_the_example(owner: type[BaseSettings]):
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
def sources() -> list[str]:
    return [file.read_text(encoding="utf-8") for file in SOURCE.rglob("*.py")]


def trees(marker: str) -> list[ast.Module]:
    """Of the files that hold it: reading all of them takes seconds."""
    return [ast.parse(said) for said in sources() if marker in said]


def logged() -> dict[str, set[str]]:
    """Event and fields of log.<level>("event", field=…), and of `level("event", …)` where a condition chose it."""
    found: dict[str, set[str]] = {}
    for call in (
        node for tree in trees("structlog") for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args
    ):
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
    for tree in trees("outbox.Message("):
        constants = {ast.unparse(n.targets[0]): n.value for n in ast.walk(tree) if isinstance(n, ast.Assign)}
        for call in (n for n in ast.walk(tree) if isinstance(n, ast.Call) and n.args):
            if ast.unparse(call.func) == "outbox.Message":
                named = constants.get(ast.unparse(call.args[0]), call.args[0])
                yield ast.literal_eval(named)


def test_every_outbox_topic_is_documented():
    assert set(topics()) == first_cells(section("docs/reference/events.md", "Outbox topics"))


def texts() -> Iterator[str]:
    """What stands in quotes; AUDITED decides what of it is an action."""
    return (found for said in sources() for found in re.findall(r"""["']([^"'\n]*)["']""", said))


def test_every_audit_action_is_documented():
    actions = {text for text in texts() if AUDITED.fullmatch(text)} - set(topics()) - {callbacks.TOPIC}
    assert actions == first_cells(section("docs/reference/events.md", "Audit actions"))


# endpoints and alerts


def test_every_endpoint_is_documented_and_every_one_the_docs_name_exists():
    known = {f"{method} {path}" for _, method, path, _, _ in generate.endpoints()}
    assert known == first_cells(text("docs/reference/api.md"))
    for page in PAGES:
        for named in re.findall(r"`((?:GET|POST|PUT|PATCH|DELETE) /[^`?]*)`", page.read_text(encoding="utf-8")):
            shape = re.compile(re.escape(re.sub(r"\{\w+\}", "{}", named)).replace(r"\{\}", r"\{\w+\}"))
            theirs = named.startswith("GET /api/v1/workspaces/")  # the backend's, which has the credentials
            assert theirs or any(map(shape.fullmatch, known | {"GET /openapi.json"})), f"{page.name}: {named}"


def assigned(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Names and what they are set to, also in `A, B = "a", "b"`."""
    for node in (n for n in ast.walk(tree) if isinstance(n, ast.Assign)):
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            yield from zip(map(ast.unparse, target.elts), value.elts, strict=False)
        else:
            yield ast.unparse(target), value


def alert_codes() -> set[str]:
    """Of every Alert(code=…): texts, constants of the module, both sides of a condition, and the codes others bring."""
    found = {sign.value for sign in Sign} | set(feed_runs.SENTENCES) | {e.code for e in (ArchiveError, ArchiveFull)}
    for tree in trees("Alert("):
        constants = dict(assigned(tree))
        for call in (n for n in ast.walk(tree) if isinstance(n, ast.Call)):
            if (getattr(call.func, "attr", None) or getattr(call.func, "id", None)) == "Alert":
                (code,) = (keyword.value for keyword in call.keywords if keyword.arg == "code")
                code = constants.get(ast.unparse(code), code)
                found |= {n.value for n in ast.walk(code) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return found


def test_every_alert_is_documented_with_what_to_do():
    rows = [line.split("|") for line in text("docs/how-to/alerts.md").splitlines() if line.startswith("| `")]
    documented = {code for row in rows for code in re.findall(r"`(\w+)`", row[1])}
    assert alert_codes() == documented
    assert all(row[4].strip() for row in rows)


# what is given to others to run


def rules() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(text("deploy/prometheus-rules.yml"))["groups"] for rule in group["rules"]]


def test_metrics_of_the_alert_rules_and_the_dashboard_exist():
    kinds = {name: (kind, labels) for name, kind, labels, _ in generate.metric_rows()}
    panels = json.loads(text("deploy/grafana.json"))["panels"]
    queries = [rule["expr"] for rule in rules()] + [t["expr"] for panel in panels for t in panel["targets"]]
    assert len(rules()) >= 5
    for query in queries:
        named = set(re.findall(r"\b(?:scrape|winnow)_\w+", query))
        assert named or "up{" in query, query
        for name in named:
            kind, labels = kinds[name.removesuffix("_bucket")]
            assert (kind == "histogram") == name.endswith("_bucket"), name
            by = {label for group in re.findall(r"by \(([^)]*)\)", query) for label in group.split(", ")}
            assert by <= {*labels, "le"}, query


def test_every_alert_rule_has_a_severity_a_summary_and_a_runbook_that_exists():
    for rule in rules():
        assert rule["labels"]["severity"] in ("P1", "P2", "P3")
        assert rule["annotations"]["summary"]
        assert (ROOT / rule["annotations"]["runbook"]).is_file()


def test_every_service_of_the_compose_file_has_limits_and_a_command_that_exists():
    known = dict(generate.commands())
    services = yaml.safe_load(text("deploy/compose.yaml"))["services"]
    assert {"postgres", "scheduler", "upkeep", "worker", "api"} <= set(services)
    for name, service in services.items():
        assert set(service["deploy"]["resources"]["limits"]) == {"cpus", "memory"}, name
        assert "healthcheck" in service, name
        if "command" in service:
            program, *words = service["command"]
            assert (program, " ".join(words) in known) == ("winnow", True), name
        for key in service.get("environment", {}):
            assert key.startswith("POSTGRES_") or f"| `{key}` |" in text("docs/reference/settings.md"), key


def test_the_image_is_not_root_says_whether_it_is_well_and_copies_what_there_is():
    lines = text("deploy/Dockerfile").splitlines()
    stages = [line for line in lines if line.startswith("FROM ")]
    last = lines[lines.index(stages[-1]) :]
    assert len(stages) == 2
    assert "USER winnow" in last
    assert any(line.startswith("HEALTHCHECK") for line in last)
    copied = [
        word for line in lines if line.startswith("COPY ") and "--from" not in line for word in line.split()[1:-1]
    ]
    kept = {line.removeprefix("!") for line in text(".dockerignore").splitlines() if line.startswith("!")}
    assert {word.removeprefix("./") for word in copied} == kept
    assert all((ROOT / word).exists() for word in copied)


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


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_the_docs_lead_somewhere(page: Path):
    said = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", said):
        if not link.startswith(("http://", "https://")):
            assert (page.parent / link.partition("#")[0]).exists(), f"{page.name}: {link}"


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
