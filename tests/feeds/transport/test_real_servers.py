"""Whole runs against a real SSH server and a real FTP server on loopback: everything that happens to catalogues."""

from __future__ import annotations

import gzip
import os
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.feeds.shop import HEADER, Shop, row
from tests.feeds.transport.servers import PASSWORD, USER, FtpBox, SftpBox, reach
from winnow.db.engine import Database
from winnow.feeds import admin
from winnow.feeds.promote import approval
from winnow.feeds.promote.approval import ApprovalRefused
from winnow.feeds.runs import FeedJob

PATH = "/out/catalogue.csv.gz"


class Served:
    """A shop whose catalogue lies on a server."""

    def __init__(self, shop: Shop, folder: Path, box: SftpBox | FtpBox) -> None:
        self.shop, self.folder, self.box = shop, folder, box
        self.password = PASSWORD
        self.age = 0

    async def secret(self, _: object) -> str:
        return self.password

    def put(self, rows: Iterable[str]) -> None:
        self.put_bytes(gzip.compress("\n".join([HEADER, *rows]).encode()))

    def put_bytes(self, data: bytes) -> None:
        """Each file is a second younger than the one before: FTP tells no more than seconds."""
        path = self.folder / PATH.lstrip("/")
        path.write_bytes(data)
        self.age += 1
        os.utime(path, (1_760_000_000 + self.age, 1_760_000_000 + self.age))

    async def run(self, **more: Any) -> dict[str, Any]:
        outcome = await self.shop.run(**more)
        assert outcome.run_id is not None, outcome
        return await self.shop.run_row(outcome.run_id)

    async def load(self, rows: Iterable[str]) -> dict[str, Any]:
        self.put(rows)
        return await self.run()


@pytest.fixture(params=["SFTP", "FTP"])
async def served(request: pytest.FixtureRequest, database: Database, tmp_path: Path) -> AsyncIterator[Served]:
    folder = tmp_path / "served"
    (folder / "out").mkdir(parents=True)
    shop = Shop(database, tmp_path / "feeds")
    sftp = SftpBox(folder)
    ftp = FtpBox(folder)
    async with sftp.running():
        with ftp.running():
            box = sftp if request.param == "SFTP" else ftp
            await shop.open(transport=request.param, host="127.0.0.1", port=box.port, path=PATH, username=USER)
            made = Served(shop, folder, box)
            shop.means = msgspec.structs.replace(shop.means, reach=reach(), secret=made.secret)
            yield made


async def test_f092_first_unchanged_changed_spike_and_approval(served: Served) -> None:
    shop = served.shop
    first = await served.load(row(n) for n in range(1, 41))
    assert (first["status"], first["products_upserted"], len(await shop.active())) == ("SUCCEEDED", 40, 40)
    assert (await served.run())["skipped_reason"] == "UNCHANGED_MTIME"
    served.put_bytes((served.folder / PATH.lstrip("/")).read_bytes())
    assert (await served.run())["skipped_reason"] == "UNCHANGED_HASH"
    changed = await served.load(row(n, "9.00" if n < 4 else "10.00") for n in range(1, 41))
    assert (changed["prices_written"], changed["expiry_blocked"]) == (3, False)
    spike = await served.load([row(1)])
    again = await served.load([row(2)])
    assert spike["expiry_blocked"]
    with pytest.raises(ApprovalRefused, match="newer run"):
        await approval.approve(shop.database, spike["id"], "ada")
    assert await approval.approve(shop.database, again["id"], "ada") == 1
    assert len(await shop.active()) == 40  # the others age out
    if isinstance(served.box, SftpBox):
        assert (await shop.feed_row())["host_key_fingerprint"] == served.box.fingerprint


async def test_f117_login_and_missing_file_end_the_run(served: Served) -> None:
    missing = await served.run()
    assert (missing["status"], missing["error_code"]) == ("FAILED", "FILE_NOT_FOUND")
    assert missing["error_message"] == (
        f"[PERMANENT] the file is not there: {PATH}; ask the shop, or correct the path with"
        f" `winnow feed change {served.shop.feed_id} --path PATH`"
    )
    served.password = "wrong"
    refused = await served.run()
    assert (refused["status"], refused["error_code"]) == ("FAILED", "AUTH_FAILED")
    assert "wrong" not in str(refused)
    assert refused["error_message"].endswith("--username NAME --password`")
    served.password = PASSWORD
    assert (await served.load([row(1)]))["status"] == "SUCCEEDED"
    assert (await served.shop.feed_row())["consecutive_failures"] == 0


