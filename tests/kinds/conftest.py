"""A plugin package with one kind, installed for the test and for every process it starts."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.kinds import notices
from winnow.db.engine import Database
from winnow.kinds.registry import all_kinds


@pytest.fixture
def notice_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    packages = tmp_path / "packages"
    info = packages / "winnow_notices-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: winnow-notices\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[winnow.kinds]\nnotice = tests.kinds.notices:NOTICE\n")
    root = Path(__file__).parents[2]
    path = [str(packages), str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path))
    monkeypatch.syspath_prepend(str(packages))
    all_kinds.cache_clear()
    yield
    all_kinds.cache_clear()


@pytest.fixture
async def notices_table(database: Database) -> AsyncIterator[None]:
    async with database.transaction() as conn:
        await conn.execute(notices.TABLE)
    yield
    async with database.transaction() as conn:
        await conn.execute("DROP TABLE notices")
