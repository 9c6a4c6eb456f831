"""The checks of `winnow doctor`. Each is one function that returns its findings; none makes a lasting change."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from winnow.errors import WinnowError

if TYPE_CHECKING:
    from winnow.db.engine import Database
    from winnow.settings import Settings

OLDEST_PYTHON = (3, 11)
State = Literal["ok", "warn", "fail"]
LITTLE_DISK, NO_DISK = 2 * 1024**3, 200 * 1024**2  # the private database writes up to 2 GB of WAL
MAX_SKEW = 2.0  # seconds; observation times come from this machine's clock


class Check(NamedTuple):
    name: str
    state: State
    says: str
    todo: str = ""

    def as_row(self) -> dict[str, str]:
        return self._asdict()


async def of(settings: Settings) -> list[Check]:
    """Everything but what only the command asks: whether the settings can be read, and whether the port is free."""
    found = [
        python(),
        *folder(settings.db.folder),
        egress(settings),
        proxies(settings),
        contact(settings),
        policies(settings),
        adapters(settings),
        plugins(),
        chromium(settings),
        embeddings(),
    ]
    # The database first: it makes the data folder, with the permissions its own user needs.
    return [*found, *await database(settings), await archive(settings)]


def python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST_PYTHON:
        return Check("python", "fail", version, "install Python 3.11 or newer")
    return Check("python", "ok", version)


def folder(path: Path) -> Iterator[Check]:
    nearest = next((p for p in (path, *path.parents) if p.exists()), Path("/"))
    if not os.access(nearest, os.W_OK | os.X_OK):
        yield Check("data folder", "fail", f"{path} cannot be written", "set WINNOW_DATA_DIR to a folder of yours")
    else:
        made = "" if path.exists() else " (made when needed)"
        yield Check("data folder", "ok", f"{path}{made}")
    free = shutil.disk_usage(nearest).free
    state: State = "fail" if free < NO_DISK else "warn" if free < LITTLE_DISK else "ok"
    todo = "" if state == "ok" else "free some space, or set WINNOW_DATA_DIR to a larger disk"
    yield Check("disk", state, f"{free / 1024**3:.1f} GB free", todo)


def embeddings() -> Check:
    """Without a model, events of several sources are compared by their words alone (DESIGN §11.30)."""
    from winnow.store.events.matching.vectors import is_installed

    if is_installed():
        return Check("embeddings", "ok", "wordllama, offline")
    return Check("embeddings", "ok", "none: events are compared by words alone (pip install 'winnow[embeddings]')")


def egress(settings: Settings) -> Check:
    from winnow.fetch.egress.allow import AllowList

    entries = settings.fetch.egress_allow
    try:
        AllowList(entries)
    except WinnowError as wrong:
        return Check("egress", "fail", str(wrong), "correct WINNOW_EGRESS_ALLOW")
    if entries:
        opened = ", ".join(entries)
        return Check("egress", "warn", f"private addresses are open to fetches: {opened}", "fine for a demo or tests")
    return Check("egress", "ok", "only public addresses can be fetched")


def proxies(settings: Settings) -> Check:
    from winnow.fetch.egress.allow import AllowList
    from winnow.fetch.proxies.endpoint import parse_endpoints

    try:
        found, direct = parse_endpoints(settings.fetch.proxy_texts, AllowList(settings.fetch.egress_allow))
    except WinnowError as wrong:
        return Check("proxies", "fail", str(wrong), "correct SCRAPER_PROXY_ENDPOINTS")
    says = f"{len(found)} in the settings" + (", or directly" if direct else "")
    return Check("proxies", "ok", says if found or direct else "none in the settings; see `winnow proxies list`")


async def _secrets(settings: Settings, opened: Database) -> Check:
    """Looks only: a key that is not there yet is made with the first secret."""
    from winnow.db import keyring

    try:
        async with opened.connection() as conn:
            stored = await keyring.stored(conn)
        if stored or settings.db.credential_key is not None:
            keyring.load_ring(settings.db, create=False)
    except WinnowError as wrong:
        return Check("secrets", "fail", str(wrong), f"set {keyring.SETTING}")
    return Check("secrets", "ok", "their key is there" if stored else "none stored yet")


def contact(settings: Settings) -> Check:
    agent = settings.fetch.user_agent
    if settings.fetch.contact_url:
        return Check("user agent", "ok", agent)
    return Check("user agent", "warn", f"{agent} names no contact", "set WINNOW_CONTACT_URL")


def policies(settings: Settings) -> Check:
    from winnow.schedule.ledger import policies as domain_policies

    path = settings.schedule.domain_policies_path
    try:
        found = domain_policies.load(path)
    except WinnowError as wrong:
        return Check("policies", "fail", str(wrong), "correct SCRAPER_DOMAIN_POLICIES_PATH or the file")
    where = "those Winnow comes with" if path is None else f"{path}, and those Winnow comes with"
    says = f"{where}: {len(found.domains)} domains"
    return Check("policies", "ok", says)


def adapters(settings: Settings) -> Check:
    from winnow.kinds.adapters import registry

    if settings.run.adapters_dir is None:
        return Check("adapters", "ok", "no folder of your own")
    try:
        known = registry(settings.run.adapters_dir)
    except WinnowError as wrong:
        return Check("adapters", "fail", str(wrong), "correct WINNOW_ADAPTERS_DIR")
    if known.broken:
        reasons = "; ".join(broken.reason for broken in known.broken)
        return Check("adapters", "fail", reasons, "correct the files: nothing else reads their sites meanwhile")
    return Check("adapters", "ok", f"all of {settings.run.adapters_dir} can be used")


def plugins() -> Check:
    from winnow.kinds.registry import all_kinds

    broken = all_kinds().broken
    if broken:
        reasons = "; ".join(plugin.reason for plugin in broken)
        return Check("plugins", "fail", reasons, "correct or remove the packages: only what they offer is missing")
    return Check("plugins", "ok", "all that are installed can be used")


def chromium(settings: Settings) -> Check:
    from winnow.fetch.browser.chromium import MISSING, find_chromium

    found = find_chromium(settings.browser.browser_executable)
    if found is None:
        missing, _, todo = MISSING.partition(": ")
        return Check("browser", "warn", f"{missing}; pages that need one end browser_missing, the rest works", todo)
    return Check("browser", "ok", str(found))


async def archive(settings: Settings) -> Check:
    """Writes a body of its own, reads it back and takes it away again."""
    from winnow.fetch.archive.archive import Archive

    where = settings.fetch.archive_url or str(settings.db.folder / "pages")
    body = f"winnow doctor {os.getpid()} {time.time_ns()}".encode()
    try:
        shelf = Archive(settings.fetch.archive_url, settings.db.folder / "pages")
        try:
            stored = await shelf.put(body)
            read = await shelf.get(stored.hash)
            await shelf.delete(stored.hash)
        finally:
            shelf.close()
    except (WinnowError, OSError) as wrong:
        return Check("archive", "fail", f"{where}: {wrong}", "set WINNOW_ARCHIVE_URL, or free the folder")
    if read != body:
        return Check("archive", "fail", f"{where} gave back something else", "check the storage")
    return Check("archive", "ok", where)


async def database(settings: Settings) -> list[Check]:
    try:
        async with _opened(settings) as opened:
            found = await asyncio.wait_for(_facts(opened), 30)
            return [
                _server(settings, found),
                await _schema(settings, opened),
                _vector(found),
                _clock(found),
                _keys(settings, found),
                *([await _secrets(settings, opened)] if found["has_keys"] else []),
            ]
    except TimeoutError:
        return [Check("database", "fail", "it does not answer", "look at the server's log")]
    except WinnowError as wrong:
        return [Check("database", "fail", str(wrong), "see WINNOW_DATABASE_URL and WINNOW_DATA_DIR")]


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[Database]:
    from winnow.db.engine import Database

    async with await Database.open(settings.db) as opened:
        yield opened


async def _facts(opened: Database) -> dict[str, Any]:
    from psycopg.rows import dict_row

    async with opened.connection() as conn, conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(
            "SELECT current_setting('server_version') AS version, to_regclass('api_keys') IS NOT NULL AS has_keys, "
            "(SELECT count(*) FROM pg_available_extensions WHERE name = 'vector') AS vector"
        )
        facts = await cursor.fetchone() or {}
        before = time.time()
        await cursor.execute("SELECT extract(epoch FROM clock_timestamp())::float8 AS now")
        moment = await cursor.fetchone() or {}
        facts["skew"] = moment["now"] - (before + time.time()) / 2
        if facts["has_keys"]:
            await cursor.execute("SELECT count(*) AS n FROM api_keys WHERE revoked_at IS NULL")
            facts["keys"] = (await cursor.fetchone() or {"n": 0})["n"]
    return facts


def _server(settings: Settings, found: dict[str, Any]) -> Check:
    which = "your server" if settings.db.database_url else "private server"
    return Check("database", "ok", f"PostgreSQL {found['version']}, {which}")


async def _schema(settings: Settings, opened: Database) -> Check:
    from winnow.db import migrate

    status = await migrate.status(opened.url)
    if not status.pending:
        return Check("schema", "ok", f"revision {status.current}")
    private = settings.db.database_url is None
    if private and status.current is None:
        return Check("schema", "ok", "made by the first command that needs it")
    says = f"revision {status.current or 'none'}, {len(status.pending)} to apply"
    todo = "`winnow up` does it, or `winnow db upgrade`" if private else "run `winnow db upgrade`"
    return Check("schema", "warn" if private else "fail", says, todo)


def _vector(found: dict[str, Any]) -> Check:
    if found["vector"]:
        return Check("pgvector", "ok", "available")
    todo = "install pgvector on the server to have it"
    return Check("pgvector", "warn", "missing: events are not deduplicated by meaning", todo)


def _clock(found: dict[str, Any]) -> Check:
    skew = found["skew"]
    if abs(skew) > MAX_SKEW:
        todo = "set this machine's clock (NTP): observation times come from it"
        return Check("clock", "warn", f"{abs(skew):.1f} s {'behind' if skew > 0 else 'ahead of'} the database", todo)
    return Check("clock", "ok", f"{abs(skew) * 1000:.0f} ms from the database's")


def _keys(settings: Settings, found: dict[str, Any]) -> Check:
    if found.get("keys") or settings.api.service_key:
        return Check("api keys", "ok", f"{found.get('keys', 0)} valid")
    return Check("api keys", "warn", "none, so the API cannot be used", "winnow keys create NAME --scope admin")
