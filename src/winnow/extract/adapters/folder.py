"""The adapters of an operator's folder (`WINNOW_ADAPTERS_DIR`): a folder per site.

shop-example/live.toml         the live one
shop-example/next.toml         candidates: other versions of the same adapter, for replay and shadow
shop-example/pages/<case>/     recorded pages with what they say
"""

from __future__ import annotations

import tomllib
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from winnow.errors import ConfigError
from winnow.extract.adapter import BrokenAdapter
from winnow.extract.adapters.selectors import SelectorAdapter, load_adapter, read_file

LIVE = "live.toml"


class AdapterFolder(NamedTuple):
    live: list[SelectorAdapter]
    candidates: list[SelectorAdapter]
    broken: list[BrokenAdapter]


def load_folder(folder: Path) -> AdapterFolder:
    """Each file is checked; one that is wrong stops its own site only. A folder that is named but is not there is an
    error, not an empty one."""
    if not folder.is_dir():
        raise ConfigError(f"there is no folder {folder} of adapters (WINNOW_ADAPTERS_DIR)")
    found = AdapterFolder([], [], [])
    for stray in sorted(folder.glob("*.toml")):
        reason = f"{stray} is in no folder of a site: move it to {folder / stray.stem / LIVE}"
        found.broken.append(_broken(stray, [stray], reason))
    for site in sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")):
        files = sorted(site.glob("*.toml"))
        if files:
            _load_site(site, files, found)
    return found


def _load_site(site: Path, files: list[Path], into: AdapterFolder) -> None:
    try:
        if site / LIVE not in files:
            raise ConfigError(f"{site} has no {LIVE}: which of its files is the live one?")
        live = load_adapter(site / LIVE)
    except ConfigError as wrong:
        into.broken.append(_broken(site, files, str(wrong)))
        return
    into.live.append(live)
    for path in files:
        if path.name == LIVE:
            continue
        try:
            into.candidates.append(_candidate(path, live))
        except ConfigError as wrong:
            into.broken.append(BrokenAdapter(live.id, str(wrong), live.domain, is_live=False))


def _broken(site: Path, files: list[Path], reason: str) -> BrokenAdapter:
    stated: dict[str, object] = {}
    with suppress(ConfigError, ValueError, RecursionError):  # else only the name of the folder is known
        stated = tomllib.loads(read_file(site / LIVE if site / LIVE in files else files[0]))
    adapter_id, domain = stated.get("id"), stated.get("domain")
    return BrokenAdapter(
        adapter_id if isinstance(adapter_id, str) else site.name, reason, domain if isinstance(domain, str) else ""
    )


def _candidate(path: Path, live: SelectorAdapter) -> SelectorAdapter:
    found = load_adapter(path)
    if found.id != live.id or found.version == live.version:
        raise ConfigError(f"{path}: a candidate needs the id {live.id!r} and a version other than {live.version}")
    return found
