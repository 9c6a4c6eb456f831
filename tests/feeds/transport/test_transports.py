"""F-092 … F-095, F-115 … F-118 against real servers on loopback."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import asyncssh
import pytest

from tests.feeds.transport.servers import PASSWORD, FtpBox, SftpBox, reach, talking
from tests.waiting import LIMIT
from winnow.feeds.failures import (
    FeedLoginRefused,
    FileForbidden,
    FileMissing,
    FileSizeLimitExceeded,
    HostKeyChanged,
    Misconfigured,
    Retry,
    Transient,
    classify,
)
from winnow.feeds.transport.changes import Skip, StatVerdict, compare_stat, skip_by_hash
from winnow.feeds.transport.dial import network_failure
from winnow.feeds.transport.transport import FileStat, Remote, download, stat
from winnow.fetch.egress.guard import EgressGuard

CONTENT = os.urandom(3_000_000)
MODIFIED = 1_700_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    served = tmp_path / "served"
    served.mkdir()
    (served / "catalog.csv").write_bytes(CONTENT)
    os.utime(served / "catalog.csv", (MODIFIED, MODIFIED))
    return served


@pytest.fixture
async def sftp(folder: Path) -> AsyncIterator[SftpBox]:
    async with SftpBox(folder).running() as box:
        yield box


@pytest.fixture
def ftp(folder: Path) -> Iterator[FtpBox]:
    with FtpBox(folder).running() as box:
        yield box


def is_whole(path: Path) -> bool:
    return path.read_bytes() == CONTENT and not list(path.parent.glob("*.part*"))


# --- SFTP


async def test_f092_sftp_gives_the_file_its_hash_its_stat_and_progress(sftp: SftpBox, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    got = await download(sftp.remote(), reach(), tmp_path / "got", lambda done, total: seen.append((done, total)))
    assert is_whole(got.path)
    assert (got.size, got.sha256) == (len(CONTENT), hashlib.sha256(CONTENT).hexdigest())
    assert got.stat.mtime == datetime.fromtimestamp(MODIFIED, UTC)
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert (await stat(sftp.remote(), reach())).size == len(CONTENT)


async def test_first_use_shows_the_fingerprint_and_pins_it(sftp: SftpBox) -> None:
    first = await stat(sftp.remote(), reach())
    assert first.host_key_fingerprint == sftp.fingerprint
    assert sftp.fingerprint.startswith("SHA256:")
    again = await stat(sftp.remote(host_key_fingerprint=first.host_key_fingerprint), reach())
    assert again.size == len(CONTENT)


async def test_another_host_key_is_a_config_error_and_gets_no_password(folder: Path, sftp: SftpBox) -> None:
    async with SftpBox(folder).running() as other:
        with pytest.raises(HostKeyChanged) as caught:
            await stat(other.remote(host_key_fingerprint=sftp.fingerprint), reach())
    assert caught.value.retry is Retry.CONFIG
    assert caught.value.hint
    assert sftp.fingerprint in str(caught.value)
    assert other.fingerprint in str(caught.value)
    assert other.logins == []


async def test_f117_a_wrong_sftp_password_is_permanent(sftp: SftpBox) -> None:
    with pytest.raises(FeedLoginRefused) as caught:
        await stat(sftp.remote(secret="wrong-secret"), reach())
    assert caught.value.retry is Retry.PERMANENT
    assert "wrong-secret" not in repr(caught.value)


async def test_f117_a_missing_sftp_file_is_permanent(sftp: SftpBox, tmp_path: Path) -> None:
    with pytest.raises(FileMissing):
        await stat(sftp.remote("/nothing.csv"), reach())
    with pytest.raises(FileMissing):
        await download(sftp.remote("/nothing.csv"), reach(), tmp_path / "got")


async def test_f116_a_server_that_dies_is_transient_and_the_next_attempt_goes_on(sftp: SftpBox, tmp_path: Path) -> None:
    sftp.die_after = 2_000_000
    with pytest.raises(Transient):
        await download(sftp.remote(), reach(), tmp_path / "got")
    assert not (tmp_path / "got").exists()
    sftp.die_after = None
    got = await download(sftp.remote(), reach(), tmp_path / "got")
    assert is_whole(got.path)
    assert got.resumed_at > 0
    assert got.sha256 == hashlib.sha256(CONTENT).hexdigest()


async def test_a_part_of_a_file_that_changed_is_not_gone_on_with(sftp: SftpBox, folder: Path, tmp_path: Path) -> None:
    sftp.die_after = 2_000_000
    with pytest.raises(Transient):
        await download(sftp.remote(), reach(), tmp_path / "got")
    sftp.die_after = None
    other = CONTENT[::-1]
    (folder / "catalog.csv").write_bytes(other)
    got = await download(sftp.remote(), reach(), tmp_path / "got")
    assert (got.resumed_at, got.path.read_bytes()) == (0, other)


async def test_f072_a_file_over_the_limit_is_refused_before_and_while_it_comes(sftp: SftpBox, tmp_path: Path) -> None:
    with pytest.raises(FileSizeLimitExceeded) as caught:
        await download(sftp.remote(max_bytes=1_000_000), reach(), tmp_path / "got")
    assert (caught.value.actual, caught.value.limit) == (len(CONTENT), 1_000_000)
    assert caught.value.code == "FILE_SIZE_LIMIT_EXCEEDED"


@pytest.mark.parametrize("request_", ["open", "close"])
async def test_f116_a_server_that_falls_silent_is_given_up(sftp: SftpBox, tmp_path: Path, request_: str) -> None:
    sftp.silent_at = request_
    with pytest.raises(Transient) as caught:
        await asyncio.wait_for(download(sftp.remote(), reach(idle_seconds=0.3), tmp_path / "got"), LIMIT)
    assert caught.value.code == "ETIMEDOUT"


@pytest.mark.parametrize(("opens", "code"), [(True, "ETIMEDOUT"), (False, "SFTP_REFUSED")])
async def test_f116_a_server_that_lets_us_in_and_speaks_no_sftp_is_given_up(opens: bool, code: str) -> None:
    class Silent(asyncssh.SSHServerSession[str]):
        def subsystem_requested(self, subsystem: str) -> bool:
            return opens

    class Anybody(asyncssh.SSHServer):
        def begin_auth(self, username: str) -> bool:
            return False

        def session_requested(self) -> Silent:
            return Silent()

    key = asyncssh.generate_private_key("ssh-ed25519")
    async with await asyncssh.listen("127.0.0.1", 0, server_host_keys=[key], server_factory=Anybody) as server:
        remote = Remote(transport="SFTP", host="127.0.0.1", port=server.get_port(), path="/a", username="u", secret="p")
        with pytest.raises(Transient) as caught:
            await stat(remote, reach(connect_seconds=2.0 if opens else LIMIT))
    assert caught.value.code == code


def test_a_full_disk_is_not_called_a_bad_connection() -> None:
    assert "no room" in str(network_failure(OSError(errno.ENOSPC, "No space left on device")))


async def test_f116_nobody_listening_is_transient(sftp: SftpBox, unused_tcp_port: int) -> None:
    with pytest.raises(Transient) as caught:
        await stat(sftp.remote(port=unused_tcp_port), reach())
    assert caught.value.code == "ECONNREFUSED"


async def test_f118_an_ftp_server_on_the_sftp_port_is_a_config_error() -> None:
    async with talking(b"220 ftp.example.com ready\r\n") as port:
        remote = Remote(transport="SFTP", host="127.0.0.1", port=port, path="/x", username="u", secret="p")
        with pytest.raises(Misconfigured) as caught:
            await stat(remote, reach(connect_seconds=1.0))
    assert caught.value.code == "PROTOCOL_MISMATCH"


async def test_the_guard_refuses_a_host_that_is_not_public(sftp: SftpBox) -> None:
    for transport in ("SFTP", "FTP"):
        with pytest.raises(Misconfigured) as caught:
            await stat(sftp.remote(transport=transport), reach(guard=EgressGuard()))
        assert caught.value.code == "HOST_REFUSED"
    assert sftp.logins == []


async def test_f101_no_repr_of_a_remote_shows_the_password(sftp: SftpBox) -> None:
    remote = sftp.remote()
    assert PASSWORD not in f"{remote} {remote!r} {[remote]} {remote.__rich_repr__()}"


# --- FTP


async def test_f092_ftp_passive_gives_the_file(ftp: FtpBox, tmp_path: Path) -> None:
    got = await download(ftp.remote(), reach(), tmp_path / "got")
    assert is_whole(got.path)
    assert got.stat == FileStat(datetime.fromtimestamp(MODIFIED, UTC), len(CONTENT))


async def test_f093_ftp_is_a_config_error_when_switched_off(ftp: FtpBox) -> None:
    with pytest.raises(Misconfigured) as caught:
        await stat(ftp.remote(), reach(allow_plain_ftp=False))
    assert "AFFILIATE_FEED_ALLOW_PLAIN_FTP" in (caught.value.hint or "")


async def test_a_pasv_answer_that_points_elsewhere_leads_nowhere(folder: Path, tmp_path: Path) -> None:
    box = FtpBox(folder)
    box.masquerade, box.refused = "10.1.2.3", ("EPSV",)
    with box.running():
        got = await download(box.remote(), reach(), tmp_path / "got")
    assert is_whole(got.path)  # from the address of the control connection


async def test_f117_ftp_login_and_missing_file_are_permanent(ftp: FtpBox, tmp_path: Path) -> None:
    with pytest.raises(FeedLoginRefused):
        await stat(ftp.remote(secret="wrong"), reach())
    with pytest.raises(FileMissing):
        await download(ftp.remote("/nothing.csv"), reach(), tmp_path / "got")


async def test_f117_ftp_permission_is_told_from_missing(folder: Path, tmp_path: Path) -> None:
    (folder / "secret.csv").write_bytes(b"x")

    box = FtpBox(folder)
    box.perm = "el"  # may look, may not retrieve
    with box.running():
        with pytest.raises(FileForbidden):
            await download(box.remote("/secret.csv"), reach(), tmp_path / "got")


async def test_f116_an_ftp_server_that_dies_is_transient_then_resumed(ftp: FtpBox, tmp_path: Path) -> None:
    ftp.die_after = 1_000_000
    with pytest.raises(Transient):
        await download(ftp.remote(), reach(), tmp_path / "got")
    ftp.die_after = None
    got = await download(ftp.remote(), reach(), tmp_path / "got")
    assert is_whole(got.path)
    assert got.resumed_at > 0


async def test_f094_a_server_without_size_and_time_still_gives_the_file(folder: Path, tmp_path: Path) -> None:
    box = FtpBox(folder)
    box.refused = ("SIZE", "MDTM", "MLST", "MLSD")
    with box.running():
        assert await stat(box.remote(), reach()) == FileStat()
        got = await download(box.remote(), reach(), tmp_path / "got")
        with pytest.raises(FileSizeLimitExceeded):
            await download(box.remote(max_bytes=1_000_000), reach(), tmp_path / "second")
    assert is_whole(got.path)
    assert not list(tmp_path.glob("second*"))


async def test_f118_an_ssh_server_on_the_ftp_port_is_a_config_error(sftp: SftpBox) -> None:
    remote = sftp.remote(transport="FTP")
    with pytest.raises(Misconfigured) as caught:
        await stat(remote, reach(connect_seconds=1.0))
    assert caught.value.code == "PROTOCOL_MISMATCH"


# --- local folder


async def test_a_local_file_is_read_from_the_folder_only(folder: Path, tmp_path: Path) -> None:
    got = await download(Remote(transport="FILE", path="catalog.csv"), reach(folder=folder), tmp_path / "got")
    assert is_whole(got.path)


@pytest.mark.parametrize(
    "path", ["../outside.csv", "/etc/passwd", "sub/../../outside.csv", "link.csv", "linked/a.csv", ""]
)
async def test_a_local_path_that_leads_out_is_refused(folder: Path, tmp_path: Path, path: str) -> None:
    (tmp_path / "outside.csv").write_bytes(b"secret")
    (folder / "link.csv").symlink_to(tmp_path / "outside.csv")
    (folder / "linked").symlink_to(tmp_path)
    with pytest.raises(Misconfigured):
        await download(Remote(transport="FILE", path=path), reach(folder=folder), tmp_path / "got")


async def test_a_device_or_pipe_is_not_a_catalogue(folder: Path, tmp_path: Path) -> None:
    os.mkfifo(folder / "pipe")
    for path in ("pipe", "."):
        with pytest.raises((Misconfigured, Exception)) as caught:
            await download(Remote(transport="FILE", path=path), reach(folder=folder), tmp_path / "got")
        assert caught.value.code in ("NOT_A_FILE", "PATH_REFUSED")  # type: ignore[attr-defined]


async def test_no_folder_means_no_local_files(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured):
        await stat(Remote(transport="FILE", path="catalog.csv"), reach())


# --- decisions


def test_f094_only_two_whole_stats_that_agree_save_a_download() -> None:
    then = datetime(2026, 1, 1, tzinfo=UTC)
    assert compare_stat(FileStat(then, 5), then, 5) is StatVerdict.UNCHANGED
    for now, mtime, size in [
        (None, then, 5),
        (FileStat(None, 5), then, 5),
        (FileStat(then, None), then, 5),
        (FileStat(then, 5), None, 5),
        (FileStat(then, 5), then, None),
    ]:
        assert compare_stat(now, mtime, size) is StatVerdict.INCOMPLETE
    assert compare_stat(FileStat(then, 6), then, 5) is StatVerdict.CHANGED


def test_f095_the_hash_decides() -> None:
    assert skip_by_hash("a", "a") is Skip.HASH
    assert skip_by_hash("a", "b") is None
    assert skip_by_hash("a", None) is None


@pytest.mark.parametrize(
    ("wrong", "retry"),
    [
        (TimeoutError(), Retry.TRANSIENT),
        (ConnectionResetError(), Retry.TRANSIENT),
        (ConnectionRefusedError(), Retry.TRANSIENT),
        (BrokenPipeError(), Retry.TRANSIENT),
        (PermissionError(13, "no"), Retry.PERMANENT),
        (FileNotFoundError(2, "no"), Retry.PERMANENT),
        (RuntimeError("CERT_HAS_EXPIRED"), Retry.CONFIG),
        (RuntimeError("unable to verify leaf"), Retry.CONFIG),
        (RuntimeError("cannot parse row"), Retry.PERMANENT),
        (RuntimeError("something new"), Retry.TRANSIENT),
        (FeedLoginRefused("x"), Retry.PERMANENT),
        (HostKeyChanged("x"), Retry.CONFIG),
    ],
)
def test_f116_f117_f118_errors_are_classified(wrong: Exception, retry: Retry) -> None:
    assert classify(wrong) is retry
