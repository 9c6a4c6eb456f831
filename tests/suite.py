"""Runs every test, and the files of what failed once more, alone.

A file is run by one process, in its order: some tell a story from test to test, and share what was costly to start.

Real servers, browsers and clocks share a few processes here, and a test that waits for one of them can lose a race on a
machine that stood still for a moment. So after a handful of failures their files are run again, one after the other,
and both outcomes are printed. What fails twice fails; so does any number of failures that no slow moment explains.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

PROCESSES = min((os.cpu_count() or 2) + 1, 4)  # a third of the time is waiting for sites, browsers and clocks
AGAIN_AT_MOST = 12
SOME_FAILED = 1  # pytest's exit code; anything else is not about a test
FAILED = Path(".pytest_cache/v/cache/lastfailed")


def main(arguments: list[str]) -> int:
    FAILED.unlink(missing_ok=True)
    by_file = ("--dist", "loadfile", "--no-loadscope-reorder")  # in the order of tests/conftest.py: the longest first
    ended = pytest("-n", str(PROCESSES), *by_file, "--durations=20", *arguments)
    if ended != SOME_FAILED or not FAILED.exists():
        return ended
    failed = sorted(json.loads(FAILED.read_text()))
    if len(failed) > AGAIN_AT_MOST:
        print(f"{len(failed)} tests failed: too many to blame on a slow moment", flush=True)
        return ended
    print(f"\nOnce more, alone: {len(failed)} that failed beside the others", *failed, sep="\n  ", flush=True)
    return pytest("-p", "no:xdist", "-v", *sorted({name.partition("::")[0] for name in failed}))


def pytest(*arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *arguments]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
