"""Why an offer counts as not in stock, in one sentence for people (DESIGN §11.33). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

_SENTENCES = {
    "sold_out": "sold out since {}",
    "gone": "its page is gone since {}",
    "forbidden": "its page may not be read since {}",
}


def describe_state(offer: Mapping[str, Any]) -> str | None:
    """None when the availability is what the newest price says."""
    reason = offer["unavailable_reason"]
    if reason is not None:
        return _SENTENCES[reason].format(_day(offer["unavailable_since"]))
    if offer["unconfirmed_since"] is not None:
        return f"not confirmed since {_day(offer['unconfirmed_since'])}"
    return None


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
