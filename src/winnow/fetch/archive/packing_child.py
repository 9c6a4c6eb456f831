"""A process that stores page bodies in a local folder: `python -m winnow.fetch.archive.packing_child FOLDER`.

A message is a frame with an `Order`, msgpack, and one frame for each body as it is. The answer is a frame with how each
is stored, or with what went wrong.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from winnow.child_process.parent import Parent, serving
from winnow.errors import WinnowError
from winnow.fetch.archive.folder import Body, Folder, StoredBody

Order = list[str | None]  # for each body its hash, where that is known


class PackingAnswer(msgspec.Struct, frozen=True, array_like=True):
    """`code` and `message` are those of the error that ended it."""

    stored: list[StoredBody] = []
    code: str = ""
    message: str = ""


def main(parent: Parent, folder: Folder) -> None:
    decode, encode = msgspec.msgpack.Decoder(Order).decode, msgspec.msgpack.Encoder().encode
    while (order := parent.receive()) is not None:
        parent.send(encode(_answer(folder, [(name, parent.expect()) for name in decode(order)])))


def _answer(folder: Folder, bodies: list[Body]) -> PackingAnswer:
    try:
        return PackingAnswer(folder.put_many(bodies))
    except WinnowError as failed:
        return PackingAnswer(code=failed.code, message=str(failed))


if __name__ == "__main__":
    with serving() as parent:
        main(parent, Folder(Path(sys.argv[1])))
