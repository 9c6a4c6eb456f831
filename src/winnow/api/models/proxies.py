"""Proxies as they are listed and added (C-037, C-038). A password goes in and never comes out."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field, SecretStr

from winnow.api.models.fields import RequestModel, ResponseModel, Text
from winnow.fetch.proxies.endpoint import Protocol


class ProxyResponse(ResponseModel):
    """`failure_count` counts failures in a row; an unhealthy proxy is left out until a check restores it."""

    id: int
    protocol: str
    host: str
    port: int
    username: str | None
    has_password: bool
    region: str | None
    is_active: bool
    is_healthy: bool
    failure_count: int
    success_count: int
    total_failure_count: int
    last_used_at: datetime | None
    last_success_at: datetime | None
    last_failure_at: datetime | None
    last_checked_at: datetime | None
    avg_response_time_ms: int | None
    from_settings: bool
    created_at: datetime
    updated_at: datetime


class ProxyCreate(RequestModel):
    protocol: Protocol = "http"
    host: Annotated[Text, Field(min_length=1, max_length=255)]
    port: Annotated[int, Field(ge=1, le=65535)]
    username: Annotated[Text, Field(min_length=1, max_length=100)] | None = None
    password: SecretStr | None = Field(None, max_length=255)
    region: Annotated[Text, Field(min_length=2, max_length=32)] | None = None


class ProxyTested(BaseModel):
    """`trouble` is None when the proxy is there and lets us in."""

    trouble: str | None
