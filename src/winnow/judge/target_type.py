"""What can be asked for by name (S-024, S-049, S-050): a target type reads one kind of page into one result schema.

New types need no change here: a package registers one by an entry point of the group `winnow.target_types`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol

from pydantic import BaseModel

from winnow.errors import ConfigError, Conflict, InvalidInput, NotFound
from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Extraction
from winnow.extract.page import Page
from winnow.judge.verdict import Verdict
from winnow.normalise.fields import Normalised

ENTRY_POINTS = "winnow.target_types"
_NAME = re.compile(r"[a-z][a-z0-9_]{1,62}")


class Needs(StrEnum):
    """How a page of this type is fetched: plain first and by browser when that is not enough, or by browser at once."""

    STATIC_FIRST = "static_first"
    BROWSER = "browser"


class TargetType(Protocol):
    """Pure and deterministic, like an adapter. `model` declares the fields of the result, all nullable."""

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


def fields_of(target: TargetType) -> list[str]:
    return list(target.model.model_fields)


class TargetTypes:
    """The registry. Names are unique, and a second one is refused loudly."""

    def __init__(self) -> None:
        self._types: dict[str, TargetType] = {}

    def register(self, target: TargetType) -> None:
        if not _NAME.fullmatch(target.name):
            raise InvalidInput(f"{target.name!r} is not a name for a target type", "target_type")
        if not (isinstance(target.model, type) and issubclass(target.model, BaseModel)):
            raise InvalidInput(f"target type {target.name}: model is no Pydantic model", "model")
        if target.name in self._types:
            raise Conflict(f"target type {target.name} is registered already", existing=target.name)
        self._types[target.name] = target

    def get(self, name: str) -> TargetType:
        if name not in self._types:
            raise NotFound(f"no target type {name!r}; there are {', '.join(self.list_types())}")
        return self._types[name]

    def list_types(self) -> list[str]:
        return sorted(self._types)

    def load_plugins(self, found: Iterable[EntryPoint] | None = None) -> list[str]:
        """Registers what installed packages offer; one that cannot be loaded stops the start and says why."""
        added = []
        for point in found if found is not None else entry_points(group=ENTRY_POINTS):
            try:
                offered = point.load()
                target: TargetType = offered() if callable(offered) else offered
                self.register(target)
            except (ImportError, AttributeError, TypeError, InvalidInput, Conflict) as trouble:
                raise ConfigError(f"plugin {point.name} ({point.value}) cannot be used: {trouble}") from trouble
            added.append(target.name)
        return added
