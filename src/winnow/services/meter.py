"""A metered call: written into the book before it is made, and how it ended after it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TypeVar

import msgspec
import structlog

from winnow.db.engine import Database
from winnow.errors import DatabaseUnavailable, ServiceFailed, Trouble
from winnow.services import calls
from winnow.services.calls import Budget, Ended, Spent

log = structlog.get_logger(__name__)
T = TypeVar("T")


class Meter:
    """Of one service. The database is asked in transactions of its own, never during the call."""

    def __init__(self, database: Database, service: str, budget: Budget, model: str = "") -> None:
        self._database = database
        self._service = service
        self._budget = budget
        self._model = model

    async def measure(
        self, purpose: str, questions: int, call: Callable[[], Awaitable[T]], ended: Callable[[T], Ended]
    ) -> T:
        """The call's answer, or ServiceFailed. `ended` says of an answer what it cost and how much of it was of use."""
        async with self._database.transaction() as conn:
            begun = await calls.begin(
                conn, self._service, self._budget, purpose=purpose, model=self._model, questions=questions
            )
        if isinstance(begun, Spent):
            raise ServiceFailed(Trouble.SPENT, f"the budget of {self._service} is spent for now", begun.seconds)
        started = monotonic()
        try:
            answer = await call()
        except ServiceFailed as failed:
            await self._close(begun, Ended(outcome=failed.trouble, detail=str(failed)), started)
            raise
        except BaseException as error:
            await self._close(begun, Ended(outcome=Trouble.AWAY, detail=type(error).__name__), started)
            raise
        try:
            await self._close(begun, ended(answer), started)
        except DatabaseUnavailable as away:  # it stays written down as asked; the answer was paid for
            log.warning("service_call_open", service=self._service, call_id=begun, reason=str(away))
        return answer

    async def _close(self, call_id: int, ended: Ended, started: float) -> None:
        duration = int((monotonic() - started) * 1000)
        async with self._database.transaction() as conn:
            await calls.end(conn, call_id, msgspec.structs.replace(ended, duration_ms=duration))
