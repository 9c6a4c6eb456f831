"""Where the console stands, for whoever looks at it: behind a proxy, below the path the proxy shows us under."""

from __future__ import annotations

import os
from urllib.parse import quote, urlencode

PREFIX = os.environ.get("WINNOW_PATH_PREFIX", "")  # as `front` has put it there, checked, before this was imported
INSIDE = "/console"  # where the server has it
ROOT = PREFIX + INSIDE
LOGIN = f"{ROOT}/login"
LOGOUT = f"{ROOT}/logout"
COOKIE = "winnow_session"
THEME_COOKIE = "winnow_theme"  # light, dark or auto; set by static/console.js


def href(path: str, **query: object) -> str:
    """The address of a page of ours, with what is not None as its query: href("/runs", status="running")."""
    given = {name: value for name, value in query.items() if value is not None and value != ""}
    return f"{ROOT}{quote(path, safe='/')}{'?' + urlencode(given) if given else ''}"
