"""Changes to who is notified about what. Every change is audited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from winnow.actions import validation
from winnow.db.engine import Connection
from winnow.db.sealed import KeyRing
from winnow.errors import InvalidInput
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.url import parse_url
from winnow.observe import audit
from winnow.publish import deliveries, endpoints
from winnow.publish.endpoints import WebhookEndpoint


async def add(
    conn: Connection,
    actor: str,
    ring: KeyRing,
    allow: AllowList,
    *,
    name: str,
    url: str,
    topics: Sequence[str],
    channel: str = "webhook",
    severities: Sequence[str] = endpoints.SEVERITIES,
    source_ids: Sequence[int] = (),
    audience: str = "operator",
    secret: str | None = None,
) -> tuple[WebhookEndpoint, str | None]:
    """Adds a receiver and returns it with its new secret. An address the egress guard would not send to is refused
    (R-12). The ring is opened before the transaction: the file of its key is made with the first secret."""
    made, shown = await endpoints.add(
        conn,
        ring,
        name=validation.text(name, "name"),
        url=parse_url(url, allow).url,
        topics=topics,
        channel=channel,
        severities=severities,
        source_ids=source_ids,
        audience=audience,
        secret=secret,
        actor=actor,
    )
    await audit.record(conn, actor, "webhook.added", "webhook", made.id, after=_facts(made))
    return made, shown


async def change(
    conn: Connection, actor: str, ring: KeyRing, allow: AllowList, endpoint_id: int, changes: Mapping[str, Any]
) -> WebhookEndpoint:
    checked = dict(changes)
    if "url" in checked:
        checked["url"] = parse_url(checked["url"], allow).url
    before, after = await endpoints.change(conn, ring, endpoint_id, checked)
    was, now = audit.changes(_facts(before), _facts(after))
    if "secret" in checked:
        now["secret"] = "changed"
    if now:
        await audit.record(conn, actor, "webhook.updated", "webhook", endpoint_id, was, now)
    return after


async def remove(conn: Connection, actor: str, endpoint_id: int) -> None:
    gone = await endpoints.remove(conn, endpoint_id)
    await audit.record(conn, actor, "webhook.removed", "webhook", endpoint_id, before=_facts(gone))


async def redeliver(conn: Connection, actor: str, ids: Sequence[int]) -> list[int]:
    """Dead or delivered messages once more; those that are on their way are left alone."""
    if not ids:
        raise InvalidInput("name at least one delivery", field="ids")
    again = await deliveries.redeliver(conn, ids)
    which = str(again[0]) if len(again) == 1 else f"{len(again)} deliveries"
    await audit.record(conn, actor, "delivery.redelivered", "delivery", which, after={"ids": again[:100]})
    return again


def _facts(endpoint: WebhookEndpoint) -> dict[str, Any]:
    shown = msgspec.structs.asdict(endpoint)
    names = ("name", "channel", "url", "topics", "severities", "source_ids", "audience", "enabled")
    return {name: shown[name] for name in names}
