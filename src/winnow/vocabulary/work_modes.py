"""What stands where a job's place belongs and is none (`data/work_modes.json`)."""

from __future__ import annotations

from functools import cache

import msgspec

from winnow.vocabulary.load import gather, load


class WorkModes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """In lower case, words parted by blanks. `modes` say how or how long is worked ("remote", "full time"), `beside`
    are words that stand with a mode or a place and name nothing alone ("or", "only", "office")."""

    modes: tuple[str, ...]
    beside: tuple[str, ...] = ()


@cache
def work_modes() -> frozenset[str]:
    return frozenset(gather(load("work_modes", dict[str, WorkModes]), "modes"))


@cache
def mode_companions() -> frozenset[str]:
    return frozenset(gather(load("work_modes", dict[str, WorkModes]), "beside"))
