"""What keeps others out: login, lock-out, sessions, origins, sockets. Spoken to as a program would."""

from __future__ import annotations

import asyncio
import json
import re
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import socketio
from playwright.async_api import BrowserContext, expect

from tests.console.conftest import PASSWORD, Opened, Served, Watched, settled, shared
from tests.console.conftest import log_in as log_in_by_hand
from tests.waiting import LIMIT
from winnow.console.login import _next
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.errors import Conflict, InvalidInput
from winnow.observe import sessions, users
from winnow.observe.logins import (
    LOCK_AFTER,
    MAX_FAILURES_PER_ADDRESS,
    LoginRefused,
    TooManyLogins,
    log_in,
    rate_limit_key,
)
from winnow.observe.users import UserRole


@shared()
async def client(served: Served, people: None) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=served.url.removesuffix("/console"), timeout=LIMIT) as opened:
        yield opened


async def form(client: httpx.AsyncClient) -> str:
    shown = await client.get("/console/login")
    found = re.search(r'name="form_token" value="([^"]+)"', shown.text)
    assert found is not None
    return found[1]


async def enter(client: httpx.AsyncClient, name: str, password: str, **headers: str) -> httpx.Response:
    given = {"username": name, "password": password, "form_token": await form(client), "next": ""}
    sent = {"Origin": str(client.base_url).rstrip("/"), **headers}
    return await client.post("/console/login", data=given, headers=sent)


async def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(client: httpx.AsyncClient):
    answer = await enter(client, "viewer", PASSWORD)
    assert answer.status_code == 303
    cookie = next(c for c in answer.headers.get_list("set-cookie") if c.startswith("winnow_session="))
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/console" in cookie


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("/console/", "GET"),
        ("/console/runs", "GET"),
        ("/console/nothing-here", "GET"),
        ("/console/logout", "POST"),
        ("/console/_nicegui/client/x/upload/1", "POST"),
        ("/console/_nicegui_ws/socket.io/?EIO=4&transport=polling", "GET"),
    ],
)
async def test_nothing_is_served_without_a_session(served: Served, people: None, path: str, method: str):
    async with httpx.AsyncClient(base_url=served.url.removesuffix("/console"), timeout=LIMIT) as stranger:
        answer = await stranger.request(method, path, headers={"Origin": str(stranger.base_url).rstrip("/")})
    assert answer.status_code in (303, 401)
    assert answer.headers.get("location", "/console/login").startswith("/console/login")


async def test_a_session_that_was_made_up_is_none(client: httpx.AsyncClient):
    for token in ("x", "a" * 43, "ü", "'; DROP TABLE users; --"):
        answer = await client.get("/console/", headers={"Cookie": f"winnow_session={token}".encode()})
        assert answer.status_code == 303


async def test_a_form_of_another_site_is_refused(client: httpx.AsyncClient, served: Served):
    assert (await enter(client, "viewer", PASSWORD, Origin="https://evil.example")).status_code == 403
    given = {"username": "viewer", "password": PASSWORD, "form_token": "made-up", "next": ""}
    answer = await client.post("/console/login", data=given, headers={"Origin": str(client.base_url).rstrip("/")})
    assert answer.status_code == 403
    without = {**given, "form_token": await form(client)}
    assert (await client.post("/console/login", data=without)).status_code == 403  # no Origin at all


async def test_logging_out_needs_the_token_of_the_session_and_ends_it_for_good(client: httpx.AsyncClient):
    await enter(client, "viewer", PASSWORD)
    cookie = client.cookies["winnow_session"]
    origin = {"Origin": str(client.base_url).rstrip("/")}
    await client.post("/console/logout", data={"form_token": "made-up"}, headers=origin)
    page = await client.get("/console/")
    assert page.status_code == 200
    token = re.search(r'form_token[^}]*?"value":\s*"([0-9a-f]{64})"', page.text)
    assert token is not None
    left = await client.post("/console/logout", data={"form_token": token[1]}, headers=origin)
    assert left.headers["location"] == "/console/login"
    client.cookies.set("winnow_session", cookie, path="/console")
    assert (await client.get("/console/")).status_code == 303


