"""A process that stores page bodies in a local folder. Reads frames from stdin, answers on stdout.

A frame is a 4-byte big-endian length and msgpack: for each body its hash, where that is known, and its length. The
bodies follow as they are. The answer is a frame with how each is stored, or with what went wrong.
"""

from __future__ import annotations

import contextlib
import signal
import struct
import sys
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

import msgspec

from winnow.errors import WinnowError
from winnow.fetch.archive.folder import Folder, Stored

HEADER = struct.Struct(">I")
Order = list[tuple[str | None, int]]


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """`code` and `message` are those of the error that ended it."""

    stored: list[Stored] = []
    code: str = ""
    message: str = ""


def main(folder: Folder, stdin: BufferedReader, stdout: BinaryIO) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the worker; it closes our stdin when it is done
    decode, encode = msgspec.msgpack.Decoder(Order).decode, msgspec.msgpack.Encoder().encode
    while stdin.peek(1):
        order = decode(_read(stdin, HEADER.unpack(_read(stdin, HEADER.size))[0]))
        answer = encode(_answer(folder, [(name, _read(stdin, length)) for name, length in order]))
        stdout.write(HEADER.pack(len(answer)) + answer)
        stdout.flush()


def _read(stdin: BufferedReader, length: int) -> bytes:
    """All of it: half a body must never be stored under the name of the whole one."""
    data = stdin.read(length)
    if len(data) < length:
        raise EOFError
    return data


def _answer(folder: Folder, given: list[tuple[str | None, bytes]]) -> Answer:
    try:
        return Answer(folder.put_many(given))
    except WinnowError as failed:
        return Answer(code=failed.code, message=str(failed))


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError, EOFError):  # the worker is gone; so are we
        main(Folder(Path(sys.argv[1])), cast(BufferedReader, sys.stdin.buffer), sys.stdout.buffer)
