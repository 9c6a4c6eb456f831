"""F-135: what came after the first version: file patterns, cron schedules, files that are kept."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.feeds.shop import HEADER, Shop, row
from tests.feeds.transport.servers import FtpBox, SftpBox, reach
from winnow.db.engine import Database
from winnow.errors import InvalidInput
from winnow.feeds import admin, jobs, upkeep
from winnow.feeds.failures import FileMissing
from winnow.feeds.transport import spool
from winnow.feeds.transport.pattern import is_pattern, newest
from winnow.feeds.transport.transport import Remote, download, stat


@pytest.fixture
async def shop(database: Database, tmp_path: Path) -> Shop:
    made = Shop(database, tmp_path / "feeds")
    await made.open(schedule_frequency_hours=None, schedule_cron="30 6 * * *")
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three days of one catalogue, another's newer one, and a folder with a fitting name."""
    made = tmp_path / "served" / "out"
    made.mkdir(parents=True)
    for name, age in (("acme-1.csv", 2), ("acme-2.csv", 1), ("acme-0.csv", 3), ("other-9.csv", 0)):
        (made / name).write_text(name)
        moment = (datetime.now(UTC) - timedelta(days=age)).timestamp()
        os.utime(made / name, (moment, moment))
    (made / "acme-9.csv").mkdir()
    return made.parent


def test_f135_which_file_a_pattern_means() -> None:
    assert [is_pattern(p) for p in ("a/b-*.csv", "a/b?.csv", "a*/b.csv", "b.csv")] == [True, True, False, False]
    day = datetime(2026, 1, 1, tzinfo=UTC)
    found = [("b-1.csv", day), ("b-2.csv", day), ("b-3.txt", day), ("../b-9.csv", day), ("b-0.csv", None)]
    assert newest("in/b-*.csv", found) == "in/b-2.csv"
    with pytest.raises(FileMissing):
        newest("in/c-*.csv", found)


async def test_f135_the_newest_file_of_a_pattern_is_fetched(folder: Path, tmp_path: Path) -> None:
    local = Remote(transport="FILE", path="out/acme-*.csv")
    async with SftpBox(folder).running() as sftp:
        with FtpBox(folder).running() as ftp:
            for remote in (local, sftp.remote("/out/acme-*.csv"), ftp.remote("/out/acme-*.csv")):
                got = await download(remote, reach(folder=folder), tmp_path / "got" / remote.transport)
                assert got.path.read_text() == "acme-2.csv", remote.transport
                assert (await stat(remote, reach(folder=folder))).size == len("acme-2.csv")
            for remote in (local, sftp.remote(), ftp.remote()):
                with pytest.raises(FileMissing):
                    nothing = Remote(**{n: getattr(remote, n) for n in remote.__struct_fields__} | {"path": "out/x*"})
                    await download(nothing, reach(folder=folder), tmp_path / "got" / "none")


async def test_f135_a_cron_schedule_says_when_a_feed_is_due(shop: Shop) -> None:
    due = "SELECT to_char(next_run_at AT TIME ZONE 'UTC', 'HH24:MI'), next_run_at > now() FROM affiliate_feeds"
    assert await shop.rows(due) == [("06:30", True)]
    await shop.rows("UPDATE affiliate_feeds SET next_run_at = now() - interval '9 days' RETURNING 1")
    async with shop.database.transaction() as conn:
        assert await jobs.schedule_due(conn) == 1
        assert await jobs.schedule_due(conn) == 0
    assert await shop.rows(due) == [("06:30", True)]
    async with shop.database.transaction() as conn:
        await admin.change(conn, "ada", shop.feed_id, {"schedule_cron": "0 1 * * 0"})
    assert (await shop.rows(due))[0][0] == "01:00"


@pytest.mark.parametrize(
    "wrong",
    [{"schedule_cron": "never"}, {"schedule_cron": "0 0 30 2 *"}, {"schedule_cron": "0 1 * * *", "schedule_frequency_hours": 4},
     {"encoding": "klingon"}, {"delimiter": ";;"}, {"default_currency": "eur"}, {"column_overrides": {"prise": "Net"}}],
)  # fmt: skip
def test_f135_what_cannot_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        admin.check({"transport": "FILE", "path": "a.csv", **wrong}, allow_plain_ftp=False, confirmed_insecure=False)


async def test_f135_a_feed_that_keeps_its_files_has_one_per_run_until_the_run_goes(shop: Shop) -> None:
    await shop.load([row(1)])
    async with shop.database.transaction() as conn:
        await admin.change(conn, "ada", shop.feed_id, {"keep_files": True})
    run = await shop.load([row(1, "9.00")])
    kept = Path(run["artifact_url"].removeprefix("file://"))
    assert kept.read_text() == "\n".join([HEADER, row(1, "9.00")]) + "\n"
    skipped = await shop.run()
    assert skipped.run_id is not None
    assert (await shop.run_row(skipped.run_id))["artifact_url"] is None  # nothing new came
    await shop.rows("UPDATE affiliate_feed_runs SET started_at = now() - interval '31 days' RETURNING 1")
    async with shop.database.connection() as conn:
        await upkeep.clean(conn)
    assert not kept.exists()


def test_f135_only_kept_files_are_ever_deleted(tmp_path: Path) -> None:
    mine, other = tmp_path / "kept" / "feed-1-run-2", tmp_path / "kept" / "passwords"
    mine.parent.mkdir()
    for path in (mine, other):
        path.write_text("x")
        spool.drop(path.as_uri())
    assert (mine.exists(), other.exists()) == (False, True)
