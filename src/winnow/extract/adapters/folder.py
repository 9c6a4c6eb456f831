"""The adapters of an operator's folder (`WINNOW_ADAPTERS_DIR`): a folder per site.

shop-example/live.toml         the live one
shop-example/next.toml         candidates: other versions of the same adapter, for replay and shadow
shop-example/pages/<case>/     recorded pages with what they say
"""

from __future__ import annotations

from pathlib import Path

from winnow.errors import ConfigError
from winnow.extract.adapters.selectors import SelectorAdapter, load_adapter

LIVE = "live.toml"


def load_folder(folder: Path) -> tuple[list[SelectorAdapter], list[SelectorAdapter]]:
    """(live, candidates), each checked. A folder that is named but is not there is an error, not an empty one."""
    if not folder.is_dir():
        raise ConfigError(f"there is no folder {folder} of adapters (WINNOW_ADAPTERS_DIR)")
    live, candidates = [], []
    for site in sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")):
        files = sorted(site.glob("*.toml"))
        if not files:
            continue
        if site / LIVE not in files:
            raise ConfigError(f"{site} has no {LIVE}: which of its files is the live one?")
        own = load_adapter(site / LIVE)
        live.append(own)
        candidates += [_candidate(path, own) for path in files if path.name != LIVE]
    return live, candidates


def _candidate(path: Path, live: SelectorAdapter) -> SelectorAdapter:
    found = load_adapter(path)
    if found.id != live.id or found.version == live.version:
        raise ConfigError(f"{path}: a candidate needs the id {live.id!r} and a version other than {live.version}")
    return found
