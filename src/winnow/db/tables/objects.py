"""Functions, triggers and views: each declared once, in the baseline, and made by create_all as tables are.

Importing this module loads every table, so `metadata` is complete.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, MetaData, event

from winnow.db import baseline
from winnow.db.tables import (
    Table,
    crawls,
    daily,
    discovery,
    event_matches,
    events,
    extract,
    feeds,
    fetch,
    judge,
    observe,
    prices,
    products,
    publish,
    results,
    runs,
    schedule,
    search,
    services,
    sources,
    store,
)

metadata = Table.metadata
STAGES = (
    sources,
    discovery,
    schedule,
    runs,
    crawls,
    daily,
    fetch,
    services,
    extract,
    judge,
    store,
    prices,
    products,
    results,
    search,
    events,
    event_matches,
    feeds,
    publish,
    observe,
)

# The scripts of the baseline around its tables, which create_all makes from the models instead.
BEFORE_TABLES = tuple(script for script in baseline.scripts() if script.path < baseline.TABLES)
AFTER_TABLES = tuple(script for script in baseline.scripts() if script.path > baseline.FOREIGN_KEYS)


def _execute(connection: Connection, statement: str) -> None:
    # Without parameters, so that a percent sign in a function stays one.
    connection.execution_options(no_parameters=True).exec_driver_sql(statement)


@event.listens_for(metadata, "before_create")
def _make_first(target: MetaData, connection: Connection, **_: Any) -> None:
    for script in BEFORE_TABLES:
        _execute(connection, script.text)


@event.listens_for(metadata, "after_create")
def _make_last(target: MetaData, connection: Connection, **_: Any) -> None:
    for script in AFTER_TABLES:
        _execute(connection, script.text)
