"""Sessions of the console. The browser has a random token, the table its hash: a session can be ended at any time,
and is looked up whenever something is done with it (DESIGN §11.22)."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row

from winnow.observe import audit
from winnow.observe.users import UserRole

IDLE_HOURS = 12  # an idle session ends
LONGEST_HOURS = 24 * 7  # and so does any other one, in the end
FORGOTTEN_DAYS = 30  # ended sessions are kept so long
TOKEN_BYTES = 32

Connection = AsyncConnection[Any]


class LoginSession(msgspec.Struct, frozen=True, kw_only=True):
    """A logged-in user. `actor` is stored in the audit trail."""

    id: int
    user_id: int
    username: str
    role: UserRole
    must_change_password: bool

    @property
    def actor(self) -> str:
        return f"user:{self.username}"


_OPEN = f"""
INSERT INTO user_sessions (token_hash, user_id, epoch, expires_at, address, agent)
SELECT %s, id, session_epoch, now() + interval '{LONGEST_HOURS} hours', %s, %s FROM users WHERE id = %s AND enabled
RETURNING id
"""
_FORGET = "DELETE FROM user_sessions WHERE user_id = %s AND last_seen_at < now() - %s * interval '1 day'"
_VALID = f"""
s.ended_at IS NULL AND s.expires_at > now() AND s.last_seen_at > now() - interval '{IDLE_HOURS} hours'
AND u.enabled AND u.session_epoch = s.epoch
"""
_FIND = f"""
SELECT s.id, u.id AS user_id, u.username, u.role, u.must_change_password
FROM user_sessions s JOIN users u ON u.id = s.user_id WHERE s.token_hash = %s AND {_VALID}
"""
# To the minute: enough to see who is idle, and most events write nothing.
_SEEN = "UPDATE user_sessions SET last_seen_at = now() WHERE id = %s AND last_seen_at < now() - interval '1 minute'"
_STILL = f"SELECT s.id FROM user_sessions s JOIN users u ON u.id = s.user_id WHERE s.id = ANY(%s) AND {_VALID}"
_END = "UPDATE user_sessions SET ended_at = now() WHERE id = %s AND ended_at IS NULL RETURNING id"


async def begin(conn: Connection, user_id: int, *, address: str | None, agent: str | None) -> str:
    """A new session; the token exists nowhere but in the answer."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    async with conn.transaction():
        await conn.execute(_FORGET, (user_id, FORGOTTEN_DAYS))
        await conn.execute(_OPEN, (digest(token), _short(address), _short(agent), user_id))
        session = await find(conn, token)
        if session is not None:
            after = {"address": _short(address)}
            await audit.record(conn, session.actor, "user.logged_in", "user", session.username, after=after)
    return token


async def find(conn: Connection, token: str) -> LoginSession | None:
    async with conn.cursor(row_factory=class_row(LoginSession)) as cursor:
        await cursor.execute(_FIND, (digest(token),))
        found = await cursor.fetchone()
    return None if found is None else msgspec.structs.replace(found, role=UserRole(found.role))


async def seen(conn: Connection, session: LoginSession) -> None:
    await conn.execute(_SEEN, (session.id,))


async def still_valid(conn: Connection, ids: list[int]) -> set[int]:
    return {row[0] for row in await (await conn.execute(_STILL, (ids,))).fetchall()}


async def end(conn: Connection, session: LoginSession) -> None:
    async with conn.transaction():
        if await (await conn.execute(_END, (session.id,))).fetchone() is not None:
            await audit.record(conn, session.actor, "user.logged_out", "user", session.username)


def digest(token: str) -> bytes:
    """A fast hash is right: the token is 256 random bits."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _short(text: str | None) -> str | None:
    return None if text is None else text.replace("\0", "")[:200]
