"""Settings of search. Without the address of a search server PostgreSQL answers."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings

from winnow.environment import environment


class SearchSettings(BaseSettings):
    model_config = environment("WINNOW_")

    search_url: str | None = Field(
        None,
        description="Address of an OpenSearch or Elasticsearch server that answers searches, such as "
        "https://search.example.com:9200. Unset: PostgreSQL does (C-050).",
    )
    search_user: str | None = Field(None, description="Its user, with WINNOW_SEARCH_PASSWORD.")
    search_password: SecretStr | None = Field(None, description="The password of that user.")
    search_key: SecretStr | None = Field(None, description="An API key of Elasticsearch, instead of user and password.")
    search_ca_file: str | None = Field(
        None, description="Certificates (PEM) to trust when its certificate is not signed by a public authority."
    )
    search_index: str = Field(
        "products",
        pattern=r"^[a-z0-9][a-z0-9._-]{0,80}$",
        description="Name under which its index is found (C-051); the indexes behind it have a date added.",
    )
    search_timeout_seconds: float = Field(
        2.0, gt=0, le=60, description="Longest wait for the answer to one search; then PostgreSQL answers."
    )
    search_lag_alert_seconds: float = Field(
        300.0, gt=0, description="A search index that is behind for longer than this raises an alert."
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.search_user is None) != (self.search_password is None):
            raise ValueError("WINNOW_SEARCH_USER and WINNOW_SEARCH_PASSWORD are set together")
        if self.search_url is not None:
            self._check_address(self.search_url)
        return self

    def _check_address(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("WINNOW_SEARCH_URL is a plain address such as https://search.example.com:9200")
        if "@" in parts.netloc:
            raise ValueError("WINNOW_SEARCH_URL has no password: set WINNOW_SEARCH_USER and WINNOW_SEARCH_PASSWORD")
        secret = self.search_password or self.search_key
        if secret is not None and parts.scheme != "https" and not _is_here(parts.hostname):
            raise ValueError("WINNOW_SEARCH_URL has to be https where a password or key is sent")


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
