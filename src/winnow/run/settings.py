"""How a worker process spends its machine."""

from __future__ import annotations

from pathlib import Path

from pydantic import AliasChoices, Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from winnow.environment import environment


class RunSettings(BaseSettings):
    model_config = SettingsConfigDict(**environment("WINNOW_"), populate_by_name=True)

    worker_concurrency: int = Field(
        128,
        ge=1,
        le=2_000,
        validation_alias=AliasChoices("WINNOW_WORKER_CONCURRENCY", "SCRAPER_MAX_CONCURRENCY"),
        description="Tasks one worker process works on at once, each in a browser of its own or in none.",
    )
    worker_processes: int = Field(1, ge=1, le=64, description="Worker processes `winnow up` starts.")
    parser_processes: int = Field(1, ge=1, le=64, description="Child processes a worker parses difficult pages in.")
    parse_timeout_seconds: float = Field(
        10.0, gt=0, description="A page that needs more processor time to be parsed is stopped (R-17)."
    )
    parse_memory_mb: int = Field(1_024, ge=128, description="Memory a parser child may use (R-17).")
    commit_interval_ms: int = Field(
        20, ge=0, le=5_000, description="How long a result waits to be committed with others."
    )
    adapters_dir: Path | None = Field(
        None, description="Folder of adapters written as TOML files, a folder per site (`winnow adapters new`)."
    )
    commit_batch: int = Field(200, ge=1, le=5_000, description="Most results in one commit.")