@pytest.mark.parametrize(
    ("wanted", "led"),
    [
        ("/console/runs?status=FAILED", "/console/runs?status=FAILED"),
        ("https://evil.example/console/", "/console/"),
        ("//evil.example/console", "/console/"),
        ("/console\\@evil.example", "/console/"),
        ("javascript:alert(1)", "/console/"),
        ("/consolex", "/console/"),
        ("", "/console/"),
    ],
)
def test_after_the_login_one_stays_here(wanted: str, led: str):
    assert _next(wanted) == led


async def test_pages_may_not_be_framed_or_load_from_elsewhere(client: httpx.AsyncClient):
    answer = await client.get("/console/login")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "http" not in policy.replace("https", "")
    assert answer.headers["cache-control"] == "no-store"


async def test_the_api_stands_beside_it_with_its_own_gate(client: httpx.AsyncClient):
    await enter(client, "admin", PASSWORD)
    assert (await client.get("/api/v1/sources")).status_code == 401  # a session is no key
    assert (await client.get("/health")).status_code == 200
    assert (await client.get("/")).headers["location"] == "/console/"
    assert (await client.get("/consolex")).status_code == 404


# sockets


async def connect(served: Served, cookie: str, origin: str, path: str = "/console/_nicegui_ws/socket.io") -> bool:
    socket = socketio.AsyncClient(reconnection=False)
    headers = {"Cookie": cookie, "Origin": origin}
    url = served.url.removesuffix("/console")
    try:
        await socket.connect(url, headers=headers, transports=["websocket"], socketio_path=path, wait_timeout=LIMIT)
    except socketio.exceptions.ConnectionError:
        if socket.eio.http is not None:
            await socket.eio.http.close()
        return False
    await socket.disconnect()
    return True


async def test_a_socket_needs_a_session_and_our_own_origin(client: httpx.AsyncClient, served: Served):
    await enter(client, "viewer", PASSWORD)
    cookie, origin = f"winnow_session={client.cookies['winnow_session']}", str(client.base_url).rstrip("/")
    assert await connect(served, cookie, origin)
    assert not await connect(served, "", origin)
    assert not await connect(served, "winnow_session=made-up", origin)
    assert not await connect(served, cookie, "https://evil.example")


async def expect_notice(served: Served, text: str) -> None:
    """Waits until the server has logged it."""
    async with asyncio.timeout(LIMIT):
        while text not in (served.data_dir / "log").read_text():
            await asyncio.sleep(0.05)


async def test_an_event_from_another_session_changes_nothing(
    open_as: Opened, client: httpx.AsyncClient, served: Served
):
    """Whoever learns the id of somebody's open page cannot press its buttons through a socket of their own."""
    sent: list[str] = []
    page = await open_as("admin")
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    await page.goto(f"{served.url}/users")
    await settled(page)
    await page.get_by_role("button", name="Add the user").click()
    await expect(page.get_by_text("A name has 1 to 64")).to_be_visible()  # there is none yet
    message = json.loads(re.sub(r"^\d+", "", [frame for frame in sent if '"event"' in frame][-1]))[1]
    await page.get_by_label("Name").fill("sneaked-in")
    await page.get_by_label("Name").blur()
    await enter(client, "viewer", PASSWORD)
    socket = socketio.AsyncClient(reconnection=False)
    headers = {"Cookie": f"winnow_session={client.cookies['winnow_session']}",
               "Origin": str(client.base_url).rstrip("/")}  # fmt: skip
    await socket.connect(
        served.url.removesuffix("/console"), headers=headers, transports=["websocket"],
        socketio_path="/console/_nicegui_ws/socket.io", wait_timeout=LIMIT,
    )  # fmt: skip
    await socket.emit("event", message)
    await expect_notice(served, "foreign socket")
    await socket.disconnect()
    assert not served.sql("SELECT 1 FROM users WHERE username = 'sneaked-in'")
    await page.get_by_role("button", name="Add the user").click()  # the page itself still works
    await expect(page.get_by_role("dialog")).to_be_visible()
    assert served.sql("SELECT 1 FROM users WHERE username = 'sneaked-in'")


async def test_a_page_left_open_is_closed_when_its_session_ends(open_as: Opened, served: Served):
    page = await open_as("viewer", "/audit")
    served.sql("UPDATE user_sessions SET ended_at = now() WHERE ended_at IS NULL")
    await expect(page).to_have_url(re.compile("/console/login"))  # nothing was clicked


