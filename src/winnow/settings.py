"""All settings, one class per stage. Values that belong to a source live on the source instead."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from pydantic import AliasChoices, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
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
from winnow.services.settings import ServiceSettings
from winnow.store.settings import SearchSettings


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
    services: ServiceSettings = field(default_factory=ServiceSettings)
    search: SearchSettings = field(default_factory=SearchSettings)


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
    "services": ServiceSettings,
    "search": SearchSettings,
}


def _read(kind: type[BaseSettings], wrong: list[str]) -> Any:
    try:
        return kind()
    except ValidationError as refused:
        wrong.extend(_describe_error(kind, error) for error in refused.errors())
    except SettingsError as unreadable:  # a list that is none
        wrong.append(" ".join(str(unreadable).split()))
    except UnicodeDecodeError:
        wrong.append("the file .env is not UTF-8")
    return None


def _describe_error(kind: type[BaseSettings], error: ErrorDetails) -> str:
    """The variable as it is set, and the message. An error about several settings names them in its message."""
    message = error["msg"].removeprefix("Value error, ")
    return f"{_variable(kind, str(error['loc'][0]))}: {message}" if error["loc"] else message


def _variable(kind: type[BaseSettings], place: str) -> str:
    names = next((names for names in map(_names, kind.model_fields.values()) if place in names), ())
    return next((name for name in names if name in os.environ), place if names else _prefixed(kind, place))


def _names(field: FieldInfo) -> list[str]:
    alias = field.validation_alias
    return [str(name) for name in (alias.choices if isinstance(alias, AliasChoices) else [alias] if alias else [])]


def _prefixed(kind: type[BaseSettings], field: str) -> str:
    return f"{kind.model_config.get('env_prefix', '')}{field}".upper()
