"""Where the API listens."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class ApiSettings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="WINNOW_", env_file=".env", extra="ignore")

    api_host: str = Field("127.0.0.1", description="Address the API listens on.")
    api_port: int = Field(8001, ge=1, le=65535, description="Port the API listens on (S-001).")
    service_key: str | None = Field(
        None, validation_alias="SCRAPER_SERVICE_KEY", description="Seeds a scrape-scoped key (DESIGN §11.20)."
    )
