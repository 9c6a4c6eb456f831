"""`winnow up` keeps its parts: none outlives it, not even one that was being started when it was told to stop."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.waiting import LIMIT
from winnow.run import up
from winnow.run.up import SupervisedProcess, supervise


def sleeper() -> SupervisedProcess:
    return SupervisedProcess("sleeper", [sys.executable, "-c", "import time; time.sleep(600)"])


async def test_a_part_that_is_being_started_is_stopped_as_well(monkeypatch):
    stopping, part = asyncio.Event(), sleeper()
    start = asyncio.create_subprocess_exec

    async def told_meanwhile(*command: str, **options: object) -> asyncio.subprocess.Process:
        stopping.set()
        await asyncio.sleep(0.05)  # the stop of the others has gone by
        return await start(*command, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(up.asyncio, "create_subprocess_exec", told_meanwhile)
    await asyncio.wait_for(supervise([part], stopping), LIMIT)
    assert part.process is not None
    assert part.process.returncode is not None


async def test_the_logs_of_the_parts_go_where_they_are_told_to(tmp_path: Path):
    stopping = asyncio.Event()
    part = SupervisedProcess(
        "talker", [sys.executable, "-c", "import sys; print('hello', file=sys.stderr, flush=True); input()"]
    )
    with (tmp_path / "log").open("ab") as log:
        watching = asyncio.create_task(supervise([part], stopping, log))
        while b"hello" not in (tmp_path / "log").read_bytes():
            await asyncio.sleep(0.05)
        stopping.set()
        await asyncio.wait_for(watching, LIMIT)
