"""Where the keys of sealed secrets come from: the setting, else a file in the data folder (DESIGN §11.20).

The file is made with the first secret. Once secrets are stored a missing key stops the start (R-23): a new one
would look fine and open nothing.
"""

from __future__ import annotations

import base64
import secrets
from pathlib import Path
from typing import Any

from psycopg import AsyncConnection

from winnow.db import secret_file
from winnow.db.sealed import KEY_BYTES, KeyRing, parse_key, ring_of
from winnow.db.settings import DatabaseSettings
from winnow.errors import ConfigError

SETTING = "CREDENTIAL_ENCRYPTION_KEY_B64"
FILE = "credentials.key"

# Key ids of what is stored; proxies keep none, their blobs are tried with every key.
_STORED = """
SELECT secret_key_id FROM affiliate_feeds WHERE secret_ciphertext IS NOT NULL
UNION SELECT secret_key_id FROM webhook_endpoints WHERE secret_ciphertext IS NOT NULL
UNION SELECT NULL FROM proxies WHERE proxy_password IS NOT NULL
"""


async def open_ring(conn: AsyncConnection[Any], settings: DatabaseSettings) -> KeyRing:
    """The ring of this installation. ConfigError when the key of stored secrets is missing or another one."""
    found = await stored(conn)
    ring = load_ring(settings, create=not found)
    named = found - {None}
    if named and not named & set(ring.ids):
        raise ConfigError(f"{SETTING} is not the key the stored secrets were sealed with: set the one that was used")
    return ring


async def stored(conn: AsyncConnection[Any]) -> set[str | None]:
    """Ids of the keys secrets are sealed with; None among them where a table keeps none."""
    return {row[0] for row in await (await conn.execute(_STORED)).fetchall()}


def load_ring(settings: DatabaseSettings, *, create: bool) -> KeyRing:
    file = settings.folder / FILE
    kept = parse_key(file.read_text(), str(file)) if file.exists() else None
    older = [parse_key(text, "CREDENTIAL_ENCRYPTION_OLD_KEYS_B64") for text in settings.older_keys]
    if settings.credential_key is not None:
        given = parse_key(settings.credential_key.get_secret_value(), SETTING)
        return ring_of(given, [*older, kept] if kept else older)
    if kept is None and not create:
        raise ConfigError(f"secrets are stored, but their key is gone: set {SETTING}, or bring back {file}")
    return ring_of(kept or _make(file), older)


def _make(file: Path) -> bytes:
    secret_file.make(file, base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode())
    return parse_key(file.read_text(), str(file))
