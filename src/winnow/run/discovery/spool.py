"""Results of discovery that could not be stored because the database was away: lines of JSON in a file, which a person
imports when it is back (E-023)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from winnow.errors import InvalidInput, NotFound
from winnow.run.discovery.examine import Found
from winnow.services.web_search import Hit

FOLDER = "discovery"
DONE = ".imported"


class SpooledHits(msgspec.Struct, frozen=True, kw_only=True, tag="hits"):
    """What one query of a job brought; `checkpoint` is the job's after it."""

    job_id: int
    query: str
    checkpoint: int
    hits: list[Hit]


class SpooledFound(msgspec.Struct, frozen=True, kw_only=True, tag="candidate"):
    found: Found


Spooled = SpooledHits | SpooledFound


def append(folder: Path, one: Spooled, now: datetime) -> Path:
    """One file a day; readable by its owner only, as everything in the data folder."""
    target = folder / FOLDER
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = target / f"results-{now:%Y-%m-%d}.jsonl"
    with file.open("ab") as opened:
        opened.write(msgspec.json.encode(one) + b"\n")
        opened.flush()
    return file


def waiting(folder: Path) -> list[Path]:
    return sorted((folder / FOLDER).glob("*.jsonl"))


def read(file: Path) -> Iterator[Spooled]:
    decode = msgspec.json.Decoder(Spooled).decode
    if not file.is_file():
        raise NotFound(f"there is no file {file}")
    for n, line in enumerate(file.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as wrong:
            raise InvalidInput(f"line {n} of {file.name} is no result of discovery: {wrong}") from None


def mark_imported(file: Path) -> Path:
    return file.rename(file.with_name(file.name + DONE))
