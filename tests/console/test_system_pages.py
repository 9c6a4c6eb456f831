"""Keys, users, settings, doctor, account: who may, and what becomes of it; below another path, as behind a proxy."""

from __future__ import annotations

import httpx
import pytest
from playwright.async_api import Page, expect
from pydantic import ValidationError

from tests.console.conftest import (
    PASSWORD,
    Opened,
    Served,
    Watched,
    check_accessible,
    demoted,
    log_in,
    no_sideways_scroll,
    settled,
    shot,
)
from tests.waiting import LIMIT
from winnow.api.settings import ApiSettings

PREFIX = "/tools/winnow"
ADMINS_ONLY = ("/keys", "/users", "/settings")


@pytest.fixture(scope="module")
def more_environment() -> dict[str, str]:
    return {
        "WINNOW_PATH_PREFIX": PREFIX,
        "WINNOW_SLACK_WEBHOOK_URL": "https://hooks.slack.com/services/T0/B0/slack-secret-text",
        "SCRAPER_SERVICE_KEY": "a-service-secret-text",
        "SCRAPER_PROXY_ENDPOINTS": "http://someone:proxy-secret-text@proxy.example.com:8080",
    }


async def once(page: Page) -> str:
    """What the dialog shows once; it is closed."""
    field = page.get_by_role("dialog").get_by_label("Copy it now")
    secret = await field.input_value()
    await check_accessible(page)
    await page.get_by_role("button", name="Done").click()
    await expect(page.get_by_role("dialog")).to_be_hidden()
    return secret


async def asked(api: str, key: str) -> int:
    async with httpx.AsyncClient(timeout=LIMIT) as client:
        return (await client.get(f"{api}/api/v1/prices", headers={"X-Service-Key": key})).status_code


@pytest.mark.parametrize("role", ["viewer", "operator"])
async def test_pages_of_admins_are_closed_to_others(open_as: Opened, role: str, watched: Watched):
    watched.forgiven.append("status of 403")
    page = await open_as(role)
    for path in ADMINS_ONLY:
        await expect(page.locator(f".w-nav a[href$='{path}']")).to_have_count(0)
        answer = await page.goto(page.url.split("/console")[0] + "/console" + path)
        assert answer is not None
        assert answer.status == 403
        await expect(page.get_by_role("alert")).to_contain_text("needs the role admin")
        await expect(page.get_by_role("button", name="Create the key")).to_have_count(0)


async def test_a_key_is_made_shown_once_used_and_revoked(open_as: Opened, served: Served):
    page = await open_as("admin", "/keys")
    await check_accessible(page)
    await page.get_by_label("Name").fill("the backend")
    await page.get_by_role("button", name="Create the key").click()
    await shot(page, "keys-once")
    key = await once(page)
    assert key not in await page.content()
    await expect(page.locator("tbody tr")).to_contain_text(["the backend"])
    api = served.url.removesuffix("/console")
    assert await asked(api, key) == 200
    await shot(page, "keys")
    await page.get_by_role("button", name="Revoke key the backend").click()
    await expect(page.get_by_role("dialog")).to_contain_text("refused from now on")
    await page.get_by_role("dialog").get_by_role("button", name="Revoke the key").click()
    await expect(page.get_by_text("is revoked")).to_be_visible()
    assert await asked(api, key) == 401
    assert [row[0] for row in served.audited("key.created") + served.audited("key.revoked")] == ["user:admin"] * 2


async def test_a_key_without_a_name_is_refused_in_words(open_as: Opened, served: Served):
    page = await open_as("admin", "/keys")
    await page.get_by_role("button", name="Create the key").click()
    await expect(page.get_by_text("A key needs a name")).to_be_visible()


async def test_a_role_that_was_taken_away_meanwhile_decides(open_as: Opened, served: Served):
    """The page was built for an admin; what is pressed is decided by who they are when they press it."""
    page = await open_as("admin", "/keys")
    await page.get_by_label("Name").fill("too late")
    with demoted(served, "admin", "operator"):
        await page.get_by_role("button", name="Create the key").click()
        await expect(page.get_by_text("This needs the role admin; you are operator")).to_be_visible()
    assert served.sql("SELECT count(*) FROM api_keys WHERE name = 'too late'") == [(0,)]


