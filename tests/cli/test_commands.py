"""The commands, as a person uses them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Winnow, fetch, one_line
from winnow import settings
from winnow.normalise.urls import url_hash

URL = "https://shop.example.com/p"


def test_watch_list_pause_resume_remove(winnow: Winnow) -> None:
    assert winnow("watch", f"{URL}/1").code == 0
    again = winnow("watch", f"{URL}/1#x", "--json")
    assert again.data == {"id": 1, "source_id": 1, "created": False}
    assert [t["status"] for t in winnow("targets", "list", "--json").data] == ["ACTIVE"]
    assert "paused" in winnow("targets", "pause", "1").out
    assert "unchanged" in winnow("targets", "pause", "1").out
    assert [t["id"] for t in winnow("targets", "list", "--status", "paused", "--json").data] == [1]
    assert "resumed" in winnow("targets", "resume", "1").out
    assert "removed" in winnow("targets", "remove", "1").out
    assert "no targets" in winnow("targets", "list").out
    one_line(winnow("targets", "remove", "1"), "no target 1")


def test_bad_input_is_one_line_and_exit_code_1(winnow: Winnow) -> None:
    winnow("watch", f"{URL}/1")
    one_line(winnow("watch", "not a url"), "URL")
    one_line(winnow("scrape", "http://[::1"), "the IPv6 address is not valid")
    one_line(winnow("webhooks", "add", "http://[::1"), "the IPv6 address is not valid")
    one_line(winnow("watch", "http://127.0.0.1/"), "not a public")
    one_line(winnow("watch", "ftp://shop.example.com/"), "http")
    one_line(winnow("targets", "add", f"{URL}/2", "--source", "nowhere"), "no source 'nowhere'")
    one_line(winnow("targets", "add", f"{URL}/1"), "target 1")
    one_line(winnow("targets", "add", f"{URL}/2", "--schedule", "0 0 31 2 *"), "never fires")
    one_line(winnow("targets", "add", f"{URL}/2", "--every", "soon"), "interval")
    one_line(winnow("targets", "add", f"{URL}/2", "--every", "4h", "--by-hand"), "exclude")
    one_line(winnow("targets", "import", "missing.csv"), "No such file")
    one_line(winnow("sources", "add", "x", "http://10.0.0.1/"), "not a public")
    one_line(winnow("runs", "show", "99"), "no run 99")
    one_line(winnow("runs", "start", "nowhere"), "no source")
    one_line(winnow("prices", "https://unknown.example.com/"), "not watched")
    one_line(winnow("prices", "99"), "no target 99")
    one_line(winnow("keys", "create", "x", "--scope", "root"), "scope")
    one_line(winnow("keys", "revoke", "nothing"), "no key")
    one_line(winnow("dead-letters", "retry"), "--all")
    one_line(winnow("domains", "limit", "bol.com"), "--rate")
    one_line(winnow("adapters", "disable", "nope"), "no adapter")
    assert fetch_count(winnow) == 1


def fetch_count(winnow: Winnow) -> int:
    return len(winnow("targets", "list", "--json").data)


def test_wrong_usage_is_exit_code_2(winnow: Winnow) -> None:
    assert winnow("targets", "pause", "x").code == 2
    assert winnow("nonsense").code == 2
    assert winnow("watch").code == 2


def test_import_reports_wrong_rows_by_line(winnow: Winnow, tmp_path: Path) -> None:
    file = tmp_path / "targets.csv"
    file.write_bytes(f"url;notes\n{URL}/1;süß\nnonsense;x\n{URL}/1;again\n".encode("cp1252"))
    result = winnow("targets", "import", str(file))
    assert result.code == 0
    assert "line 3: " in result.out
    assert "3 rows: 1 added, 1 duplicates, 1 invalid" in result.out
    again = winnow("targets", "import", str(file), "--json")
    assert (again.data["added"], again.data["repeated"], again.data["encoding"]) == (0, 2, "cp1252")
    assert winnow("targets", "import", str(file), "--strict").code == 1
    (tmp_path / "bad.csv").write_text("url\nnonsense\n")
    assert winnow("targets", "import", str(tmp_path / "bad.csv")).code == 1
    good = tmp_path / "good.csv"
    good.write_text(f"{URL}/1\n{URL}/2\n")
    assert winnow("targets", "import", str(good)).code == 0
    one_line(winnow("targets", "import", str(tmp_path)), "directory")
    broken = tmp_path / "broken.csv"
    broken.write_bytes(b"\x00\x01\x02")
    one_line(winnow("targets", "import", str(broken)), "not a text file")


def test_sources_set_changes_single_settings_and_keeps_the_others(winnow: Winnow) -> None:
    winnow("sources", "add", "Shop", URL, "--rate", "0.1", "--currency", "CAD", "--json")
    changed = winnow("sources", "set", "Shop", "--currency", "EUR", "--assume-in-stock", "--locale", "de-DE")
    assert "currency EUR, assume in stock yes, locale de-DE, timezone not set" in changed.out
    stored = winnow("sources", "set", "1", "--require-stock", "--currency", "", "--json").data
    assert stored == {"id": 1, "currency": None, "assume_in_stock": False, "locale": "de-DE", "timezone": None}
    one_line(winnow("sources", "set", "1", "--currency", "Euro"), "currency")


def test_e097_how_an_agenda_is_read_is_set_and_shown(winnow: Winnow) -> None:
    winnow("sources", "add", "De Kroon", URL, "--kind", "event")
    place = ("--coordinates", "52.01,4.36", "--timezone", "Europe/Amsterdam")
    deep = winnow("sources", "set", "1", "--tier", "deep", "--deep-scrape", "--guess-feeds", *place, "--json").data
    assert (deep["tier"], deep["deep_scrape_enabled"], deep["feed_guessing"]) == ("deep", True, True)
    assert (deep["default_latitude"], deep["default_longitude"], deep["timezone"]) == (52.01, 4.36, "Europe/Amsterdam")
    winnow("sources", "tiers", "1", "static")
    kept = winnow("sources", "set", "1", "--coordinates", "", "--listing-only", "--json").data
    assert (kept["feed_guessing"], kept["default_latitude"], kept["deep_scrape_enabled"]) == (True, None, False)
    one_line(winnow("sources", "set", "1", "--tier", "bottomless"), "tier")
    one_line(winnow("sources", "set", "1", "--coordinates", "Delft"), "latitude")
    one_line(winnow("sources", "set", "1", "--coordinates", "91,4"), "default_latitude")


def test_sources_are_added_listed_paused_and_trusted(winnow: Winnow) -> None:
    spoken = ("--currency", "EUR", "--locale", "de-AT", "--timezone", "Europe/Vienna")
    added = winnow("sources", "add", "Shop [red]", URL, "--rate", "0.1", *spoken, "--json")
    assert added.data == {"id": 1, "name": "Shop [red]", "domain": "example.com"}
    one_line(winnow("sources", "add", "Shop [red]", URL), "existing: 1")
    assert "Shop [red]" in winnow("sources", "list").out
    one_line(winnow("sources", "add", "Other", "https://other.example.com", "--timezone", "Vienna"), "Europe/Berlin")
    assert "paused" in winnow("sources", "pause", "Shop [red]").out
    assert winnow("sources", "list", "--json").data[0]["paused"] is True
    assert "resumed" in winnow("sources", "resume", "1").out
    assert "eligible" in winnow("sources", "trust", "1", "--eligible").out
    assert winnow("sources", "list", "--json").data[0]["visibility_status"] == "ELIGIBLE"
    assert "1 / 10 s" in winnow("domains", "list").out


def test_runs_are_started_shown_and_cancelled(winnow: Winnow) -> None:
    winnow("watch", f"{URL}/1")
    assert winnow("runs", "start", "example.com", "--json").data == {
        "run_id": 1, "accepted": 1, "rejected": 0, "reason": None,
    }  # fmt: skip
    one_line(winnow("runs", "start", "1"), "active run (existing: 1)")
    assert winnow("runs", "list", "--json").data[0]["status"] == "RUNNING"
    assert "urls planned" in winnow("runs", "show", "1").out
    assert "1 tasks cancelled" in winnow("runs", "cancel", "1").out
    assert winnow("runs", "show", "1", "--json").data["urls_cancelled"] == 1


def test_keys_are_shown_once(winnow: Winnow) -> None:
    one_line(winnow("keys", "create", "backend", "--scope", "scrape"), "--workspace")
    made = winnow("keys", "create", "backend", "--scope", "scrape", "--scope", "read", "--workspace", "ws_1")
    assert made.out.startswith("wk_")
    listed = winnow("keys", "list", "--json")
    assert [(k["name"], k["scopes"]) for k in listed.data] == [("backend", ["read", "scrape"])]
    assert made.out.strip().split("_")[2] not in listed.out
    assert "revoked" in winnow("keys", "revoke", "backend").out
    assert winnow("keys", "list", "--json").data == []
    assert len(winnow("keys", "list", "--all", "--json").data) == 1


def test_domains_are_limited_and_paused(winnow: Winnow) -> None:
    assert "5 in 1 s" in winnow("domains", "limit", "www.bol.com", "--rate", "5", "--reason", "agreed").out
    assert "paused" in winnow("domains", "pause", "bol.com").out
    shown = winnow("domains", "list", "--json").data[0]
    assert (shown["domain"], shown["tokens"], shown["is_active"], shown["paused"]) == ("bol.com", 5, False, True)
    assert "resumed" in winnow("domains", "resume", "https://bol.com/x").out


def test_adapters_are_disabled_and_enabled(winnow: Winnow) -> None:
    assert "disabled" in winnow("adapters", "disable", "generic", "--reason", "MANUAL").out
    listed = {adapter["id"]: adapter for adapter in winnow("adapters", "list", "--json").data}
    assert listed["generic"]["disabled_reason"] == "MANUAL"
    assert "enabled" in winnow("adapters", "enable", "generic").out


def test_dead_letters_are_listed_and_discarded(winnow: Winnow, database_url: str) -> None:
    assert "no dead letters" in winnow("dead-letters", "list").out
    fetch(
        database_url,
        "INSERT INTO dead_letters (task_id, stage, error_type, error_message, payload) "
        "SELECT gen_random_uuid(), 'fetch', 'timeout', "
        """E'bad \\x1b]0;title\\x07', '{"url": "https://shop.example.com/"}' FROM generate_series(1, 3)""",
    )
    shown = winnow("dead-letters", "list")
    assert "timeout" in shown.out
    assert "\x1b]0" not in shown.out
    missing = winnow("dead-letters", "retry", "99")
    assert (missing.code, "none of these letters" in missing.err) == (1, True)
    assert "2 of 2 letters discarded" in winnow("dead-letters", "discard", "1", "2", "--note", "gone").out
    assert [d["id"] for d in winnow("dead-letters", "list", "--json").data] == [3]
    assert "1 of 1 letters discarded" in winnow("dead-letters", "discard", "--all", "--error", "timeout").out


def test_prices_are_shown_as_table_and_chart(winnow: Winnow, database_url: str) -> None:
    winnow("watch", f"{URL}/1")
    assert "no price yet" in winnow("prices", "1").out
    fetch(
        database_url,
        "INSERT INTO source_products (source_id, identity_type, identity_value, title, url, url_hash) "
        "VALUES (1, 'SKU', 'H1', E'Ham\\x1b[31mmer [bold]', %s, %s)",
        f"{URL}/1",
        url_hash(f"{URL}/1"),
    )
    for n, minor in enumerate((1999, 2499, 1499)):
        fetch(
            database_url,
            "INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, observed_at, "
            "ingestion_run_type) VALUES (1, %s, 'USD', 'IN_STOCK', true, now() - %s * interval '1 hour', 'SCRAPE')",
            minor,
            3 - n,
        )
    for which in ("1", f"{URL}/1?utm_source=x"):
        shown = winnow("prices", which).out
        assert "Hammer [bold]" in shown.replace("[31m", "")
        assert "\x1b" not in shown
        assert "█" in shown
        assert [p in shown for p in ("19.99", "24.99", "14.99")] == [True] * 3
    assert [p["amount"] for p in winnow("prices", "--offer", "1", "--json").data] == ["14.99", "24.99", "19.99"]
    assert winnow("prices", "--json").data[0]["amount"] == "14.99"


def test_doctor_says_what_is_wrong_and_what_to_do(winnow: Winnow, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {c["name"]: c for c in winnow("doctor", "--json").data}
    looked_at = "python settings disk egress policies browser archive database schema pgvector clock"
    assert {*looked_at.split(), "data folder", "api keys", "api port"} <= set(found)
    assert {
        found[n]["state"] for n in ("python", "settings", "data folder", "archive", "database", "schema", "clock")
    } == {"ok"}
    assert found["api keys"]["state"] == "warn"
    assert all(c["todo"] for c in found.values() if c["state"] != "ok")
    monkeypatch.setenv("WINNOW_EGRESS_ALLOW", "not//valid")
    broken = winnow("doctor")
    assert broken.code == 1
    assert "FAIL" in broken.out
    monkeypatch.setenv("WINNOW_API_PORT", "99999")
    settings = winnow("doctor", "--json")
    assert (settings.code, settings.data[-1]["name"]) == (1, "settings")


def test_a_database_that_is_not_there_is_one_line(winnow: Winnow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINNOW_DATABASE_URL", "postgresql://nobody:c4n4ry@127.0.0.1:1/x")
    result = winnow("targets", "list")
    one_line(result, "127.0.0.1")
    assert "c4n4ry" not in result.err
    doctor = winnow("doctor")
    assert (doctor.code, "c4n4ry" in doctor.out + doctor.err) == (1, False)


def test_a_schema_that_is_behind_is_one_line(winnow: Winnow, database_url: str) -> None:
    fetch(database_url, "DELETE FROM alembic_version")
    one_line(winnow("targets", "list"), "winnow db upgrade")


def test_a_schema_of_an_unreleased_winnow_is_one_line(winnow: Winnow, database_url: str) -> None:
    """DESIGN §11.36, for a command that does not ask Alembic as long as everything is up to date."""
    fetch(database_url, "COMMENT ON TABLE alembic_version IS NULL")
    one_line(winnow("targets", "list"), "unreleased Winnow")
    doctor = winnow("doctor")
    assert doctor.code == 1
    assert "unreleased Winnow" in doctor.out


def test_every_change_names_who_made_it(winnow: Winnow, database_url: str) -> None:
    winnow("watch", f"{URL}/1")
    winnow("targets", "pause", "1")
    actors = fetch(database_url, "SELECT DISTINCT actor FROM audit_log")
    assert len(actors) == 1
    assert actors[0][0].startswith("cli")


def test_proxies_are_added_listed_switched_and_removed(winnow: Winnow) -> None:
    assert "directly" in winnow("proxies", "list").out
    made = winnow("proxies", "add", "socks5://user:hunter2@proxy.example.com:1080", "--region", "us", "--json")
    assert (made.data["id"], made.data["region"], made.data["has_password"]) == (1, "us", True)
    assert "socks5://proxy.example.com:1080" in winnow("proxies", "list").out
    assert "hunter2" not in made.out + winnow("proxies", "list", "--json").out
    assert "disabled" in winnow("proxies", "disable", "1").out
    assert "enabled" in winnow("proxies", "enable", "1").out
    one_line(winnow("proxies", "add", "http://10.0.0.1:3128"), "WINNOW_EGRESS_ALLOW")
    one_line(winnow("proxies", "add", "socks5://user:hunter2@proxy.example.com:1080"), "already")
    assert "removed" in winnow("proxies", "remove", "1").out
    one_line(winnow("proxies", "remove", "1"), "no proxy 1")


@pytest.mark.parametrize(
    "command",
    [
        ("targets", "pause", "99999999999999999999"),
        ("runs", "show", "99999999999999999999"),
        ("prices", "--offer", "99999999999999999999"),
        ("prices", "99999999999999999999"),
        ("dead-letters", "retry", "99999999999999999999"),
    ],
)
def test_a_number_no_row_can_have_is_one_line(winnow: Winnow, command: tuple[str, ...]) -> None:
    """Issue 2, bad input: no traceback, whatever is given."""
    refused = winnow(*command)
    assert refused.code == 1
    (line,) = refused.err.splitlines()
    assert line.startswith("winnow: ")


def test_what_nobody_expected_is_one_line_and_a_stack_for_who_asks(winnow: Winnow, monkeypatch) -> None:
    from winnow.cli import session

    def broken() -> None:
        raise ZeroDivisionError("of course")

    monkeypatch.setattr(session, "settings", broken)
    told = winnow("sources", "list")
    assert told.code == 1
    (line,) = told.err.splitlines()
    assert "ZeroDivisionError: of course" in line
    monkeypatch.setenv("WINNOW_LOG_LEVEL", "DEBUG")
    with pytest.raises(ZeroDivisionError):
        winnow("sources", "list")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("targets", "list", "--status", "NOPE"), "status is ACTIVE, PAUSED, BROKEN or STALE"),
        (("dead-letters", "list", "--status", "gone"), "status is pending, retrying, resolved, discarded or all"),
        (("dead-letters", "retry", "--all", "--stage", "x"), "stage is fetch, extract, normalise or persist"),
        (("deliveries", "list", "--status", "lost"), "status is pending, sending, delivered or dead"),
        (("quarantine", "list", "--status", "x"), "status is open, resolved or all"),
    ],
)
def test_a_word_that_selects_nothing_ever_is_refused(winnow: Winnow, command: tuple[str, ...], told: str) -> None:
    refused = winnow(*command)
    assert (refused.code, refused.err) == (1, f"winnow: {told}\n")


def test_a_word_of_a_list_may_be_written_in_any_case(winnow: Winnow) -> None:
    assert winnow("targets", "list", "--status", "active").code == 0


@pytest.mark.parametrize(
    "command", [("sources", "add", "Shop", "https://shop.example.com"), ("scrape", "https://a.com")]
)
def test_p066_a_currency_that_does_not_exist_is_refused(winnow: Winnow, command: tuple[str, ...]) -> None:
    refused = winnow(*command, "--currency", "QQQ")
    assert (refused.code, refused.err) == (1, "winnow: currency must be a code of ISO 4217 such as USD\n")


def test_all_wrong_settings_are_named_as_they_are_written(winnow: Winnow, monkeypatch) -> None:
    monkeypatch.setenv("WINNOW_API_PORT", "abc")
    monkeypatch.setenv("SCRAPER_RATE_LIMIT_TOKENS", "many")
    monkeypatch.setenv("WINNOW_LEASE_SECONDS", "-1")
    (line,) = winnow("sources", "list").err.splitlines()
    for name in ("WINNOW_API_PORT", "SCRAPER_RATE_LIMIT_TOKENS", "WINNOW_LEASE_SECONDS"):
        assert f"{name}: " in line


def test_a_file_of_settings_that_an_editor_marked_or_broke(winnow: Winnow, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_bytes(b"\xef\xbb\xbfWINNOW_API_PORT=8123\n")
    assert settings.load().api.api_port == 8123
    (tmp_path / ".env").write_bytes(b"WINNOW_CONTACT_URL=gr\xf6\xdfe\n")
    one_line(winnow("sources", "list"), "wrong settings: the file .env is not UTF-8")


def test_an_empty_setting_is_none(winnow: Winnow, monkeypatch, tmp_path: Path) -> None:
    """As compose files leave them. An empty data folder is not the one somebody stands in."""
    monkeypatch.setenv("WINNOW_API_PORT", "")
    monkeypatch.setenv("WINNOW_DATA_DIR", "")
    loaded = settings.load()
    assert loaded.api.api_port == 8001
    assert loaded.db.data_dir == Path("~/.local/share/winnow")


def test_changes_speak_json(winnow: Winnow) -> None:
    """DESIGN §8: --json everywhere, and parseable."""
    winnow("watch", f"{URL}/1")
    assert winnow("targets", "pause", "1", "--json").data == {"changed": [1], "unchanged": []}
    assert winnow("targets", "pause", "1", "--json").data == {"changed": [], "unchanged": [1]}
    assert winnow("targets", "resume", "1", "--json").data == {"changed": [1], "unchanged": []}
    assert winnow("sources", "pause", "1", "--json").data == {"id": 1, "paused": True, "changed": True}
    assert winnow("sources", "trust", "1", "--eligible", "--json").data == {"id": 1, "visibility_status": "ELIGIBLE"}
    assert winnow("sources", "tiers", "1", "static", "--json").data == {"id": 1, "tiers": ["static"]}
    assert winnow("domains", "limit", "example.com", "--rate", "2", "--json").data["tokens"] == 2
    assert winnow("domains", "pause", "example.com", "--json").data["paused"] is True
    assert winnow("adapters", "disable", "generic", "--json").data["enabled"] is False
    assert winnow("dead-letters", "retry", "--all", "--json").data == {"changed": 0, "of": 0}
    winnow("keys", "create", "one")
    assert winnow("keys", "revoke", "one", "--json").data["revoked"] is True
    assert winnow("sources", "approve", "1", "--by", "Jo", "--json").data["tos_approved_by"] == "Jo"
