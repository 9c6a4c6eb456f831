"""The peers' own environment, `.peers` in the repository's root, made when it is first needed.

    python -m bench.peers

makes it ahead of time and prints its Python.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.harness import ROOT, BenchFailed

REQUIREMENTS = Path(__file__).with_name("peers.txt")


def peers_python(folder: Path = ROOT / ".peers", requirements: Path = REQUIREMENTS) -> Path:
    """Python with the peers; built again when the list has changed. Two benchmarks may ask at once."""
    with _alone(requirements):
        stamp = folder / "installed"
        wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
        if not stamp.exists() or stamp.read_text() != wanted:
            _install(folder, requirements)
            stamp.write_text(wanted)
    return folder / "bin" / "python"


def _install(folder: Path, requirements: Path) -> None:
    print(f"installing the peers into {folder}", file=sys.stderr, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    _run(sys.executable, "-m", "venv", str(folder))
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run(*pip, "-r", str(requirements))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or [done.stderr[-500:]]
        raise BenchFailed(f"the peers could not be installed ({' '.join(command[:4])} …): {lines[-1]}")


@contextmanager
def _alone(requirements: Path) -> Iterator[None]:
    with requirements.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    print(peers_python())