async def test_a_user_is_added_changed_and_disabled(open_as: Opened, served: Served, browser, watched: Watched):
    page = await open_as("admin", "/users")
    await page.get_by_label("Name").fill("maria")
    await page.get_by_label("Role").select_option("operator")
    await page.get_by_role("button", name="Add the user").click()
    password = await once(page)
    await check_accessible(page)
    await shot(page, "users")

    context = await browser.new_context()
    hers = await context.new_page()
    await log_in(hers, served.url, "maria", password)
    await expect(hers).to_have_url(f"{served.url}/account")  # a password of her own first
    await hers.get_by_label("Current password").fill(password)
    await hers.get_by_label("New password", exact=True).fill("a-password-of-mine")
    await hers.get_by_label("Repeat new password").fill("a-password-of-mine")
    await hers.get_by_role("button", name="Change the password").click()
    await expect(hers).to_have_url(f"{served.url}/login")
    await log_in(hers, served.url, "maria", "a-password-of-mine")
    await expect(hers).to_have_url(f"{served.url}/")

    await page.get_by_role("button", name="Make viewer maria").click()
    await page.get_by_role("dialog").get_by_role("button", name="Make viewer").click()
    await expect(page.get_by_text("maria is viewer now")).to_be_visible()
    await page.get_by_role("button", name="Disable maria").click()
    await page.get_by_role("dialog").get_by_role("button", name="Disable").click()
    await expect(page.get_by_text("maria is disabled")).to_be_visible()
    await expect(hers).to_have_url(f"{served.url}/login")  # her open page is closed without a click of hers
    await context.close()
    await page.get_by_role("button", name="Enable maria").click()
    await expect(page.get_by_text("maria may log in again")).to_be_visible()
    await page.get_by_role("button", name="Reset password maria").click()
    await page.get_by_role("dialog").get_by_role("button", name="Reset the password").click()
    assert await once(page) != password
    for action in ("user.created", "user.role_changed", "user.disabled", "user.enabled"):
        assert ("user:admin", "maria") in [row[:2] for row in served.audited(action)]


async def test_the_last_admin_stays(open_as: Opened, served: Served):
    page = await open_as("admin", "/users")
    await page.get_by_role("button", name="Disable admin").click()
    await page.get_by_role("dialog").get_by_role("button", name="Disable").click()
    await expect(page.get_by_text("is the only admin who can log in")).to_be_visible()


async def test_settings_name_secrets_and_never_show_them(open_as: Opened):
    page = await open_as("admin", "/settings")
    await expect(page.locator("tr", has_text="SCRAPER_SERVICE_KEY")).to_contain_text("***")
    assert "secret-text" not in await page.content()
    await check_accessible(page)
    await no_sideways_scroll(page)
    await shot(page, "settings")


async def test_the_doctor_says_what_is_missing(open_as: Opened):
    page = await open_as("viewer", "/doctor")
    await expect(page.locator(".w-check-line", has_text="PostgreSQL")).to_contain_text("Database")
    await check_accessible(page)
    await shot(page, "doctor")
    await page.get_by_role("button", name="Run again").click()
    await expect(page.locator(".w-check-line", has_text="PostgreSQL")).to_contain_text("Database")


async def test_a_password_is_changed_by_its_owner_only(open_as: Opened, served: Served):
    page = await open_as("operator", "/account")
    await page.get_by_label("Current password").fill("not-my-password")
    await page.get_by_label("New password", exact=True).fill("another-password")
    await page.get_by_label("Repeat new password").fill("another-password")
    await page.get_by_role("button", name="Change the password").click()
    await expect(page.get_by_text("Wrong name or password")).to_be_visible()
    await log_in(page, served.url, "operator", PASSWORD)
    await settled(page)


async def test_below_a_path_of_a_proxy_that_passes_it_on_or_takes_it_off(served: Served, people: None):
    server = served.url.removesuffix(f"{PREFIX}/console")
    async with httpx.AsyncClient(base_url=server, timeout=LIMIT) as client:
        for path in ("/console/login", f"{PREFIX}/console/login"):
            page = await client.get(path, headers={"X-Forwarded-Prefix": "/elsewhere"})
            assert f'action="{PREFIX}/console/login"' in page.text
            assert "elsewhere" not in page.text
            assert f"Path={PREFIX}/console;" in page.headers["set-cookie"]
        for path in ("/", PREFIX, f"{PREFIX}/", f"{PREFIX}/console", "/console/", f"{PREFIX}/console/runs"):
            led = (await client.get(path)).headers["location"]
            assert led.startswith(f"{PREFIX}/console/"), path
        assert (await client.get(f"{PREFIX}/health")).status_code == 200
        assert (await client.get("/health")).status_code == 200
        assert (await client.get(f"{PREFIX}x/health")).status_code == 404


async def test_pages_below_a_path_find_their_files_their_socket_and_each_other(open_as: Opened, served: Served):
    page = await open_as("admin")
    await page.keyboard.press("t")
    await page.get_by_role("link", name="API keys", exact=True).click()
    await expect(page).to_have_url(f"{served.url}/keys")
    await settled(page)
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")  # its cookie came along
    await page.get_by_role("button", name="Create the key").click()
    await expect(page.get_by_text("A key needs a name")).to_be_visible()


@pytest.mark.parametrize("given", ["winnow", "/api", "/console/x", "/a b", "//evil.example", "/x?y"])
def test_a_prefix_that_could_not_work_is_refused(given: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WINNOW_PATH_PREFIX", given)
    with pytest.raises(ValidationError):
        ApiSettings()
