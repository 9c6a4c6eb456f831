"""Bodies are kept once by content, verified when read, durable when stored; a full disk is typed."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from backports import zstd

from tests.fetch.archive.archived_pages import replace_by_a_file
from tests.missing import missing
from tests.waiting import LIMIT
from winnow.errors import ArchiveError, ArchiveFull, ConfigError, NotFound
from winnow.fetch.archive import durable, packs
from winnow.fetch.archive.archive import Archive
from winnow.fetch.archive.packing import PackingProcess

BODY = b"<html>" + b"a page " * 2000 + b"</html>"
HASH = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "pages"


@pytest.fixture
def archive(folder: Path) -> Iterator[Archive]:
    opened = Archive(None, folder)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """A bucket on a real S3 server on loopback."""
    try:
        import boto3
        from moto.server import ThreadedMotoServer
    except ImportError:
        missing("moto, the S3 server")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    values = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in values.items():
            patch.setenv(name, value)
        boto3.client("s3", endpoint_url=values["AWS_ENDPOINT_URL"], region_name="us-east-1").create_bucket(
            Bucket="pages"
        )
        yield "s3://pages/winnow"
    server.stop()


@pytest.fixture(params=["folder", "packing", pytest.param("s3", marks=pytest.mark.servers)])
def either(request: pytest.FixtureRequest, folder: Path) -> Iterator[Archive]:
    packer = PackingProcess if request.param == "packing" else None
    url = request.getfixturevalue("s3") if request.param == "s3" else None
    opened = Archive(url, folder, packer)
    yield opened
    opened.close()


def files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def test_what_is_put_comes_back(either: Archive) -> None:
    stored = await either.put(BODY)
    assert (stored.hash, stored.raw_bytes) == (HASH, len(BODY))
    assert 0 < stored.stored_bytes < len(BODY)
    assert await either.get(HASH) == BODY
    assert (await either.put(BODY, HASH)) == stored


async def test_an_empty_body_is_a_body(either: Archive) -> None:
    assert await either.get((await either.put(b"")).hash) == b""


async def test_put_many_keeps_the_order(either: Archive) -> None:
    bodies = [b"page %d" % n for n in range(25)] + [BODY, BODY]
    stored = await either.put_many(bodies)
    assert [item.hash for item in stored] == [hashlib.sha256(body).hexdigest() for body in bodies]
    assert await asyncio.gather(*(either.get(item.hash) for item in stored)) == bodies
    assert await either.put_many([]) == []


async def test_deleted_bodies_are_gone_and_deleting_twice_is_fine(either: Archive) -> None:
    await either.put(BODY)
    await either.delete(HASH)
    await either.delete(HASH)
    with pytest.raises(NotFound):
        await either.get(HASH)


async def test_bodies_are_listed_by_the_first_digits_of_their_hash(either: Archive) -> None:
    stored = {(await either.put(text)).hash for text in (b"one", b"two", b"three")}
    found = {name for digits in {name[:2] for name in stored} for name in await either.names(digits)}
    assert stored <= found
    with pytest.raises(ValueError, match="prefix"):
        await either.names("../")


async def test_a_young_body_is_not_deleted_by_age(either: Archive) -> None:
    stored = await either.put(b"young")
    assert not await either.delete(stored.hash, older_than=timedelta(hours=1))
    assert await either.get(stored.hash) == b"young"
    assert await either.delete(stored.hash)


async def test_a_body_put_again_is_young_again(archive: Archive, folder: Path) -> None:
    await archive.put(BODY)
    (path,) = files_of(folder)
    os.utime(path, (1, 1))
    await archive.put(BODY)
    assert not await archive.delete(HASH, older_than=timedelta(hours=1))


@pytest.mark.parametrize("name", ["", "x", "../../etc/passwd", HASH.upper(), HASH + "0", HASH[:-1] + "\n"])
async def test_only_a_hash_is_a_name(either: Archive, name: str) -> None:
    with pytest.raises(NotFound):
        await either.get(name)


async def test_the_folder_holds_one_file_per_content(archive: Archive, folder: Path) -> None:
    await asyncio.gather(*(archive.put(BODY) for _ in range(8)))
    files = files_of(folder)
    assert files == [folder / HASH[:2] / f"{HASH}.zst"]
    assert zstd.decompress(files[0].read_bytes()) == BODY


async def test_an_existing_body_is_not_written_again(archive: Archive, folder: Path) -> None:
    await archive.put(BODY)
    path = folder / HASH[:2] / f"{HASH}.zst"
    before = path.stat()
    await archive.put(BODY)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("damage", [b"", b"not zstd", zstd.compress(b"another page")])
async def test_a_damaged_body_is_never_handed_out(archive: Archive, folder: Path, damage: bytes) -> None:
    await archive.put(BODY)
    (folder / HASH[:2] / f"{HASH}.zst").write_bytes(damage)
    with pytest.raises(ArchiveError):
        await archive.get(HASH)


async def test_a_file_a_crash_left_empty_is_written_again(archive: Archive, folder: Path) -> None:
    await archive.put(BODY)
    (folder / HASH[:2] / f"{HASH}.zst").write_bytes(b"")
    await archive.put(BODY)
    assert await archive.get(HASH) == BODY


async def test_what_a_killed_process_left_unfinished_is_swept(archive: Archive, folder: Path) -> None:
    await archive.put(BODY)
    left = folder / HASH[:2] / f"{HASH}.zst#1"
    left.write_bytes(b"half")
    assert await archive.sweep_unfinished(timedelta(hours=1)) == 0
    os.utime(left, (0, 0))
    assert await archive.sweep_unfinished(timedelta(hours=1)) == 1
    assert not left.exists()
    assert await archive.get(HASH) == BODY


def path_in(folder: Path, body: bytes) -> Path:
    name = hashlib.sha256(body).hexdigest()
    return folder / name[:2] / f"{name}.zst"


TOGETHER = [b"a body among others %d " % n * 50 for n in range(10)]


async def test_bodies_stored_together_share_a_file_under_a_name_each(archive: Archive, folder: Path) -> None:
    stored = await archive.put_many([*TOGETHER, TOGETHER[0]])
    files = files_of(folder)
    assert sorted(files) == sorted({path_in(folder, body) for body in TOGETHER})
    assert len({path.stat().st_ino for path in files}) == 1
    assert zstd.decompress(files[0].read_bytes()) == b"".join(TOGETHER)  # a zstd file like any other
    assert [item.stored_bytes for item in stored[:10]] == [len(zstd.compress(body, 1)) for body in TOGETHER]
    assert await archive.put_many([*TOGETHER, TOGETHER[0]]) == stored


async def test_a_body_deleted_from_a_shared_file_is_erased_and_the_others_stay(archive: Archive, folder: Path) -> None:
    stored = await archive.put_many(TOGETHER)
    shared = path_in(folder, TOGETHER[1])
    os.utime(shared, (1_000, 1_000))
    assert zstd.compress(TOGETHER[0], 1) in shared.read_bytes()
    assert await archive.delete(stored[0].hash, older_than=timedelta(hours=1))
    assert zstd.compress(TOGETHER[0], 1) not in shared.read_bytes()
    with pytest.raises(NotFound):
        await archive.get(stored[0].hash)
    assert [await archive.get(item.hash) for item in stored[1:]] == TOGETHER[1:]
    assert await archive.delete(stored[1].hash, older_than=timedelta(hours=1)), "as old as before"


async def test_a_body_of_a_shared_file_that_is_put_again_is_young_and_the_others_are_not(
    archive: Archive, folder: Path
) -> None:
    stored = await archive.put_many(TOGETHER)
    os.utime(path_in(folder, TOGETHER[0]), (1, 1))
    assert await archive.put(TOGETHER[0]) == stored[0]
    assert not await archive.delete(stored[0].hash, older_than=timedelta(hours=1))
    assert zstd.compress(TOGETHER[0], 1) not in path_in(folder, TOGETHER[1]).read_bytes()
    assert await archive.delete(stored[1].hash, older_than=timedelta(hours=1))
    assert await archive.get(stored[0].hash) == TOGETHER[0]


async def test_where_nothing_can_be_erased_in_place_it_is_written_over(
    archive: Archive, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packs, "_fallocate", None)
    stored = await archive.put_many(TOGETHER)
    await archive.delete(stored[0].hash)
    assert zstd.compress(TOGETHER[0], 1) not in path_in(folder, TOGETHER[1]).read_bytes()
    assert await archive.get(stored[1].hash) == TOGETHER[1]


async def test_a_file_system_without_links_keeps_a_file_per_body(
    archive: Archive, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    stored = await archive.put_many(TOGETHER)
    assert len({path.stat().st_ino for path in files_of(folder)}) == len(TOGETHER) == len(files_of(folder))
    assert [await archive.get(item.hash) for item in stored] == TOGETHER


async def test_no_name_leads_to_bytes_that_are_not_on_the_disk(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, link = packs._sync, os.link
    monkeypatch.setattr(packs, "_sync", lambda fd: (done.append("sync"), sync(fd)))
    monkeypatch.setattr(os, "link", lambda a, b: (done.append("link"), link(a, b)))
    monkeypatch.setattr("winnow.fetch.archive.folder.make_durable", lambda folder, written: done.append("names"))
    await archive.put_many(TOGETHER[:2])
    links = [step for step in done if step == "link"]
    assert done == ["sync", *links, "names"]
    assert len(links) >= 2


@pytest.mark.parametrize("damage", [b"", b"\x50\x2a\x4d\x18\x00\x00\x00\x00 no table"])
async def test_a_damaged_shared_file_is_never_handed_out_and_stored_again(
    archive: Archive, folder: Path, damage: bytes
) -> None:
    stored = await archive.put_many(TOGETHER)
    path_in(folder, TOGETHER[0]).write_bytes(damage)
    with pytest.raises(ArchiveError):
        await archive.get(stored[0].hash)
    await archive.put_many(TOGETHER)
    assert [await archive.get(item.hash) for item in stored] == TOGETHER


async def test_what_another_process_stored_meanwhile_is_not_kept_twice(
    archive: Archive, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = path_in(folder, TOGETHER[0])
    sync = packs._sync

    def meanwhile(fd: int) -> None:
        first.parent.mkdir(exist_ok=True)
        first.write_bytes(zstd.compress(TOGETHER[0], 1))
        sync(fd)

    monkeypatch.setattr(packs, "_sync", meanwhile)
    stored = await archive.put_many(TOGETHER)
    assert zstd.compress(TOGETHER[0], 1) not in path_in(folder, TOGETHER[1]).read_bytes()
    assert [await archive.get(item.hash) for item in stored] == TOGETHER


async def test_one_wait_for_the_disk_per_batch(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[int] = []
    monkeypatch.setattr("winnow.fetch.archive.folder.make_durable", lambda folder, written: waits.append(len(written)))
    await archive.put_many([b"%d" % n for n in range(10)])
    assert waits == [10]


async def test_where_the_system_has_no_syncfs_every_file_is_synced(
    archive: Archive, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fsync
    monkeypatch.setattr(durable, "_syncfs", None)
    monkeypatch.setattr(os, "fsync", lambda fd: (synced.append(os.readlink(f"/proc/self/fd/{fd}")), real(fd)))
    await archive.put(BODY)
    here = folder / HASH[:2]
    assert {str(here / f"{HASH}.zst"), str(here), str(folder)} == set(synced)


async def test_a_disk_that_cannot_sync_is_an_error(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable, "_syncfs", lambda fd: -1)
    with pytest.raises(ArchiveError):
        await archive.put(BODY)


FULL_DISK = """
import asyncio, os, resource, sys
from pathlib import Path
from winnow.errors import ArchiveFull
from winnow.fetch.archive.archive import Archive

