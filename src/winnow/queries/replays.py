from __future__ import annotations

from sqlalchemy import ColumnElement, case, func, literal_column, select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.fetch import Page
from winnow.db.tables.judge import Replay, ReplayDifference
from winnow.queries.reading import Row, cut, first, page, rows

R, D, P = (t.__table__ for t in (Replay, ReplayDifference, Page))

EXAMPLES = 100
# JSON null and no value are the same here: the page did not say.
_WAS = func.jsonb_typeof(D.c.before).in_(["string"])
_IS = func.jsonb_typeof(D.c.after).in_(["string"])
_KIND: ColumnElement[str] = case((_WAS & _IS, "changed"), (_IS, "found"), else_="lost")


async def listed(
    conn: AsyncConnection, *, mode: str | None = None, adapter_id: str | None = None, after: int | None = None,
    limit: int = 50,
) -> tuple[list[Row], str | None]:  # fmt: skip
    """Newest first."""
    statement = select(R)
    for column, value in ((R.c.mode, mode), (R.c.adapter_id, adapter_id)):
        if value is not None:
            statement = statement.where(column == value)
    return cut(await rows(conn, page(statement, R.c.id, after, limit, newest=True)), limit)


async def one(conn: AsyncConnection, replay_id: int) -> Row | None:
    """With its differences counted by field, and some of them."""
    row = await first(conn, select(R).where(R.c.id == replay_id))
    if row is None:
        return None
    of = D.c.replay_id == replay_id
    counts = [func.sum(case((_KIND.in_([kind]), 1), else_=0)).label(kind) for kind in ("changed", "found", "lost")]
    fields = await rows(conn, select(D.c.field, *counts).where(of).group_by(D.c.field).order_by(D.c.field))
    texts = [
        side.op("#>>")(literal_column("'{}'")).label(name)
        for name, side in (("before", D.c.before), ("after", D.c.after))
    ]
    shown = select(D.c.field, D.c.page_id, _KIND.label("kind"), *texts, P.c.url)
    examples = shown.select_from(D.outerjoin(P, P.c.id == D.c.page_id)).where(of).order_by(D.c.id).limit(EXAMPLES)
    return {**row, "fields": fields, "examples": await rows(conn, examples)}
