"""Loads ClickHouse every few minutes, and raises an alert when that fails (C-074)."""

from __future__ import annotations

import asyncio
from typing import Any

import structlog

from winnow.db.engine import Database
from winnow.errors import ConfigError, DatabaseUnavailable, WinnowError
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.observe import mask
from winnow.publish import alerts
from winnow.publish.alerts import SLACK, Alert
from winnow.publish.exports.arrow_batches import require
from winnow.publish.exports.clickhouse.address import parse_address
from winnow.publish.exports.clickhouse.loading import Loader
from winnow.settings import Settings

log = structlog.get_logger(__name__)

CODE = "clickhouse_load"


class ClickHouseLoad:
    """A chore; without WINNOW_CLICKHOUSE_URL it does nothing."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._loader: Loader | None = None

    async def run_once(self) -> dict[str, int]:
        """The rows sent of each data set. What fails is an alert, and is tried again the next time."""
        if self._settings.publish.clickhouse_url is None:
            return {}
        try:
            sent = await self.load()
        except DatabaseUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - whatever the other side did, it is an alert
            self._loader = None
            await self._report(_describe_error(error))
            log.warning("clickhouse_load_failed", error=_describe_error(error))
            return {}
        await self._report(None)
        return sent

    async def load(self) -> dict[str, int]:
        if self._loader is None:
            self._loader = await open_loader(self._database, self._settings)
        return await self._loader.run_once()

    async def _report(self, error: str | None) -> None:
        async with self._database.transaction() as conn:
            if error is None:
                await alerts.resolve(conn, "upkeep", keys=[CODE])
                return
            title = f"ClickHouse could not be loaded: {error}"
            details = {"error": error}
            await alerts.open_alert(
                conn, Alert(severity=SLACK, code=CODE, key=CODE, title=title, details=details, lasting=True)
            )


async def open_loader(database: Database, settings: Settings) -> Loader:
    """Check the destination like any address (R-10), then connect to exactly that."""
    if settings.publish.clickhouse_url is None:
        raise ConfigError("set WINNOW_CLICKHOUSE_URL to load ClickHouse")
    require("clickhouse_connect", extra="clickhouse")
    from winnow.publish.exports.clickhouse import connection

    address = parse_address(settings.publish.clickhouse_url.get_secret_value())
    admitted = await connection.admit(address, EgressGuard(AllowList(settings.fetch.egress_allow)))
    client: Any = await asyncio.to_thread(connection.connect, address, admitted)
    return Loader(database, client, address.destination)


def _describe_error(error: Exception) -> str:
    text = str(error) if isinstance(error, WinnowError) else f"{type(error).__name__}: {error}"
    return mask.text(" ".join(text.split())[:300])
