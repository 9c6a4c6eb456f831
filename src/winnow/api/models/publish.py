"""Webhook subscriptions and deliveries. Secrets are shown once, when they are made."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

from pydantic import Field

from winnow.api.models.fields import Changes, Ids, Name, RequestModel, ResponseModel, Text, Url

Topics = Annotated[
    list[Annotated[Text, Field(min_length=1, max_length=100)]],
    Field(max_length=100, description="Topics, `prefix.*`, or `*`.", examples=[["price.*"]]),
]
Severities = Annotated[list[Literal["P1", "P2", "P3"]], Field(max_length=3, description="Severities it receives.")]
SourceIds = Annotated[
    list[Annotated[int, Field(ge=1, le=2**63 - 1)]],
    Field(max_length=1_000, description="Receives only messages about these sources; empty: about all sources."),
]
Secret = Annotated[Text, Field(min_length=16, max_length=500)]
Channel = Literal["webhook", "slack"]
Audience = Literal["operator", "consumer"]


class WebhookCreate(RequestModel):
    name: Name
    url: Url
    topics: Topics
    channel: Channel = "webhook"
    severities: Severities = Field(["P1", "P2", "P3"])
    source_ids: SourceIds = Field([])
    audience: Audience = Field(
        "operator", description="A consumer receives only messages about offers that consumers may see (P-092)."
    )
    secret: Secret | None = Field(None, description="Signs the messages; default: one is made.")


class WebhookUpdate(Changes):
    NEEDED: ClassVar[frozenset[str]] = frozenset({"url", "topics", "severities", "source_ids", "enabled", "secret"})

    url: Url | None = None
    topics: Topics | None = None
    severities: Severities | None = None
    source_ids: SourceIds | None = None
    enabled: bool | None = None
    secret: Secret | None = None


class WebhookResponse(ResponseModel):
    """Of a Slack channel only the origin of its URL is shown, because the full URL is a credential."""

    id: int
    name: str
    channel: str
    url: str
    topics: list[str]
    severities: list[str]
    source_ids: list[int]
    audience: str
    enabled: bool
    disabled_at: datetime | None
    disabled_reason: str | None
    consecutive_failures: int
    created_at: datetime
    updated_at: datetime
    created_by: str | None


class WebhookMade(WebhookResponse):
    secret: str | None = Field(description="Only now; null for Slack.")


class DeliveryResponse(ResponseModel):
    id: int
    message_id: UUID
    endpoint_id: int | None
    job_id: UUID | None
    channel: str
    url: str
    topic: str
    key: str
    status: str
    attempts: int
    next_attempt_at: datetime
    last_status_code: int | None
    last_error: str | None
    last_duration_ms: int | None
    created_at: datetime
    delivered_at: datetime | None


class DeliveryDetail(DeliveryResponse):
    payload: dict[str, Any]


class Redeliver(Ids):
    """Dead or delivered ones; each goes out again under its own id."""
