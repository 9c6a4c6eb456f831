"""The registry of target types: closed for change, open for new ones (S-024, S-049, S-050)."""

from __future__ import annotations

import dataclasses
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from tests.kinds.reading import read_target
from tests.product_pages import context, page
from winnow.actions import doctor
from winnow.errors import Conflict, InvalidInput, NotFound
from winnow.kinds.company import COMPANY
from winnow.kinds.registry import BUILT_IN, Kinds, all_kinds
from winnow.kinds.results import check_fields
from winnow.kinds.target_types import TARGET_TYPES_GROUP as ENTRY_POINTS
from winnow.run.worker import assembled
from winnow.settings import load

KINDS = [kind for kind in BUILT_IN if kind.target_type]
PLUGIN = """
from pydantic import BaseModel

from winnow.extract.draft import Draft, Extracted, Strategy, Value
from winnow.kinds.results import judge_required
from winnow.kinds.target_types import Needs
from winnow.normalise.fields import Field, around, line, normalise_fields


class Recipe(BaseModel):
    dish: str | None = None
    minutes: int | None = None


class RecipeType:
    name = "recipe"
    kind = "recipe"
    version = "1.0.0"
    needs = Needs.BROWSER
    model = Recipe

    def extract(self, page, ctx):
        title = page.text().partition("<h1>")[2].partition("</h1>")[0]
        values = {"dish": [Value(title, Strategy.DOM, "h1")], "minutes": [Value("soon", Strategy.DOM, "p")]}
        return Extracted([Draft("recipe", values)], Strategy.DOM)

    def normalise(self, draft, ctx):
        return normalise_fields(draft, Recipe, {"dish": Field(line), "minutes": Field(line)}, around(draft, ctx))

    def judge(self, found, draft, ctx):
        return judge_required(found, ("dish",))
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages with one plugin in it."""
    (tmp_path / "winnow_recipes.py").write_text(PLUGIN)
    info = tmp_path / "winnow_recipes-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: winnow-recipes\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{ENTRY_POINTS}]\nrecipe = winnow_recipes:RecipeType\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    all_kinds.cache_clear()
    sys.modules.pop("winnow_recipes", None)


def points(site: Path):
    return [p for d in distributions(path=[str(site)]) for p in d.entry_points if p.group == ENTRY_POINTS]


def test_s049_the_types_that_come_with_winnow_are_registered():
    names = {"linkedin_profile", "company_website", "job_posting", "product", "event", "article_metadata"}
    assert names <= set(all_kinds().target_types())


def test_s050_a_plugin_package_adds_a_type_without_any_change_here(site: Path):
    types = Kinds()
    assert types.load_plugins(points(site)) == ["recipe"]
    recipe = types.target_type("recipe")
    assert recipe.needs_browser
    read = read_target(recipe, page("<h1>Soup</h1>"), context())
    assert read.results[0].data == {"dish": "Soup", "minutes": None}
    assert set(read.results[0].problems) == {"minutes"}


def test_s050_installed_plugins_are_found_at_start_up(site: Path):
    all_kinds.cache_clear()
    assert "recipe" in all_kinds().target_types()


def test_s050_a_plugin_cannot_take_a_name_that_exists(site: Path):
    types = Kinds()
    types.load_plugins(points(site))
    first = types.target_type("recipe")
    assert types.load_plugins(points(site)) == []
    assert types.target_type("recipe") is first
    assert [(plugin.name, "registered already" in plugin.reason) for plugin in types.broken] == [("recipe", True)]


BROKEN = {
    "missing import": ("import no_such_module_anywhere", "no_such_module_anywhere"),
    "raises": ("raise RuntimeError('no licence')", "RuntimeError: no licence"),
    "leaves": ("raise SystemExit(3)", "SystemExit: 3"),
    "not Python": ("def (:", "SyntaxError"),
    "without the name": ("x = 1", "RecipeType"),
    "no type": ("RecipeType = 7", "'int' object has no attribute"),
}


@pytest.mark.parametrize(("code", "reason"), BROKEN.values(), ids=BROKEN)
def test_s050_a_plugin_that_cannot_be_loaded_costs_only_what_it_offers(site: Path, code: str, reason: str):
    (site / "winnow_recipes.py").write_text(code)
    all_kinds.cache_clear()
    kinds = all_kinds()
    assert kinds.names() == Kinds(BUILT_IN).names()
    [broken] = kinds.broken
    assert (broken.name, reason in broken.reason) == ("recipe", True)
    check = doctor.plugins()
    assert (check.state, reason in check.says) == ("fail", True)


def test_s050_the_doctor_is_content_with_plugins_that_work(site: Path):
    all_kinds.cache_clear()
    assert doctor.plugins().state == "ok"


async def test_s050_a_worker_starts_without_a_broken_plugin_and_logs_it(site: Path, database, database_settings):
    (site / "winnow_recipes.py").write_text("raise RuntimeError('no licence')")
    all_kinds.cache_clear()
    with capture_logs() as logged:
        async with assembled(database, dataclasses.replace(load(), db=database_settings)):
            pass
    [line] = [line for line in logged if line["event"] == "plugin_unusable"]
    assert (line["log_level"], line["plugin"]) == ("error", "recipe")
    assert line["reason"].endswith("RuntimeError: no licence")


def test_a_second_type_with_the_same_name_is_refused():
    types = Kinds()
    types.register(COMPANY)
    with pytest.raises(Conflict):
        types.register(COMPANY)


def test_an_unknown_type_says_which_there_are():
    with pytest.raises(NotFound, match="company_website"):
        all_kinds().target_type("recipes")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_s030_requested_fields_limit_what_comes_back(kind):
    some = list(kind.fields[:2])
    read = read_target(kind, page("<html><body><h1>Hello</h1><p>text</p></body></html>"), context(), some)
    assert all(list(result.data) == some for result in read.results)
    with pytest.raises(InvalidInput, match="'no_such_field', 'nor_this'"):
        check_fields(kind, ["no_such_field", some[0], "nor_this"])


OF_THE_READER = {"normalization_method"}  # how an event was read is known whatever its page says


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_s053_to_s055_every_field_of_a_result_may_be_null(kind):
    read = {name: value for name, value in kind.model().model_dump().items() if name not in OF_THE_READER}
    assert all(value is None for value in read.values())
