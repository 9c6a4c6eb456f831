"""Where the API listens."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, AliasChoices, Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from winnow.environment import environment

# Paths at the root of the server: a prefix that begins like one of these would be ambiguous.
OURS = frozenset({"api", "console", "go", "health", "metrics", "openapi.json", "readiness"})


def _prefix(given: str) -> str:
    """ "" or "/tools/winnow"."""
    given = given.rstrip("/")
    if given and not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", given):
        raise ValueError("a path of letters, digits and ._~- such as /winnow")
    if given and given.split("/")[1] in OURS:
        raise ValueError(f"/{given.split('/')[1]} is taken: choose another path")
    return given


class ApiSettings(BaseSettings):
    model_config = SettingsConfigDict(**environment("WINNOW_"), populate_by_name=True)

    api_host: str = Field("127.0.0.1", description="Address the API listens on.")
    api_port: int = Field(
        8001,
        ge=1,
        le=65535,
        validation_alias=AliasChoices("WINNOW_API_PORT", "SCRAPER_PORT"),
        description="Port the API listens on (S-001).",
    )
    path_prefix: Annotated[str, AfterValidator(_prefix)] = Field(
        "",
        description="Path below which a proxy of yours shows API and console, such as `/winnow`; whether it passes the "
        "path on or takes it off makes no difference.",
    )
    service_key: str | None = Field(
        None, validation_alias="SCRAPER_SERVICE_KEY", description="Seeds a scrape-scoped key (DESIGN §11.20)."
    )
