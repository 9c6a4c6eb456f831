"""F-129: logs in files, each class as long as it is worth keeping."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import structlog
from pydantic import ValidationError

from winnow.observe import logs
from winnow.observe.log_files import LogFiles, is_expired
from winnow.observe.settings import ObserveSettings

KEEP = ObserveSettings().kept()
NOW = datetime(2026, 3, 10, 12, 30, tzinfo=UTC)


@pytest.fixture
def restored() -> Iterator[None]:
    root = logging.getLogger()
    configured, handlers, level = structlog.get_config(), root.handlers, root.level
    yield
    structlog.configure(**configured)
    root.handlers, root.level = handlers, level


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.usefixtures("restored")
def test_f129_every_line_goes_to_the_file_of_its_class_and_nothing_secret_with_it(tmp_path: Path) -> None:
    logs.configure(ObserveSettings(log_level="DEBUG", log_dir=tmp_path / "logs", log_format="text"), io.StringIO())
    log = structlog.get_logger("a")
    log.debug("one", feed_id=7)
    log.info("two", password="hunter2")
    log.warning("three")
    log.error("four")
    logging.getLogger("library").warning("five")
    files = {path.name.split("-")[0]: lines(path) for path in (tmp_path / "logs").iterdir()}
    assert {kind: [line["event"] for line in found] for kind, found in files.items()} == {
        "debug": ["one"], "info": ["two"], "warning": ["three", "four", "five"],
    }  # fmt: skip
    assert files["debug"][0]["feed_id"] == 7
    assert "hunter2" not in str(files)


@pytest.mark.parametrize(
    ("name", "gone"),
    [
        ("debug-2026-03-08T12.jsonl", True),
        ("debug-2026-03-08T13.jsonl", False),
        ("info-2026-02-08.jsonl", True),
        ("info-2026-02-09.jsonl", False),
        ("warning-2025-11-30.jsonl", True),
        ("warning-2025-12-09.jsonl", False),
        ("notes-2020-01-01.jsonl", False),
        ("info-2020-01-01.jsonl.gz", False),
    ],
)
def test_f129_details_go_after_two_days_runs_after_a_month_warnings_after_a_quarter(name: str, gone: bool) -> None:
    assert is_expired(name, KEEP, NOW) is gone


def test_f129_a_new_file_takes_the_old_ones_away(tmp_path: Path) -> None:
    moment = [NOW]
    files = LogFiles(tmp_path, KEEP, lambda: moment[0])
    files.write("info", "a")
    files.write("error", "b")
    moment[0] += timedelta(days=31)
    files.write("info", "c")
    files.write("info", "d")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["info-2026-04-10.jsonl", "warning-2026-03-10.jsonl"]
    assert (tmp_path / "info-2026-04-10.jsonl").read_text() == "c\nd\n"
    files.close()


def test_f129_two_processes_share_a_file_and_a_full_disk_stops_nobody(tmp_path: Path) -> None:
    one, two = LogFiles(tmp_path, KEEP, lambda: NOW), LogFiles(tmp_path, KEEP, lambda: NOW)
    for n in range(50):
        one.write("info", f"one {n}")
        two.write("info", f"two {n}")
    assert len((tmp_path / "info-2026-03-10.jsonl").read_text().splitlines()) == 100
    (tmp_path / "file").write_text("")
    LogFiles(tmp_path / "file" / "below", KEEP).write("info", "lost")
    one.close()
    two.close()


@pytest.mark.parametrize(
    "wrong", [{"keep_debug_log_hours": 72}, {"keep_info_log_days": 3}, {"keep_warning_log_days": 30}]
)
def test_f129_no_class_is_kept_outside_its_bounds(wrong: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        ObserveSettings(**wrong)  # type: ignore[arg-type]
