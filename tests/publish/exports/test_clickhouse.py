"""ClickHouse: every row once, whatever is killed when (C-074). chdb is the real engine, in this process."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import clickhouse_connect
import pytest
from urllib3.exceptions import LocationValueError

from tests.publish.exports.conftest import Rows
from tests.store.offer_rows import days, offer, source, write
from winnow import settings as all_settings
from winnow.db.engine import Database
from winnow.errors import ConfigError, UrlRefused
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import Admitted, EgressGuard
from winnow.publish.exports.clickhouse import connection, cursors
from winnow.publish.exports.clickhouse.address import parse_address
from winnow.publish.exports.clickhouse.loading import Loader
from winnow.run.exports.clickhouse import ClickHouseLoad
from winnow.store import corrections

HERE = "clickhouse:test"


@pytest.fixture(scope="module")
def engine() -> Iterator[Any]:
    client = clickhouse_connect.get_client(interface="chdb")
    yield client
    client.close()


@pytest.fixture
def warehouse(engine: Any) -> Iterator[Any]:
    """An empty database of the engine, which is one per process."""
    engine.command("CREATE DATABASE warehouse")
    engine.command("USE warehouse")
    yield engine
    engine.command("USE default")
    engine.command("DROP DATABASE warehouse")


class Killed(BaseException):
    pass


class Fragile:
    """A client that dies at a chosen insert, before or after the server has the rows."""

    def __init__(self, client: Any, at: int, *, arrived: bool) -> None:
        self._client, self._left, self._arrived = client, at, arrived

    def command(self, cmd: str) -> Any:
        return self._client.command(cmd)

    def query(self, query: str) -> Any:
        return self._client.query(query)

    def insert_arrow(self, table: str, arrow_table: Any, **named: Any) -> Any:
        self._left -= 1
        if self._left or self._arrived:
            self._client.insert_arrow(table, arrow_table, **named)
        if not self._left:
            raise Killed


def values(client: Any, query: str) -> list[Any]:
    return [row[0] if len(row) == 1 else tuple(row) for row in client.query(query).result_rows]


async def stored(rows: Rows) -> list[int]:
    return await rows("SELECT id FROM prices ORDER BY id")


async def some_prices(database: Database, n: int = 7) -> int:
    one = await source(database)
    await write(database, one, *(offer(str(k), 100 + k) for k in range(n)))
    return one


async def test_c074_rows_arrive_with_their_values(database: Database, warehouse: Any) -> None:
    one = await source(database)
    await write(database, one, offer("a", 1999, title="Ünï \\ 'x'"), offer("b", 1500, "JPY"))
    sent = await Loader(database, warehouse, HERE).run_once()
    assert (sent["prices"], sent["offers"]) == (2, 2)
    found = values(warehouse, "SELECT title, amount, currency, observed_at, in_stock FROM offers_now ORDER BY id")
    assert [(t, a, c, s) for t, a, c, _, s in found] == [
        ("Ünï \\ 'x'", Decimal("19.99"), "USD", True), ("Thing b", Decimal(1500), "JPY", True),
    ]  # fmt: skip
    assert [seen.replace(tzinfo=days(0).tzinfo) for *_, seen, _ in found] == [days(0)] * 2


async def test_c074_only_what_changed_is_sent_again(database: Database, warehouse: Any) -> None:
    one = await some_prices(database)
    loader = Loader(database, warehouse, HERE)
    assert (await loader.run_once())["prices"] == 7
    assert (await loader.run_once())["prices"] == 0
    (written,) = await write(database, one, offer("new", 900))
    assert (await loader.run_once())["prices"] == 1
    async with database.transaction() as conn:
        await corrections.add(conn, "ada", {"reason": "x", "action": "IGNORE", "source_product_id": written.product_id})
    assert (await loader.run_once())["prices"] == 1
    assert values(warehouse, "SELECT count() FROM prices_now") == [7]
    assert values(warehouse, "SELECT max(amount_minor) FROM prices_now") == [106]


@pytest.mark.parametrize("arrived", [False, True])
@pytest.mark.parametrize("at", [1, 2, 3])
async def test_c074_killed_between_writing_and_remembering_each_row_is_there_once(
    database: Database, warehouse: Any, rows: Rows, at: int, arrived: bool
) -> None:
    await some_prices(database)
    fragile = Fragile(warehouse, at, arrived=arrived)
    with pytest.raises(Killed):
        await Loader(database, fragile, HERE, batch_rows=3).run_once()
    await Loader(database, warehouse, HERE, batch_rows=3).run_once()
    for table in ("prices", "prices_now"):  # not even twice underneath: the batch that came again was dropped
        assert values(warehouse, f"SELECT id FROM {table} ORDER BY id") == await stored(rows)


async def test_c074_rows_that_changed_between_two_attempts_are_not_dropped(
    database: Database, warehouse: Any, rows: Rows
) -> None:
    """The second attempt sends another batch from the same place: no token may take it for the first."""
    one = await some_prices(database)
    with pytest.raises(Killed):
        await Loader(database, Fragile(warehouse, 2, arrived=True), HERE).run_once()  # prices, then offers
    await rows(
        "UPDATE source_products SET title = 'renamed', updated_at = now() WHERE id = (SELECT min(id) FROM prices)"
    )
    await write(database, one, offer("new", 900))
    await Loader(database, warehouse, HERE).run_once()
    assert values(warehouse, "SELECT id FROM offers_now ORDER BY id") == await rows(
        "SELECT id FROM source_products ORDER BY id"
    )
    assert values(warehouse, "SELECT count() FROM offers_now WHERE title = 'renamed'") == [1]


async def test_two_loaders_do_not_load_at_once(database: Database, warehouse: Any) -> None:
    await some_prices(database)
    async with database.dedicated() as other:
        await other.execute("SELECT pg_advisory_lock(%s)", (0x57434C4B,))
        assert await Loader(database, warehouse, HERE).run_once() == {}
    assert (await Loader(database, warehouse, HERE).run_once())["prices"] == 7


async def test_progress_says_how_far_it_is(database: Database, warehouse: Any) -> None:
    await some_prices(database)
    await Loader(database, warehouse, HERE).run_once()
    async with database.connection() as conn:
        progress = await cursors.find(conn, HERE, "prices")
    assert progress.rows == 7
    assert progress.since is not None
    assert (progress.until, progress.after) == (None, None)


# --- the address


@pytest.mark.parametrize("url", ["ftp://host/db", "https:///db", "https://host:port/db", "clickhouse"])
def test_an_address_that_is_none_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse_address(url)
    assert url not in str(refused.value)


def test_an_address_is_read() -> None:
    found = parse_address("https://me:p%40ss@ch.example.com/shop")
    assert (found.port, found.user, found.password, found.database) == (8443, "me", "p@ss", "shop")
    assert found.destination == "clickhouse:ch.example.com:8443/shop"


async def test_r10_a_private_host_has_to_be_opened() -> None:
    address = parse_address("http://127.0.0.1:8123/db")
    with pytest.raises(UrlRefused):
        await connection.admit(address, EgressGuard())
    admitted = await connection.admit(address, EgressGuard(AllowList(["127.0.0.1:8123"])))
    assert admitted.addresses == ("127.0.0.1",)


async def test_a_password_is_not_sent_in_clear_text_to_a_public_host() -> None:
    async def public(host: str, port: int) -> list[str]:
        return ["93.184.216.34"]

    with pytest.raises(ConfigError, match="https"):
        await connection.admit(parse_address("http://u:p@ch.example.com/db"), EgressGuard(resolve=public))


class Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(302 if self.path == "/away" else 200)
        self.send_header("Location", "http://elsewhere.test/")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Quiet."""


