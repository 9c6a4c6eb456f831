"""F-122, F-123: what the log says while a file is fetched and read."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.feeds.shop import Shop, row
from tests.feeds.transport.servers import reach
from winnow.db.engine import Database
from winnow.feeds.transport.transport import Remote, download
from winnow.observe import logs
from winnow.observe.settings import ObserveSettings


@pytest.fixture
def told() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    logs.configure(ObserveSettings(log_level="DEBUG"), stream)
    yield stream
    logs.configure(ObserveSettings())


def events(told: io.StringIO) -> dict[str, dict[str, object]]:
    """The last line of each event."""
    lines = [msgspec.json.decode(line) for line in told.getvalue().splitlines()]
    return {line["event"]: line for line in lines}


async def test_f122_download_events(tmp_path: Path, told: io.StringIO) -> None:
    (tmp_path / "c.csv").write_bytes(b"x" * 5_000_000)
    await download(Remote(transport="FILE", path="c.csv"), reach(folder=tmp_path), tmp_path / "work" / "got")
    said = events(told)
    assert said["DOWNLOAD_START"]["transport"] == "FILE"
    assert "connection_time_ms" in said["FTP_CONNECTED"]
    assert said["DOWNLOAD_PROGRESS"]["percent_complete"] == 100
    assert said["DOWNLOAD_COMPLETE"]["bytes"] == 5_000_000
    assert {said[name]["stage"] for name in said if name.startswith("DOWNLOAD")} == {"download"}


async def test_f123_parse_events_of_a_run(database: Database, tmp_path: Path, told: io.StringIO) -> None:
    shop = Shop(database, tmp_path / "shop")
    await shop.open()
    await shop.load([row(n) for n in range(1, 20)] + ["item-x,sku-x,,https://shop.test/x,1.00,USD,Y"])
    said = events(told)
    assert (said["PARSE_START"]["format"], said["PARSE_START"]["encoding"]) == ("CSV", "utf-8")
    assert said["PARSE_HEADERS"]["mapped_columns"]["name"] == ["Name"]  # type: ignore[index]
    assert said["PARSE_ROW_SKIPPED"]["row_number"] == 20
    assert "MISSING_FIELD" in str(said["PARSE_ROW_SKIPPED"]["reason"])
    complete = said["PARSE_COMPLETE"]
    assert (complete["total_rows"], complete["parsed_rows"], complete["skipped_rows"]) == (20, 19, 1)
    assert complete["feed_id"] == shop.feed_id
    assert {"PARSE_PROGRESS", "PARSE_BATCH_COMPLETE"} <= said.keys()


async def test_f123_a_missing_column_is_told(database: Database, tmp_path: Path, told: io.StringIO) -> None:
    shop = Shop(database, tmp_path / "shop")
    await shop.open()
    shop.write(["Thing,https://shop.test/1,1.00"], header="Name,Url,Price")
    await shop.run()
    assert events(told)["PARSE_COLUMN_MISSING"]["required"] is False