async def main():
    folder = Path(sys.argv[1])
    archive = Archive(None, folder)
    small = await archive.put(b"small")
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    try:
        await archive.put_many([b"tiny", os.urandom(50_000)])
    except ArchiveFull as full:
        print(full.code, [path.name for path in folder.rglob("*") if "#" in path.name])
    assert await archive.get(small.hash) == b"small"
    archive.close()

asyncio.run(main())
"""


def test_a_full_disk_is_typed_and_leaves_nothing_half_written(folder: Path) -> None:
    """A limit on the size of files stands for the disk: in a process of its own, because it cannot be lifted."""
    done = subprocess.run([sys.executable, "-c", FULL_DISK, str(folder)], capture_output=True, text=True, timeout=LIMIT)
    assert (done.stdout.strip(), done.stderr) == ("archive_full []", "")
    assert all(zstd.decompress(path.read_bytes()) is not None for path in folder.rglob("*.zst"))


async def test_a_folder_that_is_no_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "pages").write_bytes(b"a file")
    with pytest.raises((ConfigError, ArchiveError)):
        await Archive(None, tmp_path / "pages").put(BODY)


async def test_a_folder_that_loses_its_place_is_an_error(archive: Archive, folder: Path) -> None:
    replace_by_a_file(folder)
    with pytest.raises(ArchiveError) as failed:
        await archive.put(BODY)
    assert not isinstance(failed.value, ArchiveFull)


@pytest.mark.servers
async def test_a_bucket_that_is_not_there_is_an_error(s3: str, folder: Path) -> None:
    with pytest.raises((ArchiveError, NotFound)):
        await Archive("s3://missing/x", folder).put(BODY)


def test_a_wrong_address_is_a_configuration_error(folder: Path) -> None:
    with pytest.raises(ConfigError):
        Archive("nonsense://x", folder)


def test_only_its_user_may_read_the_pages(archive: Archive, folder: Path) -> None:
    assert folder.stat().st_mode & 0o777 == 0o700