def test_r10_the_client_reaches_the_admitted_address_and_nothing_else() -> None:
    """Whatever the name says when it is dialled."""
    server = HTTPServer(("127.0.0.1", 0), Answering)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    pool = connection.AdmittedPool(Admitted("ch.example.com", server.server_port, ("127.0.0.1",)))
    url = f"http://ch.example.com:{server.server_port}"
    assert pool.request("GET", f"{url}/ping").status == 200
    with pytest.raises(LocationValueError):
        pool.request("GET", "http://other.example.com/")
    assert pool.request("GET", f"{url}/away", redirect=False).status == 302
    with pytest.raises(LocationValueError):
        pool.request("GET", f"{url}/away", retries=2)
    server.shutdown()
    server.server_close()


# --- the pages about it


def queries_of_the_how_to() -> list[str]:
    text = Path("docs/how-to/clickhouse.md").read_text()
    return re.findall(r"```sql\n(.*?)```", text, re.S)


async def test_c074_the_queries_of_the_how_to_run(database: Database, warehouse: Any) -> None:
    one = await source(database)
    await write(database, one, offer("a", 1000, brand="Acme"))
    await write(database, one, offer("a", 800, brand="Acme"))
    await Loader(database, warehouse, HERE).run_once()
    warehouse.command("ALTER TABLE prices UPDATE created_at = now() WHERE 1 SETTINGS mutations_sync = 1")
    lowest, drops = queries_of_the_how_to()
    assert [(row[1], row[2]) for row in values(warehouse, lowest)] == [("USD", Decimal(8))]
    assert [(row[0], row[1]) for row in values(warehouse, drops)] == [("Thing a", "Acme")]


async def test_c074_a_load_that_fails_is_an_alert_until_one_succeeds(
    database: Database, warehouse: Any, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINNOW_CLICKHOUSE_URL", "http://user:secret@127.0.0.1:1/db")
    chore = ClickHouseLoad(database, all_settings.load())
    assert await chore.run_once() == {}
    (title,) = await rows("SELECT title FROM alerts WHERE resolved_at IS NULL")
    assert title == "ClickHouse could not be loaded: the host is not a public one"
    chore._loader = Loader(database, warehouse, HERE)
    await chore.run_once()
    assert await rows("SELECT count(*) FROM alerts WHERE resolved_at IS NULL") == [0]
