"""A plugin package with the kind `concert`, and a source whose lists lead on."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.run.conftest import *  # noqa: F403 - a worker, a site and a database to run against
from winnow.db.engine import Database
from winnow.kinds.registry import all_kinds


@pytest.fixture
def concert_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    packages = tmp_path / "packages"
    info = packages / "winnow_concerts-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: winnow-concerts\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[winnow.kinds]\nconcert = tests.follow.concerts:CONCERT\n")
    root = Path(__file__).parents[2]
    path = [str(packages), str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path))
    monkeypatch.syspath_prepend(str(packages))
    all_kinds.cache_clear()
    yield
    all_kinds.cache_clear()


@pytest.fixture
def agenda(database: Database, watch: Any, concert_kind: None) -> Callable[..., Awaitable[int]]:
    """A source of concerts with these pages, that follows links as `follow` and `more` of its configuration say."""

    async def add(urls: list[str], follow: dict[str, int] | None = None, concurrent: int = 64, **more: Any) -> int:
        source: int = await watch(urls, adapter="concert", concurrent=concurrent)
        config = {"follow": follow or {"next_page": 20, "detail": 50, "item": 50, "feed": 5, "image": 5}, **more}
        async with database.transaction() as conn:
            await conn.execute("UPDATE sources SET kind = 'concert', scrape_config = %s", (json.dumps(config),))
            await conn.execute("UPDATE scrape_targets SET kind = 'concert'")
        return source

    return add


RUN = """
SELECT status, urls_planned, urls_attempted, urls_failed, links_found, links_waiting, links_queued, links_cut
FROM scrape_runs WHERE id = %s
"""


@pytest.fixture
def counters(rows: Any) -> Callable[[int], Awaitable[dict[str, Any]]]:
    """How a run stands, by the names of its columns."""
    names = ("status", "planned", "attempted", "failed", "found", "waiting", "queued", "cut")

    async def read(run_id: int) -> dict[str, Any]:
        (row,) = await rows(RUN, run_id)
        return dict(zip(names, row, strict=True))

    return read
