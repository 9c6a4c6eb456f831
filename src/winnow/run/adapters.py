"""The adapters that exist. Registered here, by name; nothing is discovered (P-055).

What an operator adds without code stands in the folder they name (`WINNOW_ADAPTERS_DIR`).
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from winnow.db.engine import Connection
from winnow.errors import ConfigError, InvalidInput, NotFound, WinnowError
from winnow.extract.adapter import Adapter, Registry
from winnow.extract.adapters.folder import LIVE, load_folder
from winnow.extract.adapters.selectors import SelectorAdapter, load_adapter
from winnow.extract.adapters.sgammo import SgAmmo
from winnow.judge import adapter_versions
from winnow.judge.adapter_versions import CANDIDATE, Version
from winnow.judge.adapter_versions import LIVE as LIVE_STATE
from winnow.judge.generic import GenericOffer
from winnow.judge.target_adapter import TargetAdapter
from winnow.run.target_types import target_types

NEWEST = "new"  # `--version new`: the newest candidate


def registry(folder: Path | None = None) -> Registry:
    adapters = Registry()
    adapters.register(GenericOffer())
    adapters.register(SgAmmo())
    adapters.register(_shipped("bulk_depot"))
    adapters.register(_shipped("northlight"))
    if folder is not None:
        _add_folder(adapters, folder)
    types = target_types()
    for name in types.list_types():
        adapters.register(TargetAdapter(types.get(name)))
    return adapters


def _shipped(site: str) -> SelectorAdapter:
    return load_adapter(Path(str(files("winnow").joinpath(f"extract/adapters/{site}/{LIVE}"))))


def _add_folder(adapters: Registry, folder: Path) -> None:
    """A rival of an adapter that is there already is an error of the folder, said at start-up."""
    live, candidates = load_folder(folder)
    for adapter in live:
        _added(adapters.register, adapter)
    for adapter in candidates:
        _added(adapters.propose, adapter)


def _added(add: Any, adapter: SelectorAdapter) -> None:
    try:
        add(adapter)
    except WinnowError as rival:
        raise ConfigError(f"{adapter.home}: {rival}") from None


async def remember(conn: Connection, adapters: Registry, by: str) -> None:
    """So that every record's adapter and version can be looked up later (C-069)."""
    live = [a for name in adapters.list() if (a := adapters.get(name)) is not None]
    rows = [Version(a.id, a.version, LIVE_STATE, a.domain) for a in live]
    rows += [Version(a.id, v, CANDIDATE, a.domain) for a in live for v in adapters.candidates(a.id)]
    await adapter_versions.register(conn, rows, by)


def home_of(adapter: Adapter[Any]) -> Path | None:
    """The folder with its recorded pages, for adapters that have one."""
    found = getattr(adapter, "home", None)
    return found if isinstance(found, Path) else None


def choose(adapters: Registry, which: str, version: str | None = None) -> Adapter[Any]:
    """An adapter as a person names it: by its id, at another version, or as a TOML file."""
    if which.endswith(".toml") or "/" in which:
        return load_adapter(toml_of(Path(which)))
    live = adapters.get(which)
    if live is None:
        raise NotFound(f"there is no adapter {which!r} (known: {', '.join(adapters.list())})")
    if version is None:
        return live
    newest = adapters.candidates(which)[-1:]
    found = adapters.version(which, newest[0] if version == NEWEST and newest else version)
    if found is None:
        known = ", ".join([live.version, *adapters.candidates(which)])
        raise InvalidInput(f"{which} has no version {version!r} (known: {known})", field="version")
    return found


def toml_of(path: Path) -> Path:
    """A site's folder means its live file."""
    return path / LIVE if path.is_dir() else path
