"""The registry of target types: closed for change, open for new ones (S-024, S-049, S-050)."""

from __future__ import annotations

import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

from tests.product_pages import context, page
from winnow.errors import ConfigError, Conflict, InvalidInput, NotFound
from winnow.judge.kinds import COMPANY_WEBSITE, KINDS
from winnow.judge.target_read import check_fields, read_target
from winnow.judge.target_type import ENTRY_POINTS, Needs, TargetTypes, fields_of
from winnow.run.target_types import target_types

PLUGIN = """
from pydantic import BaseModel

from winnow.extract.draft import Draft, Extracted, Strategy, Value
from winnow.judge.target_read import judge_required
from winnow.judge.target_type import Needs
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
    sys.modules.pop("winnow_recipes", None)


def points(site: Path):
    return [p for d in distributions(path=[str(site)]) for p in d.entry_points if p.group == ENTRY_POINTS]


def test_s049_the_types_that_come_with_winnow_are_registered():
    names = {"linkedin_profile", "company_website", "job_posting", "product", "event", "article_metadata"}
    assert names <= set(target_types().list_types())


def test_s050_a_plugin_package_adds_a_type_without_any_change_here(site: Path):
    types = TargetTypes()
    assert types.load_plugins(points(site)) == ["recipe"]
    recipe = types.get("recipe")
    assert recipe.needs is Needs.BROWSER
    read = read_target(recipe, page("<h1>Soup</h1>"), context())
    assert read.results[0].data == {"dish": "Soup", "minutes": None}
    assert set(read.results[0].problems) == {"minutes"}


def test_s050_installed_plugins_are_found_at_start_up(site: Path):
    assert "recipe" in target_types().list_types()


def test_a_plugin_cannot_take_a_name_that_exists(site: Path):
    types = TargetTypes()
    types.load_plugins(points(site))
    with pytest.raises(ConfigError, match="recipe"):
        types.load_plugins(points(site))


def test_a_plugin_that_cannot_be_loaded_stops_the_start(site: Path):
    (site / "winnow_recipes.py").write_text("import no_such_module_anywhere")
    with pytest.raises(ConfigError, match="no_such_module_anywhere"):
        TargetTypes().load_plugins(points(site))


def test_a_second_type_with_the_same_name_is_refused():
    types = TargetTypes()
    types.register(COMPANY_WEBSITE)
    with pytest.raises(Conflict):
        types.register(COMPANY_WEBSITE)


def test_an_unknown_type_says_which_there_are():
    with pytest.raises(NotFound, match="company_website"):
        target_types().get("recipes")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_s030_requested_fields_limit_what_comes_back(kind):
    some = fields_of(kind)[:2]
    read = read_target(kind, page("<html><body><h1>Hello</h1><p>text</p></body></html>"), context(), some)
    assert all(list(result.data) == some for result in read.results)
    with pytest.raises(InvalidInput):
        check_fields(kind, ["no_such_field"])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_s053_to_s055_every_field_of_a_result_may_be_null(kind):
    assert all(value is None for value in kind.model().model_dump().values())
