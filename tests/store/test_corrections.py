"""Corrections hide or scale what is shown; the history never changes (ADR-015, P-082)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import psycopg
import pytest

from tests.store.offer_rows import days, offer, source, write
from winnow.db.engine import Database
from winnow.errors import Conflict, InvalidInput, NotFound
from winnow.store import corrections

SHOWN = "SELECT amount_minor FROM consumer_prices ORDER BY observed_at"
KEPT = "SELECT amount_minor FROM prices ORDER BY observed_at"


@pytest.fixture
async def history(database: Database, rows: Any) -> tuple[int, list[int]]:
    """An eligible source with three runs of one offer: 10.00, 1.00 (wrong), 11.00."""
    one = await source(database, visibility_status="ELIGIBLE")
    runs = []
    for n, minor in enumerate((1000, 100, 1100)):
        (run_id,) = await rows(
            "INSERT INTO scrape_runs (source_id, adapter_id, adapter_version, trigger, status, completed_at) "
            "VALUES (%s, 'generic', '1', 'MANUAL', 'SUCCESS', now()) RETURNING id", one,
        )  # fmt: skip
        await write(database, one, offer("a", minor, observed_at=days(n)), run_id=run_id)
        runs.append(run_id)
    return one, runs


async def correct(database: Database, **given: Any) -> int:
    async with database.transaction() as conn:
        return await corrections.add(conn, "ada", {"reason": "wrong", **given})


async def test_p082_what_a_run_brought_is_hidden_and_comes_back_when_revoked(
    database: Database, rows: Any, history: tuple[int, list[int]]
) -> None:
    _, runs = history
    made = await correct(database, action="IGNORE", scrape_run_id=runs[1])
    assert await rows(SHOWN) == [1000, 1100]
    assert await rows(KEPT) == [1000, 100, 1100]
    async with database.transaction() as conn:
        await corrections.revoke(conn, "ada", made)
    assert await rows(SHOWN) == [1000, 100, 1100]
    with pytest.raises(Conflict):
        async with database.transaction() as conn:
            await corrections.revoke(conn, "ada", made)


async def test_a_factor_scales_what_fits_and_ignore_wins(database: Database, rows: Any, history: Any) -> None:
    one, _ = history
    await correct(
        database,
        action="MULTIPLY",
        factor=Decimal(10),
        source_id=one,
        observed_from=days(0.5),
        observed_until=days(1.5),
    )
    assert await rows(SHOWN) == [1000, 1000, 1100]
    (offer_id,) = await rows("SELECT id FROM source_products")
    await correct(database, action="IGNORE", source_product_id=offer_id, observed_until=days(0.5))
    assert await rows(SHOWN) == [1000, 1100]


async def test_the_current_price_is_the_newest_that_is_not_hidden(database: Database, rows: Any, history: Any) -> None:
    _, runs = history
    assert await rows("SELECT amount_minor FROM consumer_offers") == [1100]
    await correct(database, action="IGNORE", scrape_run_id=runs[2])
    assert await rows("SELECT amount_minor FROM consumer_offers") == [100]


async def test_f114_a_run_that_a_correction_names_is_not_cleaned_up(
    database: Database, rows: Any, history: Any
) -> None:
    """Its prices would lose their run, and what is hidden would come back."""
    _, runs = history
    await correct(database, action="IGNORE", scrape_run_id=runs[1])
    with pytest.raises(psycopg.errors.RestrictViolation):
        await rows("DELETE FROM scrape_runs WHERE id = %s", runs[1])
    assert await rows(SHOWN) == [1000, 1100]


@pytest.mark.parametrize(
    "wrong",
    [
        {"action": "IGNORE"},
        {"action": "IGNORE", "source_id": 1, "factor": Decimal(2)},
        {"action": "MULTIPLY", "source_id": 1},
        {"action": "MULTIPLY", "source_id": 1, "factor": Decimal(0)},
        {"action": "MULTIPLY", "source_id": 1, "factor": Decimal("NaN")},
        {"action": "MULTIPLY", "source_id": 1, "factor": Decimal("1e9")},
        {"action": "IGNORE", "source_id": 1, "reason": " "},
        {"action": "IGNORE", "source_id": 1, "observed_from": days(2), "observed_until": days(1)},
    ],
)
async def test_a_correction_that_says_nothing_clear_is_refused(database: Database, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        await correct(database, **wrong)


async def test_what_is_corrected_has_to_exist(database: Database) -> None:
    with pytest.raises(NotFound):
        await correct(database, action="IGNORE", source_id=999)
