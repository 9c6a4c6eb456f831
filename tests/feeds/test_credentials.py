"""F-097 … F-102 and the key rotation of F-140."""

from __future__ import annotations

import ast
import base64
import io
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.feeds.shop import Shop
from tests.feeds.transport.servers import SftpBox, reach
from winnow.db.engine import Database
from winnow.db.keyring import FILE, load_ring
from winnow.db.sealed import KeyRing, parse_key, ring_of, seal, unseal
from winnow.db.settings import DatabaseSettings
from winnow.errors import ConfigError, SealBroken
from winnow.feeds import feed as feeds
from winnow.feeds.credentials import FeedSecrets, bound_to
from winnow.feeds.failures import FeedLoginRefused
from winnow.feeds.reseal import reseal
from winnow.feeds.runs import FeedJob
from winnow.feeds.transport.transport import stat
from winnow.observe import logs
from winnow.observe.settings import ObserveSettings
from winnow.run.feed_runs import FeedUpkeep

PASSWORD = "hunter2-and-more"
SOURCE = Path(__file__).parents[2] / "src/winnow"


@pytest.fixture
async def shop(database: Database, tmp_path: Path) -> Shop:
    made = Shop(database, tmp_path / "shop")
    await made.open()
    return made


@pytest.fixture
def told() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    logs.configure(ObserveSettings(log_level="DEBUG"), stream)
    yield stream
    logs.configure(ObserveSettings())


async def keep(shop: Shop, credentials: FeedSecrets, password: str | None) -> feeds.Feed:
    async with shop.database.transaction() as conn:
        await credentials.change(conn, "ada", await feeds.get(conn, shop.feed_id), password)
    async with shop.database.connection() as conn:
        return await feeds.get(conn, shop.feed_id)


