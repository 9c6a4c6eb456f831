"""`View`: what a page is built with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from nicegui import Client
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.requests import Request

from winnow.actions.parts import Parts
from winnow.console.events import OpenPages
from winnow.db.engine import Connection, Database
from winnow.observe.sessions import LoginSession
from winnow.observe.users import UserRole
from winnow.queries.reading import reader
from winnow.settings import Settings


@dataclass(frozen=True, slots=True)
class View:
    """One visit of one page by one person. `session` is who it was built for; `current()` is who it is now."""

    request: Request
    client: Client
    session: LoginSession
    parts: Parts
    open_pages: OpenPages

    @property
    def path(self) -> str:
        return self.client.page.path

    @property
    def database(self) -> Database:
        return self.parts.database

    @property
    def settings(self) -> Settings:
        return self.parts.settings

    @property
    def parameters(self) -> dict[str, Any]:
        """Of the path: {"run_id": 7} on /runs/{run_id:int}."""
        return dict(self.request.path_params)

    def query(self, name: str) -> str | None:
        """One value of the address, as a filter starts with it; None when it is empty."""
        return self.request.query_params.get(name) or None

    def may(self, needed: UserRole) -> bool:
        """For what to show. Whether it may be *done* is asked by `act`, when it is done."""
        return self.session.role.may(needed)

    async def current(self) -> LoginSession | None:
        return await self.open_pages.current(self.client)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """For the functions of `winnow.queries`: it cannot write."""
        async with reader(self.database) as conn:
            yield conn

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """A psycopg connection, for statements of `run/`; changes belong into an act."""
        async with self.database.connection() as conn:
            yield conn
