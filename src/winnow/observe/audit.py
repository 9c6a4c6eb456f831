"""Who changed what: written in the transaction of the change, so that neither exists without the other."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import structlog
from psycopg import AsyncConnection
from psycopg.types.json import Jsonb

from winnow.observe import mask

Fields = Mapping[str, Any]

_RECORD = """
INSERT INTO audit_log (actor, action, object_type, object_id, before, after, reason, request_id)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
"""


async def record(
    conn: AsyncConnection[Any],
    actor: str,
    action: str,
    object_type: str,
    object_id: object,
    before: Fields | None = None,
    after: Fields | None = None,
    reason: str | None = None,
) -> None:
    """`before` and `after` hold the fields that changed; secrets are named, never masked (F-101)."""
    request_id = structlog.contextvars.get_contextvars().get("request_id")
    masked = [None if side is None else Jsonb(_mask_secrets(side)) for side in (before, after)]
    await conn.execute(
        _RECORD, (actor, action, object_type, str(object_id), *masked, reason, request_id and str(request_id))
    )


def changes(before: Fields, after: Fields) -> tuple[dict[str, Any], dict[str, Any]]:
    """Only the fields that differ, from both sides."""
    names = [n for n in after if before.get(n) != after[n]]
    return {n: before.get(n) for n in names}, {n: after[n] for n in names}


def _mask_secrets(fields: Fields) -> dict[str, Any]:
    """URLs keep their query here: an audit entry has to tell two targets apart, and only admins read it."""
    return {name: mask.HIDDEN if mask.is_secret_name(name) else _to_json(value) for name, value in fields.items()}


def _to_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _mask_secrets(value)
    if isinstance(value, list | tuple):
        return [_to_json(v) for v in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, UUID | Decimal | timedelta):
        return str(value)
    return value
