"""The console, put together and standing beside the API in one server.

NiceGUI keeps one application per process, and so do we: `Console` is made once, when the server starts.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

import psycopg
import structlog
from fastapi import FastAPI
from nicegui import Client, app, ui
from sqlalchemy.exc import DataError
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from winnow.actions.parts import Parts
from winnow.console import exports, pictures
from winnow.console.events import OpenPages
from winnow.console.gate import LoginGate, session_of, token_of
from winnow.console.layout import shell
from winnow.console.login import LoginPages
from winnow.console.registry import ConsolePage, discover
from winnow.console.urls import INSIDE, LOGIN, LOGOUT, PREFIX, ROOT, href
from winnow.console.view import View
from winnow.console.widgets.parts import show_error
from winnow.errors import DatabaseUnavailable, NotFound, WinnowError
from winnow.observe import users
from winnow.run.up import first_admin

log = structlog.get_logger(__name__)

BUILD_SECONDS = 30.0  # a page that takes longer says so; on a loaded machine the database may take its time
ACCOUNT = "/account"  # where a password that was made for somebody is changed
RECONNECT_SECONDS = 30.0  # how long an open page survives a lost connection


class Console:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._open_pages = OpenPages(parts.database)
        self._pages = discover()

    def mount(self, api: FastAPI) -> ASGIApp:
        """One application: ours under /console, the API everywhere else. Its lifespan runs inside ours."""

        @asynccontextmanager
        async def lifespan(_: FastAPI) -> AsyncIterator[None]:
            async with api.router.lifespan_context(api):
                yield

        web = FastAPI(lifespan=lifespan, openapi_url=None, redirect_slashes=False)
        door = LoginPages(self._parts.database)
        web.add_route(LOGIN, door.show, methods=["GET"])
        web.add_route(LOGIN, door.log_in, methods=["POST"])
        web.add_route(LOGOUT, door.log_out, methods=["POST"])
        web.add_route(pictures.PATH, pictures.Pictures(self._parts).answer, methods=["GET"])
        web.add_route(exports.PATH, exports.Downloads(self._parts).answer, methods=["GET"])
        self._install(web)
        return Front(api, LoginGate(web, self._parts.database), web)

    def _install(self, web: FastAPI) -> None:
        for page in self._pages:
            ui.page(page.path, response_timeout=BUILD_SECONDS)(self._builder(page))
        app.add_static_files("/static", Path(str(files("winnow.console").joinpath("static"))))
        app.colors(primary="#1f6f54", positive="#17694c", negative="#a3241c", warning="#e0a528", info="#1a5797")
        self._open_pages.install()
        app.on_startup(self._open_pages.keep_sweeping)
        app.on_startup(self._first_admin)
        ui.run_with(
            web,
            root=self._builder(ConsolePage("", "Not found", _not_found)),
            mount_path=ROOT,
            title="Winnow",
            favicon=str(files("winnow.console").joinpath("static/icon.svg")),
            language="en-US",
            dark=None,
            tailwind=False,
            reconnect_timeout=RECONNECT_SECONDS,
            show_welcome_message=False,
            binding_refresh_interval=None,
        )

    async def _first_admin(self) -> None:
        """`winnow up` has made one already; a lone `winnow api` has not."""
        if await first_admin(self._parts.database, self._parts.settings) is not None:
            log.info("console_first_admin", kept_in=str(self._parts.settings.db.folder / users.PASSWORD_FILE))

    def _builder(self, page: ConsolePage) -> Callable[[Request, Client], Awaitable[Response | None]]:
        async def build(request: Request, client: Client) -> Response | None:
            session, token = session_of(request), token_of(request.headers.get("cookie", "")) or ""
            view = View(request, client, session, self._parts, self._open_pages)
            self._open_pages.begin(client, token, session)
            if session.must_change_password and page.path != ACCOUNT:
                return RedirectResponse(href(ACCOUNT), 303)
            with shell(view, page, self._pages, token):
                await _render(view, page)
            return None

        return build


async def _render(view: View, page: ConsolePage) -> None:
    """The page, or what happened instead."""
    try:
        if not view.may(page.role):
            view.client.status_code = 403
            raise WinnowError(f"this page needs the role {page.role.value}; you are {view.session.role.value}")
        await page.build(view, **view.parameters)
    except NotFound as missing:
        view.client.status_code = 404
        show_error(missing)
    except (psycopg.DataError, DataError):  # an id in the address that no row can have
        view.client.status_code = 404
        show_error(NotFound(f"there is nothing at {view.request.url.path}"))
    except (DatabaseUnavailable, psycopg.OperationalError) as away:
        view.client.status_code = 503
        show_error(DatabaseUnavailable(str(away)))
    except WinnowError as error:
        show_error(error)
    except Exception as error:
        view.client.status_code = 500
        log.error("console_page_crashed", path=view.path, exc_info=error)
        show_error(WinnowError("internal error; the log has the details"))


async def _not_found(view: View, **_: object) -> None:
    raise NotFound(f"there is no page {view.request.url.path!r}")


class Front:
    """Who answers: decided by the path alone."""

    def __init__(self, api: FastAPI, console: ASGIApp, web: FastAPI) -> None:
        self._api, self._console, self._web = api, console, web

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] == "lifespan":
            await self._web(scope, receive, send)
        elif path == "/" or path == INSIDE:
            to_console: ASGIApp = RedirectResponse(f"{ROOT}/", 303)
            await (to_console if scope["type"] == "http" else self._api)(scope, receive, send)
        elif path.startswith(f"{INSIDE}/"):
            shown = PREFIX + path  # its routes are the addresses a browser sees
            await self._console({**scope, "path": shown, "raw_path": shown.encode()}, receive, send)
        else:
            await self._api(scope, receive, send)
