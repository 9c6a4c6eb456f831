"""How catalogue files are fetched. What belongs to one feed (limits, schedule, mapping) lives on the feed."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings

from winnow.environment import environment


class FeedSettings(BaseSettings):
    model_config = environment("WINNOW_")

    allow_plain_ftp: bool = Field(
        False,
        validation_alias="AFFILIATE_FEED_ALLOW_PLAIN_FTP",
        description="Whether feeds may use plain FTP, which sends passwords in clear text (F-093).",
    )
    feed_folder: Path | None = Field(None, description="The only folder local catalogue files are read from.")
    feed_connect_timeout_ms: int = Field(20_000, ge=100, description="Time to reach a feed's server and log in.")
    feed_idle_timeout_ms: int = Field(60_000, ge=100, description="Longest silence of a feed's server while it sends.")
    feed_chunk_rows: int = Field(5_000, ge=500, le=5_000, description="Rows of a feed committed together (F-071).")
    feed_runs_at_once: int = Field(1, ge=1, le=8, description="Feed runs one worker process works on at once.")
