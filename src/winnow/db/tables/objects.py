"""Functions, triggers and views: each declared once, in `ddl/`, and made by create_all as tables are.

Importing this module loads every table, so `metadata` is complete.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, MetaData, event

from winnow.db.sql import load
from winnow.db.tables import (
    Table,
    events,
    extract,
    feeds,
    fetch,
    judge,
    normalise,
    observe,
    prices,
    products,
    publish,
    results,
    schedule,
    search,
    sources,
    store,
)

metadata = Table.metadata
STAGES = (
    sources,
    schedule,
    fetch,
    extract,
    normalise,
    judge,
    store,
    prices,
    products,
    events,
    results,
    search,
    feeds,
    publish,
    observe,
)

# In the order they are made: a later one may use an earlier one.
BEFORE_TABLES = ("extensions", "currency_exponent", "money_decimal", "search_document", "refuse_change")
VIEWS = (
    "source_product_seen",
    "source_product_identifiers",
    "offer_presence",
    "corrected_prices",
    "consumer_prices",
    "consumer_offers",
    "catalog_products",
    "crawl_tasks",
    "pipeline_jobs",
    "source_health_status",
)
AFTER_TABLES = (
    "feed_lists_unpacked",
    "lane_functions",
    "prices_only_forget_runs",
    "prices_append_only",
    "prices_latest",
    "source_products_forget",
    "affiliate_feed_runs_forget",
    "audit_log_append_only",
    "sources_default_trust",
    "sources_keep_offers",
    *VIEWS,
)


def declaration(name: str) -> str:
    return load(f"db/tables/ddl/{name}.sql")


def _execute(connection: Connection, statement: str) -> None:
    # Without parameters, so that a percent sign in a function stays one.
    connection.execution_options(no_parameters=True).exec_driver_sql(statement)


@event.listens_for(metadata, "before_create")
def _make_first(target: MetaData, connection: Connection, **_: Any) -> None:
    for name in BEFORE_TABLES:
        _execute(connection, declaration(name))


@event.listens_for(metadata, "after_create")
def _make_last(target: MetaData, connection: Connection, **_: Any) -> None:
    for name in AFTER_TABLES:
        _execute(connection, declaration(name))
