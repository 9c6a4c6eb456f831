"""The result of a feed run, in one word.

`status` says only whether the file was loaded: a run that was blocked afterwards changes nothing a consumer can see.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class RunResult(StrEnum):
    RUNNING = "RUNNING"
    FAILED = "FAILED"
    ROLLED_BACK = "ROLLED_BACK"
    AWAITING_APPROVAL = "AWAITING_APPROVAL"
    REPLACED = "REPLACED"  # held, and a later run was loaded before anybody approved it
    APPROVED = "APPROVED"
    NOT_ACTIVATED = "NOT_ACTIVATED"  # loaded, but activating it failed; the next run tries again
    UNCHANGED = "UNCHANGED"  # the file was the one of the last run
    SUCCEEDED = "SUCCEEDED"


def result_of(run: Mapping[str, Any]) -> RunResult:
    if run["invalidated_at"] is not None:
        return RunResult.ROLLED_BACK
    if run["status"] != "SUCCEEDED":
        return RunResult(run["status"])
    if run["expiry_blocked"]:
        return _result_of_held(run)
    if run["expiry_step_failed"]:
        return RunResult.NOT_ACTIVATED
    return RunResult.SUCCEEDED if run["skipped_reason"] is None else RunResult.UNCHANGED


def _result_of_held(run: Mapping[str, Any]) -> RunResult:
    if run["expiry_approved_at"] is not None:
        return RunResult.APPROVED
    return RunResult.AWAITING_APPROVAL if run["replaced_by_run_id"] is None else RunResult.REPLACED


def result_sql(run: str) -> str:
    """The same as an expression over a row of affiliate_feed_runs, for statements that list feeds."""
    return _RESULT.replace("r.", f"{run}.")


_RESULT = """
CASE WHEN r.invalidated_at IS NOT NULL THEN 'ROLLED_BACK'
     WHEN r.status <> 'SUCCEEDED' THEN r.status
     WHEN r.expiry_blocked AND r.expiry_approved_at IS NOT NULL THEN 'APPROVED'
     WHEN r.expiry_blocked AND r.replaced_by_run_id IS NOT NULL THEN 'REPLACED'
     WHEN r.expiry_blocked THEN 'AWAITING_APPROVAL'
     WHEN r.expiry_step_failed THEN 'NOT_ACTIVATED'
     WHEN r.skipped_reason IS NOT NULL THEN 'UNCHANGED'
     ELSE 'SUCCEEDED' END
"""
