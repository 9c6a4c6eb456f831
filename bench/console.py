"""Every list and page query of the console on a large database.

    python -m bench.console [--quick]

Each asks as a person would: the first page, a page from deep inside, and the filters people use. The figure is the
slower of the medians over the rounds, and the first answer, which finds nothing in memory that others have not put
there, is shown beside it. A list that takes a second is a defect, so is the exit code.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
from sqlalchemy.ext.asyncio import AsyncConnection

from bench import harness, scale
from bench.harness import BenchFailed
from bench.scale import Scale
from bench.server import private_server
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.queries import (
    adapters,
    alerts,
    audit,
    charts,
    dead_letters,
    domains,
    gauges,
    prices,
    products,
    publish,
    quarantine,
    replays,
    robots,
    runs,
    sources,
    targets,
    tasks,
    watches,
)
from winnow.queries.history import History
from winnow.queries.reading import reader
from winnow.run.adapters import registry

LIMIT_SECONDS = 1.0  # issue 7: every page answers in under a second
Ask = Callable[[AsyncConnection], Awaitable[Any]]
