"""How much is logged, and in which form."""

from __future__ import annotations

from typing import Literal

from pydantic import AliasChoices, Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class ObserveSettings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="WINNOW_", env_file=".env", extra="ignore", populate_by_name=True)

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO",
        validation_alias=AliasChoices("WINNOW_LOG_LEVEL", "SCRAPER_LOG_LEVEL"),
        description="Least severe level written.",
    )
    log_format: Literal["json", "text"] = Field("json", description="json for machines, text for a terminal.")
