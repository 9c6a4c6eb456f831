"""A process that stores page bodies in a local folder. Reads frames from stdin, answers on stdout.

A frame is a 4-byte big-endian length and msgpack: for each body its hash, where that is known, and its length. The
bodies follow as they are. The answer is a frame with how each is stored, or with what went wrong.
"""

from __future__ import annotations

import contextlib
import signal
import struct
import sys
from pathlib import Path
from typing import BinaryIO

import msgspec

from winnow.errors import WinnowError
from winnow.fetch.folder import Folder, Stored

HEADER = struct.Struct(">I")
Order = list[tuple[str | None, int]]


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """`code` and `message` are those of the error that ended it."""

    stored: list[Stored] = []
    code: str = ""
    message: str = ""


def main(folder: Folder, stdin: BinaryIO, stdout: BinaryIO) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the worker; it closes our stdin when it is done
    decode, encode = msgspec.msgpack.Decoder(Order).decode, msgspec.msgpack.Encoder().encode
    while header := stdin.read(HEADER.size):
        order = decode(stdin.read(HEADER.unpack(header)[0]))
        answer = encode(_answer(folder, [(name, stdin.read(length)) for name, length in order]))
        stdout.write(HEADER.pack(len(answer)) + answer)
        stdout.flush()


def _answer(folder: Folder, given: list[tuple[str | None, bytes]]) -> Answer:
    try:
        return Answer(folder.put_many(given))
    except WinnowError as failed:
        return Answer(code=failed.code, message=str(failed))


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):  # the worker is gone; so are we
        main(Folder(Path(sys.argv[1])), sys.stdin.buffer, sys.stdout.buffer)
