"""Changes to who is notified about what. Every change is audited."""

from __future__ import annotations

from collections.abc import Sequence
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
from winnow.publish.endpoints import Endpoint
from winnow.publish.keys import Secrets


class ReceiverDesk:
    """Who is told what. An address the egress guard would not send to is refused here already (R-12)."""

    def __init__(self, allow: AllowList, secrets: Secrets) -> None:
        self._allow = allow
        self._secrets = secrets

    async def ring(self) -> KeyRing:
        """Before a transaction: the key's file is made with the first secret."""
        return await self._secrets.ring()

    def address(self, url: str) -> str:
        return parse_url(url, self._allow).url

    async def add(
        self,
        conn: Connection,
        ring: KeyRing,
        actor: str,
        *,
        name: str,
        url: str,
        topics: Sequence[str],
        channel: str = "webhook",
        severities: Sequence[str] = endpoints.SEVERITIES,
        source_ids: Sequence[int] = (),
        audience: str = "operator",
        secret: str | None = None,
    ) -> tuple[Endpoint, str | None]:
        made, shown = await endpoints.add(
            conn,
            ring,
            name=validation.text(name, "name"),
            url=self.address(url),
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
        self, conn: Connection, ring: KeyRing, actor: str, endpoint_id: int, changes: dict[str, Any]
    ) -> Endpoint:
        if "url" in changes:
            changes = {**changes, "url": self.address(changes["url"])}
        before, after = await endpoints.change(conn, ring, endpoint_id, changes)
        was, now = audit.changes(_facts(before), _facts(after))
        if "secret" in changes:
            now["secret"] = "changed"
        if now:
            await audit.record(conn, actor, "webhook.updated", "webhook", endpoint_id, was, now)
        return after

    async def remove(self, conn: Connection, actor: str, endpoint_id: int) -> None:
        gone = await endpoints.remove(conn, endpoint_id)
        await audit.record(conn, actor, "webhook.removed", "webhook", endpoint_id, before=_facts(gone))

    async def redeliver(self, conn: Connection, actor: str, ids: Sequence[int]) -> list[int]:
        """Dead or delivered messages once more; those that are on their way are left alone."""
        if not ids:
            raise InvalidInput("name at least one delivery", field="ids")
        again = await deliveries.redeliver(conn, ids)
        which = str(again[0]) if len(again) == 1 else f"{len(again)} deliveries"
        await audit.record(conn, actor, "delivery.redelivered", "delivery", which, after={"ids": again[:100]})
        return again


def _facts(endpoint: Endpoint) -> dict[str, Any]:
    shown = msgspec.structs.asdict(endpoint)
    names = ("name", "channel", "url", "topics", "severities", "source_ids", "audience", "enabled")
    return {name: shown[name] for name in names}