async def test_a_session_nobody_used_for_half_a_day_is_over(open_as: Opened, served: Served):
    page = await open_as("viewer", "/audit")
    served.sql("UPDATE user_sessions SET last_seen_at = now() - interval '13 hours'")
    await page.get_by_label("Who").fill("x")
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile("/console/login"))


async def test_keyboard_theme_and_small_screens(open_as: Opened, served: Served):
    page = await open_as("viewer")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    await page.keyboard.press("t")
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog")).to_contain_text("g r")
    await page.keyboard.press("Escape")
    await page.keyboard.press("g")
    await page.keyboard.press("u")
    await expect(page).to_have_url(f"{served.url}/audit")
    await settled(page)
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")  # remembered
    await page.keyboard.press("/")
    await expect(page.get_by_label("Who")).to_be_focused()
    small = await open_as("viewer", narrow=True)
    await expect(small.get_by_role("link", name="Runs", exact=True)).to_be_hidden()
    await small.get_by_role("button", name="Navigation").click()
    await small.get_by_role("link", name="Runs", exact=True).click()
    await expect(small).to_have_url(f"{served.url}/runs")


async def test_an_address_without_a_page_says_so(open_as: Opened, watched: Watched, served: Served):
    watched.forgiven.append("status of 404")
    page = await open_as("viewer", "/nothing-here")
    await expect(page.get_by_role("alert")).to_contain_text("Page not found")
    await page.goto(f"{served.url}/runs/999999")
    await expect(page.get_by_role("alert")).to_contain_text("There is no run 999999")


async def test_logging_out_by_hand(stranger: BrowserContext, served: Served, people: None):
    page = await stranger.new_page()
    await log_in_by_hand(page, served.url, "viewer")
    await page.locator(".w-who summary").click()
    await page.get_by_role("button", name="Log out").click()
    await expect(page).to_have_url(f"{served.url}/login")
    await page.goto(f"{served.url}/runs")
    await expect(page).to_have_url(re.compile("/login"))


# passwords, on a database of their own


@shared()
async def database(database_settings: DatabaseSettings) -> AsyncIterator[Database]:
    async with await Database.open(database_settings) as opened:
        yield opened


HERE = "203.0.113.7"


async def said_to(database: Database, name: str, password: str, address: str = HERE) -> str:
    async with database.connection() as conn:
        with pytest.raises(LoginRefused) as refused:
            await log_in(conn, name, password, address)
    return str(refused.value)


async def test_five_failures_lock_a_name_also_when_they_come_together(database: Database):
    async with database.connection() as conn:
        await users.add(conn, "Anna", PASSWORD, UserRole.VIEWER, "tests")
        expect_notice = await asyncio.gather(*(said_to(database, "anna", "guess-guess") for _ in range(LOCK_AFTER)))
        expect_notice.append(await said_to(database, "anna", PASSWORD))  # also the right one
        # Nobody learns from the answers which names there are.
        expect_notice += [await said_to(database, name, "guess-guess") for name in ["nobody", "no\0body", ""] * 2]
        assert len(set(expect_notice)) == 1
        await conn.execute("UPDATE users SET locked_until = now() - interval '1 second'")
        assert await log_in(conn, "ANNA", PASSWORD, HERE)
        assert (await users.listed(conn))[0].locked_until is None


async def test_an_unknown_name_costs_as_much_work_as_a_known_one(database: Database, monkeypatch: pytest.MonkeyPatch):
    """Both are compared with a hash of the same cost, and both leave one commit."""
    compared: list[str] = []

    async def matches(password: str, hashed: str) -> bool:
        compared.append(hashed.rpartition("$")[0].rpartition("$")[0])  # all but salt and hash
        return False

    monkeypatch.setattr("winnow.observe.logins.matches", matches)
    async with database.connection() as conn:
        await users.add(conn, "anna", PASSWORD, UserRole.VIEWER, "tests")
        await conn.execute("UPDATE users SET locked_until = now() + interval '1 hour'")
        for name in ("anna", "nobody"):
            await said_to(database, name, PASSWORD)
        await conn.execute("UPDATE users SET locked_until = NULL")
        await said_to(database, "anna", PASSWORD)
    assert compared == [compared[0]] * 3
    assert compared[0].startswith("$argon2id$")


