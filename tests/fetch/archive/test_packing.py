"""Bodies are stored by a child process: what its end, or its worker's end, changes. That it stores them as the archive
does is tested with the archive."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import psutil
import pytest

from tests.fetch.archive.archived_pages import replace_by_a_file
from tests.waiting import LIMIT
from winnow.child_process.frames import HEADER
from winnow.errors import ArchiveError, ArchiveFull
from winnow.fetch.archive.folder import Folder, hash_of
from winnow.fetch.archive.packing import PackingProcess

BODIES = [(None, b"page %d " % n * 2_000) for n in range(30)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "pages"


@pytest.fixture
def packing(folder: Path) -> Iterator[PackingProcess]:
    Folder(folder)
    opened = PackingProcess(folder)
    yield opened
    opened.close()


def children() -> list[psutil.Process]:
    mine = psutil.Process().children()
    return [child for child in mine if "winnow.fetch.archive.packing_child" in child.cmdline()]


def test_it_stores_what_the_folder_itself_would(packing: PackingProcess, folder: Path, tmp_path: Path) -> None:
    assert packing.put_many(BODIES) == Folder(tmp_path / "other").put_many(BODIES)
    assert packing.put_many([]) == []


def test_more_bodies_than_one_write_takes(packing: PackingProcess) -> None:
    many = [(None, b"%d" % n) for n in range(1_500)]
    assert [item.raw_bytes for item in packing.put_many(many)] == [len(body) for _, body in many]


def test_r27_one_that_was_killed_is_replaced_and_nothing_is_lost(packing: PackingProcess, folder: Path) -> None:
    first = packing.put_many(BODIES[:10])
    [child] = children()
    child.kill()
    stored = packing.put_many(BODIES)
    assert stored[:10] == first
    assert all(Folder(folder).get(item.hash) for item in stored)
    assert [other.pid for other in children()] != [child.pid]


def test_one_that_keeps_ending_is_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    packing = PackingProcess(folder)
    with pytest.raises(ArchiveError, match="keeps ending"):
        packing.put_many(BODIES)
    packing.close()


def test_a_folder_that_loses_its_place_is_told(packing: PackingProcess, folder: Path) -> None:
    replace_by_a_file(folder)
    with pytest.raises(ArchiveError) as failed:
        packing.put_many(BODIES)
    assert not isinstance(failed.value, ArchiveFull)


FULL_DISK = """
import os, resource, sys
from pathlib import Path
from winnow.errors import ArchiveFull
from winnow.fetch.archive.folder import Folder
from winnow.fetch.archive.packing import PackingProcess

folder = Path(sys.argv[1])
Folder(folder)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
packing = PackingProcess(folder)
try:
    packing.put_many([(None, b"tiny"), (None, os.urandom(50_000))])
except ArchiveFull as full:
    print(full.code)
assert packing.put_many([(None, b"tiny")])
packing.close()
"""


def test_e078_a_full_disk_is_told_as_such(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL_DISK, str(folder)], capture_output=True, text=True, timeout=LIMIT)
    assert (done.stdout.strip(), done.stderr) == ("archive_full", "")


KILLED = """
import os, signal, sys
from pathlib import Path
from winnow.fetch.archive.folder import Folder
from winnow.fetch.archive.packing import PackingProcess

Folder(Path(sys.argv[1]))
packing = PackingProcess(Path(sys.argv[1]))
packing.put_many([(None, b"a page")])
print(packing._child.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_r05_it_ends_with_its_worker_however_that_ended(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder)], capture_output=True, text=True, timeout=LIMIT)
    pid = int(done.stdout)
    if psutil.pid_exists(pid):
        psutil.Process(pid).wait(timeout=LIMIT)
    assert not psutil.pid_exists(pid)


def test_r27_half_a_body_of_a_killed_worker_is_not_stored(folder: Path) -> None:
    """Under the name of the whole one it would be taken for it ever after."""
    whole = b"a page " * 10_000
    frames = [msgspec.msgpack.encode([hash_of(b"first"), hash_of(whole)]), b"first", whole]
    sent = b"".join(HEADER.pack(len(frame)) + frame for frame in frames)[: 5_000 - len(whole)]
    for cut in (sent, sent[:-5_000], sent[:20], sent[:2]):
        command = [sys.executable, "-m", "winnow.fetch.archive.packing_child", str(folder)]
        done = subprocess.run(command, input=cut, capture_output=True, timeout=LIMIT)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert not list(folder.rglob("*.zst"))


def test_closing_leaves_no_process(folder: Path) -> None:
    Folder(folder)
    packing = PackingProcess(folder)
    [child] = children()
    packing.close()
    assert not child.is_running()
    assert os.path.isdir(folder)
