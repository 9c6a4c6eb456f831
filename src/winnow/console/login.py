"""Logging in and out: plain forms, so that they work before any script has loaded."""

from __future__ import annotations

import hmac
import secrets
from html import escape
from importlib.resources import files
from string import Template
from urllib.parse import urlsplit

import psycopg
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from winnow import __version__
from winnow.console.act import sentence
from winnow.console.gate import session_of, token_of
from winnow.console.urls import COOKIE, LOGIN, ROOT, href
from winnow.db.engine import Database
from winnow.errors import DatabaseUnavailable, WinnowError
from winnow.observe import sessions
from winnow.observe.logins import LOCK_MINUTES, TooManyLogins, log_in
from winnow.observe.sessions import LONGEST_HOURS, digest

FORM_COOKIE = "winnow_form"  # double submit: a foreign page can send a form, but not read this
AWAY = "The database is unavailable. Try again in a moment."


class LoginPages:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._page = Template(files("winnow.console").joinpath("static/login.html").read_text(encoding="utf-8"))

    async def show(self, request: Request) -> Response:
        return self._form(request, "", 200)

    async def log_in(self, request: Request) -> Response:
        form = await request.form()
        if not _same(form, "form_token", request.cookies.get(FORM_COOKIE)):
            return self._form(request, "This form was open for too long. Please try again.", 403)
        username, password = str(form.get("username", "")), str(form.get("password", ""))
        try:
            token = await self._begin(request, username, password)
        except (DatabaseUnavailable, psycopg.OperationalError):
            return self._form(request, AWAY, 503)
        except WinnowError as refused:
            too_many = isinstance(refused, TooManyLogins)
            answer = self._form(request, sentence(str(refused)), 429 if too_many else 401, username)
            if too_many:
                answer.headers["Retry-After"] = str(LOCK_MINUTES * 60)
            return answer
        answer = RedirectResponse(_next(str(form.get("next", ""))), 303)
        answer.delete_cookie(FORM_COOKIE, path=ROOT)
        secure = request.url.scheme == "https"
        answer.set_cookie(
            COOKIE, token, max_age=LONGEST_HOURS * 3600, path=ROOT, httponly=True, samesite="lax", secure=secure
        )
        return answer

    async def log_out(self, request: Request) -> Response:
        """The session is over in the table, not only in this browser."""
        token = token_of(request.headers.get("cookie", "")) or ""
        if not _same(await request.form(), "form_token", form_token(token)):
            return RedirectResponse(href("/"), 303)
        async with self._database.connection() as conn:
            await sessions.end(conn, session_of(request))
        answer = RedirectResponse(LOGIN, 303)
        answer.delete_cookie(COOKIE, path=ROOT)
        return answer

    async def _begin(self, request: Request, username: str, password: str) -> str:
        address = address_of(request)
        async with self._database.connection() as conn:
            user_id = await log_in(conn, username, password, address)
            return await sessions.begin(conn, user_id, address=address, agent=request.headers.get("user-agent"))

    def _form(self, request: Request, error: str, status: int, username: str = "") -> Response:
        token = request.cookies.get(FORM_COOKIE) or secrets.token_urlsafe(24)
        wanted = request.query_params.get("next", "")
        shown = self._page.substitute(
            action=LOGIN, root=ROOT, version=__version__, token=escape(token), next=escape(_next(wanted)),
            username=escape(username), error=f'<p class="w-error" role="alert">{escape(error)}</p>' if error else "",
        )  # fmt: skip
        answer = HTMLResponse(shown, status, {"Cache-Control": "no-store"})
        secure = request.url.scheme == "https"
        answer.set_cookie(FORM_COOKIE, token, path=ROOT, httponly=True, samesite="strict", secure=secure)
        return answer


def address_of(request: Request) -> str | None:
    """Behind a proxy that is trusted (FORWARDED_ALLOW_IPS) the client's own."""
    return request.client.host if request.client else None


def form_token(session_token: str) -> str:
    """What the logout form carries. It follows from the session's token, which no foreign page knows."""
    return digest(f"form:{session_token}").hex()


def _same(form: FormData, name: str, wanted: str | None) -> bool:
    given = form.get(name)
    return bool(wanted) and isinstance(given, str) and hmac.compare_digest(given.encode(), str(wanted).encode())


def _next(wanted: str) -> str:
    """Only pages of ours: a link must not lead elsewhere after logging in."""
    parts = urlsplit(wanted)
    ours = not parts.scheme and not parts.netloc and (parts.path == ROOT or parts.path.startswith(ROOT + "/"))
    return wanted if ours and "\\" not in wanted and parts.path not in (LOGIN, ROOT) else href("/")
