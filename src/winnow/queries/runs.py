from __future__ import annotations

from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.judge import Quarantine
from winnow.db.tables.runs import ScrapeRun
from winnow.db.tables.sources import Source
from winnow.queries.reading import Row, cut, first, page, rows

R, S, Q = ScrapeRun.__table__, Source.__table__, Quarantine.__table__
# What people call rejected: `offers_dropped` leaves out pages that are sold out without a price (P-089).
REJECTED = R.c.offers_dropped + R.c.oos_no_price_count


def _runs() -> Select[Any]:
    named = (S.c.name.label("source_name"), REJECTED.label("rejected"))
    return select(*R.c, *named).select_from(R.join(S, S.c.id == R.c.source_id))


async def listed(
    conn: AsyncConnection,
    *,
    source_id: int | None = None,
    status: str | None = None,
    adapter_id: str | None = None,
    after: int | None = None,
    limit: int = 50,
) -> tuple[list[Row], str | None]:
    """Newest first."""
    statement = _runs()
    for column, wanted in ((R.c.source_id, source_id), (R.c.status, status), (R.c.adapter_id, adapter_id)):
        if wanted is not None:
            statement = statement.where(column == wanted)
    return cut(await rows(conn, page(statement, R.c.id, after, limit, newest=True)), limit)


async def one(conn: AsyncConnection, run_id: int) -> Row | None:
    """With how many of its held records nobody has decided on."""
    waiting = select(func.count()).where(Q.c.run_id == R.c.id, Q.c.resolved_at.is_(None)).scalar_subquery()
    return await first(conn, _runs().add_columns(waiting.label("held_waiting")).where(R.c.id == run_id))
