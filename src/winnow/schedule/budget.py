"""How far a run follows links, and what is left of it. Pure.

A source that wants links followed says how many of each role a run may visit (`scrape_config.follow`); a source that
says nothing follows none. Over all roles a run has a budget of pages, depth, time and bytes, and whatever is not
visited because of it is counted as cut, with the limit that cut it.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

ROLES = ("next_page", "feed", "detail", "item", "image")  # that a source may ask for
CRAWL_ROLES = ("sitemap", "next_page", "feed", "listing", "item", "page", "variant")
ALL_ROLES = (*ROLES, *(role for role in CRAWL_ROLES if role not in ROLES))
SAME_LEVEL = ("next_page", "sitemap")  # further pages of a list are as deep as the list
# Pages a run may visit besides its own targets; links away from those; seconds since its start; bytes fetched.
DEFAULTS = {"pages": 1_000, "depth": 3, "seconds": 86_400, "bytes": 1 << 30}
MAX_BUDGET = {"pages": 1_000_000, "depth": 50, "seconds": 30 * 86_400, "bytes": 1 << 42}

# What a source of events follows that says nothing itself, by its tier (E-097): how deep one run goes. Details are
# those of entries without a day, or all of them where `deep_scrape_enabled` is set.
EVENT_ROLES = {
    "light": {"feed": 2, "next_page": 5, "detail": 10},
    "standard": {"feed": 5, "next_page": 20, "detail": 50},
    "deep": {"feed": 10, "next_page": 60, "detail": 300},
}


class CutBy(StrEnum):
    """Why a link is not followed."""

    CANCELLED = "cancelled"  # the run was cancelled, or its adapter disabled
    TIME = "time"
    BYTES = "bytes"
    PAGES = "pages"
    DEPTH = "depth"
    ROLE = "role"  # as many pages of this role as the source allows
    SECTION = "section"  # as many pages of this section of the site as the crawl allows
    SCOPE = "scope"  # a domain that is not the source's
    INVALID = "invalid"  # not a URL that may be fetched
    PER_PAGE = "per_page"  # more links than one page may name
    NOTHING_NEW = "nothing_new"  # other pages of this shape led to nothing new (run/crawl/variants.py)
    TARGET = "target"  # a person paused or disabled this target, or it is being visited anyway


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    roles: dict[str, int]
    pages: int
    depth: int
    seconds: int
    bytes: int

    def allows_depth(self, depth: int) -> bool:
        return depth <= self.depth


class BudgetUse(msgspec.Struct, frozen=True, kw_only=True):
    """What a run has used of its budget. `queued` and `by_role` count pages that became tasks; `late`: its time is
    over; `stopping`: it was cancelled."""

    budget: Budget
    stopping: bool = False
    late: bool = False
    bytes: int = 0
    queued: int = 0
    by_role: dict[str, int] = {}

    @property
    def wanted(self) -> list[str]:
        """The roles that the source wants followed."""
        return [role for role in ALL_ROLES if self.budget.roles.get(role, 0) > 0]

    def ended_by(self) -> CutBy | None:
        """Why nothing more is queued for the run, whatever it is."""
        spent = {
            CutBy.CANCELLED: self.stopping,
            CutBy.TIME: self.late,
            CutBy.BYTES: self.bytes >= self.budget.bytes,
            CutBy.PAGES: self.queued >= self.budget.pages,
        }
        return next((why for why, over in spent.items() if over), None)

    def remaining(self, role: str) -> int:
        """How many more pages of a role may be queued, if the run goes on."""
        return max(0, self.budget.roles.get(role, 0) - self.by_role.get(role, 0))

    def allows(self, role: str, depth: int) -> bool:
        """Whether a link of this role and depth may be visited, as far as is known now."""
        return self.ended_by() is None and self.budget.allows_depth(depth) and self.remaining(role) > 0


def depth_of(role: str, parent: int) -> int:
    return parent if role in SAME_LEVEL else parent + 1
