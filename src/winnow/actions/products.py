"""A person's decisions about products and prices: manual links and corrections, audited in the same transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from winnow.db.engine import Connection
from winnow.observe import audit
from winnow.store import corrections, resolver


async def link(conn: Connection, actor: str, offer_id: int, product_id: int, reason: str = "") -> None:
    before = await resolver.link(conn, offer_id, product_id, actor, reason or "by hand")
    after = {"product_id": product_id, "method": "manual"}
    await audit.record(conn, actor, "offer.linked", "offer", offer_id, before, after, reason or None)


async def unlink(conn: Connection, actor: str, offer_id: int) -> None:
    before = await resolver.unlink(conn, offer_id)
    await audit.record(conn, actor, "offer.unlinked", "offer", offer_id, before)


async def correct(conn: Connection, actor: str, given: Mapping[str, Any]) -> int:
    made = await corrections.add(conn, actor, given)
    await audit.record(conn, actor, "correction.added", "correction", made, after=given, reason=given["reason"])
    return made


async def revoke_correction(conn: Connection, actor: str, correction_id: int) -> None:
    before = await corrections.revoke(conn, actor, correction_id)
    await audit.record(conn, actor, "correction.revoked", "correction", correction_id, before=before)
