"""API keys are hashed, scoped and compared as bytes (R-25)."""

from __future__ import annotations

import pytest

from winnow.db.engine import Database
from winnow.errors import Conflict, InvalidInput, NotFound
from winnow.observe import keys
from winnow.observe.keys import Scope


async def test_a_key_is_shown_once_and_only_its_hash_is_kept(database: Database) -> None:
    async with database.connection() as conn:
        made, secret = await keys.create(conn, "backend", [Scope.SCRAPE], "tester", workspace_id="ws_1")
        caller = await keys.verify(conn, secret.encode())
        rows = await (await conn.execute("SELECT * FROM api_keys")).fetchall()
        audited = await (await conn.execute("SELECT * FROM audit_log")).fetchall()
    assert caller is not None
    assert caller.name == "key:backend"
    assert secret.startswith(f"wk_{made.prefix}_")
    assert secret.split("_")[2] not in repr(rows) + repr(audited)
    assert len(audited) == 1


@pytest.mark.parametrize(
    "given",
    [b"", b"wk_", b"nonsense", "wk_äöü_ß".encode(), b"\xff\xfe", b"wk_00000000_" + b"0" * 64, b"wk_\x00_" + b"a" * 64],
)
async def test_anything_else_is_nobodys_key(database: Database, given: bytes) -> None:
    async with database.connection() as conn:
        await keys.create(conn, "backend", [Scope.READ], "tester")
        assert await keys.verify(conn, given) is None


async def test_one_character_off_is_nobodys_key(database: Database) -> None:
    async with database.connection() as conn:
        _, secret = await keys.create(conn, "backend", [Scope.READ], "tester")
        other = secret[:-1] + ("0" if secret[-1] != "0" else "1")
        assert await keys.verify(conn, other.encode()) is None


async def test_revoked_and_expired_keys_are_refused_at_once(database: Database) -> None:
    async with database.connection() as conn:
        made, secret = await keys.create(conn, "one", [Scope.READ], "tester")
        await keys.revoke(conn, made.prefix, "tester")
        assert await keys.verify(conn, secret.encode()) is None
        _, old = await keys.create(conn, "two", [Scope.READ], "tester", days=-1)
        assert await keys.verify(conn, old.encode()) is None
        with pytest.raises(NotFound):
            await keys.revoke(conn, "one", "tester")
        assert [k.name for k in await keys.listed(conn)] == ["two"]
        assert [k.name for k in await keys.listed(conn, revoked=True)] == ["one", "two"]


async def test_a_name_is_used_once_until_revoked(database: Database) -> None:
    async with database.connection() as conn:
        await keys.create(conn, "one", [Scope.READ], "tester")
        with pytest.raises(Conflict):
            await keys.create(conn, "one", [Scope.READ], "tester")
        await keys.revoke(conn, "one", "tester")
        await keys.create(conn, "one", [Scope.READ], "tester")


@pytest.mark.parametrize("name", ["", "  ", "a\x00b", "a\nb", "x" * 101])
async def test_a_key_needs_a_sensible_name(database: Database, name: str) -> None:
    async with database.connection() as conn:
        with pytest.raises(InvalidInput):
            await keys.create(conn, name, [Scope.READ], "tester")


def test_admin_may_everything_scrape_may_read_read_may_nothing_else() -> None:
    def may(scope: Scope) -> set[Scope]:
        return {s for s in Scope if keys.Caller(name="x", scopes=(scope,)).may(s)}

    assert may(Scope.ADMIN) == set(Scope)
    assert may(Scope.SCRAPE) == {Scope.SCRAPE, Scope.READ}
    assert may(Scope.READ) == {Scope.READ}


@pytest.mark.parametrize("configured", [None, "", "   "])
def test_an_unset_service_key_lets_nobody_in(configured: str | None) -> None:
    chosen = keys.ChosenKey(configured)
    assert chosen.caller(b"") is None
    assert chosen.caller((configured or "").encode()) is None


def test_the_service_key_has_the_scrape_scope() -> None:
    chosen = keys.ChosenKey("schlüssel-1")
    caller = chosen.caller("schlüssel-1".encode())
    assert caller is not None
    assert caller.scopes == (Scope.SCRAPE,)
    assert chosen.caller(b"schl\xfcssel-1") is None


async def test_a_key_of_scope_scrape_says_whom_it_serves(database: Database) -> None:
    async with database.connection() as conn:
        for workspace in (None, "", " ", "a\nb", "x" * 201):
            with pytest.raises(InvalidInput, match="workspace"):
                await keys.create(conn, "backend", [Scope.SCRAPE], "tester", workspace_id=workspace)
        _, secret = await keys.create(conn, "backend", [Scope.SCRAPE], "tester", workspace_id="ws_1")
        caller = await keys.verify(conn, secret.encode())
    assert caller is not None
    assert [caller.serves(w) for w in ("ws_1", "ws_2", "*", None)] == [True, False, False, False]
