"""The people who may use the console: argon2id passwords and roles. How they come in is in `logins`.

A person's password is guessable, so its hash is slow on purpose; it is computed in a thread, a few at a time.
"""

from __future__ import annotations

import asyncio
import os
import re
import secrets
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from psycopg import AsyncConnection
from psycopg.errors import UniqueViolation
from psycopg.rows import class_row

from winnow.errors import Conflict, InvalidInput, NotFound
from winnow.observe import audit

SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 200
GENERATED_GROUPS = 4  # of five characters: 98 bits
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that look alike
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_MAX_CONCURRENT = 2  # hashes computed at the same time: each takes 64 MiB

Connection = AsyncConnection[Any]


class UserRole(StrEnum):
    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"

    def may(self, needed: UserRole) -> bool:
        return _RANK[self] >= _RANK[needed]


_RANK = {UserRole.VIEWER: 0, UserRole.OPERATOR: 1, UserRole.ADMIN: 2}


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """A user as listed: everything but the password."""

    id: int
    username: str
    role: str
    enabled: bool
    must_change_password: bool
    last_login_at: datetime | None
    locked_until: datetime | None
    created_at: datetime


_COLUMNS = "id, username, role, enabled, must_change_password, last_login_at, locked_until, created_at"
_ADD = f"""
INSERT INTO users (username, password_hash, role, must_change_password) VALUES (%s, %s, %s, %s) RETURNING {_COLUMNS}
"""
_PASSWORD = f"""
UPDATE users SET password_hash = %s, must_change_password = %s, password_changed_at = now(), updated_at = now(),
    failed_logins = 0, locked_until = NULL, session_epoch = session_epoch + 1
WHERE lower(username) = lower(%s) RETURNING {_COLUMNS}
"""
# The last admin who can log in is kept, because only an admin can create another.
_OTHER_ADMIN = "SELECT 1 FROM users WHERE role = 'admin' AND enabled AND lower(username) <> lower(%s) LIMIT 1"

_hashing = ThreadPoolExecutor(_MAX_CONCURRENT, thread_name_prefix="passwords")


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()


def generate_password() -> str:
    """Easy to read aloud and to type."""
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(5)) for _ in range(GENERATED_GROUPS))


async def add(
    conn: Connection, username: str, password: str, role: UserRole, actor: str, *, must_change: bool = False
) -> Person:
    if not _NAME.fullmatch(username):
        raise InvalidInput("a name has 1 to 64 letters, digits or ._@-, and begins with a letter or digit", "username")
    _check_password(password, username)
    given = (username, await _hash(password), role.value, must_change)
    async with conn.transaction():
        try:
            async with conn.transaction():
                made = await _one(conn, _ADD, given)
        except UniqueViolation:
            raise Conflict(f"there is a user {username!r} already", existing=username) from None
        assert made is not None
        await audit.record(conn, actor, "user.created", "user", made.username, after={"role": made.role})
    return made


async def listed(conn: Connection) -> list[Person]:
    async with conn.cursor(row_factory=class_row(Person)) as cursor:
        await cursor.execute(f"SELECT {_COLUMNS} FROM users ORDER BY lower(username)")
        return await cursor.fetchall()


async def set_role(conn: Connection, username: str, role: UserRole, actor: str) -> Person:
    """Takes effect with the next request of the person: sessions are looked up each time."""
    async with conn.transaction():
        before = await _locked_row(conn, username)
        if role is not UserRole.ADMIN:
            await _keep_an_admin(conn, before)
        changed = await _one(
            conn,
            f"UPDATE users SET role = %s, updated_at = now() WHERE id = %s RETURNING {_COLUMNS}",
            (role.value, before.id),
        )
        assert changed is not None
        await audit.record(
            conn, actor, "user.role_changed", "user", before.username, {"role": before.role}, {"role": changed.role}
        )
    return changed


async def set_enabled(conn: Connection, username: str, enabled: bool, actor: str) -> Person:
    """Disabling also ends every session of that person."""
    async with conn.transaction():
        before = await _locked_row(conn, username)
        if not enabled:
            await _keep_an_admin(conn, before)
        changed = await _one(
            conn,
            "UPDATE users SET enabled = %s, session_epoch = session_epoch + 1, updated_at = now() "
            f"WHERE id = %s RETURNING {_COLUMNS}",
            (enabled, before.id),
        )
        assert changed is not None
        action = "user.enabled" if enabled else "user.disabled"
        await audit.record(
            conn, actor, action, "user", before.username, {"enabled": before.enabled}, {"enabled": enabled}
        )
    return changed


async def set_password(conn: Connection, username: str, password: str, actor: str, *, must_change: bool) -> Person:
    """Ends every session of that person, and a lock."""
    _check_password(password, username)
    hashed = await _hash(password)
    async with conn.transaction():
        changed = await _one(conn, _PASSWORD, (hashed, must_change, username))
        if changed is None:
            raise NotFound(f"there is no user {username!r}")
        await audit.record(conn, actor, "user.password_changed", "user", changed.username)
    return changed


async def has_any(conn: Connection) -> bool:
    return await (await conn.execute("SELECT 1 FROM users LIMIT 1")).fetchone() is not None


async def _locked_row(conn: Connection, username: str) -> Person:
    found = await _one(conn, f"SELECT {_COLUMNS} FROM users WHERE lower(username) = lower(%s) FOR UPDATE", (username,))
    if found is None:
        raise NotFound(f"there is no user {username!r}")
    return found


async def _keep_an_admin(conn: Connection, person: Person) -> None:
    if person.role != UserRole.ADMIN or not person.enabled:
        return
    if await (await conn.execute(_OTHER_ADMIN, (person.username,))).fetchone() is None:
        raise Conflict(f"{person.username!r} is the only admin who can log in: make another one first")


async def _one(conn: Connection, statement: str, given: tuple[Any, ...]) -> Person | None:
    async with conn.cursor(row_factory=class_row(Person)) as cursor:
        await cursor.execute(statement, given)
        return await cursor.fetchone()


def _check_password(password: str, username: str) -> None:
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise InvalidInput(f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters", field="password")
    if password.casefold() == username.casefold():
        raise InvalidInput("the password is the name", field="password")


async def _hash(password: str) -> str:
    return await asyncio.get_running_loop().run_in_executor(_hashing, _hasher().hash, password)


async def matches(password: str, hashed: str) -> bool:
    if len(password) > LONGEST_PASSWORD:
        return False
    try:
        return await asyncio.get_running_loop().run_in_executor(_hashing, _hasher().verify, hashed, password)
    except (VerificationError, InvalidHashError):
        return False


FIRST_ADMIN, PASSWORD_FILE = "admin", "console-password"


async def first_admin(conn: Connection, folder: Path) -> str | None:
    """Creates an admin in an empty database, keeps the password in `folder` and returns it; None when there is a user
    already. Of several processes that start at the same time, one creates it."""
    if await has_any(conn):
        return None
    password = generate_password()
    try:
        await add(conn, FIRST_ADMIN, password, UserRole.ADMIN, "system")
    except Conflict:
        return None
    await asyncio.to_thread(_keep, folder, password)
    return password


def _keep(folder: Path, password: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / PASSWORD_FILE
    kept.unlink(missing_ok=True)
    with os.fdopen(os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(password + "\n")
