"""What stores the accepted records of a kind: one statement per kind and batch, in the commit's transaction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from importlib import import_module
from typing import Any
from uuid import UUID

import msgspec

from winnow.db.engine import Connection
from winnow.errors import ConfigError
from winnow.judge.verdict import Verdict
from winnow.kinds.assess import Judged
from winnow.kinds.kind import Kind
from winnow.store.unavailable import UnavailableReason


class VisitRef(msgspec.Struct, frozen=True, kw_only=True):
    """The visit a record comes from. `linked` is the offer its target refreshes, when the page is about one product;
    `seen_at` is when its page was fetched, where that was not just now; `listing`: the page
    had several records when it was read last."""

    task_id: UUID
    kind: str
    url: str
    source_id: int | None = None
    run_id: int | None = None
    job_id: UUID | None = None
    target_id: int | None = None
    page_id: UUID | None = None
    adapter_id: str | None = None
    adapter_version: str | None = None
    target_type: str | None = None
    asked: dict[str, Any] = {}
    linked: int | None = None
    seen_at: datetime | None = None
    wants_picture: bool = False
    listing: bool = False


ItemId = tuple[UUID, int]  # task and draft


class Item(msgspec.Struct, frozen=True):
    """One record of a batch; (task, draft) identifies it there."""

    visit: VisitRef
    judged: Judged

    @property
    def id(self) -> ItemId:
        return self.visit.task_id, self.judged.draft


class Stored(msgspec.Struct, frozen=True):
    """What became of an item: the row it is kept as, or the verdict that only its history could give. `duplicate`: it
    repeats another record of its source and added no row (E-074). `counts_as`: the counter of its run it adds to.
    `says_new`: whether it says something else than before; None where that is not known, or nothing was there."""

    item: Item
    ref: int | None = None
    revised: Verdict | None = None
    duplicate: bool = False
    fingerprint: str | None = None
    counts_as: str | None = None
    says_new: bool | None = None


class PageRead(msgspec.Struct, frozen=True):
    """A page with all its records, whatever their verdicts; `cut`: how many a limit left out."""

    visit: VisitRef
    records: list[Judged]
    cut: int = 0


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """A page or server stated that a record is not available. `key` is the record's, where the page names it; `whole`:
    the statement is about all of the page, so the record is also looked for by the URL."""

    visit: VisitRef
    reason: UnavailableReason
    key: str | None = None
    whole: bool = True


class Writer(ABC):
    """Stores accepted records. `write` is the only method a kind must have."""

    @abstractmethod
    async def write(self, conn: Connection, items: Sequence[Item]) -> list[Stored]:
        """In the order of `items`. Items that were written before (the same page, after a crash) change nothing."""

    async def read_pages(self, conn: Connection, pages: Sequence[PageRead]) -> dict[UUID, Verdict]:
        """Looks at whole pages before their records are stored. A page that is held is in the answer, by its task: all
        its records wait together."""
        return {}

    async def pages_stored(self, conn: Connection, pages: Sequence[PageRead], refs: Mapping[ItemId, int]) -> None:
        """Takes note of what the pages listed; `refs` are the rows their records are kept as."""
        return

    async def accept(self, conn: Connection, item: Item, held_at: datetime) -> Stored:
        """Store a record that a person accepted; Conflict where a newer one is stored."""
        (stored,) = await self.write(conn, [item])
        return stored

    async def unavailable(self, conn: Connection, statements: Sequence[Statement]) -> None:
        """Take note that these records were stated to be sold out, gone or forbidden to read."""
        return

    async def seen_again(self, conn: Connection, visits: Sequence[VisitRef]) -> None:
        """Takes note that the records of these unchanged pages are there still."""
        return


@cache
def writer_of(kind: Kind) -> Writer:
    module, _, name = kind.writer.partition(":")
    try:
        writer = getattr(import_module(module), name)()
    except (ImportError, AttributeError, TypeError) as trouble:
        raise ConfigError(f"the writer of kind {kind.name} ({kind.writer}) cannot be used: {trouble}") from trouble
    if not isinstance(writer, Writer):
        raise ConfigError(f"the writer of kind {kind.name} ({kind.writer}) is no Writer")
    return writer