async def test_f116_a_server_that_dies_is_tried_again_and_gone_on_with(served: Served) -> None:
    rows = [f"item-{n},sku-{n},{os.urandom(300).hex()},https://shop.test/p/{n},10.00,USD,Y" for n in range(1, 3_001)]
    served.put(rows)
    served.box.die_after = 300_000
    first = await served.shop.run()
    assert (first.word, first.retry_in) == ("retry", 5.0)
    assert await served.shop.value("SELECT status FROM affiliate_feed_runs") == "RUNNING"
    served.box.die_after = None
    done = await served.run(number=2, job=FeedJob(feed_id=served.shop.feed_id, run_id=first.run_id))
    assert (done["id"], done["status"], done["products_upserted"]) == (first.run_id, "SUCCEEDED", 3_000)
    assert list(served.shop.means.folder.iterdir()) == []


async def test_f116_a_server_that_goes_on_dying_ends_the_run_with_what_to_do(served: Served) -> None:
    served.put_bytes(os.urandom(900_000))
    served.box.die_after = 300_000
    ended = await served.run(number=3)
    assert (ended["status"], ended["error_code"]) == ("FAILED", "ECONNRESET")
    assert ended["error_message"] == (
        "the connection was closed; tried 3 times, the next run tries again: if this goes on, ask the shop"
    )


async def test_f074_broken_archives_and_limits_activate_nothing(served: Served) -> None:
    shop = served.shop
    await served.load(row(n) for n in range(1, 41))
    whole = gzip.compress("\n".join([HEADER, *(row(n, "3.00") for n in range(1, 5_000))]).encode())
    served.put_bytes(whole[: len(whole) // 2])
    cut = await served.run()
    assert cut["error_code"] == "TRUNCATED"
    assert cut["error_message"].endswith("ask the shop to send it whole; the next run looks again")
    served.put_bytes(gzip.compress(f"{HEADER}\n".encode() + b"0" * 20_000_000, 9))
    assert (await served.run())["error_code"] == "TOO_LARGE_UNPACKED"
    await again(served)
    await shop.rows("UPDATE affiliate_feeds SET max_row_count = 100 RETURNING 1")
    over = await served.load(row(n) for n in range(1, 102))
    assert (over["status"], over["error_code"], over["is_partial"]) == ("FAILED", "ROW_COUNT_LIMIT_EXCEEDED", True)
    await shop.rows("UPDATE affiliate_feeds SET max_row_count = NULL, max_file_size_bytes = 50 RETURNING 1")
    assert (await served.run())["error_code"] == "FILE_SIZE_LIMIT_EXCEEDED"
    assert len(await shop.active()) == 40
    assert await shop.value("SELECT count(*) FROM affiliate_feed_runs WHERE promoted_at IS NOT NULL") == 1


async def again(served: Served) -> None:
    await served.shop.rows(
        "UPDATE affiliate_feeds SET consecutive_failures = 0, status = 'ENABLED' WHERE id = %s RETURNING 1",
        served.shop.feed_id,
    )


@pytest.mark.parametrize("served", ["SFTP"], indirect=True)  # FTP has no host key
async def test_f118_another_host_key_waits_for_a_person(served: Served) -> None:
    await served.load([row(1)])
    other = SftpBox(served.folder)
    async with other.running():
        await served.shop.rows("UPDATE affiliate_feeds SET port = %s RETURNING 1", other.port)
        changed = await served.load([row(1), row(2)])
        assert (changed["status"], changed["error_code"]) == ("FAILED", "HOST_KEY_CHANGED")
        assert changed["error_message"].startswith("[CONFIG]")
        assert changed["error_message"].endswith(f"feed change {served.shop.feed_id} --host-key {other.fingerprint}`")
        assert other.logins == []  # nobody but the pinned server gets the password
        async with served.shop.database.transaction() as conn:
            await admin.change(conn, "ada", served.shop.feed_id, {"host_key_fingerprint": other.fingerprint})
        assert (await served.run())["status"] == "SUCCEEDED"
