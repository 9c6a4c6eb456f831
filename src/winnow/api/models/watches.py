"""Watches: notifications about single pages."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field, computed_field

from winnow.api.models.fields import Id, RequestModel, ResponseModel, Text, Url
from winnow.normalise.money.display import decimal_text


class WatchCreate(RequestModel):
    """One or more conditions on one target, which is named by its id or its URL."""

    target_id: Id | None = None
    url: Url | None = Field(None, description="A page; it is visited from now on if it was not yet.")
    below: Annotated[Text, Field(max_length=30, examples=["19.99"])] | None = None
    currency: Annotated[Text, Field(min_length=3, max_length=3, examples=["EUR"])] | None = None
    drop: Annotated[Text, Field(max_length=10, examples=["10%"])] | None = None
    back_in_stock: bool = False
    any_change: bool = False
    webhook_id: Id | None = Field(None, description="Notify this receiver; default: all that subscribe to watch.fired.")
    webhook_url: Url | None = None


class WatchMade(ResponseModel):
    ids: list[int]
    target_id: int
    fired: int = Field(description="How many conditions were met already and notified at once.")
    secret: str | None = Field(description="Of a receiver that was made for this; only now.")


class WatchResponse(ResponseModel):
    id: int
    target_id: int
    url: str
    condition: str
    threshold_minor: int | None = Field(exclude=True)
    threshold_exponent: int | None = Field(exclude=True)
    currency: str | None
    drop_percent: float | None
    endpoint_id: int | None
    enabled: bool
    armed: bool
    fired_count: int = Field(description="How often the condition was met.")
    receivers: int = Field(0, description="Enabled receivers of its notifications; 0: none is sent.")
    last_fired_at: datetime | None
    created_at: datetime
    created_by: str | None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def threshold(self) -> str | None:
        if self.threshold_minor is None or self.threshold_exponent is None:
            return None
        return decimal_text(self.threshold_minor, self.threshold_exponent)
