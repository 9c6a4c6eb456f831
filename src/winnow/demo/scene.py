"""How the acts of the tour look at Winnow, and how they say what they saw."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from winnow.actions.parts import Parts, assemble
from winnow.db.engine import Database
from winnow.demo.outlet import Outlet
from winnow.demo.shop import DemoShop
from winnow.demo.stage import DemoStage
from winnow.demo.town import DemoTown
from winnow.demo.trouble import DemoTrouble
from winnow.demo.warehouse import Warehouse
from winnow.errors import WinnowError
from winnow.settings import Settings

PATIENCE = 150.0  # seconds one look may take; an idle machine needs a few, a very busy one a minute


class NotSeen(WinnowError):
    """A claim of the tour that did not come true."""

    code = "demo_failed"


class LeftOut(Exception):
    """An act cannot run on this machine, for example without a browser. It is reported and is no failure."""


class Scene:
    """`pause`: seconds before each step of the tour, so that a person can follow; 0 without a terminal."""

    def __init__(self, stage: DemoStage, database: Database, pause: float, say: Callable[[str], None]) -> None:
        self.stage, self.database, self.say = stage, database, say
        self.pause = pause

    @property
    def shop(self) -> DemoShop:
        return self.stage.shop

    @property
    def trouble(self) -> DemoTrouble:
        return self.stage.trouble

    @property
    def warehouse(self) -> Warehouse:
        return self.stage.warehouse

    @property
    def town(self) -> DemoTown:
        return self.stage.town

    @property
    def outlet(self) -> Outlet:
        return self.stage.outlet

    @property
    def settings(self) -> Settings:
        return self.stage.settings

    @property
    def parts(self) -> Parts:
        return assemble(self.database, self.settings)

    async def pause_briefly(self) -> None:
        await asyncio.sleep(self.pause)

    async def wait_until(self, what: str, look: Callable[[], Awaitable[Any]], patience: float = PATIENCE) -> Any:
        deadline = time.monotonic() + patience
        while not (found := await look()):
            if time.monotonic() > deadline:
                raise NotSeen(f"waited {patience:.0f} s for {what}, in vain")
            await asyncio.sleep(0.3)
        return found

    async def rows(self, query: str, *given: object) -> list[Any]:
        async with self.database.connection() as conn:
            return await (await conn.execute(query, given)).fetchall()

    async def value(self, query: str, *given: object) -> Any:
        rows = await self.rows(query, *given)
        return rows[0][0] if rows else None

    def claim(self, seen: bool, what: str) -> None:
        if not seen:
            raise NotSeen(f"this did not hold: {what}")
