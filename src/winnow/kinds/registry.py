"""The kinds that exist: those that come with Winnow, then those of installed plugins. The only list of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint

from winnow.errors import Conflict, InvalidInput, NotFound
from winnow.kinds.article import ARTICLE
from winnow.kinds.company import COMPANY
from winnow.kinds.event import EVENT
from winnow.kinds.job_posting import JOB_POSTING
from winnow.kinds.kind import NAME_PATTERN, Kind
from winnow.kinds.offer import OFFER
from winnow.kinds.product import PRODUCT, PRODUCT_RESULT
from winnow.kinds.profile import PROFILE
from winnow.kinds.target_types import BrokenPlugin, broken_plugin, entry_points_of_plugins, load_plugins

BUILT_IN = (OFFER, PRODUCT, EVENT, COMPANY, JOB_POSTING, PROFILE, ARTICLE, PRODUCT_RESULT)
_TARGET_TYPE = re.compile(r"[a-z][a-z0-9_]{1,62}")


class Kinds:
    """Kinds by name, and by the target type the scraping service offers them under. A name may be read by several
    target types; the first one registered is what a source of that kind is read as."""

    def __init__(self, kinds: Iterable[Kind] = ()) -> None:
        self._kinds: dict[str, Kind] = {}
        self._target_types: dict[str, Kind] = {}
        self.broken: list[BrokenPlugin] = []
        for kind in kinds:
            self.register(kind)

    def register(self, kind: Kind) -> None:
        if not re.fullmatch(NAME_PATTERN, kind.name):
            raise InvalidInput(f"{kind.name!r} is not a name for a kind", "kind")
        if kind.target_type is None and kind.name in self._kinds:
            raise Conflict(f"kind {kind.name} is registered already", existing=kind.name)
        if kind.target_type is not None:
            self._register_target_type(kind, kind.target_type)
        self._kinds.setdefault(kind.name, kind)

    def _register_target_type(self, kind: Kind, name: str) -> None:
        if not _TARGET_TYPE.fullmatch(name):
            raise InvalidInput(f"{name!r} is not a name for a target type", "target_type")
        if name in self._target_types:
            raise Conflict(f"target type {name} is registered already", existing=name)
        self._target_types[name] = kind

    def load_plugins(self, found: Iterable[EntryPoint] | None = None) -> list[str]:
        """The names of what was added; `broken` says which plugins cannot be used, and why."""
        loaded, broken = load_plugins(entry_points_of_plugins() if found is None else found)
        self.broken += broken
        added = []
        for point, kind in loaded:
            try:
                self.register(kind)
            except Exception as error:  # noqa: BLE001 - the objects of a package may raise anything
                self.broken.append(broken_plugin(point, error))
            else:
                added.append(kind.target_type or kind.name)
        return added

    def names(self) -> list[str]:
        return list(self._kinds)

    def get(self, name: str) -> Kind:
        if name not in self._kinds:
            raise InvalidInput(f"kind must be one of {', '.join(self._kinds)}", field="kind")
        return self._kinds[name]

    def find(self, name: str) -> Kind | None:
        return self._kinds.get(name)

    def target_types(self) -> list[str]:
        return sorted(self._target_types)

    def target_type(self, name: str) -> Kind:
        if name not in self._target_types:
            raise NotFound(f"no target type {name!r}; there are {', '.join(self.target_types())}")
        return self._target_types[name]

    def named(self, name: str) -> Kind:
        """As a person names it: a target type, or a kind."""
        return self._kinds[name] if name in self._kinds and name not in self._target_types else self.target_type(name)

    def of_task(self, kind: str, adapter_id: str) -> Kind | None:
        """What reads a task: the target type its adapter stands for, else its kind."""
        return self._target_types.get(adapter_id) or self._kinds.get(kind)

    def all(self) -> list[Kind]:
        """Each once, whatever it is known as."""
        return list(dict.fromkeys([*self._kinds.values(), *self._target_types.values()]))


@cache
def all_kinds() -> Kinds:
    """Of this installation; read once a process."""
    kinds = Kinds(BUILT_IN)
    kinds.load_plugins()
    return kinds
