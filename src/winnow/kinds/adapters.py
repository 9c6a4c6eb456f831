"""The adapters that exist. Registered here, by name; nothing is discovered (P-055).

What an operator adds without code stands in the folder they name (`WINNOW_ADAPTERS_DIR`).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from winnow.errors import InvalidInput, NotFound, WinnowError
from winnow.extract.adapter import Adapter, BrokenAdapter, Registry
from winnow.extract.adapters.amazon import Amazon
from winnow.extract.adapters.folder import LIVE, load_folder
from winnow.extract.adapters.selectors import SelectorAdapter, load_adapter
from winnow.extract.adapters.sgammo import SgAmmo
from winnow.kinds.generic import GenericAdapter
from winnow.kinds.registry import Kinds, all_kinds

NEWEST = "new"  # `--version new`: the newest candidate
SHIPPED = ("bulk_depot", "northlight")


def registry(folder: Path | None = None, kinds: Kinds | None = None) -> Registry:
    """Every kind's own reading, the adapters that come with Winnow, and those of `folder`."""
    known = all_kinds() if kinds is None else kinds
    adapters = Registry()
    for kind in known.all():
        if adapters.get(kind.generic_adapter) is None:
            adapters.register(GenericAdapter(kind))
    adapters.register(SgAmmo())
    adapters.register(Amazon())
    for site in SHIPPED:
        adapters.register(_shipped(site))
    if folder is not None:
        _add_folder(adapters, folder, known)
    return adapters


def _shipped(site: str) -> SelectorAdapter:
    return load_adapter(Path(str(files("winnow").joinpath(f"extract/adapters/{site}/{LIVE}"))))


def _add_folder(adapters: Registry, folder: Path, kinds: Kinds) -> None:
    """A file that is wrong, a rival of an adapter that is there already, or a kind nobody registered stops its own
    site; `Registry.broken` says why."""
    found = load_folder(folder)
    adapters.broken += found.broken
    for adapter in found.live:
        _add(adapters, adapters.register, adapter, kinds)
    for adapter in found.candidates:
        _add(adapters, adapters.propose, adapter, kinds, is_live=False)


def _add(
    adapters: Registry, add: Callable[[Adapter], None], adapter: SelectorAdapter, kinds: Kinds, *, is_live: bool = True
) -> None:
    try:
        kinds.get(adapter.kind)
        add(adapter)
    except WinnowError as wrong:
        reason = f"{adapter.home}: {wrong}"
        found = adapters.for_domain(adapter.domain, adapter.kind)
        rival = is_live and found is not None and found.kind == adapter.kind
        adapters.broken.append(BrokenAdapter(adapter.id, reason, "" if rival else adapter.domain, is_live))


def home_of(adapter: Adapter) -> Path | None:
    """The folder with its recorded pages, for adapters that have one."""
    found = getattr(adapter, "home", None)
    return found if isinstance(found, Path) else None


def choose(adapters: Registry, which: str, version: str | None = None) -> Adapter:
    """An adapter as a person names it: by its id, at another version, or as a TOML file."""
    if which.endswith(".toml") or "/" in which:
        return load_adapter(toml_of(Path(which)))
    live = adapters.get(which)
    if live is None and (reason := adapters.broken_reason(which)) is not None:
        raise InvalidInput(f"the adapter {which!r} cannot be used: {reason}", field="adapter")
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
