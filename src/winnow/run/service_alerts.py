"""Alerts about outside services whose budget or account is used up (E-083)."""

from __future__ import annotations

from winnow.db.engine import Database
from winnow.publish import alerts
from winnow.publish.alerts import SLACK, Alert
from winnow.services import calls
from winnow.services.calls import Budget
from winnow.services.settings import ServiceSettings

CODE = "service_spent"
_ADVICE = {
    "llm": "rules go on alone; a smaller WINNOW_LLM_BATCH or a larger WINNOW_LLM_REQUESTS_PER_DAY makes it last",
    "geocoder": "events stand at the coordinates of their source until it answers again",
    "embeddings": "titles are compared by words alone",
    "search": "discovery goes on when some of it is free again; seeds are looked at meanwhile",
}


class ServiceAlerts:
    """A chore."""

    def __init__(self, database: Database, settings: ServiceSettings) -> None:
        self._database = database
        self._budgets = budgets(settings)

    async def run_once(self) -> int:
        """How many services are spent now."""
        async with self._database.transaction() as conn:
            spent = [name for name, budget in self._budgets.items() if await calls.is_spent(conn, name, budget)]
            for name in spent:
                await alerts.open_alert(conn, _alert(name, self._budgets[name]))
            over = [f"{CODE}:{name}" for name in _ADVICE if name not in spent]
            await alerts.resolve(conn, "upkeep", keys=over)
        return len(spent)


def budgets(settings: ServiceSettings) -> dict[str, Budget]:
    """Of the services that are on."""
    found = {
        "llm": (settings.llm_url, Budget(requests=settings.llm_requests_per_day, tokens=settings.llm_tokens_per_day)),
        "geocoder": (settings.geocoder_url, Budget(requests=settings.geocoder_requests_per_day)),
        "search": (settings.web_search_url, Budget(requests=settings.web_search_requests_per_day)),
        "embeddings": (settings.embeddings_url, Budget(requests=settings.embeddings_requests_per_day)),
    }
    return {name: budget for name, (url, budget) in found.items() if url is not None}


def _alert(name: str, budget: Budget) -> Alert:
    title = f"the budget of the {name} is spent for now: {_ADVICE[name]}"
    details = {"requests_per_day": budget.requests, "tokens_per_day": budget.tokens}
    key = f"{CODE}:{name}"
    return Alert(severity=SLACK, code=CODE, key=key, title=title, details=details, lasting=True)
