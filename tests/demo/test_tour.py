"""`winnow demo`, as a newcomer runs it: every claim of the tour, Ctrl-C, a taken port, and what was not seen."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from tests.waiting import LIMIT
from winnow.console.registry import discover
from winnow.demo import story, tour
from winnow.demo.scene import LeftOut, NotSeen
from winnow.fetch.browser.chromium import find_chromium
from winnow.queries import demo_tour as demo_tour_module
from winnow.queries.demo_tour import StepState

DEMO = [sys.executable, "-m", "winnow", "demo"]


def environment(folder: Path) -> dict[str, str]:
    """Nothing of ours, and temporary folders where this test can look."""
    folder.chmod(0o711)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("WINNOW_", "SCRAPER_"))}
    return {**kept, "TMPDIR": str(folder), "COLUMNS": "200"}


@pytest.fixture
def place() -> Iterator[Path]:
    """Reachable for the database's own user, as /tmp is."""
    with tempfile.TemporaryDirectory(prefix="winnow-test-") as folder:
        yield Path(folder)


def left_behind(folder: Path) -> list[Any]:
    """Folders, and processes that have one of them in their command, folder or environment."""
    found: list[Any] = sorted(folder.glob("winnow-demo-*"))
    for process in psutil.process_iter():
        try:
            words = [*process.cmdline(), process.cwd(), *process.environ().values()]
        except (psutil.AccessDenied, psutil.NoSuchProcess, psutil.ZombieProcess):
            continue
        if any(f"{folder}/winnow-demo-" in word for word in words):
            found.append(process)
    return found


@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_p107_every_claim_of_the_tour_is_seen_end_to_end(place: Path):
    done = subprocess.run(
        [*DEMO, "--fast"], cwd=place, env=environment(place), capture_output=True, text=True, timeout=1_100
    )
    assert done.returncode == 0, done.stdout + done.stderr
    left_out = 0 if find_chromium() else 1
    assert done.stdout.count("✓") == len(story.ACTS) + 1 - left_out
    for claim in ("have prices", "300 products of 300, each once", "offers active", "is left alone", "P1 alert",
                  "a person reviewed", "blocked: 36 of 72", "approved run", "replayed", "recovered",
                  "16 events from a list, a table and a calendar file",
                  "is event", "is cancelled, not gone", "lost no event"):  # fmt: skip
        assert claim in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert left_behind(place) == []


@contextmanager
def started(place: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """In a group of its own, so that Ctrl-C reaches all of it and none of us."""
    process = subprocess.Popen(
        [*DEMO, *options], cwd=place, env=environment(place), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_ctrl_c_stops_everything_and_leaves_nothing_and_it_starts_again(place: Path):
    for _ in range(2):
        with started(place) as process:
            assert process.stdout is not None
            seen = next(line for line in process.stdout if "Prices arrive" in line)
            os.killpg(process.pid, signal.SIGINT)
            said = process.stdout.read()
            assert process.wait(500) == 0, seen + said
            assert "Traceback" not in said
        assert left_behind(place) == []


def test_a_taken_port_is_one_line(place: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [*DEMO, "--port", str(port)],
            cwd=place,
            env=environment(place),
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
    assert done.returncode == 1
    assert re.fullmatch(rf"winnow: port {port} cannot be used \(.+\): give another --port, or none\n", done.stderr)
    assert left_behind(place) == []


def test_every_step_leads_to_a_page_of_the_console():
    assert {act.page for act in story.ACTS} <= {page.path for page in discover()}


# the story without its stage


def scene(folder: Path) -> Any:
    return SimpleNamespace(shop=SimpleNamespace(url="http://shop"), stage=SimpleNamespace(folder=folder))


def acts(*plays: Any) -> tuple[story.Act, ...]:
    return tuple(story.Act(f"act{n}", f"Act {n}", "/", play) for n, play in enumerate(plays))


async def seen(_: Any) -> str:
    return "it was there"


async def not_seen(_: Any) -> str:
    raise NotSeen("waited in vain")


async def left_out(_: Any) -> str:
    raise LeftOut("no Chromium")


async def test_the_guide_says_how_far_the_tour_is_and_stops_at_what_was_not_seen(tmp_path: Path):
    told: list[StepState] = []
    began = datetime(2026, 3, 1, tzinfo=UTC)
    play = story.Story(
        scene(tmp_path), acts(seen, left_out, not_seen, seen), began, lambda step: told.append(step.state)
    )
    waiting = demo_tour_module.read(tmp_path)
    assert waiting is not None
    assert {step.state for step in waiting.steps} == {StepState.WAITING}
    await play.play()
    stored = demo_tour_module.read(tmp_path)
    assert stored == play.guide
    assert [step.state for step in play.guide.steps] == [
        StepState.SEEN,
        StepState.LEFT_OUT,
        StepState.FAILED,
        StepState.WAITING,
    ]
    assert [tour._unseen(step) for step in play.guide.unseen] == ["act2 (waited in vain)", "act3 (not reached)"]
    assert told.count(StepState.DOING) == 3


def test_without_a_demo_there_is_no_guide(tmp_path: Path):
    assert demo_tour_module.read(tmp_path) is None
    (tmp_path / demo_tour_module.FILE).write_text("{")
    assert demo_tour_module.read(tmp_path) is None


@pytest.mark.parametrize("state", [StepState.FAILED, StepState.WAITING])
def test_fast_names_what_was_not_seen_and_fails(state: StepState, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    step = demo_tour_module.Step(
        id="spike", title="Drop half", page="/feeds", state=state, said="why" if state == "failed" else ""
    )
    found = demo_tour_module.Guide(shop="http://shop", began_at=datetime(2026, 3, 1, tzinfo=UTC), steps=(step,))

    async def run(self: tour.Tour, port: int | None) -> demo_tour_module.Guide:
        return found

    monkeypatch.setattr(tour.Tour, "run", run)
    with pytest.raises(NotSeen, match=r"not seen: spike \((why|not reached)\)"):
        tour.main(fast=True)
