"""Runs tests in a few processes: `python -m tests.suite fast|all|servers [arguments of pytest]`.

A file is run by one process, in its order: some build on the test before, and share what was costly to start.
Nothing is run twice: a test that fails now and then is a defect of the test or of what it tests.
"""

from __future__ import annotations

import os
import subprocess
import sys

PROCESSES = min((os.cpu_count() or 2) + 1, 4)  # a third of the time is waiting for sites, browsers and clocks
SELECTED = {
    "fast": "not (slow or browser or servers)",
    "all": "not servers",
    "servers": "servers",
}
NOTHING_SELECTED = 5  # pytest's exit code


def main(selection: str, *arguments: str) -> int:
    by_file = ("--dist", "loadfile", "--no-loadscope-reorder")  # in the order of tests/conftest.py: the longest first
    processes = 0 if selection == "servers" else PROCESSES  # collecting costs more than these few tests
    ended = pytest("-m", SELECTED[selection], "-n", str(processes), *by_file, "--durations=20", *arguments)
    return 0 if selection == "servers" and ended == NOTHING_SELECTED else ended


def pytest(*arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *arguments]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
