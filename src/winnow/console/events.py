"""What happens on an open page. NiceGUI trusts a page once it is loaded; here the session is looked up again for every
single event, and a page whose session has ended is sent to the login (DESIGN §11.22).

Events of a page are handled in their order, one lookup each. An event that comes through a socket of another session
is dropped: a page belongs to the browser it was sent to.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
import structlog
from nicegui import Client, core

from winnow.console.gate import token_of
from winnow.console.urls import LOGIN
from winnow.db.engine import Database
from winnow.errors import DatabaseUnavailable
from winnow.observe import sessions
from winnow.observe.sessions import LoginSession

log = structlog.get_logger(__name__)

SWEEP_SECONDS = 5.0  # how long a page whose session has ended may still show what is new


@dataclass(slots=True)
class OpenPage:
    """One open page: whose it is, as of the last event."""

    token: str
    session: LoginSession
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class OpenPages:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._open: WeakKeyDictionary[Client, OpenPage] = WeakKeyDictionary()

    def begin(self, client: Client, token: str, session: LoginSession) -> OpenPage:
        page = self._open[client] = OpenPage(token, session)
        return page

    def install(self) -> None:
        """In place of NiceGUI's own handler of the same message."""
        core.sio.on("event", self._event)

    async def current(self, client: Client) -> LoginSession | None:
        """The session of a page as the table has it now; None when it is over, and the page is told."""
        page = self._open.get(client)
        found = None
        if page is not None:
            async with self._database.connection() as conn:
                found = await sessions.find(conn, page.token)
                if found is not None:
                    await sessions.seen(conn, found)
        if page is None or found is None:
            _redirect_to_login(client)
            return None
        page.session = found
        return found

    async def _event(self, sid: str, message: dict[str, Any]) -> None:
        client = Client.instances.get(message.get("client_id", ""))
        page = self._open.get(client) if client is not None else None
        if client is None or page is None or not client.has_socket_connection:
            return
        async with page.turn:
            if token_of(core.sio.get_environ(sid).get("HTTP_COOKIE", "")) != page.token:
                log.warning("console_refused", path=client.page.path, why="foreign socket")
                return
            try:
                session = await self.current(client)
            except (DatabaseUnavailable, psycopg.OperationalError):
                _notify(client, "The database is unavailable; nothing was changed. Try again in a moment.")
                return
            if session is not None:
                client.handle_event(message)

    async def sweep(self) -> int:
        """Pages whose session has ended are closed; how many there were."""
        pages = list(self._open.items())
        if not pages:
            return 0
        async with self._database.connection() as conn:
            valid = await sessions.still_valid(conn, list({v.session.id for _, v in pages}))
        over = [client for client, page in pages if page.session.id not in valid and client.has_socket_connection]
        for client in over:
            _redirect_to_login(client)
        return len(over)

    async def keep_sweeping(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            try:
                await self.sweep()
            except (DatabaseUnavailable, psycopg.Error) as away:  # every event is still looked up
                log.warning("console_sweep_failed", error=str(away))


def _redirect_to_login(client: Client) -> None:
    """Nothing more reaches this page."""
    if not client.is_deleted:
        client.run_javascript(f"window.location.href = {LOGIN!r}")
        client.layout.clear()


def _notify(client: Client, text: str) -> None:
    client.outbox.enqueue_message("notify", {"message": text, "type": "negative", "position": "top"}, client.id)
