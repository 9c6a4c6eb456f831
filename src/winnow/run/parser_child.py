"""A process that parses pages and can be killed (R-17): `python -m winnow.run.parser_child`.

A frame is a `ParseJob`, the answer an `Assessment`, both msgpack; the first frame it sends is empty and says that it is
ready. It imports nothing that talks to a network or a database, and limits its own memory before it touches a page.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import msgspec

from winnow.child_process.parent import Parent, limited_cpu, serving
from winnow.extract.adapter import Adapter, Context, Registry
from winnow.extract.adapters.selectors import load_adapter
from winnow.extract.page import Page
from winnow.kinds.adapters import registry
from winnow.kinds.agenda_survey import survey
from winnow.kinds.assess import assess
from winnow.kinds.registry import all_kinds

READY = b""  # everything is imported


class ParseJob(msgspec.Struct, frozen=True, array_like=True):
    """`version` "" is the live one; `file` is a TOML file that stands for the adapter. `survey`: the answer is a
    `PageSurvey`."""

    page: Page
    adapter_id: str
    context: Context
    kind: str = "offer"
    version: str = ""
    file: str = ""
    survey: bool = False


def main(parent: Parent, seconds: float, folder: Path | None) -> None:
    """Parse pages until the parent closes. `seconds`: processor time that one page may use."""
    kinds, adapters = all_kinds(), registry(folder)
    decode = msgspec.msgpack.Decoder(ParseJob).decode
    encode = msgspec.msgpack.Encoder().encode
    parent.send(READY)
    while (frame := parent.receive()) is not None:
        job = decode(frame)
        if job.survey:
            with limited_cpu(seconds):
                answer = encode(survey(job.page))
            parent.send(answer)
            continue
        adapter = _adapter(job, adapters)
        kind = kinds.of_task(job.kind, adapter.id)
        assert kind is not None, job.kind
        with limited_cpu(seconds):
            answer = encode(assess(job.page, adapter, kind, job.context))
        parent.send(answer)


def _adapter(job: ParseJob, adapters: Registry) -> Adapter:
    if job.file:
        return _from_file(job.file)
    found = adapters.version(job.adapter_id, job.version) if job.version else adapters.get(job.adapter_id)
    assert found is not None, (job.adapter_id, job.version)
    return found


@cache
def _from_file(path: str) -> Adapter:
    return load_adapter(Path(path))


if __name__ == "__main__":
    memory_mb, seconds, folder = sys.argv[1:]
    with serving(memory_mb=int(memory_mb)) as parent:
        main(parent, float(seconds), Path(folder) if folder else None)
