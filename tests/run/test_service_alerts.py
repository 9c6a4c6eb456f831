from __future__ import annotations

from winnow.db.engine import Database
from winnow.run.service_alerts import ServiceAlerts
from winnow.services import calls
from winnow.services.calls import Budget
from winnow.services.settings import ServiceSettings

SETTINGS = ServiceSettings(
    _env_file=None, llm_url="https://m.test/v1", llm_model="m", llm_requests_per_day=1, geocoder_url="https://g.test/"
)


async def _alerts(database: Database) -> list[tuple[str, bool]]:
    async with database.connection() as conn:
        found = await conn.execute("SELECT dedupe_key, resolved_at IS NULL FROM alerts ORDER BY id")
        return [(row[0], row[1]) for row in await found.fetchall()]


async def test_e083_a_spent_budget_is_told_once_and_resolved_when_it_is_not(database: Database) -> None:
    chore = ServiceAlerts(database, SETTINGS)
    assert await chore.run_once() == 0
    async with database.transaction() as conn:
        await calls.begin(conn, "llm", Budget(requests=1), purpose="test")
    assert [await chore.run_once(), await chore.run_once()] == [1, 1]
    assert await _alerts(database) == [("service_spent:llm", True)]
    async with database.connection() as conn:
        await conn.execute("UPDATE service_calls SET created_at = created_at - interval '91 days'")
    assert await chore.run_once() == 0
    assert await _alerts(database) == [("service_spent:llm", False)]
    async with database.transaction() as conn:
        assert await calls.forget(conn, 100) == 1
