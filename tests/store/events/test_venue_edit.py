"""What a person says about a venue stays, whatever its sources state later."""

from __future__ import annotations

from typing import Any

import pytest

from tests.store.events.event_rows import event, list_events, source
from winnow.actions import events as actions
from winnow.db.engine import Database
from winnow.errors import InvalidInput, NotFound

STATED = {"latitude": 52.3622, "longitude": 4.8838}
PLACE = "SELECT title, latitude, longitude, precision FROM shown_events ORDER BY title"


async def rows(database: Database, query: str) -> list[Any]:
    async with database.connection() as conn:
        return await (await conn.execute(query)).fetchall()


async def test_e062_a_person_places_a_venue_for_good(database: Database) -> None:
    own = await source(database)
    await list_events(database, own, event("Jazz", on=3, **STATED))
    ((venue_id,),) = await rows(database, "SELECT id FROM venues")
    async with database.transaction() as conn:
        changed = await actions.correct_venue(conn, "ann", venue_id, {"latitude": 52.5, "longitude": 4.9})
        assert changed == {"latitude": [52.3622, 52.5], "longitude": [4.8838, 4.9]}
        assert await actions.correct_venue(conn, "ann", venue_id, {"latitude": 52.5, "longitude": 4.9}) == {}
    await list_events(database, own, event("Jazz", on=3, sold_out=True, **STATED), event("Soul", on=4, **STATED))
    assert await rows(database, PLACE) == [("Jazz", 52.5, 4.9, "exact"), ("Soul", 52.5, 4.9, "exact")]
    located = "SELECT count(*) FROM outbox WHERE topic = 'event.changed' AND payload ->> 'cause' = 'located'"
    assert await rows(database, located) == [(1,)]


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"id": 3}, InvalidInput),
        ({"name": ""}, InvalidInput),
        ({"country": "nl"}, InvalidInput),
        ({"longitude": 4.9}, InvalidInput),
        ({"latitude": 52.0, "longitude": 181.0}, InvalidInput),
        ({"name": "Nobody's"}, NotFound),
    ],
)
async def test_a_correction_that_makes_no_sense_is_refused(
    database: Database, values: dict[str, Any], error: type[Exception]
) -> None:
    async with database.transaction() as conn:
        with pytest.raises(error):
            await actions.correct_venue(conn, "ann", 999, values)
