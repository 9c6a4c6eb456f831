"""The book of calls to outside services, and the budget that is counted from it.

A call is written down before it is made, so that a process that is killed has spent it, and two processes together
spend no more than the budget.
"""

from __future__ import annotations

from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.types.json import Jsonb

from winnow.errors import Trouble

Connection = AsyncConnection[Any]
LOCK = 0x77_73_76_63  # "wsvc"
KEEP_DAYS = 90
_SPENT = """
SELECT count(*), coalesce(sum(tokens), 0), min(created_at) + interval '24 hours' - now()
FROM service_calls WHERE service = %s AND created_at > now() - interval '24 hours'
"""
_OPEN = """
INSERT INTO service_calls (service, purpose, model, questions) VALUES (%s, %s, %s, %s) RETURNING id
"""
_CLOSE = """
UPDATE service_calls SET outcome = %(outcome)s, answered = %(answered)s, tokens = %(tokens)s, detail = %(detail)s,
                         discarded = %(discarded)s, duration_ms = %(duration_ms)s
WHERE id = %(id)s
"""
_FORGET = """
DELETE FROM service_calls WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM service_calls WHERE created_at < now() - make_interval(days => %s) LIMIT %s))
"""
_LAST = """
SELECT outcome FROM service_calls WHERE service = %s AND outcome <> 'asked' AND created_at > now() - interval '24 hours'
ORDER BY id DESC LIMIT 1
"""


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """What a service may be asked in any 24 hours. `tokens` 0 where it counts none."""

    requests: int
    tokens: int = 0


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a call ended. `discarded`: answers that were of no use, kept to improve the question (E-065)."""

    outcome: str = "ok"
    answered: int = 0
    tokens: int = 0
    detail: str | None = None
    discarded: list[Any] = []
    duration_ms: int = 0


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing is left of the budget; `seconds` until some of it is again."""

    seconds: float


async def begin(
    conn: Connection, service: str, budget: Budget, *, purpose: str, model: str = "", questions: int = 1
) -> int | Spent:
    """The id of the call that may be made now. In a transaction of its own: the lock lasts as long as that."""
    await conn.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (LOCK, service))
    row = await (await conn.execute(_SPENT, (service,))).fetchone()
    assert row is not None
    requests, tokens, left = row
    if requests >= budget.requests or (budget.tokens and tokens >= budget.tokens):
        return Spent(seconds=3600.0 if left is None else max(1.0, left.total_seconds()))
    found = await (await conn.execute(_OPEN, (service, purpose, model, questions))).fetchone()
    assert found is not None
    return int(found[0])


async def end(conn: Connection, call_id: int, ended: Ended) -> None:
    given = {
        "id": call_id,
        "outcome": ended.outcome,
        "answered": ended.answered,
        "tokens": ended.tokens,
        "detail": ended.detail,
        "discarded": Jsonb(ended.discarded),
        "duration_ms": ended.duration_ms,
    }
    await conn.execute(_CLOSE, given)


async def is_spent(conn: Connection, service: str, budget: Budget) -> bool:
    """Whether our budget is used up, or the service said so of the account."""
    row = await (await conn.execute(_SPENT, (service,))).fetchone()
    assert row is not None
    if row[0] >= budget.requests or (budget.tokens and row[1] >= budget.tokens):
        return True
    last = await (await conn.execute(_LAST, (service,))).fetchone()
    return last is not None and last[0] == Trouble.SPENT


async def forget(conn: Connection, n: int) -> int:
    return (await conn.execute(_FORGET, (KEEP_DAYS, n))).rowcount
