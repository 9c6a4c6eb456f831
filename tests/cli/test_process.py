"""What only shows in a process of its own: speed of --help, exit codes, signals, pipes."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import typer

from tests.cli.conftest import fetch, run_apart
from tests.ports import free_port
from tests.waiting import LIMIT, wait_until
from winnow import cli


def test_help_answers_at_once() -> None:
    """Under half a second (issue 2), as processor time: the machine may be busy with something else."""
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        shown = run_apart("--help")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert shown.code == 0
    assert {"up", "demo", "doctor", "scrape", "watch", "prices", "dead-letters", "keys"} <= set(shown.out.split())
    assert min(times) < 0.5


def test_help_imports_nothing_heavy() -> None:
    probe = (
        "import sys; sys.argv = ['winnow', '--help']\n"
        "from winnow import cli\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "heavy = {'sqlalchemy', 'fastapi', 'pydantic', 'aiohttp', 'psycopg', 'rich', 'structlog', 'alembic'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", probe], capture_output=True).returncode == 0


def test_a_terminal_that_cannot_show_a_letter_is_no_error(database_url: str, tmp_path: Path) -> None:
    given = {"WINNOW_DATABASE_URL": database_url, "WINNOW_DATA_DIR": str(tmp_path), "PYTHONIOENCODING": "ascii"}
    assert run_apart("sources", "add", "Größe 日本", "https://shop.example.com", **given).code == 0
    assert "Gr??e ??" in run_apart("sources", "list", **given).out
    assert json.loads(run_apart("sources", "list", "--json", **given).out)[0]["name"] == "Größe 日本"


# Those that stay until they are stopped, and those whose answer is a file, a page or a word as it is.
WITHOUT_JSON = {
    "up",
    "demo",
    "worker",
    "scheduler",
    "upkeep",
    "api",
    "crawls watch",
    "adapter new",
    "adapters new",
    "pages open",
    "webhooks secret",
}


def test_every_command_that_answers_speaks_json() -> None:
    """DESIGN §8: --json everywhere."""
    found = dict(commands(typer.main.get_command(cli.app)))
    assert {name for name, options in found.items() if "--json" not in options} == WITHOUT_JSON


def commands(command: Any, *above: str) -> Iterator[tuple[str, list[str]]]:
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, *above, name)
    if not hasattr(command, "commands"):
        yield " ".join(above), [option for parameter in command.params for option in parameter.opts]


def test_ctrl_c_is_130_and_no_traceback(database_url: str, tmp_path: Path) -> None:
    environment = {**os.environ, "WINNOW_DATABASE_URL": database_url, "WINNOW_DATA_DIR": str(tmp_path)}
    reading = subprocess.Popen(
        [sys.executable, "-m", "winnow", "targets", "import", "-"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a suite in the background ignores it
    )
    wait_for_stdin(reading.pid)
    reading.send_signal(signal.SIGINT)
    _, err = reading.communicate(timeout=LIMIT)
    assert reading.returncode == 130
    assert "Traceback" not in err


def wait_for_stdin(pid: int) -> None:
    """Until the process sleeps in read(0, …): then it has come as far as it can."""
    wait_until(lambda: Path(f"/proc/{pid}/syscall").read_text().split()[:2] == ["0", "0x0"])


def test_the_api_serves_and_stops_when_told(database_url: str, tmp_path: Path) -> None:
    port = free_port()
    environment = {
        **os.environ,
        "WINNOW_DATABASE_URL": database_url,
        "WINNOW_DATA_DIR": str(tmp_path),
        "WINNOW_API_PORT": str(port),
        "SCRAPER_BROWSER_FALLBACK": "false",  # ready without a Chromium too
    }
    api = subprocess.Popen([sys.executable, "-m", "winnow", "api"], env=environment, stderr=subprocess.PIPE, text=True)
    try:
        assert answers(f"http://127.0.0.1:{port}/readiness").json()["data"]["ready"] is True
        # one connection for all of them
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=LIMIT) as client:
            assert [client.request(method, "/readiness").status_code for method in ("GET", "FOO", "HEAD")] == [
                200,
                405,
                200,
            ]
            odd = client.request("FOO", "/readiness")  # a method the server below does not know
        assert (odd.headers["allow"], odd.json()["success"]) == ("GET, HEAD", False)
        assert odd.json()["meta"]["request_id"] == odd.headers["x-request-id"]
        assert spoken(port, b"FOO /readiness HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n").startswith(b"HTTP/1.1 400 ")
        assert b'"success":false' in spoken(port, b"no HTTP at all\r\n\r\n")
        taken = run_apart("api", **{k: environment[k] for k in environment if k.startswith("WINNOW_")})
        assert taken.code == 1
        assert "WINNOW_API_PORT" in taken.err
        assert "Traceback" not in taken.err
    finally:
        api.terminate()
        _, err = api.communicate(timeout=LIMIT)
    assert api.returncode == 0
    assert '"event":"api_stopped"' in err


def spoken(port: int, said: bytes) -> bytes:
    """All that comes back until the other side hangs up."""
    with socket.create_connection(("127.0.0.1", port), LIMIT) as connection:
        connection.sendall(said)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def answers(url: str) -> httpx.Response:
    def answer() -> list[httpx.Response]:
        try:
            return [httpx.get(url, timeout=LIMIT)]
        except httpx.TransportError:
            return []

    return wait_until(answer)[0]


@pytest.fixture
def shop() -> Iterator[str]:
    """The demo shop in a process of its own; gives its address."""
    command = [sys.executable, "-m", "winnow.demo.shop", "--products", "3", "--step-seconds", "0"]
    served = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert served.stdout is not None
    yield served.stdout.readline().strip()
    served.terminate()
    served.communicate(timeout=LIMIT)


def test_scrape_shows_record_and_verdict_and_stores_nothing(shop: str, database_url: str, tmp_path: Path) -> None:
    environment = {
        "WINNOW_DATABASE_URL": database_url,
        "WINNOW_DATA_DIR": str(tmp_path),
        "WINNOW_EGRESS_ALLOW": shop.removeprefix("http://"),
    }
    page = next(
        line for line in httpx.get(f"{shop}/sitemap.xml", timeout=LIMIT).text.split("<loc>") if "/p" in line
    ).split("<")[0]
    shown = run_apart("scrape", page, "--json", **environment)
    assert shown.code == 0, shown.err
    assert (shown.data["verdict"], shown.data["fetch"]) == ("accept", "ok")
    assert shown.data["title"]
    assert float(shown.data["price"]) > 0
    assert fetch(database_url, "SELECT count(*) FROM prices") == [(0,)]
    assert fetch(database_url, "SELECT count(*) FROM scrape_targets") == [(0,)]
    saved = run_apart("scrape", page, "--save", "--json", **environment)
    assert saved.data["run"] == 1
    assert run_apart("worker", "--until-empty", **environment).code == 0
    assert fetch(database_url, "SELECT count(*) FROM prices") == [(1,)]
    refused = run_apart("scrape", "http://10.0.0.1/", **environment)
    assert (refused.code, refused.err) == (
        1,
        "winnow: the host is not a public one: open one of your own with WINNOW_EGRESS_ALLOW=HOST:PORT\n",
    )


def test_up_says_in_one_line_that_its_port_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        told = run_apart("up", WINNOW_API_PORT=port, WINNOW_DATA_DIR=str(tmp_path / "data"))
    assert told.code == 1
    assert re.fullmatch(rf"winnow: the API cannot listen on 127\.0\.0\.1:{port} \(.+\): .+\n", told.err)
    assert not (tmp_path / "data").exists(), "nothing was started"


def test_up_says_that_it_is_up_when_the_api_answers(tmp_path: Path) -> None:
    """And what its processes count is counted together: the browsers of its workers are in /health."""
    port = free_port()
    environment = {**os.environ, "WINNOW_DATA_DIR": str(tmp_path / "data"), "WINNOW_API_PORT": str(port)}
    command = [sys.executable, "-m", "winnow", "up"]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        said = next(line for line in process.stderr if line.startswith("Winnow is up."))
        shown = httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=LIMIT)
    finally:
        process.terminate()
        process.communicate(timeout=LIMIT)
    assert f"http://127.0.0.1:{port}/api/v1" in said
    assert shown.status_code == 200
    assert (tmp_path / "data" / "metrics").is_dir()
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("url", "hint"), [("http://127.0.0.1:8080/p", "WINNOW_EGRESS_ALLOW"), ("shop.example.com/p", "https://")]
)
def test_what_is_refused_comes_with_what_to_do(database_url: str, tmp_path: Path, url: str, hint: str) -> None:
    told = run_apart("scrape", url, WINNOW_DATABASE_URL=database_url, WINNOW_DATA_DIR=str(tmp_path))
    assert told.code == 1
    assert hint in told.err
    assert len(told.err.splitlines()) == 1


def test_a_listing_imports_no_more_than_it_needs(database_url: str, tmp_path: Path) -> None:
    """Half of the time of a command was imports of parts it did not use."""
    probe = (
        "import sys; sys.argv = ['winnow', 'keys', 'list']\n"
        "from winnow import cli\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "heavy = {'fastapi', 'aiohttp', 'asyncssh', 'selectolax', 'tldextract', 'nicegui', 'alembic'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    environment = {**os.environ, "WINNOW_DATABASE_URL": database_url, "WINNOW_DATA_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", probe], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_worker_may_come_first(tmp_path: Path) -> None:
    """An empty folder: it makes the database and the schema itself."""
    counted = tmp_path / "counted"
    counted.mkdir()
    folders = {"WINNOW_DATA_DIR": str(tmp_path / "data"), "PROMETHEUS_MULTIPROC_DIR": str(counted)}
    done = run_apart("worker", "--until-empty", **folders)
    assert done.code == 0, done.err
    assert "worker_stopped" in done.err + done.out
    told = b"".join(file.read_bytes() for file in counted.glob("*.db"))
    assert b"winnow_browsers_replaced_total" in told, "S-020: also while no browser has run"
