"""Search documents of all offers, as they are once upkeep has done its work, for tests that write offers themselves."""

from __future__ import annotations

import psycopg

from winnow.store.search.documents import ADD_WORDS, WRITE


def index_offers(url: str) -> None:
    with psycopg.connect(url) as conn:
        ids = [row[0] for row in conn.execute("SELECT id FROM source_products").fetchall()]
        for statement in (WRITE, ADD_WORDS):
            conn.execute(statement, {"id": ids})
        conn.execute("DELETE FROM search_changes")
