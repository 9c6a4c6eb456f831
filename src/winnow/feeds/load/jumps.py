"""Counts the prices of a run that are many times the price consumers saw before, or a fraction of it."""

from __future__ import annotations

from winnow.db.sql import load
from winnow.feeds.feed import Connection

# A wrong decimal point makes a price 10, 100 or 1 000 times as high; no sale takes 80 % off most of a catalogue.
JUMP_FACTOR = 5
_COUNT = load("feeds/load/load_jumps.sql")


async def count(conn: Connection, run_id: int) -> int:
    """Of all attempts of a run, by its stored prices; a run of one attempt counts while it loads (load_chunk.sql)."""
    row = await (await conn.execute(_COUNT, {"run_id": run_id, "jump_factor": JUMP_FACTOR})).fetchone()
    return int(row[0]) if row else 0
