"""Events for the pages that show them: a small calendar of two sources."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.api.event_rows import add_event
from tests.console import stage as make
from tests.console.conftest import Served

DELFT, ZWOLLE, MAASTRICHT = (52.0116, 4.3571), (52.5168, 6.083), (50.8514, 5.691)


def in_days(days: int) -> datetime:
    return datetime.now(UTC) + timedelta(days=days)


async def event(served: Served, source_id: int, title: str, **more: Any) -> int:
    at = more.pop("at", DELFT)
    more |= {"latitude": None, "longitude": None, "precision": None} if at is None else dict(
        zip(("latitude", "longitude"), at, strict=True)
    )  # fmt: skip
    async with served.database() as database:
        return await add_event(database, source_id, title, **more)


async def town(served: Served, name: str) -> tuple[int, list[int]]:
    """(source, events): jazz in Delft, a play in Zwolle that was cancelled, an exhibition in Maastricht, one without
    a place, a past one and a hidden one."""
    source = make.source(served, name)
    found = [
        await event(served, source, f"Jazz of {name}", at=DELFT, starts_at=in_days(2), sold_out=True),
        await event(served, source, f"Play of {name}", at=ZWOLLE, starts_at=in_days(4), category="theatre",
                    venue_name="Schouwburg", event_status="cancelled"),
        await event(served, source, f"Prints of {name} <b>x</b>", at=MAASTRICHT, starts_at=in_days(-3),
                    event_time="TBD", end_date=in_days(40).date(), venue_name="Museum", category="arts"),
        await event(served, source, f"Nowhere of {name}", at=None),
        await event(served, source, f"Yesterday of {name}", starts_at=in_days(-1)),
        await event(served, source, f"Spam of {name}", status="hidden"),
    ]  # fmt: skip
    return source, found
