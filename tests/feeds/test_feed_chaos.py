"""The short versions of tests/chaos/feed_races.py and feed_kills.py."""

from __future__ import annotations

from pathlib import Path

from tests.chaos import feed_kills, feed_races
from tests.feeds.shop import Shop
from winnow.db.engine import Database


async def test_f053_f056_f091_two_at_once_have_one_effect(database: Database, tmp_path: Path) -> None:
    shop = Shop(database, tmp_path / "feeds")
    await shop.open()
    ended = await feed_races.race(shop, 5)
    assert set(ended) == {race.__name__ for race in feed_races.RACES}


async def test_f063_a_killed_load_ends_as_an_undisturbed_one(server_url: str, tmp_path: Path) -> None:
    compared = await feed_kills.compare(server_url, tmp_path, 2_000, 1)
    assert compared["prices"] >= 2_000
