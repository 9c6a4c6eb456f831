"""FTP over TLS (explicit, RFC 4217) against a real server on loopback that takes nothing unencrypted (F-118, F-135)."""

from __future__ import annotations

import hashlib
import os
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.feeds.transport.certificates import write_certificate
from tests.feeds.transport.servers import FtpBox, reach, talking
from winnow.feeds.failures import FeedLoginRefused, FileMissing, Misconfigured, Retry, Transient
from winnow.feeds.transport.transport import Reach, download, stat

CONTENT = os.urandom(3_000_000)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    served = tmp_path / "served"
    served.mkdir()
    (served / "catalog.csv").write_bytes(CONTENT)
    return served


@pytest.fixture
def box(folder: Path, tmp_path: Path) -> Iterator[FtpBox]:
    with FtpBox(folder, write_certificate(tmp_path / "server.pem")).running() as running:
        yield running


def trusting(box: FtpBox) -> Reach:
    return reach(ssl=ssl.create_default_context(cafile=str(box.certificate)), allow_plain_ftp=False)


async def test_f135_the_file_comes_over_encrypted_connections_only(box: FtpBox, tmp_path: Path) -> None:
    got = await download(box.remote(), trusting(box), tmp_path / "got")
    assert (got.size, got.sha256) == (len(CONTENT), hashlib.sha256(CONTENT).hexdigest())
    assert box.commands[:5] == ["AUTH", "PBSZ", "PROT", "USER", "PASS"]
    assert (await stat(box.remote(), trusting(box))).size == len(CONTENT)


async def test_f135_the_newest_file_of_a_pattern_is_listed_over_tls(box: FtpBox, tmp_path: Path) -> None:
    old, new = box.folder / "part-1.csv", box.folder / "part-2.csv"
    for age, path in enumerate((old, new)):
        path.write_bytes(path.name.encode())
        os.utime(path, (1_700_000_000 + age, 1_700_000_000 + age))
    got = await download(box.remote("/part-*.csv"), trusting(box), tmp_path / "got")
    assert got.path.read_bytes() == b"part-2.csv"


async def test_f116_a_cut_transfer_is_gone_on_with(box: FtpBox, tmp_path: Path) -> None:
    box.die_after = 900_000
    with pytest.raises(Transient):
        await download(box.remote(), trusting(box), tmp_path / "got")
    box.die_after = None
    got = await download(box.remote(), trusting(box), tmp_path / "got")
    assert (got.path.read_bytes() == CONTENT, got.resumed_at > 0) == (True, True)


async def test_f117_login_and_missing_file_have_their_class_over_tls(box: FtpBox, tmp_path: Path) -> None:
    with pytest.raises(FeedLoginRefused):
        await stat(box.remote(secret="wrong"), trusting(box))
    with pytest.raises(FileMissing):
        await download(box.remote("/nothing.csv"), trusting(box), tmp_path / "got")


@pytest.mark.parametrize("certificate", ["unknown", "of another address", "expired"])
async def test_f118_a_certificate_that_proves_nothing_gets_no_password(
    folder: Path, tmp_path: Path, certificate: str
) -> None:
    address, days = ("127.0.0.2" if "another" in certificate else "127.0.0.1"), (-1 if certificate == "expired" else 1)
    made = write_certificate(tmp_path / "server.pem", address, days)
    with FtpBox(folder, made).running() as box:
        with pytest.raises(Misconfigured) as caught:
            await stat(box.remote(), reach() if certificate == "unknown" else trusting(box))
        assert (caught.value.code, caught.value.retry) == ("TLS_ERROR", Retry.CONFIG)
        assert {"USER", "PASS"}.isdisjoint(box.commands)


async def test_f118_a_server_without_tls_gets_no_password(folder: Path, tmp_path: Path) -> None:
    with FtpBox(folder).running() as plain:
        with pytest.raises(Misconfigured) as caught:
            await stat(plain.remote(transport="FTPS"), reach(allow_plain_ftp=False))
        assert (caught.value.code, caught.value.retry) == ("TLS_UNAVAILABLE", Retry.CONFIG)
        assert {"USER", "PASS"}.isdisjoint(plain.commands)


async def test_f118_plain_ftp_to_a_server_that_wants_tls_names_the_transport(box: FtpBox) -> None:
    with pytest.raises(Misconfigured) as caught:
        await stat(box.remote(transport="FTP"), reach())
    assert caught.value.code == "TLS_REQUIRED"
    assert caught.value.hint == "use the transport FTPS, or SFTP"


async def test_f118_ftps_at_the_port_of_another_protocol_is_a_config_error(box: FtpBox) -> None:
    async with talking(b"SSH-2.0-OpenSSH_9.7\r\n") as port:
        with pytest.raises(Misconfigured) as caught:
            await stat(box.remote(port=port), trusting(box))
    assert caught.value.code == "PROTOCOL_MISMATCH"
