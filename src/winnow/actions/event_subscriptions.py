"""Calendar subscriptions: made and revoked, audited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from winnow.db.engine import Connection
from winnow.observe import audit
from winnow.store.events import subscriptions


async def add(
    conn: Connection, actor: str, name: str, filters: Mapping[str, Any], workspace: str | None = None
) -> tuple[int, str]:
    """The id, and the token of its address, which is shown once."""
    stated = {key: value for key, value in filters.items() if value not in (None, (), [])}
    subscription_id, token = await subscriptions.add(conn, actor, name, stated, workspace)
    await audit.record(conn, actor, "event_subscription.added", "event_subscription", subscription_id, after=stated)
    return subscription_id, token


async def revoke(conn: Connection, actor: str, subscription_id: int) -> None:
    await subscriptions.revoke(conn, subscription_id)
    await audit.record(conn, actor, "event_subscription.revoked", "event_subscription", subscription_id)
