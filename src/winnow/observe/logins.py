"""Logging in. Every attempt is counted before the password is looked at, so that many guesses at the same time are
still counted one by one: for its name, and for the address it comes from.

What is answered, and how long that takes, says nothing about names: an unknown one, a locked one and a wrong password
get the same sentence after the same work.
"""

from __future__ import annotations

import asyncio
import secrets
from functools import cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

import msgspec
import structlog
from argon2 import PasswordHasher
from psycopg import AsyncConnection
from psycopg.rows import class_row

from winnow.errors import WinnowError
from winnow.observe.users import matches

log = structlog.get_logger(__name__)

LOCK_AFTER = 5  # failures in a row
LOCK_MINUTES = 15  # how long the name is refused then; failures further apart than this are not in a row
MAX_FAILURES_PER_ADDRESS = 30  # failures in LOCK_MINUTES, for whatever names: an office behind one address mistypes too
KEEP_DAYS = 1  # addresses are kept so long

REFUSED = f"Wrong name or password. After {LOCK_AFTER} failed attempts an account is locked for {LOCK_MINUTES} minutes."

Connection = AsyncConnection[Any]


class LoginRefused(WinnowError):
    code = "login_refused"


class TooManyLogins(LoginRefused):
    """Of this address; whatever name is tried."""

    code = "too_many_logins"


class _Checked(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    password_hash: str
    enabled: bool


_BY_ADDRESS = f"""
INSERT INTO login_addresses AS known (address) VALUES (%s) ON CONFLICT (address) DO UPDATE SET
    failures = CASE WHEN known.since > now() - interval '{LOCK_MINUTES} minutes' THEN known.failures + 1 ELSE 1 END,
    since = CASE WHEN known.since > now() - interval '{LOCK_MINUTES} minutes' THEN known.since ELSE now() END
RETURNING failures
"""
_BY_NAME = f"""
UPDATE users SET
    failed_logins = tried.failures, last_failed_at = now(),
    locked_until = CASE WHEN tried.failures >= {LOCK_AFTER} THEN now() + interval '{LOCK_MINUTES} minutes' END
FROM (SELECT id, 1 + CASE WHEN last_failed_at > now() - interval '{LOCK_MINUTES} minutes' THEN failed_logins ELSE 0 END
             AS failures FROM users WHERE lower(username) = lower(%s) FOR UPDATE) AS tried
WHERE users.id = tried.id AND (locked_until IS NULL OR locked_until <= now())
RETURNING users.id, password_hash, enabled
"""
_ENTERED = """
UPDATE users SET failed_logins = 0, last_failed_at = NULL, locked_until = NULL, last_login_at = now() WHERE id = %s
"""
# Only this attempt is taken back: who has one password must not be able to guess others without end.
_TAKE_BACK = "UPDATE login_addresses SET failures = failures - 1 WHERE address = %s AND failures > 0"
_FORGET = f"DELETE FROM login_addresses WHERE since < now() - interval '{KEEP_DAYS} days'"


@cache
def _dummy_hash() -> str:
    """A hash to verify against when the user does not exist, so that both cases take the same time."""
    return PasswordHasher().hash(secrets.token_hex(16))


async def log_in(conn: Connection, username: str, password: str, address: str | None) -> int:
    """The user's id, or LoginRefused."""
    place = rate_limit_key(address)
    async with conn.transaction():  # one commit, whether there is such a name or not
        failures = await _count(conn, place)
        tried = None if failures > MAX_FAILURES_PER_ADDRESS else await _attempt(conn, username)
    if failures > MAX_FAILURES_PER_ADDRESS:
        log.warning("login_refused", address=place, why="address")
        raise TooManyLogins(f"too many failed attempts from your address; try again in {LOCK_MINUTES} minutes")
    dummy = await asyncio.to_thread(_dummy_hash)
    right = await matches(password, tried.password_hash if tried else dummy)
    if tried is None or not right or not tried.enabled:
        log.warning("login_refused", address=place, why="name or password")
        raise LoginRefused(REFUSED)
    async with conn.transaction():
        await conn.execute(_ENTERED, (tried.id,))
        await conn.execute(_TAKE_BACK, (place,))
        await conn.execute(_FORGET)
    return tried.id


def rate_limit_key(address: str | None) -> str:
    """An IPv6 customer has a whole /64 to choose addresses from: it counts as one."""
    try:
        parsed = ip_address((address or "").partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, 64), strict=False)) if parsed.version == 6 else str(parsed)


async def _count(conn: Connection, place: str) -> int:
    found = await (await conn.execute(_BY_ADDRESS, (place,))).fetchone()
    assert found is not None
    return int(found[0])


async def _attempt(conn: Connection, username: str) -> _Checked | None:
    async with conn.cursor(row_factory=class_row(_Checked)) as cursor:
        await cursor.execute(_BY_NAME, (username.replace("\0", "\N{REPLACEMENT CHARACTER}"),))
        return await cursor.fetchone()