@pytest.mark.parametrize(
    "text", ["", "not base64!", base64.b64encode(b"x" * 31).decode(), base64.b64encode(b"x" * 33).decode()]
)
def test_f097_a_key_that_is_not_32_bytes_of_base64_stops_the_start(text: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        parse_key(text, "CREDENTIAL_ENCRYPTION_KEY_B64")
    settings = DatabaseSettings(data_dir=tmp_path).model_copy(update={"credential_key": SecretStr(text)})
    with pytest.raises(ConfigError):
        load_ring(settings, create=True)


def test_f097_without_a_setting_the_key_is_made_in_the_data_folder_for_its_owner_only(tmp_path: Path) -> None:
    settings = DatabaseSettings(data_dir=tmp_path).model_copy(update={"credential_key": None})
    ring = load_ring(settings, create=True)
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
    assert load_ring(settings, create=False).current == ring.current


def test_f098_the_layout_of_a_blob() -> None:
    ring = ring_of(secrets.token_bytes(32))
    blob = seal(ring, b"secret", bound_to(7, 1))
    assert (blob[0], len(blob)) == (1, 1 + 12 + 16 + len(b"secret"))
    assert seal(ring, b"secret", bound_to(7, 1))[1:13] != blob[1:13]
    for wrong in (b"", blob[:28], b"\x02" + blob[1:], blob[:-1] + bytes([blob[-1] ^ 1])):
        with pytest.raises(SealBroken):
            unseal(ring, wrong, bound_to(7, 1))


def test_f099_a_blob_copied_to_another_feed_or_version_does_not_open() -> None:
    ring = ring_of(secrets.token_bytes(32))
    blob = seal(ring, b"secret", bound_to(7, 1))
    assert bound_to(7, 1) == "feed:7:v1"
    assert unseal(ring, blob, bound_to(7, 1)) == b"secret"
    for aad in (bound_to(8, 1), bound_to(7, 2), ""):
        with pytest.raises(SealBroken):
            unseal(ring, blob, aad)


async def test_f102_blank_keeps_what_is_there(shop: Shop, database_settings: DatabaseSettings) -> None:
    credentials = FeedSecrets(shop.database, database_settings)
    first = await keep(shop, credentials, PASSWORD)
    for blank in (None, ""):
        again = await keep(shop, credentials, blank)
        assert (again.secret_ciphertext, again.secret_version) == (first.secret_ciphertext, first.secret_version)
    assert await credentials.secret(again) == PASSWORD
    changed = await keep(shop, credentials, "another one")
    assert changed.secret_version == first.secret_version + 1
    assert await credentials.secret(changed) == "another one"
    audited = await shop.rows("SELECT actor, object_id, after FROM audit_log WHERE action = 'CREDENTIAL_CHANGED'")
    assert [(actor, int(feed)) for actor, feed, _ in audited] == [("ada", shop.feed_id)] * 2
    assert PASSWORD not in str(audited)


async def test_f101_no_log_audit_or_repr_shows_a_secret(
    shop: Shop, database_settings: DatabaseSettings, tmp_path: Path, told: io.StringIO
) -> None:
    credentials = FeedSecrets(shop.database, database_settings)
    feed = await keep(shop, credentials, PASSWORD)
    async with SftpBox(tmp_path).running() as box:
        with pytest.raises(FeedLoginRefused) as caught:
            await stat(box.remote(secret=await credentials.secret(feed)), reach())
    ring = await credentials.key_ring()
    logs_structlog(feed, ring, caught.value)
    blob = bytes(feed.secret_ciphertext or b"")
    shown = (
        told.getvalue()
        + repr([feed, ring, credentials, caught.value])
        + str(await shop.rows("SELECT to_jsonb(a) FROM audit_log a"))
    )
    assert "CREDENTIAL_CHANGED" in shown
    for hidden in (
        PASSWORD,
        blob.hex(),
        repr(blob),
        repr(blob)[2:-1],
        base64.b64encode(blob).decode(),
        blob[1:13].hex(),
    ):
        assert hidden not in shown


def logs_structlog(*things: object) -> None:
    import structlog

    structlog.get_logger().error("everything_at_once", things=things, feed=things[0])


def test_f100_only_the_worker_opens_secrets() -> None:
    """Nothing under api/, console/ or cli/ touches `unseal`, or asks Credentials for a secret."""
    for file in [f for part in ("api", "console", "cli") for f in (SOURCE / part).rglob("*.py")]:
        tree = ast.parse(file.read_text())
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        called = {
            node.func.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        }
        assert "unseal" not in names | called, file
        assert "Credentials" not in names or "secret" not in called, file


def test_f062_f100_a_job_carries_no_credentials() -> None:
    assert set(FeedJob.__struct_fields__) <= {"feed_id", "trigger", "run_id", "feed_lock_id"}


# --- F-140: turning to a new key


def rings() -> tuple[KeyRing, KeyRing, KeyRing]:
    """Before, while turning, and after the old key is gone."""
    old, new = os.urandom(32), os.urandom(32)
    return ring_of(old), ring_of(new, [old]), ring_of(new)


async def stored(shop: Shop, ring: KeyRing, secret: str) -> None:
    async with shop.database.transaction() as conn:
        feed = await feeds.get(conn, shop.feed_id)
        blob = seal(ring, secret.encode(), bound_to(feed.id, feed.secret_version))
        await conn.execute(
            "UPDATE affiliate_feeds SET secret_ciphertext = %s, secret_key_id = %s", (blob, ring.current)
        )


async def opened(shop: Shop, ring: KeyRing) -> str:
    async with shop.database.connection() as conn:
        feed = await feeds.get(conn, shop.feed_id)
    return unseal(
        ring, bytes(feed.secret_ciphertext or b""), bound_to(feed.id, feed.secret_version), feed.secret_key_id
    ).decode()


async def test_f140_secrets_are_sealed_anew_and_the_old_key_can_go(shop: Shop) -> None:
    before, turning, after = rings()
    await stored(shop, before, PASSWORD)
    assert await opened(shop, turning) == PASSWORD
    async with shop.database.dedicated() as conn:
        assert await reseal(conn, turning) == 1
        assert await reseal(conn, turning) == 0
    assert await opened(shop, after) == PASSWORD
    with pytest.raises(SealBroken):
        await opened(shop, before)


async def test_f140_a_feed_in_use_is_left_for_the_next_round(shop: Shop) -> None:
    before, turning, after = rings()
    await stored(shop, before, PASSWORD)
    async with shop.database.transaction() as busy, shop.database.dedicated() as conn:
        await busy.execute("SELECT 1 FROM affiliate_feeds FOR UPDATE")
        assert await reseal(conn, turning) == 0
    async with shop.database.dedicated() as conn:
        assert await reseal(conn, turning) == 1
    assert await opened(shop, after) == PASSWORD


async def test_f140_a_secret_of_an_unknown_key_stops_it_and_is_not_lost(shop: Shop) -> None:
    before, _, other = rings()
    await stored(shop, before, PASSWORD)
    async with shop.database.dedicated() as conn:
        with pytest.raises(SealBroken):
            await reseal(conn, other)
    assert await opened(shop, before) == PASSWORD


async def test_f140_upkeep_turns_to_the_new_key_by_itself(shop: Shop, database_settings: DatabaseSettings) -> None:
    old, new = (base64.b64encode(os.urandom(32)).decode() for _ in range(2))
    await stored(shop, ring_of(base64.b64decode(old)), PASSWORD)
    keys = {"credential_key": SecretStr(new), "credential_old_keys": SecretStr(old)}
    await FeedUpkeep(shop.database, database_settings.model_copy(update=keys)).feeds()
    assert await opened(shop, ring_of(base64.b64decode(new))) == PASSWORD
