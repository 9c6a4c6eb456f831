"""What `winnow doctor` asks besides the checks every face has (actions/doctor.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow.actions.doctor import Check, of
from winnow.errors import WinnowError

if TYPE_CHECKING:
    from winnow.settings import Settings


async def everything() -> list[Check]:
    found: list[Check] = []
    settings = _settings(found)
    return found if settings is None else [*await of(settings), *found, port(settings)]


def _settings(found: list[Check]) -> Settings | None:
    from winnow import settings as all_settings
    from winnow.observe import logs

    try:
        loaded = all_settings.load()
    except WinnowError as wrong:
        found.append(Check("settings", "fail", str(wrong), "correct the environment or .env"))
        return None
    logs.configure(loaded.observe.model_copy(update={"log_level": "ERROR", "log_format": "text"}))
    found.append(Check("settings", "ok", "all values are valid"))
    return loaded


def port(settings: Settings) -> Check:
    from winnow.run.bind import listening

    where = f"{settings.api.api_host}:{settings.api.api_port}"
    try:
        listening(settings).close()
    except WinnowError as wrong:
        return Check("api port", "warn", str(wrong), "expected when Winnow is already running")
    return Check("api port", "ok", where)
