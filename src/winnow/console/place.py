"""Where the console stands under the server's root."""

from __future__ import annotations

from urllib.parse import quote, urlencode

ROOT = "/console"
LOGIN = f"{ROOT}/login"
LOGOUT = f"{ROOT}/logout"
COOKIE = "winnow_session"
THEME_COOKIE = "winnow_theme"  # light, dark or auto; set by static/console.js


def href(path: str, **query: object) -> str:
    """The address of a page of ours, with what is not None as its query: href("/runs", status="running")."""
    given = {name: value for name, value in query.items() if value is not None and value != ""}
    return f"{ROOT}{quote(path, safe='/')}{'?' + urlencode(given) if given else ''}"
