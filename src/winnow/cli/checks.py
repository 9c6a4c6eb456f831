"""What `winnow doctor` asks besides the checks every face has (actions/doctor.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow.actions.doctor import Check, of
from winnow.errors import WinnowError

if TYPE_CHECKING:
    from winnow.observe.invariant_checks import Finding, Invariant
    from winnow.settings import Settings


async def everything() -> list[Check]:
    found: list[Check] = []
    settings = _settings(found)
    return found if settings is None else [*await of(settings), *found, port(settings)]


async def stored_data() -> list[Check]:
    """The invariants, checked now; what they find is stored, and raises or resolves its alerts."""
    from winnow.cli.session import assembled
    from winnow.observe import invariant_checks
    from winnow.run.audits.invariants import report

    rules = invariant_checks.invariants()
    async with assembled() as parts, parts.database.connection() as conn:
        found = await invariant_checks.check(conn, rules)
        async with conn.transaction():
            await report(conn, found)
    return [_as_check(rule, finding) for rule, finding in zip(rules, found, strict=True)]


def _as_check(rule: Invariant, finding: Finding) -> Check:
    if finding.holds:
        return Check(rule.name, "ok", rule.rule)
    from winnow.observe.invariant_checks import describe

    return Check(rule.name, "fail", describe(finding), "docs/runbooks/invariants.md says what to do")


def _settings(found: list[Check]) -> Settings | None:
    from winnow import settings as all_settings
    from winnow.observe import logs

    try:
        loaded = all_settings.load()
    except WinnowError as wrong:
        found.append(Check("settings", "fail", str(wrong), "correct the environment or .env"))
        return None
    logs.configure(loaded.observe.model_copy(update={"log_level": "ERROR", "log_format": "text"}))
    found.append(Check("settings", "ok", "all values are valid"))
    return loaded


def port(settings: Settings) -> Check:
    from winnow.run.bind import listening

    where = f"{settings.api.api_host}:{settings.api.api_port}"
    try:
        listening(settings).close()
    except WinnowError as wrong:
        return Check("api port", "warn", str(wrong), "expected when Winnow is already running")
    return Check("api port", "ok", where)
