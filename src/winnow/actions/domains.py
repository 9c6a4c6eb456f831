"""A person's decisions about a domain: applied to the table, the ledger and the audit trail in one transaction.

Order matters for safety: what makes things stricter reaches the ledger before it is committed, what loosens
them only after, so a crash in between leaves the stricter state.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from winnow.actions import validation
from winnow.db.engine import Database
from winnow.errors import InvalidInput
from winnow.observe import audit
from winnow.schedule import domains
from winnow.schedule.ledger import limits
from winnow.schedule.ledger.ledger import Ledger
from winnow.schedule.ledger.policies import Policies
from winnow.schedule.ledger.policy import Limits
from winnow.schedule.settings import ScheduleSettings
from winnow.sources.domain import domain_of


@dataclass(frozen=True, slots=True)
class Politeness:
    """What decides the limits of a domain besides its own row, and the ledger that keeps them."""

    ledger: Ledger
    settings: ScheduleSettings
    policies: Policies


async def change_limits(
    database: Database,
    actor: str,
    politeness: Politeness,
    domain: str,
    changes: Mapping[str, Any],
    reason: str | None = None,
) -> Limits:
    """The effective limits afterwards. Asking more of a site than before is audited as such (DESIGN §4)."""
    checked = {n: validation.notes(v) if n == "notes" else v for n, v in changes.items() if n != "is_active"}
    async with database.transaction() as conn:
        earlier = await limits.limits_of(conn, domain, politeness.settings, politeness.policies)
        before, after = await domains.change(conn, domain, checked)
        later = await limits.limits_of(conn, domain, politeness.settings, politeness.policies)
        action = "domain.limits_raised" if raises(earlier, later) else "domain.limits_changed"
        if before != after:
            await audit.record(conn, actor, action, "domain", domain, before, after, reason)
    return await refresh(database, politeness, domain)


async def pause(database: Database, actor: str, ledger: Ledger, domain: str, reason: str | None = None) -> bool:
    """Nothing of the domain is scheduled or dispatched (C-023); whether that changed anything."""
    async with database.transaction() as conn:
        before, _ = await domains.change(conn, domain, {"is_active": False})
        changed = bool(before["is_active"])
        if changed:
            await audit.record(conn, actor, "domain.paused", "domain", domain, reason=reason)
        await ledger.pause(domain, True)
    return changed


async def resume(database: Database, actor: str, ledger: Ledger, domain: str, reason: str | None = None) -> bool:
    """The domain is scheduled and dispatched again; whether that changed anything."""
    async with database.transaction() as conn:
        before, _ = await domains.change(conn, domain, {"is_active": True})
        changed = before["is_active"] is False
        if changed:
            await audit.record(conn, actor, "domain.resumed", "domain", domain, reason=reason)
    await ledger.pause(domain, False)
    return changed


async def refresh(database: Database, politeness: Politeness, domain: str) -> Limits:
    """After a change of anything that says something about the domain."""
    return await limits.refresh(database, politeness.ledger, domain, politeness.settings, politeness.policies)


def domain_named(text: str) -> str:
    """A domain as a person writes it: `Shop.Example`, `www.shop.example`, `127.0.0.1:8000` or a URL of it."""
    written = validation.text(text, "domain", 255).lower()
    address = written if "://" in written else f"http://{written}/"
    try:
        parts = urlsplit(address)
        plain = bool(parts.hostname) and "@" not in parts.netloc and not re.search(r"[\s\\]", parts.netloc)
        found = domain_of(address) if plain else ""
    except ValueError:
        found = ""
    if not found:
        raise InvalidInput(f"{text!r} is not a domain", field="domain")
    return found


def raises(before: Limits, after: Limits) -> bool:
    """Whether the new limits let more through in any way."""
    return (
        after.tokens / after.interval_seconds > before.tokens / before.interval_seconds
        or after.spacing_seconds < before.spacing_seconds
        or after.max_concurrent > before.max_concurrent
        or (before.respect_robots_txt and not after.respect_robots_txt)
        or _longer_hours(before.allowed_hours, after.allowed_hours)
    )


def _longer_hours(before: tuple[int, int] | None, after: tuple[int, int] | None) -> bool:
    return bool(_open_hours(after) - _open_hours(before))


def _open_hours(hours: tuple[int, int] | None) -> set[int]:
    """UTC hours in which requests are allowed; start = end means all day (lane_opening)."""
    if hours is None or hours[0] == hours[1]:
        return set(range(24))
    start, end = hours
    return set(range(start, end)) if start < end else set(range(start, 24)) | set(range(end))
