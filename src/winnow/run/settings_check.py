"""Checks settings whose meaning goes beyond their form, before anything starts (S-002).

A part that is given something it cannot use ends, and `winnow up` would start it again and again: so `up` asks here
first, and whoever started it reads one line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow.errors import ConfigError, InvalidInput
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.proxies.endpoint import ProxyEndpoint, parse_endpoints
from winnow.fetch.url import parse_url
from winnow.schedule.ledger import policies

if TYPE_CHECKING:
    from winnow.fetch.settings import FetchSettings
    from winnow.settings import Settings


def check(settings: Settings) -> None:
    allow = AllowList(settings.fetch.egress_allow)
    policies.load(settings.schedule.domain_policies_path)
    proxies(settings.fetch, allow)
    default_callback(settings.publish.default_webhook_url, allow)


def proxies(settings: FetchSettings, allow: AllowList) -> tuple[list[ProxyEndpoint], bool]:
    try:
        return parse_endpoints(settings.proxy_texts, allow)
    except InvalidInput as wrong:
        raise ConfigError(f"SCRAPER_PROXY_ENDPOINTS: {wrong}") from None


def default_callback(url: str | None, allow: AllowList) -> str | None:
    """A callback of every job that could never be sent is noticed at the start."""
    try:
        return None if url is None else parse_url(url, allow).url
    except InvalidInput as wrong:
        raise ConfigError(
            f"SCRAPER_DEFAULT_WEBHOOK_URL: {wrong}; what is in your own network has to be in WINNOW_EGRESS_ALLOW"
        ) from None
