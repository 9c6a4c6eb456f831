"""How pages are fetched and kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode

from winnow.environment import environment
from winnow.fetch import credential_hosts


class FetchSettings(BaseSettings):
    model_config = environment("WINNOW_")

    egress_allow: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="host, host:port or CIDR entries that may be reached although the guard forbids them "
        "(comma separated; for tests, the demo and your own intranet).",
    )
    agent_name: str = Field("Winnow", description="The product token robots.txt groups are matched with.")
    contact_url: str = Field("", description="Shown in the User-Agent, so that a site owner can reach you.")
    fetch_timeout_ms: int = Field(30_000, ge=100, description="Total time for one page (P-036).")
    fetch_connect_timeout_ms: int = Field(10_000, ge=50, description="Time to connect, TLS included (R-16).")
    fetch_idle_timeout_ms: int = Field(10_000, ge=50, description="Longest silence of a server that is sending (R-16).")
    accept_language: str = Field("en-US,en;q=0.8,*;q=0.5", description="Accept-Language of sources that set none.")
    fetch_max_bytes: int = Field(
        10 * 1024 * 1024, ge=1024, description="Largest page, on the wire and decoded (P-036)."
    )
    robots_missing_blocks: bool = Field(
        False, description="Treat a robots.txt that does not exist as a prohibition (PN-08)."
    )
    archive_url: str | None = Field(None, description="Where page bodies go (s3://…, gs://…). Unset: the data folder.")

    download_images: bool = Field(
        False,
        description="Fetch the pictures of offers, where the source does not say (`images` of its scrape_config).",
    )
    keep_pages_days: float = Field(
        90.0, ge=0, description="How long page bodies are kept; the last one of each target stays (C-049)."
    )
    keep_personal_pages_days: float = Field(
        30.0, ge=0, description="The same for pages about people, when it is shorter (DESIGN §11.26)."
    )
    keep_fetches_days: float = Field(
        365.0, ge=0, description="How long it is remembered how a fetch went, after its body is gone."
    )
    proxy_endpoints: Annotated[tuple[SecretStr, ...], NoDecode] = Field(
        (),
        validation_alias="SCRAPER_PROXY_ENDPOINTS",
        description="Proxies that requests go through, in turn: http://, https:// or socks5://user:password@host:port, "
        "with ?region=us where it matters; `direct` lets requests go without one when none is free (comma separated).",
    )
    proxy_health_check_interval_seconds: float = Field(
        60.0,
        gt=0,
        validation_alias="SCRAPER_PROXY_HEALTH_CHECK_INTERVAL_SECONDS",
        description="How often proxies that failed are tried again (S-066).",
    )
    proxy_domain_cooldown_seconds: float = Field(
        30.0,
        ge=0,
        validation_alias="SCRAPER_PROXY_DOMAIN_COOLDOWN_SECONDS",
        description="How long a proxy is not used again for the same domain (S-112).",
    )
    proxy_domain_rate: int = Field(
        1,
        ge=1,
        le=5,
        validation_alias="SCRAPER_PROXY_DOMAIN_RATE",
        description="Requests per second of one proxy to one domain, where the cooldown allows more (C-064).",
    )

    @field_validator("egress_allow", "proxy_endpoints", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        """Commas, or a list in JSON as other services take it (S-008)."""
        if isinstance(value, str) and value.strip().startswith("["):
            return json.loads(value)
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @property
    def proxy_texts(self) -> tuple[str, ...]:
        """They hold passwords."""
        return tuple(text.get_secret_value() for text in self.proxy_endpoints)

    @property
    def user_agent(self) -> str:
        return f"{self.agent_name}/1.0 (+{self.contact_url})" if self.contact_url else f"{self.agent_name}/1.0"


class BrowserSettings(BaseSettings):
    """How many browsers there are, how long they live, and when they are used. The names are those of S-004."""

    model_config = environment("SCRAPER_")

    browser_pool_size: int = Field(5, ge=1, description="Browsers kept running (S-004); one task each at a time.")
    browser_pool_max: int = Field(20, ge=1, description="No pool may be larger than this (S-004).")
    browser_page_limit: int = Field(100, ge=1, description="Pages after which a browser is replaced (S-004).")
    navigation_timeout_ms: int = Field(30_000, ge=100, description="Total time for one page in a browser (S-004).")
    browser_acquire_seconds: float = Field(10.0, gt=0, description="Longest wait for a free browser (S-043).")
    browser_idle_timeout_ms: int = Field(10_000, ge=50, description="Longest silence of a server that is sending.")
    browser_memory_mb: int = Field(
        1_024, ge=128, description="Private memory after which a browser is replaced; at twice that it is ended."
    )
    browser_wait_ms: int = Field(
        5_000, ge=0, description="How long a page whose text has come may wait for its other resources."
    )
    browser_block_resources: bool = Field(
        True,
        description="Do not load pictures, fonts and media: only the text is needed.",
    )
    browser_task_bytes: int = Field(
        64 * 1024 * 1024, ge=1024 * 1024, description="Most a page may load with all it embeds, on the wire."
    )
    browser_fallback: bool = Field(
        True,
        description="Pages that plain HTTP does not get are tried in a browser (E-034). Adapters and sources that "
        "ask for one get it anyway.",
    )
    scrapingbee_api_key: SecretStr | None = Field(
        None, description="Key of a scraping API, tried where a browser fails too (E-035). Unset: there is none."
    )
    scrapingbee_api_url: str = Field(
        "https://app.scrapingbee.com/api/v1/", description="Where that API is; it speaks ScrapingBee's protocol."
    )
    tier_recheck_hours: float = Field(
        168.0, gt=0, description="How long a source is fetched the way that worked before plain HTTP is tried again."
    )
    browser_executable: Path | None = Field(None, description="The Chromium to use. Unset: the one found here.")
    graceful_shutdown_seconds: float = Field(30.0, ge=0, description="Time for running requests at shutdown (S-009).")

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if self.browser_pool_size > self.browser_pool_max:
            raise ValueError("SCRAPER_BROWSER_POOL_SIZE is larger than SCRAPER_BROWSER_POOL_MAX")
        return self


class CredentialSettings(BaseSettings):
    """Where requests that need to identify themselves get it from (S-068). One setting without the other is none."""

    model_config = environment("SCRAPER_")

    backend_api_url: str | None = Field(
        None, description="The backend that is asked for credentials of a workspace: https, or http on this machine."
    )
    backend_service_key: SecretStr | None = Field(
        None, description="Sent to the backend as X-Service-Key; required with SCRAPER_BACKEND_API_URL (S-003)."
    )
    credential_hosts: str | None = Field(
        None,
        description="Hosts that may receive the credentials of a provider, https only: "
        "portal=portal.example.com, *.portal.example.com; crm=crm.example.org:8443.",
    )
    credential_cache_ttl_seconds: float = Field(
        300.0, ge=0, description="How long a credential is used before it is asked for again (S-069)."
    )
    credential_max_retries: int = Field(
        3, ge=0, le=10, description="Further attempts when the backend is away, after 1, 2 and 4 s (S-070)."
    )

    @model_validator(mode="after")
    def _safe(self) -> Self:
        if self.backend_api_url is None:
            return self
        parts = urlsplit(self.backend_api_url)
        if parts.scheme != "https" and not (
            parts.scheme == "http" and credential_hosts.is_this_machine(parts.hostname or "")
        ):
            raise ValueError("SCRAPER_BACKEND_API_URL has to be https (http only on this machine)")
        if not parts.hostname or parts.query or parts.fragment or "@" in parts.netloc:
            raise ValueError("SCRAPER_BACKEND_API_URL is a plain address such as https://backend.example.com")
        if self.backend_service_key is None:
            raise ValueError("SCRAPER_BACKEND_SERVICE_KEY is needed with SCRAPER_BACKEND_API_URL")
        return self

    @field_validator("credential_hosts")
    @classmethod
    def _check_hosts(cls, value: str | None) -> str | None:
        credential_hosts.parse(value or "")
        return value

    @property
    def hosts_by_provider(self) -> dict[str, tuple[str, ...]]:
        return credential_hosts.parse(self.credential_hosts or "")
