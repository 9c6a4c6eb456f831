"""How much is logged, and in which form."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from winnow.environment import environment


class ObserveSettings(BaseSettings):
    model_config = SettingsConfigDict(**environment("WINNOW_"), populate_by_name=True)

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO",
        validation_alias=AliasChoices("WINNOW_LOG_LEVEL", "SCRAPER_LOG_LEVEL"),
        description="Least severe level written.",
    )
    log_format: Literal["json", "text"] = Field("json", description="json for machines, text for a terminal.")
    log_dir: Path | None = Field(None, description="Folder where logs are kept in files as well, by level (F-129).")
    keep_debug_log_hours: int = Field(48, ge=24, le=48, description="How long DEBUG lines are kept in files.")
    keep_info_log_days: int = Field(30, ge=7, le=30, description="How long INFO lines are kept in files.")
    keep_warning_log_days: int = Field(100, ge=91, description="How long WARNING and ERROR lines are kept in files.")

    invariants_hours: float = Field(
        24.0, gt=0, description="How often the invariants of all stored data are checked (C-070)."
    )

    monitor_items_share: float = Field(
        0.5, ge=0, le=1, description="A run with fewer items than this share of the usual raises an alert (C-069)."
    )
    monitor_coverage_points: float = Field(
        0.2, ge=0, le=1, description="So does one in which the share of items that have a field fell by more than this."
    )
    monitor_price_factor: float = Field(
        2.0, ge=1, description="So does one whose middle price is more than so many times the usual, or less."
    )
    monitor_held_points: float = Field(
        0.2, ge=0, le=1, description="So does one in which the share of held records rose by more than this."
    )

    @field_validator("log_level", mode="before")
    @classmethod
    def _upper(cls, value: object) -> object:
        return value.strip().upper() if isinstance(value, str) else value

    def kept(self) -> dict[str, timedelta]:
        return {
            "debug": timedelta(hours=self.keep_debug_log_hours),
            "info": timedelta(days=self.keep_info_log_days),
            "warning": timedelta(days=self.keep_warning_log_days),
        }
