"""The secret that signs a message or, for Slack, the secret URL it is sent to."""

from __future__ import annotations

from pathlib import Path

from winnow.db import keyring
from winnow.db.engine import Database
from winnow.db.sealed import KeyRing
from winnow.db.settings import DatabaseSettings
from winnow.publish import endpoints
from winnow.publish.attempt import Channel
from winnow.publish.settings import PublishSettings
from winnow.publish.signing_secret import platform_secret


class Secrets:
    """Read when needed: an endpoint's secret may change while messages wait for it."""

    def __init__(self, database: Database, stored: DatabaseSettings, settings: PublishSettings) -> None:
        self._database = database
        self._stored = stored
        self._settings = settings
        self._ring: KeyRing | None = None

    @property
    def folder(self) -> Path:
        return self._stored.folder

    async def key_ring(self) -> KeyRing:
        if self._ring is None:
            async with self._database.connection() as conn:
                self._ring = await keyring.open_ring(conn, self._stored)
        return self._ring

    async def of(self, channel: str, endpoint_id: int | None) -> str | None:
        """SealBroken when it is there and cannot be opened."""
        if endpoint_id is not None:
            own = await self._own(endpoint_id)
            if own is not None:
                return own
        if channel == Channel.SLACK:
            return self._settings.slack_webhook_url
        return platform_secret(self._settings, self.folder)

    async def _own(self, endpoint_id: int) -> str | None:
        """Use one connection at a time: holding one while waiting for a second can deadlock the pool."""
        async with self._database.connection() as conn:
            sealed = await endpoints.sealed_secret(conn, endpoint_id)
        return None if sealed is None else endpoints.opened(await self.key_ring(), endpoint_id, sealed)
