"""The API keeps to its own OpenAPI text, whatever it is sent (schemathesis): no 500, no status it does not name, no
answer of another shape. A few examples of each operation here; `make contract` tries five hundred.

A server of its own, over a socket, with some of everything in its database. Half of the examples are valid by the
text, half are not; half name things that exist.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import hypothesis
import psycopg
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st
from psycopg.conninfo import make_conninfo
from schemathesis import GenerationMode
from schemathesis.checks import load_all_checks
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests import conftest
from tests.api import contract_rows
from tests.ports import free_port
from tests.waiting import LIMIT
from winnow.api.app import VERSIONED
from winnow.api.routes import health
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.observe import keys
from winnow.observe.keys import Scope
from winnow.run.upkeep import withdraw_stale

load_all_checks()

EXAMPLES = int(os.environ.get("WINNOW_CONTRACT_EXAMPLES", "3"))
CHECKS = [status_code_conformance, content_type_conformance, response_schema_conformance]
TAGS = sorted({str(module.router.tags[0]) for module in (*VERSIONED, health)})
# Real values for what a generator would hardly ever hit upon.
URLS = ("https://www.example.com/a", "https://shop.test/p/1", "http://10.0.0.1/", "not a url")
FRAMING = frozenset({"content-length", "transfer-encoding", "connection", "host", "expect", "upgrade"})
WORDS = {"target_type": "company_website", "workspace_id": "ws_1", "name": "a name", "reason": "because", "note": "so"}


class Served:
    def __init__(self, url: str, key: str, known: dict[str, list[Any]]) -> None:
        self.url, self.known = url, known
        self.session = requests.Session()
        self.session.headers["X-Service-Key"] = key
        document = self.session.get(f"{url}/openapi.json", timeout=LIMIT).json()
        self.schema = schemathesis.openapi.from_dict(document)
        self.schema.config.update(base_url=url)
        self.operations = [found.ok() for found in self.schema.get_all_operations()]


@pytest.fixture(scope="module")
def served(server_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("contract")
    with conftest.made(server_url, f"winnow_contract_{os.getpid()}", template_database) as name:
        database_url = make_conninfo(server_url, dbname=name)
        with psycopg.connect(database_url, autocommit=True) as conn:
            known = contract_rows.some_of_everything(conn)
        settings = DatabaseSettings(_env_file=None, database_url=database_url, data_dir=folder)
        key = asyncio.run(_key(settings))
        with _process(settings, folder) as url, _Ending(settings):
            yield Served(url, key, known)


async def _key(settings: DatabaseSettings) -> str:
    async with await Database.open(settings) as database, database.connection() as conn:
        return (await keys.create(conn, "contract", [Scope.ADMIN], "tester"))[1]


class _process:
    """The API in a process of its own, for as long as the block runs."""

    def __init__(self, settings: DatabaseSettings, folder: Path) -> None:
        self._url, self._folder = settings.database_url, folder

    def __enter__(self) -> str:
        port = free_port()
        environment = {
            **os.environ,
            "WINNOW_DATABASE_URL": str(self._url),
            "WINNOW_DATA_DIR": str(self._folder),
            "WINNOW_API_PORT": str(port),
            "WINNOW_QUEUE_ENRICHMENT": "100000",
            "SCRAPER_BROWSER_FALLBACK": "false",
            "SCRAPER_GRACEFUL_SHUTDOWN_SECONDS": "1",
        }
        self._log = (self._folder / "api.log").open("w")
        self._api = subprocess.Popen([sys.executable, "-m", "winnow", "api"], env=environment, stderr=self._log)
        url = f"http://127.0.0.1:{port}"
        for _ in range(600):
            try:
                if requests.get(f"{url}/readiness", timeout=LIMIT).ok:
                    return url
            except requests.RequestException:
                assert self._api.poll() is None, (self._folder / "api.log").read_text()
            threading.Event().wait(0.1)
        raise AssertionError("the API does not start")

    def __exit__(self, *_: object) -> None:
        self._api.terminate()
        self._api.wait(LIMIT)
        self._log.close()


class _Ending:
    """Ends every task somebody waits for: there is no worker, and nothing may be fetched."""

    def __init__(self, settings: DatabaseSettings) -> None:
        self._settings = settings
        self._over = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()))

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    async def _run(self) -> None:
        async with await Database.open(self._settings) as database:
            while not self._over.is_set():
                try:
                    async with database.transaction() as conn:
                        await withdraw_stale(conn, hours=1e-6)
                except psycopg.errors.DeadlockDetected:
                    pass
                await asyncio.sleep(0.05)


@pytest.mark.parametrize("tag", TAGS)
def test_every_answer_is_one_the_text_describes(served: Served, tag: str) -> None:
    ours = [operation for operation in served.operations if tag in (operation.definition.raw.get("tags") or [])]
    assert ours
    for operation in ours:
        _try(served, operation)


def test_every_operation_is_among_them(served: Served) -> None:
    assert {operation.definition.raw["tags"][0] for operation in served.operations} == set(TAGS)


def _try(served: Served, operation: Any) -> None:
    valid = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    wrong = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
    constant = "WINNOW_CONTRACT_EXAMPLES" not in os.environ  # in the suite: the same examples every time

    @hypothesis.settings(
        max_examples=EXAMPLES, database=None, derandomize=constant, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=valid | wrong, real=st.booleans(), chance=st.randoms(use_true_random=False))
    def try_one(case: Any, real: bool, chance: Any) -> None:
        _keep_http(case)
        if real:
            _make_real(case, served.known, chance)
        answer = case.call(session=served.session, timeout=LIMIT)
        said = f"{operation.label}: {answer.status_code} {answer.content[:300]!r}"
        assert answer.status_code not in (500, 501), f"{case.as_curl_command()}\n{said}"
        case.validate_response(answer, checks=CHECKS)
        assert str(UUID(answer.headers["x-request-id"][0])) == answer.headers["x-request-id"][0]

    try_one()


def _keep_http(case: Any) -> None:
    """A request that is no HTTP (two lengths, a length that is no number) is refused by the server below the API."""
    for name in [name for name in case.headers or {} if name.lower() in FRAMING]:
        del case.headers[name]


def _make_real(case: Any, known: dict[str, list[Any]], chance: Any) -> None:
    """Ids of rows that exist, addresses that can be addresses."""
    for name in list(case.path_parameters or {}):
        if name in known:
            case.path_parameters[name] = chance.choice(known[name])
    case.body = _real(case.body, known, chance)


def _real(value: Any, known: dict[str, list[Any]], chance: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _real(inner, known, chance, str(key)) for key, inner in value.items()}
    if isinstance(value, list):
        return [_real(inner, known, chance, name.removesuffix("s")) for inner in value]
    if isinstance(value, str) and (name in ("url", "urls") or name.endswith("_url")):
        return chance.choice(URLS)
    if isinstance(value, str) and name in WORDS:
        return WORDS[name]
    return chance.choice(known[name]) if name in known and isinstance(value, int | str) else value
