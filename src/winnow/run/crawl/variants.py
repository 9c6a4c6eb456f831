"""Cuts addresses that multiply without leading to anything new: filters × sorting × sessions, endless calendars.

A few pages of each shape are tried (extract/links/url_shape.py). Where one shows a product that the run has not had, or
links to pages it has not seen, the others of its shape are visited as well; where none does, they are cut as
`nothing_new`. A shape with more parameters than one that was cut is cut with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from winnow.db.engine import Connection
from winnow.extract.draft import Role
from winnow.extract.links.url_shape import includes
from winnow.run.visit import Ending, Visit
from winnow.schedule import crawl_shapes
from winnow.schedule.crawl_shapes import PagesUnderWay, ShapeCounts, VisitedShape
from winnow.schedule.follow_ups import LinkCounts, WaitingLink
from winnow.schedule.queue.task import Status

TRIES = 3  # pages of a shape that may lead to nothing before the others are cut
VIEW_TRIES = 5  # the same for what stands below a list: among them are parts of it that nothing else leads to
ALL_VIEW_TRIES = 10  # and below all lists together: they have the same filters
PATH_TRIES = 8  # the same over all shapes of one path: many filters of one list


class VariantChoice(msgspec.Struct, frozen=True):
    """The rows that may be visited now, and the shapes that lead to nothing new. Other rows wait for those that are
    under way."""

    rows: list[WaitingLink]
    barren: list[str] = []


async def record(conn: Connection, ended: Sequence[tuple[Visit, Ending]], links: Mapping[int, LinkCounts]) -> None:
    """Note of each page of a shape whether it led to something new."""
    found = []
    for visit, end in ended:
        shape, run_id = visit.task.follow_up.get("shape"), visit.task.run_id
        if shape is not None and run_id is not None:
            new = links[run_id].new[visit.task.id] if run_id in links else 0
            found.append(VisitedShape(run_id, shape, end.status is Status.DONE and is_fruitful(end, new)))
    await crawl_shapes.record(conn, sorted(found, key=lambda one: (one.run_id, one.shape)))


def is_fruitful(end: Ending, new_links: int) -> bool:
    """Whether a page led to something new. A product that the run has already is rejected as its duplicate, so it
    does not count."""
    return end.counts.accepted + end.counts.held > 0 or new_links > 0


async def choose(conn: Connection, run_id: int, found: Sequence[WaitingLink]) -> VariantChoice:
    if not any(row.shape for row in found):
        return VariantChoice(list(found))
    known = await crawl_shapes.load(conn, run_id)
    return chosen(found, known, await crawl_shapes.under_way(conn, run_id))


def chosen(
    found: Sequence[WaitingLink], known: Sequence[ShapeCounts], under_way: Sequence[PagesUnderWay]
) -> VariantChoice:
    """Pure. Other views of lists wait until nothing else is left: what they show, the lists show as well."""
    others = any(row.role != Role.VARIANT for row in found) or any(one.role != Role.VARIANT for one in under_way)
    rooms = _Rooms(known, under_way)
    barren = {shape for shape in {row.shape for row in found if row.shape} if is_barren(shape, known)}
    rows = []
    for row in found:
        if row.shape in barren or (row.role == Role.VARIANT and others):
            continue
        if row.shape is None or rooms.take(row.shape):
            rows.append(row)
    return VariantChoice(rows, sorted(barren))


class _Rooms:
    """How many more pages of each shape may be queued, so that no more are wasted than may be."""

    def __init__(self, known: Sequence[ShapeCounts], under_way: Sequence[PagesUnderWay]) -> None:
        self._known = {one.shape: one for one in known}
        self._taken: Counter[str] = Counter()
        for one in under_way:
            self._taken[one.shape or ""] += one.n
        fruitful = any(one.fruitful for one in known if is_view(one.shape))
        visited = sum(one.visited for one in known if is_view(one.shape))
        taken = sum(n for shape, n in self._taken.items() if is_view(shape))
        self._views = None if fruitful else ALL_VIEW_TRIES - visited - taken

    def take(self, shape: str) -> bool:
        counts = self._known.get(shape) or ShapeCounts(shape=shape)
        if allowed(counts) - counts.barren <= self._taken[shape]:
            return False
        if is_view(shape) and self._views is not None:
            if self._views <= 0:
                return False
            self._views -= 1
        self._taken[shape] += 1
        return True


def is_view(shape: str) -> bool:
    """Whether it is one of what stands below a list, without parameters."""
    return shape.endswith("/*")


def is_barren(shape: str, known: Sequence[ShapeCounts]) -> bool:
    if any(one.barren >= allowed(one) and (one.shape == shape or includes(shape, one.shape)) for one in known):
        return True
    if is_view(shape):
        views = [one for one in known if is_view(one.shape)]
        return sum(one.visited for one in views) >= ALL_VIEW_TRIES and not any(one.fruitful for one in views)
    path = shape.partition("?")[0]
    same = [one for one in known if one.shape.partition("?")[0] == path and "?" in one.shape]
    return "?" in shape and sum(one.visited for one in same) >= PATH_TRIES and not any(one.fruitful for one in same)


def allowed(counts: ShapeCounts) -> int:
    """How many pages in a row may lead to nothing: a shape that was fruitful is tried for longer."""
    return max(VIEW_TRIES if is_view(counts.shape) else TRIES, 2 * counts.fruitful)
