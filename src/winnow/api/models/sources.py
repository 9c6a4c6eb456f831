from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, field_serializer

from winnow.api.models.fields import Changes, Cron, Moment, Name, Notes, Reason, RequestModel, ResponseModel, Url
from winnow.observe import mask

# Any registered kind (kinds/registry.py); which ones there are is asked when a source is added.
Kind = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z_]{0,31}$")]

Tier = Literal["light", "standard", "deep"]

TIERS = (
    "tiers: the ways its pages may be fetched, of static, dynamic and scrapingbee; {} allows all that are set up. "
    "feedGuessing: true looks for feeds that its pages do not name (E-050)."
)
TIER = "How deep a run of a source of events goes where scrape_config.follow does not say it: light, standard, deep."
DEEP = "Whether the page of every event is visited, not only of those whose listing lacks the day."
COORDINATES = "Where its events take place when no place can be found; latitude and longitude go together."
LOCALE = "How its pages write numbers and dates where they do not say so themselves: a language and a country, en-GB."
TIMEZONE = "The zone of times on its pages that name none, such as Europe/Berlin."


class SourceCreate(RequestModel):
    """A source. Its retailer is created if it does not exist (default name: the domain)."""

    name: Name
    url: Url
    kind: Kind = "offer"
    retailer: Name | None = None
    adapter_id: Name | None = None
    schedule: Cron | None = Field(None, description="Cron for targets that have no cadence of their own.")
    priority: int = Field(0, ge=-1000, le=1000)
    scrape_config: dict[str, Any] = Field(
        {},
        description="rateLimit, fetcherType, customHeaders, currency (P-066), proxy, proxyRegion, images, "
        "follow, followBudget, followDomains (links that lead on), assumeInStock (true: a page that says nothing about "
        "stock counts as in stock, marked as assumed).",
    )
    tier_config: dict[str, Any] = Field({}, description=TIERS)
    locale: Name | None = Field(None, description=LOCALE)
    timezone: Name | None = Field(None, description=TIMEZONE)
    tier: Tier = Field("standard", description=TIER)
    deep_scrape_enabled: bool = Field(False, description=DEEP)
    default_latitude: float | None = Field(None, ge=-90, le=90, description=COORDINATES)
    default_longitude: float | None = Field(None, ge=-180, le=180)
    notes: Notes | None = None


class SourceUpdate(Changes):
    NEEDED = frozenset(
        {
            "name",
            "priority",
            "scrape_config",
            "tier_config",
            "enabled",
            "robots_compliant",
            "tier",
            "deep_scrape_enabled",
        }
    )

    name: Name | None = None
    adapter_id: Name | None = None
    schedule: Cron | None = None
    priority: int | None = Field(None, ge=-1000, le=1000)
    scrape_config: dict[str, Any] | None = None
    tier_config: dict[str, Any] | None = Field(None, description=TIERS)
    notes: Notes | None = None
    enabled: bool | None = None
    robots_compliant: bool | None = None
    tos_reviewed_at: Moment | None = None
    tos_approved_by: Name | None = None
    timezone: Name | None = Field(None, description=TIMEZONE)
    locale: Name | None = Field(None, description=LOCALE)
    tier: Tier | None = Field(None, description=TIER)
    deep_scrape_enabled: bool | None = Field(None, description=DEEP)
    default_latitude: float | None = Field(None, ge=-90, le=90, description=COORDINATES)
    default_longitude: float | None = Field(None, ge=-180, le=180)


class TrustUpdate(Changes):
    """May consumers see what is scraped from this source (P-092), and may its UPCs be believed (P-094)."""

    NEEDED = frozenset({"visibility_status", "upc_trusted"})

    visibility_status: Literal["ELIGIBLE", "INELIGIBLE"] | None = None
    upc_trusted: bool | None = None
    expiry_hours: int | None = Field(None, ge=1, le=8_760)
    note: Reason | None = None


class SourceResponse(ResponseModel):
    id: int
    name: str
    url: str
    domain: str
    kind: str
    source_kind: str
    retailer_id: int | None
    retailer_name: str | None
    adapter_id: str | None
    schedule: str | None
    priority: int
    enabled: bool
    auto_disabled: bool
    paused: bool
    robots_compliant: bool
    tos_reviewed_at: datetime | None
    tos_approved_by: str | None
    visibility_status: str | None
    upc_trusted: bool | None
    scrape_config: dict[str, Any]
    tier_config: dict[str, Any]
    locale: str | None
    timezone: str | None
    tier: str
    deep_scrape_enabled: bool
    default_latitude: float | None
    default_longitude: float | None
    preferred_method: str | None = Field(description="The strategy that won three times running (E-053).")
    detected_cms: str | None
    targets: int
    last_success_at: datetime | None
    last_failure_at: datetime | None
    notes: str | None
    created_at: datetime
    updated_at: datetime

    @field_serializer("scrape_config")
    def _without_secrets(self, config: dict[str, Any]) -> dict[str, Any]:
        """Header names are shown, their values are not: they may be credentials (R-26)."""
        headers = config.get("customHeaders")
        if not isinstance(headers, dict):
            return config
        return {**config, "customHeaders": {str(name): mask.HIDDEN for name in headers}}


class SourceDetail(SourceResponse):
    targets_by_status: dict[str, int]


class SourceHealth(ResponseModel):
    """Whether a source may be scheduled, and what its place in the order comes from (E-110, E-111)."""

    id: int
    name: str
    domain: str
    kind: str
    enabled: bool
    paused: bool
    circuit_state: str
    failure_count: int
    cooldown_until: datetime | None
    is_available: bool
    rate_limited: bool
    rate_limited_until: datetime | None = Field(description="None while rate_limited: until a person resumes it.")
    last_scraped_at: datetime | None
    last_success_at: datetime | None
    days_since_last_scrape: int
    historical_event_count: int
    reliability_score: float
    consecutive_failures: int
    priority_score: float
