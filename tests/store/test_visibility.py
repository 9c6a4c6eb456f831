"""P-092, P-093: nothing reads prices past the views, so no consumer sees one that is not for them."""

from __future__ import annotations

import re
from pathlib import Path

import winnow

SOURCE = Path(winnow.__file__).parent
# `prices` and `latest_prices` by name: in SQL after FROM/JOIN/INTO, in SQLAlchemy by the declared table.
READS = re.compile(
    r"\b(?:FROM|JOIN)\s+(?:ONLY\s+)?(?:public\.)?(?:prices|latest_prices|corrected_prices)\b", re.IGNORECASE
)
TABLES = re.compile(r"\b(?:Price|LatestPrice)\b.*__table__|__table__.*\b(?:Price|LatestPrice)\b|\"corrected_prices\"")

# Who may, and why. Everything else goes through consumer_prices and consumer_offers.
ALLOWED = {
    "db/": "declares the tables, and the views themselves",
    "store/": "writes the history, and looks at what it wrote last",
    "feeds/": "writes the prices of its own sources",
    "judge/": "compares a new price with the offer's own history; shown to operators only",
    "queries/prices.py": "chooses between the view and everything by the caller's scope",
    "queries/quarantine.py": "shows a held record beside the last accepted one; admins only",
    "queries/charts.py": "the history of an offer with its gaps; the console only",
    "queries/catalogue/price_trends.py": "the sparklines of a list; the console only",
    "queries/feeds.py": "shows operators what a blocked catalogue would take away; the console only",
    "observe/invariants/": "checks all that is stored; says how many rows are wrong, not which prices they hold",
    "publish/exports/offers.sql": "for operators; consumers export consumer_offers.sql",
    "publish/exports/prices.sql": "for operators; consumers export consumer_prices.sql",
    "publish/exports/uncorrected_prices.sql": "for operators; consumers export consumer_prices.sql",
    "demo/": "a newcomer's own prices, on a board of their own machine",
    "publish/watches.py": "a watch is an operator's, and starts from the price known now",
}


def test_p093_every_other_query_goes_through_the_views() -> None:
    found = {
        str(file.relative_to(SOURCE))
        for file in [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.sql")]
        if "migrations" not in file.parts and (READS.search(said := file.read_text()) or TABLES.search(said))
    }
    assert {name for name in found if not name.startswith(tuple(ALLOWED))} == set()
    assert "queries/prices.py" in found, "the search itself works"
    assert "store/price_append.sql" in found


def test_the_audit_would_notice() -> None:
    assert READS.search("SELECT 1 FROM prices p")
    assert READS.search("join\n  latest_prices AS l")
    assert not READS.search("SELECT 1 FROM consumer_prices")
    assert TABLES.search("L = LatestPrice.__table__")
