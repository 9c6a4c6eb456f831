"""Turning to a new key while everything runs (F-140): secrets of older keys are sealed anew, a few at a time.

The new key is the setting, the old one stays in CREDENTIAL_ENCRYPTION_OLD_KEYS_B64 until this says 0. Runs under way
are not disturbed: a row they hold is left for the next round, and a secret changed meanwhile is never overwritten.
"""

from __future__ import annotations

from typing import Any

import structlog
from psycopg import AsyncConnection

from winnow.db.sealed import KeyRing, seal, unseal
from winnow.feeds.credentials import bound_to

log = structlog.get_logger(__name__)

AT_ONCE = 50
_OLD = """
SELECT id, secret_ciphertext, secret_key_id, secret_version FROM affiliate_feeds
WHERE secret_ciphertext IS NOT NULL AND secret_key_id IS DISTINCT FROM %s
ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED
"""
_KEEP = "UPDATE affiliate_feeds SET secret_ciphertext = %s, secret_key_id = %s WHERE id = %s"


async def any_stored(conn: AsyncConnection[Any]) -> bool:
    """Without a secret there is nothing to do, and no key to be made for it."""
    found = await conn.execute("SELECT EXISTS (SELECT FROM affiliate_feeds WHERE secret_ciphertext IS NOT NULL)")
    row = await found.fetchone()
    return bool(row and row[0])


async def reseal(conn: AsyncConnection[Any], ring: KeyRing) -> int:
    """How many secrets were sealed anew. A secret whose key is not in the ring stops it: SealBroken, nothing lost."""
    total = 0
    while done := await _some(conn, ring):
        total += done
    if total:
        log.info("feed_secrets_resealed", count=total, key_id=ring.current)
    return total


async def _some(conn: AsyncConnection[Any], ring: KeyRing) -> int:
    async with conn.transaction():
        rows = await (await conn.execute(_OLD, (ring.current, AT_ONCE))).fetchall()
        for feed_id, blob, key_id, version in rows:
            aad = bound_to(feed_id, version)
            plain = unseal(ring, bytes(blob), aad, key_id)
            await conn.execute(_KEEP, (seal(ring, plain, aad), ring.current, feed_id))
    return len(rows)
