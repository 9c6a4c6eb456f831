"""The upkeep process, killed in the middle of sending: no message is lost, a repeat has the same id (R-24)."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from tests.publish.receiver import Receiver
from tests.waiting import LIMIT, until
from winnow.db.engine import Database
from winnow.publish import outbox

MESSAGES = 200


async def test_killed_while_sending(
    database: Database, database_url: str, tmp_path: Path, receiver: Receiver, subscribe: Any, rows: Any
) -> None:
    await subscribe(receiver.url, "price.*")
    async with database.transaction() as conn:
        await outbox.put(conn, [outbox.Message("price.changed", f"offer:{n}", {"n": n}) for n in range(MESSAGES)])
    receiver.pause = 0.02
    process = await upkeep(database_url, tmp_path)
    await receiver.wait_for(40)
    process.send_signal(signal.SIGKILL)
    await process.wait()
    await rows("UPDATE deliveries SET lease_until = now() WHERE status = 'sending'")
    receiver.pause = 0
    process = await upkeep(database_url, tmp_path)
    await until(partial(rows, "SELECT 1 FROM deliveries HAVING bool_and(status = 'delivered')"))
    process.send_signal(signal.SIGTERM)
    assert await asyncio.wait_for(process.wait(), LIMIT) == 0
    ids: dict[int, set[str]] = {}
    for got in receiver.got:
        ids.setdefault(got.data["data"]["n"], set()).add(got.id)
    assert sorted(ids) == list(range(MESSAGES)), "none is lost"
    assert all(len(seen) == 1 for seen in ids.values()), "a repeat is the same message"
    repeats = sum(times - 1 for times in Counter(got.id for got in receiver.got).values())
    assert repeats <= 32, "only what was on its way when it was killed"


async def upkeep(database_url: str, folder: Path) -> asyncio.subprocess.Process:
    environment = {
        **os.environ,
        "WINNOW_DATABASE_URL": database_url,
        "WINNOW_DATA_DIR": str(folder / "data"),
        "WINNOW_EGRESS_ALLOW": "127.0.0.0/8",
    }
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "winnow", "upkeep", env=environment, cwd=folder, stderr=asyncio.subprocess.DEVNULL
    )
