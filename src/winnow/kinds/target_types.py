"""Plugins: kinds and target types that installed packages offer by entry points (S-049, S-050).

`winnow.kinds` takes a Kind. `winnow.target_types` takes a TargetType: one kind of page as a result with nullable
fields; it becomes a kind whose records are results of the scraping service.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple, Protocol

from pydantic import BaseModel

from winnow.errors import InvalidInput
from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Extraction
from winnow.extract.page import Page
from winnow.fetch.page_actions import actions_of
from winnow.judge.verdict import Verdict
from winnow.kinds.kind import Kind
from winnow.kinds.results import model_kind
from winnow.normalise.fields import Normalised

KINDS_GROUP = "winnow.kinds"
TARGET_TYPES_GROUP = "winnow.target_types"


class Needs(StrEnum):
    """How a page of this type is fetched: plain first and by browser when that is not enough, or by browser at once."""

    STATIC_FIRST = "static_first"
    BROWSER = "browser"


class TargetType(Protocol):
    """Pure and deterministic, like an adapter. `model` declares the fields of the result, all nullable.

    It may have a `wait_for` (a CSS selector) and `scrolls`: what a browser does on its pages (S-051)."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def needs(self) -> Needs: ...
    @property
    def model(self) -> type[BaseModel]: ...

    def extract(self, page: Page, ctx: Context) -> Extraction: ...
    def normalise(self, draft: Draft, ctx: Context) -> Normalised: ...
    def judge(self, found: Normalised, draft: Draft, ctx: Context) -> Verdict: ...


def kind_from(target: TargetType) -> Kind:
    if not (isinstance(target.model, type) and issubclass(target.model, BaseModel)):
        raise InvalidInput(f"target type {target.name}: model is no Pydantic model", "model")
    wanted = actions_of(target)
    return model_kind(
        name=target.kind,
        version=target.version,
        target_type=target.name,
        model=target.model,
        read=target.extract,
        normalise=target.normalise,
        judge=target.judge,
        needs_browser=target.needs is Needs.BROWSER,
        wait_for=wanted.wait_for,
        scrolls=wanted.scrolls,
    )


class BrokenPlugin(NamedTuple):
    """An entry point that cannot be used. Only what it offers is missing."""

    name: str
    reason: str


def entry_points_of_plugins() -> list[EntryPoint]:
    """What the packages of this installation offer."""
    return [*entry_points(group=KINDS_GROUP), *entry_points(group=TARGET_TYPES_GROUP)]


def load_plugins(found: Iterable[EntryPoint]) -> tuple[list[tuple[EntryPoint, Kind]], list[BrokenPlugin]]:
    """The kinds that packages offer, and those that cannot be loaded. A package is other people's code: whatever it
    raises, also while it is imported, costs what it offers and nothing else."""
    loaded: list[tuple[EntryPoint, Kind]] = []
    broken: list[BrokenPlugin] = []
    for point in found:
        try:
            loaded.append((point, _load(point)))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - so may its import
            broken.append(broken_plugin(point, error))
    return loaded, broken


def _load(point: EntryPoint) -> Kind:
    offered: Any = point.load()
    offered = offered() if callable(offered) else offered
    return offered if isinstance(offered, Kind) else kind_from(offered)


def broken_plugin(point: EntryPoint, error: BaseException) -> BrokenPlugin:
    return BrokenPlugin(point.name, f"plugin {point.name} ({point.value}): {type(error).__name__}: {error}")
