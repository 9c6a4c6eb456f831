"""Every setting of the scraping service under the name its operators know (S-002 … S-009)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import run_apart
from tests.ports import free_port
from winnow import settings as all_settings
from winnow.errors import ConfigError
from winnow.settings import Settings

# name -> (value, where it arrives, as what)
NAMES: dict[str, tuple[str, Any, Any]] = {
    "PORT": ("8123", lambda s: s.api.api_port, 8123),
    "SERVICE_KEY": ("a-service-key", lambda s: s.api.service_key, "a-service-key"),
    "WEBHOOK_SECRET": ("short", lambda s: s.publish.webhook_secret, "short"),
    "DEFAULT_WEBHOOK_URL": ("https://b.test/", lambda s: s.publish.default_webhook_url, "https://b.test/"),
    "LOG_LEVEL": ("ERROR", lambda s: s.observe.log_level, "ERROR"),
    "BROWSER_POOL_SIZE": ("3", lambda s: s.browser.browser_pool_size, 3),
    "BROWSER_POOL_MAX": ("9", lambda s: s.browser.browser_pool_max, 9),
    "BROWSER_PAGE_LIMIT": ("77", lambda s: s.browser.browser_page_limit, 77),
    "NAVIGATION_TIMEOUT_MS": ("12345", lambda s: s.browser.navigation_timeout_ms, 12_345),
    "MAX_QUEUE_DEPTH": ("12", lambda s: s.schedule.queue_enrichment, 12),
    "TASK_TIMEOUT_SECONDS": ("33", lambda s: s.schedule.task_timeout_seconds, 33.0),
    "MAX_CONCURRENCY": ("7", lambda s: s.run.worker_concurrency, 7),
    "RATE_LIMIT_TOKENS": ("4", lambda s: s.schedule.rate_limit_tokens, 4),
    "RATE_LIMIT_INTERVAL_SECONDS": ("11", lambda s: s.schedule.rate_limit_interval_seconds, 11.0),
    "CB_WINDOW_SIZE": ("20", lambda s: s.schedule.cb_window_size, 20),
    "CB_FAILURE_THRESHOLD": ("6", lambda s: s.schedule.cb_failure_threshold, 6),
    "CB_COOLDOWN_SECONDS": ("99", lambda s: s.schedule.cb_cooldown_seconds, 99.0),
    "PROXY_ENDPOINTS": ("http://p.test:1,direct", lambda s: s.fetch.proxy_texts, ("http://p.test:1", "direct")),
    "PROXY_HEALTH_CHECK_INTERVAL_SECONDS": ("5", lambda s: s.fetch.proxy_health_check_interval_seconds, 5.0),
    "PROXY_DOMAIN_COOLDOWN_SECONDS": ("6", lambda s: s.fetch.proxy_domain_cooldown_seconds, 6.0),
    "CREDENTIAL_CACHE_TTL_SECONDS": ("60", lambda s: s.credentials.credential_cache_ttl_seconds, 60.0),
    "CREDENTIAL_MAX_RETRIES": ("1", lambda s: s.credentials.credential_max_retries, 1),
    "GRACEFUL_SHUTDOWN_SECONDS": ("8", lambda s: s.browser.graceful_shutdown_seconds, 8.0),
    "DOMAIN_POLICIES_PATH": ("/etc/p.yaml", lambda s: str(s.schedule.domain_policies_path), "/etc/p.yaml"),
    "BACKEND_API_URL": ("https://b.test", lambda s: s.credentials.backend_api_url, "https://b.test"),
    "BACKEND_SERVICE_KEY": ("k", lambda s: s.credentials.backend_service_key.get_secret_value(), "k"),
}


def test_s002_every_name_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, (given, _, _) in NAMES.items():
        monkeypatch.setenv(f"SCRAPER_{name}", given)
    loaded = all_settings.load()
    for name, (_, found, meant) in NAMES.items():
        assert found(loaded) == meant, name


def test_the_names_of_the_house_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRAPER_MAX_QUEUE_DEPTH", "12")
    monkeypatch.setenv("WINNOW_QUEUE_ENRICHMENT", "13")
    assert all_settings.load().schedule.queue_enrichment == 13


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_QUEUE_DEPTH", "0"), ("TASK_TIMEOUT_SECONDS", "soon"), ("LOG_LEVEL", "LOUD"), ("PORT", "http"),
        ("BROWSER_POOL_SIZE", "0"), ("BROWSER_POOL_SIZE", "21"), ("CB_FAILURE_THRESHOLD", "11"),
        ("BACKEND_API_URL", "http://backend.example.com"), ("PROXY_ENDPOINTS", "[1"),
    ],
)  # fmt: skip
def test_s002_a_wrong_value_stops_the_start(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """And the one line says which variable it was, by the name it was set under."""
    monkeypatch.setenv(f"SCRAPER_{name}", value)
    with pytest.raises(ConfigError, match=rf"^wrong settings: SCRAPER_{name}\b[^\n]*$"):
        all_settings.load()


def test_a_level_may_be_written_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRAPER_LOG_LEVEL", "warning")
    assert all_settings.load().observe.log_level == "WARNING"


def test_s008_proxies_may_be_a_list_in_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRAPER_PROXY_ENDPOINTS", '["http://p1.test:1", "socks5://p2.test:2"]')
    assert all_settings.load().fetch.proxy_texts == ("http://p1.test:1", "socks5://p2.test:2")


def test_s003_s004_s005_s006_s008_s009_the_defaults_are_those_of_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(f"SCRAPER_{name}", raising=False)
    loaded: Settings = all_settings.load()
    assert (loaded.browser.browser_pool_size, loaded.browser.browser_pool_max) == (5, 20)
    assert (loaded.browser.browser_page_limit, loaded.browser.navigation_timeout_ms) == (100, 30_000)
    assert (loaded.schedule.queue_enrichment, loaded.schedule.task_timeout_seconds) == (500, 60.0)
    assert (loaded.credentials.credential_cache_ttl_seconds, loaded.credentials.credential_max_retries) == (300.0, 3)
    assert loaded.browser.graceful_shutdown_seconds == 30.0
    assert (loaded.publish.default_webhook_url, loaded.observe.log_level) == (None, "INFO")
    assert loaded.schedule.rate_limit_tokens is None  # then the platform's own rate holds (DESIGN §4)
    assert (loaded.fetch.proxy_texts, loaded.schedule.domain_policies_path) == ((), None)
    assert loaded.fetch.proxy_health_check_interval_seconds == 60.0
    assert loaded.fetch.proxy_domain_cooldown_seconds == 30.0


@pytest.mark.parametrize("address", ["http://10.0.0.8/told", "nowhere"])
def test_s002_a_default_callback_that_could_never_be_sent_stops_the_api(
    database_url: str, tmp_path: Path, address: str
) -> None:
    given = {"WINNOW_DATABASE_URL": database_url, "WINNOW_DATA_DIR": str(tmp_path), "WINNOW_API_PORT": str(free_port())}
    stopped = run_apart("api", **given, SCRAPER_DEFAULT_WEBHOOK_URL=address)
    assert stopped.code == 1
    assert "SCRAPER_DEFAULT_WEBHOOK_URL: " in stopped.err
    assert "Traceback" not in stopped.err


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DEFAULT_WEBHOOK_URL", "http://10.0.0.8/"),
        ("PROXY_ENDPOINTS", "nonsense"),
        ("DOMAIN_POLICIES_PATH", "/no.yaml"),
    ],
)
def test_s002_what_no_part_could_use_stops_up_before_anything_starts(tmp_path: Path, name: str, value: str) -> None:
    given = {"WINNOW_DATA_DIR": str(tmp_path / "data"), "WINNOW_API_PORT": str(free_port()), f"SCRAPER_{name}": value}
    stopped = run_apart("up", **given)
    assert (stopped.code, stopped.err.count("\n")) == (1, 1), stopped.err
    assert value in stopped.err or f"SCRAPER_{name}" in stopped.err
    assert not (tmp_path / "data").exists()
