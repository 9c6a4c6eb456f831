"""Which ledger grants: PostgreSQL's own, or Redis where WINNOW_REDIS_URL says so."""

from __future__ import annotations

from winnow.db.engine import Database
from winnow.errors import ConfigError
from winnow.schedule.ledger.ledger import Ledger, PostgresLedger
from winnow.schedule.settings import ScheduleSettings


def ledger_of(database: Database, settings: ScheduleSettings) -> Ledger:
    """For whoever takes grants. Limits, holds and pauses are PostgreSQL's in any case."""
    if settings.redis_url is None:
        return PostgresLedger(database)
    try:
        from winnow.schedule.ledger.redis_ledger import RedisLedger
    except ImportError:
        raise ConfigError("WINNOW_REDIS_URL needs the package redis: install winnow[redis]") from None
    return RedisLedger(database, settings.redis_url)
