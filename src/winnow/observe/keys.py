"""API keys: `wk_<prefix>_<secret>`, shown once, kept as a hash, scoped (R-25).

A fast hash is right here: the secret is 256 random bits, so there is nothing to guess and a slow hash
would only cost time on every request. (A password a person chose is another matter; see `ChosenKey`.)
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.errors import UniqueViolation
from psycopg.rows import class_row

from winnow.errors import Conflict, InvalidInput, NotFound
from winnow.observe import audit

PREFIX_BYTES, SECRET_BYTES = 4, 32
_SHAPE = re.compile(rb"wk_([0-9a-f]{8})_[0-9a-f]{64}")
_NO_HASH = bytes(32)  # compared with when there is no such prefix, so that both cases take the same time

ALL_WORKSPACES = "*"  # what a key of a backend that serves several customers has for its workspace

Connection = AsyncConnection[Any]


class Scope(StrEnum):
    ADMIN = "admin"
    SCRAPE = "scrape"
    READ = "read"


# What each scope may do besides itself: admin everything, a scraping backend may also read.
IMPLIED = {
    Scope.ADMIN: frozenset(Scope),
    Scope.SCRAPE: frozenset({Scope.SCRAPE, Scope.READ}),
    Scope.READ: frozenset({Scope.READ}),
}


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """The caller of a request. `name` is stored in the audit trail.

    What the scraping service was asked for belongs to the workspace it was asked for: a caller sees that of its own.
    """

    name: str
    scopes: tuple[Scope, ...]
    key_id: int | None = None
    workspace_id: str | None = None

    def may(self, scope: Scope) -> bool:
        return any(scope in IMPLIED[held] for held in self.scopes)

    @property
    def serves_all_workspaces(self) -> bool:
        return Scope.ADMIN in self.scopes or self.workspace_id == ALL_WORKSPACES

    def serves(self, workspace_id: str | None) -> bool:
        """Whether the caller may submit for this workspace and see what was submitted for it."""
        return self.serves_all_workspaces or (workspace_id is not None and workspace_id == self.workspace_id)


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A key without its secret, as it is listed."""

    id: int
    name: str
    prefix: str
    scopes: list[str]
    workspace_id: str | None
    created_at: datetime
    created_by: str | None
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class _Stored(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    name: str
    key_hash: bytes
    scopes: list[str]
    workspace_id: str | None


class ChosenKey:
    """`SCRAPER_SERVICE_KEY`: a key the operator chose, for the scrape scope (DESIGN §11.20).

    It stays in the process: it may be guessable, and a fast hash of it has no business in a table.
    """

    def __init__(self, configured: str | None) -> None:
        self._digest = _digest(configured.encode()) if configured and configured.strip() else None

    def caller(self, given: bytes) -> Caller | None:
        if self._digest is None or not hmac.compare_digest(self._digest, _digest(given)):
            return None
        return Caller(name="SCRAPER_SERVICE_KEY", scopes=(Scope.SCRAPE,), workspace_id=ALL_WORKSPACES)


_COLUMNS = "id, name, prefix, scopes, workspace_id, created_at, created_by, expires_at, revoked_at, last_used_at"
_CREATE = f"""
INSERT INTO api_keys (name, prefix, key_hash, scopes, workspace_id, created_by, expires_at)
VALUES (%s, %s, %s, %s, %s, %s, now() + %s * interval '1 day')
RETURNING {_COLUMNS}
"""
_FIND = """
SELECT id, name, key_hash, scopes, workspace_id FROM api_keys
WHERE prefix = %s AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
"""
_REVOKE = f"""
UPDATE api_keys SET revoked_at = now(), revoked_by = %s
WHERE revoked_at IS NULL AND (prefix = %s OR name = %s OR id::text = %s) RETURNING {_COLUMNS}
"""


async def create(
    conn: Connection,
    name: str,
    scopes: Sequence[Scope],
    actor: str,
    *,
    days: float | None = None,
    workspace_id: str | None = None,
) -> tuple[Key, str]:
    """The key and its secret text, which exists nowhere else afterwards."""
    if not name.strip() or not name.isprintable() or len(name) > 100:
        raise InvalidInput("a key needs a name of 1 to 100 printable characters", field="name")
    if not scopes:
        raise InvalidInput("a key needs at least one scope", field="scopes")
    _check_workspace(scopes, workspace_id)
    prefix, secret = secrets.token_hex(PREFIX_BYTES), secrets.token_hex(SECRET_BYTES)
    key = f"wk_{prefix}_{secret}"
    given = (name, prefix, _digest(key.encode()), sorted(set(scopes)), workspace_id, actor, days)
    async with conn.transaction():
        made = await _insert(conn, name, given)
        await audit.record(conn, actor, "key.created", "key", made.id, after=_described(made))
    return made, key


def _described(key: Key) -> dict[str, Any]:
    stated = {"name": key.name, "scopes": key.scopes, "workspace_id": key.workspace_id}
    return {name: value for name, value in stated.items() if value is not None}


def _check_workspace(scopes: Sequence[Scope], workspace_id: str | None) -> None:
    if workspace_id is None:
        if Scope.SCRAPE in scopes and Scope.ADMIN not in scopes:
            raise InvalidInput(
                f"a key with the scope scrape needs the workspace it serves, or {ALL_WORKSPACES!r} for all of them",
                field="workspace_id",
            )
    elif not workspace_id.strip() or not workspace_id.isprintable() or len(workspace_id) > 200:
        raise InvalidInput("a workspace is 1 to 200 printable characters", field="workspace_id")


async def _insert(conn: Connection, name: str, given: tuple[Any, ...]) -> Key:
    try:
        async with conn.cursor(row_factory=class_row(Key)) as cursor:
            await cursor.execute(_CREATE, given)
            made = await cursor.fetchone()
    except UniqueViolation:
        raise Conflict(f"there is a key named {name!r} already; revoke it first", existing=name) from None
    assert made is not None
    return made


async def listed(conn: Connection, *, revoked: bool = False) -> list[Key]:
    where = "" if revoked else "WHERE revoked_at IS NULL"
    async with conn.cursor(row_factory=class_row(Key)) as cursor:
        await cursor.execute(f"SELECT {_COLUMNS} FROM api_keys {where} ORDER BY id")
        return await cursor.fetchall()


async def revoke(conn: Connection, which: str, actor: str) -> Key:
    """`which` is a name, a prefix or an id. A revoked key is refused at the next request."""
    which = which.removeprefix("wk_").split("_")[0] if which.startswith("wk_") else which
    async with conn.transaction(), conn.cursor(row_factory=class_row(Key)) as cursor:
        await cursor.execute(_REVOKE, (actor, which, which, which))
        found = await cursor.fetchall()
        if len(found) > 1:
            raise Conflict(f"{which!r} means {len(found)} keys: name one by its prefix")
        if not found:
            raise NotFound(f"there is no key {which!r} that is valid")
        await audit.record(conn, actor, "key.revoked", "key", found[0].id, before={"name": found[0].name})
    return found[0]


async def verify(conn: Connection, given: bytes) -> Caller | None:
    """Whose key this is; None for anything that is not a valid key, whatever bytes it is made of."""
    shape = _SHAPE.fullmatch(given)
    stored = await _stored(conn, shape[1].decode("ascii")) if shape else []
    digest = _digest(given)
    matching = [s for s in stored or [_EMPTY] if hmac.compare_digest(s.key_hash, digest)]
    if not matching:
        return None
    key = matching[0]
    return Caller(
        name=f"key:{key.name}",
        scopes=tuple(Scope(s) for s in key.scopes),
        key_id=key.id,
        workspace_id=key.workspace_id,
    )


async def record_use(conn: Connection, key_id: int) -> None:
    """Store the time of use, to the minute, so that unused keys can be found."""
    await conn.execute(
        "UPDATE api_keys SET last_used_at = now() WHERE id = %s "
        "AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')",
        (key_id,),
    )


async def _stored(conn: Connection, prefix: str) -> list[_Stored]:
    async with conn.cursor(row_factory=class_row(_Stored)) as cursor:
        await cursor.execute(_FIND, (prefix,))
        return await cursor.fetchall()


def _digest(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()


_EMPTY = _Stored(id=0, name="", key_hash=_NO_HASH, scopes=[], workspace_id=None)
