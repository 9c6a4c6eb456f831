"""A feed's password: sealed for this feed and this version of it, opened only by the worker (F-097 … F-102)."""

from __future__ import annotations

import structlog

from winnow.db.engine import Database
from winnow.db.keyring import open_ring
from winnow.db.sealed import KeyRing, seal, unseal
from winnow.db.settings import DatabaseSettings
from winnow.errors import SealBroken
from winnow.feeds.failures import Misconfigured
from winnow.feeds.feed import Connection, Feed
from winnow.observe import audit

log = structlog.get_logger(__name__)

_KEEP = """
UPDATE affiliate_feeds
SET secret_ciphertext = %s, secret_key_id = %s, secret_version = %s, updated_at = now() WHERE id = %s
"""


def bound_to(feed_id: int, version: int) -> str:
    """F-099: a secret copied to another feed, or an old one put back, does not open."""
    return f"feed:{feed_id}:v{version}"


class SecretUnreadable(Misconfigured, SealBroken):
    """The stored secret cannot be decrypted: the key is a different one, or the row was changed. Never retried
    (F-118)."""

    code = "SECRET_UNREADABLE"
    hint = "set the key it was sealed with, or say the password again with `winnow feed change FEED --password`"


class FeedSecrets:
    """Opens the key ring when the first secret is asked for."""

    def __init__(self, database: Database, stored: DatabaseSettings) -> None:
        self._database, self._stored = database, stored
        self._ring: KeyRing | None = None

    async def secret(self, feed: Feed) -> str | None:
        if feed.secret_ciphertext is None:
            return None
        aad = bound_to(feed.id, feed.secret_version)
        try:
            return unseal(await self.key_ring(), bytes(feed.secret_ciphertext), aad, feed.secret_key_id).decode()
        except SealBroken as broken:
            raise SecretUnreadable(str(broken)) from None

    async def key_ring(self) -> KeyRing:
        if self._ring is None:
            async with self._database.connection() as conn:
                self._ring = await open_ring(conn, self._stored)
        return self._ring

    async def change(self, conn: Connection, actor: str, feed: Feed, password: str | None) -> None:
        """Change credentials; None keeps the stored value (F-102). The audit names the field, never its value
        (F-101)."""
        if not password:
            return
        ring, version = await self.key_ring(), feed.secret_version + 1
        sealed = seal(ring, password.encode(), bound_to(feed.id, version))
        await conn.execute(_KEEP, (sealed, ring.current, version, feed.id))
        await audit.record(conn, actor, "CREDENTIAL_CHANGED", "feed", feed.id, None, {"field_name": "password"})
        log.info("CREDENTIAL_CHANGED", feed_id=feed.id, field_name="password", actor=actor)
