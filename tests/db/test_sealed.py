"""Secrets at rest (R-23, F-097 … F-099)."""

from __future__ import annotations

import base64
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.db import keyring
from winnow.db.engine import Database
from winnow.db.sealed import key_id_of, parse_key, ring_of, seal, unseal
from winnow.db.settings import DatabaseSettings
from winnow.errors import ConfigError, SealBroken

KEY, OLD = os.urandom(32), os.urandom(32)


def b64(key: bytes) -> str:
    return base64.b64encode(key).decode()


@pytest.fixture(autouse=True)
def _no_key_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CREDENTIAL_ENCRYPTION_KEY_B64", raising=False)
    monkeypatch.delenv("CREDENTIAL_ENCRYPTION_OLD_KEYS_B64", raising=False)


@given(st.binary(max_size=300), st.text(max_size=40))
def test_what_is_sealed_opens_again(plain: bytes, aad: str):
    ring = ring_of(KEY)
    assert unseal(ring, seal(ring, plain, aad), aad) == plain
    assert unseal(ring, seal(ring, plain, aad), aad, ring.current) == plain


def test_f098_the_layout_is_version_nonce_tag_ciphertext():
    ring = ring_of(KEY)
    blob = seal(ring, b"secret", "feed:1:v1")
    assert blob[0] == 1
    assert len(blob) == 1 + 12 + 16 + 6
    assert blob != seal(ring, b"secret", "feed:1:v1")
    assert b"secret" not in blob


@given(st.integers(0, 34), st.integers(1, 255))
def test_r23_one_altered_bit_is_noticed(at: int, flip: int):
    ring = ring_of(KEY)
    blob = bytearray(seal(ring, b"secret", "feed:1:v1"))
    blob[at] ^= flip
    with pytest.raises(SealBroken):
        unseal(ring, bytes(blob), "feed:1:v1")


@pytest.mark.parametrize("aad", ["feed:2:v1", "feed:1:v2", "", "feed:1:v1 "])
def test_f099_a_blob_moved_to_another_row_does_not_open(aad: str):
    ring = ring_of(KEY)
    with pytest.raises(SealBroken):
        unseal(ring, seal(ring, b"secret", "feed:1:v1"), aad)


@pytest.mark.parametrize("blob", [b"", b"\x01", bytes(28), b"\x02" + bytes(40)])
def test_f098_too_short_or_of_another_version_is_refused(blob: bytes):
    with pytest.raises(SealBroken):
        unseal(ring_of(KEY), blob, "x")


def test_an_older_key_still_opens_and_the_new_one_seals():
    before = seal(ring_of(OLD), b"secret", "x")
    ring = ring_of(KEY, [OLD])
    assert unseal(ring, before, "x") == unseal(ring, before, "x", key_id_of(OLD)) == b"secret"
    with pytest.raises(SealBroken):
        unseal(ring, before, "x", key_id_of(KEY))
    with pytest.raises(SealBroken):
        unseal(ring_of(OLD), seal(ring, b"secret", "x"), "x")


@pytest.mark.parametrize("text", ["", "not base64!", b64(bytes(31)), b64(bytes(33)), b64(bytes(32)), b64(b"\xff" * 32)])
def test_f097_a_wrong_key_is_refused_and_not_repeated(text: str):
    with pytest.raises(ConfigError) as told:
        parse_key(text, "THE_SETTING")
    assert "THE_SETTING" in str(told.value)
    assert not text or text not in str(told.value)


def test_a_ring_does_not_show_its_keys():
    shown = repr(ring_of(KEY)) + repr(DatabaseSettings(CREDENTIAL_ENCRYPTION_KEY_B64=b64(KEY)))
    assert b64(KEY) not in shown
    assert KEY.hex() not in shown


def test_the_key_is_made_once_for_its_owner_only(tmp_path: Path):
    settings = DatabaseSettings(data_dir=tmp_path)
    made = keyring.load_ring(settings, create=True)
    assert keyring.load_ring(settings, create=False).ids == made.ids
    assert stat.S_IMODE((tmp_path / keyring.FILE).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [keyring.FILE]


def test_a_key_in_the_settings_wins_and_the_made_one_still_opens(tmp_path: Path):
    made = keyring.load_ring(DatabaseSettings(data_dir=tmp_path), create=True)
    blob = seal(made, b"secret", "x")
    settings = DatabaseSettings(
        data_dir=tmp_path,
        CREDENTIAL_ENCRYPTION_KEY_B64=b64(KEY),
        CREDENTIAL_ENCRYPTION_OLD_KEYS_B64=f"{b64(OLD)}, ",
    )
    ring = keyring.load_ring(settings, create=False)
    assert ring.current == key_id_of(KEY)
    assert unseal(ring, blob, "x") == b"secret"
    assert key_id_of(OLD) in ring.ids


async def test_r23_stored_secrets_without_their_key_stop_the_start(database: Database, tmp_path: Path):
    settings = DatabaseSettings(data_dir=tmp_path)
    async with database.transaction() as conn:
        await conn.execute(
            "INSERT INTO proxies (proxy_url, proxy_port, proxy_password) VALUES ('proxy.example', 8080, '\\x01')"
        )
        with pytest.raises(ConfigError, match="CREDENTIAL_ENCRYPTION_KEY_B64"):
            await keyring.open_ring(conn, settings)
        given = DatabaseSettings(data_dir=tmp_path, CREDENTIAL_ENCRYPTION_KEY_B64=b64(KEY))
        assert (await keyring.open_ring(conn, given)).current == key_id_of(KEY)


async def test_r23_another_key_than_the_stored_one_stops_the_start(database: Database, tmp_path: Path):
    async with database.transaction() as conn:
        await conn.execute(
            "INSERT INTO webhook_endpoints (name, url, secret_ciphertext, secret_key_id) VALUES ('x', %s, '\\x01', %s)",
            ("https://hooks.example/x", key_id_of(OLD)),
        )
        with pytest.raises(ConfigError, match="not the key"):
            await keyring.open_ring(conn, DatabaseSettings(data_dir=tmp_path, CREDENTIAL_ENCRYPTION_KEY_B64=b64(KEY)))


async def test_the_first_secret_makes_the_key(database: Database, tmp_path: Path):
    async with database.connection() as conn:
        ring = await keyring.open_ring(conn, DatabaseSettings(data_dir=tmp_path))
    assert ring.ids == keyring.load_ring(DatabaseSettings(data_dir=tmp_path), create=False).ids
