from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.feeds.shop import Shop
from winnow.db.engine import Database
from winnow.observe import logs
from winnow.observe.settings import ObserveSettings


@pytest.fixture
async def shop(database: Database, tmp_path: Path) -> Shop:
    made = Shop(database, tmp_path / "feeds")
    await made.open()
    return made


@pytest.fixture
def told() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    logs.configure(ObserveSettings(log_level="DEBUG"), stream)
    yield stream
    logs.configure(ObserveSettings())
