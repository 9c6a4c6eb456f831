"""Settings of notifications: receivers, topics, retries and retention."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode

from winnow.environment import environment


class PublishSettings(BaseSettings):
    model_config = environment("WINNOW_")

    webhook_secret: str | None = Field(
        None,
        min_length=1,
        validation_alias="SCRAPER_WEBHOOK_SECRET",
        description="Signs callbacks of jobs, and webhooks without a secret of their own (S-003). Long and random: "
        "whoever guesses it can sign too. Unset: one is made in the data folder; processes on several machines need "
        "the same value.",
    )
    default_webhook_url: str | None = Field(
        None,
        validation_alias="SCRAPER_DEFAULT_WEBHOOK_URL",
        description="Where jobs report that name no callback_url (S-075).",
    )
    slack_webhook_url: str | None = Field(
        None, description="Incoming webhook of the Slack channel that receives the topics of `WINNOW_SLACK_TOPICS`."
    )
    slack_topics: Annotated[tuple[str, ...], NoDecode] = Field(
        ("alert.*", "run.completed", "feed.completed", "watch.fired", "events.day_completed"),
        description="Topics the Slack channel hears, comma separated; `alert.*` are all that begin so.",
    )
    slack_severities: Annotated[tuple[str, ...], NoDecode] = Field(
        ("P1", "P2", "P3"), description="Alerts the Slack channel hears, by severity (P-099)."
    )
    alert_repeat_minutes: float = Field(
        60.0, gt=0, description="An alert that keeps happening is notified again after this many minutes, not sooner."
    )
    alert_dead_letters: int = Field(100, ge=1, description="More dead letters than this raise an alert (E-083).")
    alert_recurring_failures: int = Field(
        20,
        ge=2,
        description="So many attempts within an hour that failed alike, at three or more sources and at least a tenth "
        "of all that ended, raise an alert (E-006).",
    )
    delivery_concurrency: int = Field(32, ge=1, le=500, description="Messages one process sends at the same time.")
    keep_delivered_days: float = Field(30.0, gt=0, description="How long delivered messages stay listed.")
    keep_dead_deliveries_days: float = Field(
        90.0, gt=0, description="How long messages that could not be delivered can be sent again."
    )
    keep_alerts_days: float = Field(180.0, gt=0, description="How long alerts stay listed after they were resolved.")

    clickhouse_url: SecretStr | None = Field(
        None,
        description="ClickHouse that prices, offers, products and events are loaded into, "
        "https://user:password@host:8443/database (C-074). A host that is not public has to be opened with "
        "WINNOW_EGRESS_ALLOW. Unset: none.",
    )
    clickhouse_minutes: float = Field(5.0, gt=0, le=1_440, description="How often what changed is loaded into it.")

    @field_validator("slack_topics", "slack_severities", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value
