"""The target types that exist: those that come with Winnow, then those of installed plugins (S-049, S-050)."""

from __future__ import annotations

from winnow.judge.kinds import KINDS
from winnow.judge.target_type import TargetTypes


def target_types() -> TargetTypes:
    types = TargetTypes()
    for kind in KINDS:
        types.register(kind)
    types.load_plugins()
    return types