async def test_an_address_may_fail_only_so_often_whatever_names_it_tries(database: Database):
    async with database.connection() as conn:
        await users.add(conn, "anna", PASSWORD, UserRole.VIEWER, "tests")
        await conn.execute(
            "INSERT INTO login_addresses (address, failures) VALUES (%s, %s)", (HERE, MAX_FAILURES_PER_ADDRESS - 1)
        )
        assert await log_in(conn, "anna", PASSWORD, HERE)  # logging in is no failure,
        await said_to(database, "somebody", "guess-guess")  # and takes back none but its own
        for name in ("anna", "nobody"):
            with pytest.raises(TooManyLogins):
                await log_in(conn, name, PASSWORD, HERE)
        assert await log_in(conn, "anna", PASSWORD, "203.0.113.8")  # others are not concerned
        await conn.execute("UPDATE login_addresses SET since = now() - interval '16 minutes'")
        assert await log_in(conn, "anna", PASSWORD, HERE)
        await conn.execute("UPDATE login_addresses SET since = now() - interval '2 days' WHERE address <> %s", (HERE,))
        assert await log_in(conn, "anna", PASSWORD, HERE)
        assert await (await conn.execute("SELECT address, failures FROM login_addresses")).fetchall() == [(HERE, 0)]


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", "unknown"),
        (None, "unknown"),
        ("made up", "unknown"),
    ],
)
def test_addresses_are_counted_as_one_customer(address: str | None, counted: str):
    assert rate_limit_key(address) == counted


async def test_the_form_answers_429_to_an_address_that_guesses(client: httpx.AsyncClient, served: Served):
    assert (await enter(client, "viewer", "guess-guess")).status_code == 401
    unknown = await enter(client, "no-such-name", "guess-guess")
    assert "Wrong name or password" in unknown.text
    served.sql("UPDATE login_addresses SET failures = %s", MAX_FAILURES_PER_ADDRESS)
    try:
        answer = await enter(client, "viewer", PASSWORD)
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "900")
        assert "from your address" in answer.text
    finally:
        served.sql("DELETE FROM login_addresses")
    assert (await enter(client, "viewer", PASSWORD)).status_code == 303


async def test_a_new_password_ends_sessions_and_a_lock(database: Database):
    async with database.connection() as conn:
        await users.add(conn, "anna", PASSWORD, UserRole.ADMIN, "tests")
        token = await sessions.begin(conn, await log_in(conn, "anna", PASSWORD, HERE), address=None, agent=None)
        assert (await sessions.find(conn, token)) is not None
        await conn.execute("UPDATE users SET locked_until = now() + interval '1 hour'")
        await users.set_password(conn, "anna", "another-password", "tests", must_change=False)
        assert await sessions.find(conn, token) is None
        assert await log_in(conn, "anna", "another-password", HERE)


async def test_names_and_passwords_are_checked(database: Database):
    async with database.connection() as conn:
        for name, password in (("", PASSWORD), ("a b", PASSWORD), ("anna", "short"), ("annannanna", "ANNANNANNA")):
            with pytest.raises(InvalidInput):
                await users.add(conn, name, password, UserRole.VIEWER, "tests")
        await users.add(conn, "anna", PASSWORD, UserRole.ADMIN, "tests")
        with pytest.raises(Conflict):
            await users.add(conn, "ANNA", PASSWORD, UserRole.VIEWER, "tests")
        with pytest.raises(Conflict, match="only admin"):
            await users.set_role(conn, "anna", UserRole.VIEWER, "tests")
        stored = await (await conn.execute("SELECT password_hash FROM users")).fetchone()
        assert stored is not None
        assert stored[0].startswith("$argon2id$")


async def test_the_first_admin_is_made_once_and_kept_for_the_owner_only(database: Database, tmp_path: Path):
    async with database.connection() as conn:
        password = await users.first_admin(conn, tmp_path)
        assert password is not None
        assert await users.first_admin(conn, tmp_path) is None
        kept = tmp_path / users.PASSWORD_FILE
        assert kept.read_text().strip() == password
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert await log_in(conn, "admin", password, HERE)
