"""All settings, one class per stage. Values that belong to a source live on the source instead."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError
from pydantic_settings import BaseSettings, SettingsError

from winnow.api.settings import ApiSettings
from winnow.db.settings import DatabaseSettings
from winnow.errors import ConfigError
from winnow.feeds.settings import FeedSettings
from winnow.fetch.settings import BrowserSettings, CredentialSettings, FetchSettings
from winnow.observe.settings import ObserveSettings
from winnow.publish.settings import PublishSettings
from winnow.run.settings import RunSettings
from winnow.schedule.settings import ScheduleSettings


@dataclass(frozen=True, slots=True)
class Settings:
    db: DatabaseSettings
    schedule: ScheduleSettings
    fetch: FetchSettings
    browser: BrowserSettings
    observe: ObserveSettings
    run: RunSettings
    api: ApiSettings
    publish: PublishSettings = field(default_factory=PublishSettings)
    feeds: FeedSettings = field(default_factory=FeedSettings)
    credentials: CredentialSettings = field(default_factory=CredentialSettings)


def load() -> Settings:
    """Reads the environment and `.env`; one sentence about all wrong values, no traceback."""
    wrong: list[str] = []
    read = {name: _read(kind, wrong) for name, kind in _KINDS.items()}
    if wrong:
        raise ConfigError("wrong settings: " + "; ".join(dict.fromkeys(wrong)))
    return Settings(**read)


_KINDS: dict[str, type[BaseSettings]] = {
    "db": DatabaseSettings,
    "schedule": ScheduleSettings,
    "fetch": FetchSettings,
    "browser": BrowserSettings,
    "observe": ObserveSettings,
    "run": RunSettings,
    "api": ApiSettings,
    "publish": PublishSettings,
    "feeds": FeedSettings,
    "credentials": CredentialSettings,
}


def _read(kind: type[BaseSettings], wrong: list[str]) -> Any:
    try:
        return kind()
    except ValidationError as refused:
        wrong.extend(f"{_variable(kind, e['loc'])}: {e['msg'].removeprefix('Value error, ')}" for e in refused.errors())
    except SettingsError as unreadable:  # a list that is none
        wrong.append(" ".join(str(unreadable).split()))
    except UnicodeDecodeError:
        wrong.append("the file .env is not UTF-8")
    return None


def _variable(kind: type[BaseSettings], where: tuple[str | int, ...]) -> str:
    """As the operator has written it; the values themselves may be secret."""
    name = str(where[0]) if where else ""
    return f"{kind.model_config['env_prefix']}{name}".upper() if name in kind.model_fields else name or kind.__name__
