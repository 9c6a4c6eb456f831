"""CSS selectors for the entries of one list, as they are kept on its source (E-058)."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Origin(StrEnum):
    LEARNT = "learnt"  # from a reading that needed none
    MODEL = "model"  # proposed by a language model


class SelectorSet(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`item` matches the element of each entry, the others match inside it."""

    item: str
    title: str | None = None
    date: str | None = None
    time: str | None = None
    venue: str | None = None
    link: str | None = None
    origin: Origin = Origin.LEARNT
