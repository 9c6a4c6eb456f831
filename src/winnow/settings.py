"""All settings, one class per stage. Values that belong to a source live on the source instead."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import ValidationError

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
    """Reads the environment and `.env`; one sentence per wrong value, no traceback."""
    try:
        return Settings(
            db=DatabaseSettings(),
            schedule=ScheduleSettings(),
            fetch=FetchSettings(),
            browser=BrowserSettings(),
            observe=ObserveSettings(),
            run=RunSettings(),
            api=ApiSettings(),
            publish=PublishSettings(),
            feeds=FeedSettings(),
            credentials=CredentialSettings(),
        )
    except ValidationError as wrong:
        lines = [f"{wrong.title}.{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in wrong.errors()]
        raise ConfigError("wrong settings: " + "; ".join(lines)) from None
