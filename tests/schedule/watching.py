"""Sources and targets for the tests of schedule/: rows as intake leaves them, without a site behind them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from winnow.db.engine import Connection
from winnow.normalise.urls import canonical_url, url_hash


async def add_source(conn: Connection, domain: str = "shop.test", **columns: Any) -> int:
    """An offer source with its retailer; `columns` overrides what the table has."""
    retailer = await scalar(conn, "INSERT INTO retailers (name) VALUES (%s) RETURNING id", f"Retailer of {domain}")
    given = {
        "name": f"Source of {domain}",
        "url": f"https://{domain}/",
        "domain": domain,
        "retailer_id": retailer,
        "adapter_id": "generic",
        **columns,
    }
    names, places = ", ".join(given), ", ".join(f"%({name})s" for name in given)
    found = await conn.execute(f"INSERT INTO sources ({names}) VALUES ({places}) RETURNING id", given)
    return int((await found.fetchone())[0])


async def add_targets(
    conn: Connection, source_id: int, n: int = 1, domain: str = "shop.test", **columns: Any
) -> list[int]:
    """Targets that are due since a minute ago and recur daily, unless `columns` says otherwise."""
    due = await scalar(conn, "SELECT now() - interval '1 minute'")
    ids = []
    for _ in range(n):
        number = await scalar(conn, "SELECT count(*) FROM scrape_targets")
        url = f"https://{domain}/p/{number}"
        given = {
            "url": url,
            "canonical_url": canonical_url(url),
            "url_hash": url_hash(url),
            "domain": domain,
            "source_id": source_id,
            "adapter_id": "generic",
            "crawl_frequency": timedelta(days=1),
            "next_crawl_at": due,
            **columns,
        }
        names, places = ", ".join(given), ", ".join(f"%({name})s" for name in given)
        found = await conn.execute(f"INSERT INTO scrape_targets ({names}) VALUES ({places}) RETURNING id", given)
        ids.append(int((await found.fetchone())[0]))
    return ids


async def rows(conn: Connection, query: str, *given: Any) -> list[tuple[Any, ...]]:
    return await (await conn.execute(query, given)).fetchall()


async def row(conn: Connection, query: str, *given: Any) -> tuple[Any, ...]:
    found = await rows(conn, query, *given)
    assert len(found) == 1, found
    return found[0]


async def scalar(conn: Connection, query: str, *given: Any) -> Any:
    return (await row(conn, query, *given))[0]
