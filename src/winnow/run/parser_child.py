"""A process that parses pages and can be killed (R-17). Reads frames from stdin, answers on stdout.

A frame is a 4-byte big-endian length and msgpack. It imports nothing that talks to a network or a
database, and limits its own memory before it touches a page.
"""

from __future__ import annotations

import contextlib
import resource
import signal
import struct
import sys
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from winnow.extract.adapter import Adapter, Context, Registry
from winnow.extract.adapters.selectors import load_adapter
from winnow.extract.page import Page
from winnow.judge.assess import assess
from winnow.run.adapters import registry

HEADER = struct.Struct(">I")
READY = HEADER.pack(0)  # an empty frame: everything is imported


class Job(msgspec.Struct, frozen=True, array_like=True):
    """`version` "" is the live one; `file` is a TOML file that stands for the adapter."""

    page: Page
    adapter_id: str
    context: Context
    version: str = ""
    file: str = ""


def main(memory_mb: int, seconds: float, folder: Path | None, stdin: BinaryIO, stdout: BinaryIO) -> None:
    """`seconds` is for when nobody is left to stop us: a worker that was killed leaves the page we hang on to us."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the worker; it closes our stdin when it is done
    resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
    adapters = registry(folder)
    decode = msgspec.msgpack.Decoder(Job).decode
    encode = msgspec.msgpack.Encoder().encode
    stdout.write(READY)
    stdout.flush()
    while header := stdin.read(HEADER.size):
        job = decode(stdin.read(HEADER.unpack(header)[0]))
        adapter = _adapter(job, adapters)
        signal.setitimer(signal.ITIMER_REAL, seconds)  # SIGALRM ends the process, whatever it is busy with
        answer = encode(assess(job.page, adapter, job.context))
        signal.setitimer(signal.ITIMER_REAL, 0)
        stdout.write(HEADER.pack(len(answer)) + answer)
        stdout.flush()


def _adapter(job: Job, adapters: Registry) -> Adapter[Any]:
    if job.file:
        return _from_file(job.file)
    found = adapters.version(job.adapter_id, job.version) if job.version else adapters.get(job.adapter_id)
    assert found is not None, (job.adapter_id, job.version)
    return found


@cache
def _from_file(path: str) -> Adapter[Any]:
    return load_adapter(Path(path))


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):  # the worker is gone; so are we
        folder = Path(sys.argv[3]) if sys.argv[3] else None
        main(int(sys.argv[1]), float(sys.argv[2]), folder, sys.stdin.buffer, sys.stdout.buffer)
