"""The way in for a server: nothing of NiceGUI is imported before it is needed, and it keeps its files in our folder."""

from __future__ import annotations

import os

from fastapi import FastAPI
from starlette.types import ASGIApp

from winnow.actions.parts import Parts


def mount_console(api: FastAPI, parts: Parts) -> ASGIApp:
    # Both are read when the rest is imported.
    os.environ["NICEGUI_STORAGE_PATH"] = str(parts.settings.db.folder / "console")
    os.environ["WINNOW_PATH_PREFIX"] = parts.settings.api.path_prefix
    from winnow.console.app import Console

    return Console(parts).mount(api)
