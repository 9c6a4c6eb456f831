"""Both ends of the pipes between a process and its children."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.waiting import LIMIT
from winnow.child_process.child import ChildProcess
from winnow.child_process.frames import BUFFERS_AT_ONCE, HEADER

ECHO = """
    from winnow.child_process.parent import serving
    with serving() as parent:
        while (frame := parent.receive()) is not None:
            parent.send(frame)
"""
LARGE = os.urandom(3 << 20)  # more than any pipe holds


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Makes a child of this source text."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, sys.path)]))

    def write(source: str, name: str = "child_under_test") -> str:
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(source))
        return name

    return write


@pytest.fixture
def echo(module) -> Iterator[ChildProcess]:
    child = ChildProcess(module(ECHO), pipe_bytes=1 << 20)
    child.start()
    yield child
    child.stop()


@pytest.mark.parametrize("frames", [[b""], [b"x"], [b"x", b"", b"xyz"]])
def test_frames_arrive_as_they_were_sent(echo: ChildProcess, frames: list[bytes]):
    echo.send(*frames)
    assert [echo.receive() for _ in frames] == frames


async def test_a_frame_that_no_pipe_holds_arrives(echo: ChildProcess):
    """The child reads all of it before it answers."""
    await asyncio.to_thread(echo.send, LARGE)
    assert await asyncio.to_thread(echo.receive) == LARGE


@pytest.mark.parametrize("frame", [b"", b"x", LARGE], ids=["empty", "small", "large"])
async def test_a_frame_arrives_without_holding_up_the_loop(echo: ChildProcess, frame: bytes):
    sending = asyncio.create_task(echo.send_soon(frame))
    assert await echo.receive_soon() == frame
    await sending


async def test_many_frames_keep_their_order(echo: ChildProcess):
    frames = [b"%d" % n for n in range(2 * BUFFERS_AT_ONCE)]
    sending = asyncio.create_task(echo.send_soon(*frames))
    assert [await echo.receive_soon() for _ in frames] == frames
    await sending


def test_one_that_ended_says_so_and_can_be_started_again(echo: ChildProcess):
    first = echo.pid
    os.kill(first, signal.SIGKILL)
    with pytest.raises(EOFError):
        echo.receive()
    echo.stop()
    assert not echo.alive
    echo.start()
    assert echo.pid != first
    echo.send(b"again")
    assert echo.receive() == b"again"


def test_one_that_is_not_running_answers_nothing(echo: ChildProcess):
    echo.stop()
    with pytest.raises(EOFError):
        echo.send(b"x")
    echo.stop()


async def test_killing_wakes_whoever_waits(echo: ChildProcess):
    waiting = asyncio.create_task(asyncio.to_thread(echo.receive))
    await asyncio.sleep(0)
    echo.kill()
    with pytest.raises(EOFError):
        await waiting


async def test_one_that_was_stopped_is_gone(echo: ChildProcess):
    pid = echo.pid
    await echo.stop_soon()
    assert not psutil.pid_exists(pid)


def test_when_nothing_more_comes_it_ends_by_itself(echo: ChildProcess):
    process = psutil.Process(echo.pid)
    echo.close_input()
    assert process.wait(timeout=LIMIT) == 0


@pytest.mark.parametrize("cut", [2, 6], ids=["of its length", "of its bytes"])
def test_half_a_frame_is_no_frame(module, cut: int):
    sent = (HEADER.pack(5) + b"whole")[:cut]
    done = subprocess.run([sys.executable, "-m", module(ECHO)], input=sent, capture_output=True, timeout=LIMIT)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_one_whose_parent_does_not_listen_any_more_ends_without_a_word(module):
    command = [sys.executable, "-m", module(ECHO)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdout.close()
    child.stdin.write(HEADER.pack(1) + b"x")
    child.stdin.close()
    assert child.stderr is not None
    assert child.stderr.read() == b""
    child.wait(timeout=LIMIT)


def test_r17_memory_is_limited_before_anything_is_read(module):
    greedy = """
        from winnow.child_process.parent import serving
        with serving(memory_mb=256) as parent:
            try:
                bytearray(512 << 20)
            except MemoryError:
                parent.send(b"limited")
    """
    child = ChildProcess(module(greedy))
    child.start()
    assert child.receive() == b"limited"
    child.stop()


def test_ctrl_c_is_left_to_the_parent(echo: ChildProcess):
    echo.send(b"x")
    echo.receive()
    os.kill(echo.pid, signal.SIGINT)
    echo.send(b"still there")
    assert echo.receive() == b"still there"


def test_a_child_does_not_know_the_secrets_of_its_parent(module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINNOW_DATABASE_URL", "postgresql://winnow:secret@db/winnow")
    monkeypatch.setenv("SCRAPER_SERVICE_KEY", "secret")
    source = """
        import os
        from winnow.child_process.parent import serving
        with serving() as parent:
            parent.send(repr(sorted(os.environ)).encode())
            parent.receive()
    """
    child = ChildProcess(module(source))
    child.start()
    names = child.receive().decode()
    child.stop()
    assert "'PATH'" in names
    assert "WINNOW" not in names
    assert "SCRAPER" not in names
