"""What a run logged, and what tests of runs do to them."""

from __future__ import annotations

import io
from typing import Any

import msgspec

from tests.feeds.shop import Shop
from winnow.feeds import feed as feeds


def events(told: io.StringIO) -> dict[str, dict[str, Any]]:
    """The first line of each event."""
    found: dict[str, dict[str, Any]] = {}
    for line in told.getvalue().splitlines():
        said = msgspec.json.decode(line)
        found.setdefault(said["event"], said)
    return found


def forget(told: io.StringIO) -> None:
    told.seek(0)
    told.truncate()


def replaced(shop: Shop, **values: Any) -> None:
    shop.means = msgspec.structs.replace(shop.means, **values)


async def is_lock_free(shop: Shop) -> bool:
    """Whether somebody else could take the feed's lock."""
    async with shop.database.dedicated() as conn:
        feed = await feeds.get(conn, shop.feed_id)
        got = await feeds.try_lock(conn, feed)
        if got:
            await feeds.unlock(conn, feed)
        return got
