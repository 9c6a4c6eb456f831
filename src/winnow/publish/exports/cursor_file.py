"""The cursor of a row of exports, kept in a file beside them: each export takes what changed since the one before."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import orjson

from winnow.errors import InvalidInput
from winnow.publish.exports.datasets import Audience, Dataset


def read(path: Path, dataset: Dataset, audience: Audience) -> datetime | None:
    """None when there is no file yet."""
    try:
        kept = orjson.loads(path.read_bytes())
        owner, since = (kept["dataset"], kept["audience"]), datetime.fromisoformat(kept["since"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        raise InvalidInput(f"{path} is no cursor of an export", field="cursor") from None
    if owner != (dataset.name, audience.value):
        raise InvalidInput(f"{path} is the cursor of {owner[0]} for {owner[1]}s", field="cursor")
    return since


def write(path: Path, dataset: Dataset, audience: Audience, since: datetime) -> None:
    beside = path.with_name(f".{path.name}.part")
    kept = {"dataset": dataset.name, "audience": audience.value, "since": since.isoformat()}
    with beside.open("wb") as out:
        out.write(orjson.dumps(kept) + b"\n")
        out.flush()
        os.fsync(out.fileno())
    beside.replace(path)
