"""How work is queued, leased and spread over time."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AliasChoices, Field, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from winnow.environment import environment
from winnow.errors import InvalidInput
from winnow.schedule.cadence import check_cron
from winnow.schedule.circuit import CircuitRules

OFF = "off"


class ScheduleSettings(BaseSettings):
    model_config = SettingsConfigDict(**environment("WINNOW_"), populate_by_name=True)

    lease_seconds: float = Field(
        60.0, gt=0, description="How long a claimed task stays its worker's without a heartbeat."
    )
    max_attempts: int = Field(3, ge=1, description="Attempts before a task becomes a dead letter (P-039, C-013).")
    queue_per_adapter: int = Field(1_000, ge=1, description="Pending prices tasks of one adapter (P-069).")
    queue_total: int = Field(10_000, ge=1, description="Pending prices tasks in all (P-069).")
    queue_enrichment: int = Field(
        500,
        ge=1,
        validation_alias=AliasChoices("WINNOW_QUEUE_ENRICHMENT", "SCRAPER_MAX_QUEUE_DEPTH"),
        description="Pending enrichment tasks (S-039).",
    )
    task_timeout_seconds: float = Field(
        60.0,
        gt=0,
        validation_alias="SCRAPER_TASK_TIMEOUT_SECONDS",
        description="Longest trip of a task of the scraping service (S-034); a sync request brings its own.",
    )
    queue_other: int = Field(100_000, ge=1, description="Pending tasks of any other producer.")
    stale_after_hours: float = Field(24.0, gt=0, description="Pending longer than this makes a task stale (P-071).")
    scheduler_tick_seconds: float = Field(5.0, gt=0, description="How often due targets are looked for.")
    upkeep_tick_seconds: float = Field(5.0, gt=0, description="How often leases, runs and clean-up are looked after.")
    timezone: str = Field(
        "UTC", description="The installation's time zone, such as Europe/Amsterdam: daily and weekly work follows it."
    )
    events_schedule: str = Field(
        "0 6 * * *",
        description="When all event sources are visited, as a cron of the installation's time zone; at most once a "
        "day (E-024). `off`: only when somebody asks.",
    )
    discovery_schedule: str = Field(
        "0 3 * * 0",
        description="When municipalities are searched for event sources, as a cron of the installation's time zone; at "
        "most once a day (E-012). It needs WINNOW_WEB_SEARCH_URL and chosen municipalities. `off`: only on demand.",
    )
    discovery_known_sources: bool = Field(
        False, description="Whether links of known event sources are looked at then, too; no search API is needed."
    )
    keep_finished_hours: float = Field(24.0, ge=0, description="How long finished tasks stay in the hot table.")
    keep_tasks_days: float = Field(
        90.0,
        gt=0,
        description="How long finished tasks and jobs, and decided dead letters, stay listed; not "
        "shorter than `WINNOW_KEEP_PAGES_DAYS`.",
    )
    keep_runs_days: float = Field(
        365.0, gt=0, description="How long runs, with their counters, and replays stay listed."
    )
    redis_url: str | None = Field(
        None,
        description="Keeps the log of grants in Redis or Valkey instead of PostgreSQL, for large fleets. Every process "
        "needs the same value; while it cannot be reached nothing is fetched (R-09).",
    )
    domain_policies_path: Path | None = Field(
        None,
        validation_alias="SCRAPER_DOMAIN_POLICIES_PATH",
        description="YAML file of domain policies (S-057); it comes before those Winnow ships for linkedin.com and "
        "indeed.com.",
    )
    rate_limit_tokens: int | None = Field(
        None,
        ge=1,
        validation_alias="SCRAPER_RATE_LIMIT_TOKENS",
        description="Replaces the platform default rate (S-006).",
    )
    rate_limit_interval_seconds: float | None = Field(
        None, gt=0, validation_alias="SCRAPER_RATE_LIMIT_INTERVAL_SECONDS", description="See SCRAPER_RATE_LIMIT_TOKENS."
    )
    cb_window_size: int = Field(
        10,
        ge=1,
        le=1_000,
        validation_alias="SCRAPER_CB_WINDOW_SIZE",
        description="Latest answers of a domain its circuit looks at (S-007).",
    )
    cb_failure_threshold: int = Field(
        5,
        ge=1,
        validation_alias="SCRAPER_CB_FAILURE_THRESHOLD",
        description="Failures among them that open the circuit (S-007).",
    )
    cb_cooldown_seconds: float = Field(
        120.0,
        gt=0,
        validation_alias="SCRAPER_CB_COOLDOWN_SECONDS",
        description="How long an open circuit lets nothing through; then one request probes (S-007).",
    )

    @field_validator("timezone")
    @classmethod
    def _zone(cls, value: str) -> str:
        try:
            return ZoneInfo(value).key
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError(f"{value!r} is no time zone such as Europe/Amsterdam") from None

    @field_validator("events_schedule", "discovery_schedule")
    @classmethod
    def _cron(cls, value: str) -> str:
        if value.strip().lower() == OFF:
            return OFF
        try:
            return check_cron(value)
        except InvalidInput as wrong:
            raise ValueError(str(wrong)) from None

    @model_validator(mode="after")
    def _can_open(self) -> ScheduleSettings:
        if self.cb_failure_threshold > self.cb_window_size:
            raise ValueError("SCRAPER_CB_FAILURE_THRESHOLD above SCRAPER_CB_WINDOW_SIZE: no circuit could ever open")
        return self

    @property
    def has_daily_run(self) -> bool:
        return self.events_schedule != OFF

    @property
    def circuit_rules(self) -> CircuitRules:
        return CircuitRules(self.cb_window_size, self.cb_failure_threshold, timedelta(seconds=self.cb_cooldown_seconds))
