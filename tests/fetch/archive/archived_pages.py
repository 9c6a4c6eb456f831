"""Archived bodies and the rows of pages that name them, of any age."""

from __future__ import annotations

import os
import time
from pathlib import Path
from uuid import UUID, uuid4

from winnow.db.engine import Connection
from winnow.fetch.archive.archive import Archive


def age_files(folder: Path, hours: float = 2.0) -> None:
    at = time.time() - hours * 3600
    for path in folder.rglob("*.zst"):
        os.utime(path, (at, at))


async def page(conn: Connection, content_hash: str | None, days: float, **more: object) -> UUID:
    given = {"id": uuid4(), "url": "u", "final_url": "u", "outcome": "ok", "fetch_duration_ms": 1, **more}
    given["content_hash"] = content_hash
    names = ", ".join(given)
    await conn.execute(
        f"INSERT INTO pages ({names}, created_at) VALUES ({', '.join(['%s'] * len(given))}, "
        "now() - %s * interval '1 day')",
        (*given.values(), days),
    )
    return given["id"]


async def stored(archive: Archive, text: str) -> str:
    return (await archive.put(text.encode())).hash


def replace_by_a_file(folder: Path) -> None:
    folder.rmdir()
    folder.write_bytes(b"in the way")
