"""The demo's tour as others can show it: its steps and what was seen of them, in one file of the data folder.

The demo writes it, the console reads it. Where no demo runs there is no file, and nothing to show.
"""

from __future__ import annotations

import os
from datetime import datetime
from enum import StrEnum
from pathlib import Path

import msgspec

FILE = "tour.json"


class StepState(StrEnum):
    WAITING = "waiting"
    DOING = "doing"
    SEEN = "seen"
    LEFT_OUT = "left_out"  # it needs something this machine does not have; `said` names it
    FAILED = "failed"


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """`page` is where the console shows it; `said` what was seen, or why it was not."""

    id: str
    title: str
    page: str
    state: StepState = StepState.WAITING
    said: str = ""


class Guide(msgspec.Struct, frozen=True, kw_only=True):
    shop: str
    began_at: datetime
    steps: tuple[Step, ...]

    def with_step(self, changed: Step) -> Guide:
        steps = tuple(changed if step.id == changed.id else step for step in self.steps)
        return msgspec.structs.replace(self, steps=steps)

    @property
    def unseen(self) -> list[Step]:
        return [step for step in self.steps if step.state not in (StepState.SEEN, StepState.LEFT_OUT)]


def write(folder: Path, guide: Guide) -> None:
    """Whole or not at all: whoever reads meanwhile gets the one before."""
    fresh = folder / f"{FILE}.new"
    fresh.write_bytes(msgspec.json.encode(guide))
    os.replace(fresh, folder / FILE)


def read(folder: Path) -> Guide | None:
    """None: no demo runs in this folder."""
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=Guide)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
