"""The terminal display of the demo: the products of the shop, their prices, and recent changes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from winnow.db.engine import Database
from winnow.normalise.money.display import format_money

_OFFERS = """
SELECT p.title, l.amount_minor, l.currency, l.availability, l.observed_at, before.amount_minor, history.n
FROM source_products AS p
JOIN latest_prices AS l ON l.source_product_id = p.id AND l.scraped
CROSS JOIN LATERAL (SELECT count(*) AS n FROM prices AS x WHERE x.source_product_id = p.id) AS history
LEFT JOIN LATERAL (
    SELECT x.amount_minor FROM prices AS x
    WHERE x.source_product_id = p.id AND x.amount_minor <> l.amount_minor
    ORDER BY x.created_at DESC LIMIT 1
) AS before ON true
ORDER BY (before.amount_minor IS NOT NULL) DESC, p.id
"""
_COUNTS = """
SELECT (SELECT count(*) FROM scrape_runs WHERE status <> 'RUNNING'), (SELECT count(*) FROM prices),
       (SELECT count(*) FROM quarantine WHERE resolved_at IS NULL),
       (SELECT coalesce(sum(oos_no_price_count + urls_robots_blocked), 0) FROM scrape_runs)
"""


@dataclass(frozen=True, slots=True)
class OfferLine:
    """One offer. `before` is the last different price, None while it has not moved."""

    title: str
    minor: int
    currency: str
    availability: str
    observed_at: datetime
    before: int | None
    observations: int


@dataclass(frozen=True, slots=True)
class LiveBoard:
    lines: list[OfferLine]
    runs: int
    prices: int
    held: int
    left_out: int

    @property
    def moved(self) -> list[OfferLine]:
        return [line for line in self.lines if line.before is not None]


async def read(database: Database) -> LiveBoard:
    async with database.connection() as conn:
        rows = await (await conn.execute(_OFFERS)).fetchall()
        counts = await (await conn.execute(_COUNTS)).fetchone()
    runs, prices, held, left_out = counts or (0, 0, 0, 0)
    return LiveBoard([OfferLine(*row) for row in rows], runs, prices, held, int(left_out))


def render(board: LiveBoard, address: str, height: int) -> Group:
    table = Table(box=box.SIMPLE, pad_edge=False, expand=True)
    table.add_column("product", ratio=3, no_wrap=True)
    table.add_column("price", justify="right")
    table.add_column("before", justify="right")
    table.add_column("stock", no_wrap=True)
    table.add_column("seen", justify="right")
    shown = max(5, height - 9)
    for line in board.lines[:shown]:
        table.add_row(line.title, _price(line), _before(line), line.availability.lower().replace("_", " "),
                      f"{line.observations}×")  # fmt: skip
    more = len(board.lines) - shown
    status = Text.assemble(
        (f"{len(board.lines)} products", "bold"), f" · {board.prices} prices in the history · ",
        (f"{len(board.moved)} moved", "bold green"), f" · {board.runs} runs · {board.held} held for a person · "
        f"{board.left_out} visits without a price or forbidden by robots.txt",
    )  # fmt: skip
    lead = Text.assemble("Console ", (f"{address}/console", "cyan"), "   Ctrl-C ends the demo")
    return Group(lead, table, Text(f"… and {more} more" if more > 0 else ""), status)


def _price(line: OfferLine) -> Text:
    style = "" if line.before is None else "bold green" if line.minor < line.before else "bold red"
    return Text(format_money(line.minor, line.currency), style=style)


def _before(line: OfferLine) -> str:
    return "" if line.before is None else format_money(line.before, line.currency)
