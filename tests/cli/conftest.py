"""The `winnow` command, called as its entry point is, on a real database."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest

from winnow import cli


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


Winnow = Callable[..., Result]


@pytest.fixture
def winnow(
    database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    own_logs: None,
) -> Winnow:
    """Runs a command in this process and gives back exit code and output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WINNOW_DATABASE_URL", database_url)
    monkeypatch.setenv("WINNOW_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("WINNOW_DATABASE_WAIT_SECONDS", "60")

    def call(*arguments: str) -> Result:
        monkeypatch.setattr(sys, "argv", ["winnow", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        code = ended.value.code
        return Result(code if isinstance(code, int) else 0, out, err)

    return call


def run_apart(*arguments: str, timeout: float = 240, **environment: str) -> Result:
    """The same in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "winnow", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def fetch(database_url: str, query: str, *given: Any) -> list[tuple[Any, ...]]:
    with psycopg.connect(database_url) as connection:
        cursor = connection.execute(query, given)  # type: ignore[call-overload]
        return cursor.fetchall() if cursor.description else []


def one_line(result: Result, says: str) -> None:
    """Expected errors: exit code 1, one line, no traceback, nothing on stdout."""
    assert result.code == 1
    assert result.err.startswith("winnow: ")
    assert len(result.err.strip().splitlines()) == 1
    assert says in result.err
    assert result.out == ""
