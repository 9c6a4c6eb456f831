"""What a person decides about a domain takes effect everywhere at once: table, ledger and audit trail.

Order matters for safety: what makes things stricter reaches the ledger before it is committed, what loosens
them only after, so a crash in between leaves the stricter state.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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


class DomainDesk:
    def __init__(self, database: Database, ledger: Ledger, settings: ScheduleSettings, policies: Policies) -> None:
        self._database = database
        self._ledger = ledger
        self._settings = settings
        self._policies = policies

    async def change_limits(
        self, actor: str, domain: str, changes: Mapping[str, Any], reason: str | None = None
    ) -> Limits:
        """The effective limits afterwards. Asking more of a site than before is audited as such (DESIGN §4)."""
        checked = {n: validation.notes(v) if n == "notes" else v for n, v in changes.items() if n != "is_active"}
        async with self._database.transaction() as conn:
            earlier = await limits.limits_of(conn, domain, self._settings, self._policies)
            before, after = await domains.change(conn, domain, checked)
            later = await limits.limits_of(conn, domain, self._settings, self._policies)
            action = "domain.limits_raised" if raises(earlier, later) else "domain.limits_changed"
            if before != after:
                await audit.record(conn, actor, action, "domain", domain, before, after, reason)
        return await self.refresh(domain)

    async def pause(self, actor: str, domain: str, paused: bool, reason: str | None = None) -> bool:
        """Nothing of the domain is scheduled or dispatched (C-023); whether that changed anything."""
        async with self._database.transaction() as conn:
            before, _ = await domains.change(conn, domain, {"is_active": not paused})
            changed = bool(before["is_active"] is paused)
            if changed:
                action = "domain.paused" if paused else "domain.resumed"
                await audit.record(conn, actor, action, "domain", domain, reason=reason)
            if paused:
                await self._ledger.pause(domain, True)
        if not paused:
            await self._ledger.pause(domain, False)
        return changed

    async def refresh(self, domain: str) -> Limits:
        """After a change of anything that says something about the domain."""
        return await limits.refresh(self._database, self._ledger, domain, self._settings, self._policies)


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
