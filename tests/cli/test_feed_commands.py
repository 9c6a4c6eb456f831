"""`winnow feed …` as an operator uses it, with a worker that does the work."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cli.conftest import Winnow, fetch
from tests.feeds.shop import FILE, HEADER, row
from tests.waiting import LIMIT
from winnow import settings
from winnow.cli import feed_result
from winnow.db.engine import Database
from winnow.feeds.read.columns import NETWORKS
from winnow.run.worker import assembled

ADD = ("feed", "add", "acme", "https://acme.example.com", "--retailer", "Acme", "--transport", "file", "--path", FILE,
       "--every", "24", "--primary")  # fmt: skip
Write = Callable[..., None]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    folder = tmp_path / "catalogues"
    folder.mkdir()
    monkeypatch.setenv("WINNOW_FEED_FOLDER", str(folder))

    def written(*rows: str, header: str = HEADER) -> None:
        (folder / FILE).write_text("\n".join([header, *rows]) + "\n")

    return written


@pytest.fixture
def worker(winnow: Winnow, write: Write) -> Iterator[None]:
    """A worker in a thread of its own: what it needs is imported already."""
    ended = threading.Event()
    loaded = settings.load()

    async def work() -> None:
        async with await Database.open(loaded.db) as database:
            while not ended.is_set():
                async with assembled(database, loaded) as found:
                    await found.run(until_empty=True)
                await asyncio.sleep(0.05)

    thread = threading.Thread(target=asyncio.run, args=(work(),), daemon=True)
    thread.start()
    yield
    ended.set()
    thread.join(LIMIT)


@pytest.mark.slow
def test_a_feed_from_its_draft_to_its_rollback(winnow: Winnow, write: Write, worker: None, database_url: str) -> None:
    write(*(row(n) for n in range(1, 41)), "item-x,sku-x,,https://shop.test/x,1.00,USD,Y")
    made = winnow(*ADD, "--json")
    assert (made.code, made.data["status"], made.data["transport"]) == (0, "DRAFT", "FILE")
    feed = str(made.data["id"])

    tested = winnow("feed", "test", "acme", "--json")
    assert (tested.code, tested.data["rows_detected"], tested.data["format_detected"]) == (1, 41, "CSV")
    assert tested.data["errors"][0]["row_number"] == 41
    assert tested.data["columns_detected"]["stock"] == "StockAvailability"
    said = winnow("feed", "test", feed).out
    assert "Rows that would not be used:\nROW  CODE           MESSAGE      \n41   MISSING_FIELD  name is empty" in said
    assert "10.00 USD" in said

    draft = winnow("feed", "run", "acme")
    assert (draft.code, f"winnow feed enable {feed}" in draft.err) == (1, True)
    assert "enabled, next run" in winnow("feed", "enable", "acme").out
    ran = winnow("feed", "run", "acme", "--json")
    assert (ran.code, ran.data["status"], ran.data["products_upserted"]) == (0, "SUCCEEDED", 40)
    wrong = winnow("feed", "errors", str(ran.data["id"]), "--json").data
    assert [(e["row_number"], e["code"]) for e in wrong] == [(41, "MISSING_FIELD")]
    assert "sku-x" in winnow("feed", "errors", str(ran.data["id"])).out

    write(row(1), row(2))
    blocked = winnow("feed", "run", "acme", "--json").data
    assert blocked["expiry_blocked_reason"] == "SPIKE_THRESHOLD_EXCEEDED"
    assert "SPIKE_THRESHOLD_EXCEEDED" in winnow("feed", "show", "acme").out
    write(row(1), row(2), row(3, price="soon"))
    again = winnow("feed", "run", "acme")
    blocked = winnow("feed", "show", "acme", "--json").data["runs"][0]
    assert f"If the file is right: winnow feed approve {blocked['id']}" in again.out
    assert f"winnow feed errors {blocked['id']}" in again.out
    assert "2 offers activated" in winnow("feed", "approve", str(blocked["id"])).out
    again = winnow("feed", "approve", str(blocked["id"]))
    assert (again.code, "approved already" in again.err) == (1, True)
    assert winnow("feed", "rollback", str(blocked["id"]), "--reason", "half a file").code == 0
    assert winnow("feed", "rollback", str(blocked["id"]), "--reason", "again").code == 1

    assert "paused" in winnow("feed", "pause", "acme").out
    [listed] = winnow("feed", "list", "--json").data
    assert (listed["status"], listed["name"], listed["last_run_status"]) == ("PAUSED", "acme", "ROLLED_BACK")
    assert "acme" in winnow("feed", "list").out
    shown = winnow("feed", "show", feed, "--json").data
    assert [run["status"] for run in shown["runs"]] == ["SUCCEEDED"] * 3
    actions = {a for (a,) in fetch(database_url, "SELECT action FROM audit_log WHERE object_type = 'feed'")}
    assert {"FEED_CREATED", "ACTIVATION_APPROVED", "RUN_ROLLED_BACK", "MANUAL_RUN_REQUESTED"} <= actions


def test_a_run_that_fails_says_why_and_ends_with_1(winnow: Winnow, write: Write, worker: None) -> None:
    write("<html><body>Please log in</body></html>", header="<!DOCTYPE html>")
    winnow(*ADD)
    winnow("feed", "enable", "acme")
    ran = winnow("feed", "run", "acme", "--json")
    assert (ran.code, ran.data["status"]) == (1, "FAILED")
    assert ran.data["error_message"].startswith("[PERMANENT]")
    said = winnow("feed", "run", "acme").out
    assert "[PERMANENT] this is a web page, not a catalogue; open it and see" in said  # in one line, with what to do
    assert "[PERMANENT]" in winnow("feed", "show", "acme").out.replace("\n", "")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--every", "3"), "schedule_frequency_hours"),
        (("--expiry", "200"), "expiry_hours"),
        (("--transport", "FTP", "--host", "f.example.com"), "FTP"),
        (("--transport", "pigeon"), "transport must be one of"),
        (("--network", "NOBODY"), "network must be one of"),
        (("--transport", "SFTP"), "host must name the server"),
        (("--transport", "SFTP", "--host", "sftp://f.example.com"), "host must be the name of the server alone"),
        (("--transport", "SFTP", "--host", "f.example.com:22"), "host must be the name of the server alone"),
        (("--transport", "SFTP", "--host", "f.example.com", "--port", "0"), "port must be a number from 1 to 65535"),
        (
            ("--transport", "SFTP", "--host", "f.example.com", "--port", "70000"),
            "port must be a number from 1 to 65535",
        ),
        (("--path", "a\r\nDELE b"), "path holds a line end"),
        (("--path", "/etc/passwd"), "relative to the folder"),
        (("--path", "a/../../b"), "relative to the folder"),
        (("--transport", "HTTPS", "--path", "http://f.example.com/a"), "begin with https://"),
        (("--transport", "HTTPS", "--path", "f.example.com/a"), "begin with https://"),
        (("--transport", "HTTPS", "--path", "https://u:p@f.example.com/a"), "user name and password do not belong"),
        (("--encoding", "base64"), "there is no encoding"),
        (("--every", "6", "--cron", "0 6 * * *"), "not both"),
    ],
)
def test_f035_f037_f093_what_cannot_be_a_feed_is_told(winnow: Winnow, more: tuple[str, ...], said: str) -> None:
    refused = winnow(*ADD, *more)
    assert refused.code != 0
    assert said in refused.err.replace("\n", " ")
    assert winnow("feed", "list", "--json").data == []


def test_names_and_ids_that_are_not_there(winnow: Winnow, write: Write) -> None:
    for command in (("show", "nobody"), ("run", "77"), ("pause", "nobody"), ("enable", "nobody"), ("test", "nobody")):
        gone = winnow("feed", *command)
        assert (gone.code, "there is no feed" in gone.err) == (1, True), command
    assert winnow("feed", "approve", "77").code == 1
    for number in ("0", "99999999999999999999", "x"):
        assert winnow("feed", "approve", number).code == 2, number
    assert winnow("feed", "errors", "77").code == 1
    assert "no feeds yet" in winnow("feed", "list").out
    winnow(*ADD)
    twice = winnow(*ADD)
    assert twice.code == 1
    queued = winnow("feed", "enable", "acme").code, winnow("feed", "run", "acme", "--no-wait")
    assert (queued[0], "Run queued" in queued[1].out) == (0, True)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("--max-rows", "0"), "max_row_count must be a number from 1"),
        (("--max-rows", "99999999999999"), "max_row_count must be a number from 1"),
        (("--max-bytes", "-3"), "max_file_size_bytes must be a number from 1"),
        (("--host-key", "none"), "as ssh-keygen shows it"),
        (("--path", ""), "path must name the file"),
        (("--transport", "ftp", "--host", "f.example.com"), "add --i-understand-ftp-is-insecure"),
        (("--cron", "0 0 30 2 *"), "never fires"),
    ],
)
def test_f035_what_a_feed_cannot_become_is_told(
    winnow: Winnow, write: Write, monkeypatch: pytest.MonkeyPatch, wrong: tuple[str, ...], said: str
) -> None:
    monkeypatch.setenv("AFFILIATE_FEED_ALLOW_PLAIN_FTP", "true")
    before = winnow(*ADD, "--json").data
    refused = winnow("feed", "change", "acme", *wrong)
    assert (refused.code, said in refused.err.replace("\n", " ")) == (1, True), refused.err
    assert winnow("feed", "show", "acme", "--json").data == {**before, "runs": []}


def test_f101_a_password_may_be_piped_in_and_is_not_in_the_way_of_json(
    winnow: Winnow, write: Write, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse\n"))
    made = winnow(*ADD, "--password", "--json")
    assert (made.code, made.data["has_password"]) == (0, True)
    assert "horse" not in made.out + made.err
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    none = winnow("feed", "change", "acme", "--password")
    assert (none.code, "the password is empty" in none.err) == (1, True)
    assert fetch(database_url, "SELECT secret_version FROM affiliate_feeds") == [(2,)]


def test_f055_a_draft_knows_when_it_would_run(winnow: Winnow, write: Write) -> None:
    assert winnow(*ADD, "--json").data["next_run_at"] is not None
    changed = winnow("feed", "change", "acme", "--every", "0", "--json").data
    assert (changed["status"], changed["next_run_at"]) == ("DRAFT", None)
    assert "by hand: winnow feed run" in winnow("feed", "enable", "acme").out


def test_f118_a_host_key_is_said_or_forgotten(winnow: Winnow, write: Write) -> None:
    winnow(*ADD)
    key = "SHA256:" + "k" * 43
    for given, kept in ((key, key), ("", None)):
        changed = winnow("feed", "change", "acme", "--host-key", given, "--json").data
        assert changed["host_key_fingerprint"] == kept


def test_f110_a_feed_is_made_the_primary_one_later(winnow: Winnow, write: Write) -> None:
    winnow(*(word for word in ADD if word != "--primary"))
    assert winnow("feed", "show", "acme", "--json").data["is_display_primary"] is False
    changed = winnow("feed", "change", "acme", "--primary", "--json").data
    assert changed["is_display_primary"] is True


def test_f016_f069_what_a_run_says_at_its_end() -> None:
    feed: Any = SimpleNamespace(id=7, status="ENABLED", is_display_primary=True)
    hidden: Any = SimpleNamespace(id=7, status="ENABLED", is_display_primary=False)
    disabled: Any = SimpleNamespace(id=7, status="DISABLED", is_display_primary=True)

    def told(run: dict[str, Any], of: Any = feed) -> str:
        return "\n".join(feed_result._next_steps({"id": 3, "status": "SUCCEEDED", **run}, of))

    assert told({}) == ""
    assert "nothing to do" in told({"skipped_reason": "UNCHANGED_HASH"})
    assert "winnow feed approve 3" in told({"expiry_blocked_reason": "SPIKE_THRESHOLD_EXCEEDED"})
    assert "tries again" in told({"expiry_step_failed": True})
    assert "winnow feed change 7 --primary" in told({}, hidden)
    assert "winnow feed enable 7 --acknowledge" in told({"status": "FAILED"}, disabled)
    assert "this one follows it" in told({"id": None, "status": "done"})
    blank = dict.fromkeys(("invalidated_at", "invalidated_by", "expiry_approved_by", "promoted_at"))
    run = {**blank, "expiry_blocked": True, "expiry_step_failed": False}
    assert feed_result.activated(run) == "no"
    assert feed_result.activated({**run, "expiry_approved_by": "ada", "promoted_at": 1}) == "approved by ada"
    assert feed_result.activated({**run, "invalidated_at": 1, "invalidated_by": "bob"}) == "taken back by bob"
    assert feed_result.activated({**run, "expiry_blocked": False, "promoted_at": 1}) == "yes"


@pytest.mark.parametrize("network", NETWORKS)
def test_f021_f134_a_feed_of_every_network_is_added(
    winnow: Winnow, write: Write, database_url: str, network: str
) -> None:
    made = winnow(*ADD, "--network", network.lower(), "--json")
    assert (made.code, made.data["network"]) == (0, network), made.err
    assert fetch(database_url, "SELECT affiliate_network FROM sources") == [(network,)]


def test_f002_routine_changes_need_no_code(winnow: Winnow, write: Write, database_url: str) -> None:
    made = winnow(*ADD, "--encoding", "cp1251", "--currency", "EUR", "--column", "price=Net", "--json").data
    assert (made["encoding"], made["default_currency"], made["column_overrides"]) == ("cp1251", "EUR", {"price": "Net"})
    winnow("feed", "enable", "acme")
    changed = winnow("feed", "change", "acme", "--every", "6", "--expiry", "24", "--refresh-unchanged", "--json").data
    assert (changed["schedule_frequency_hours"], changed["expiry_hours"], changed["refresh_unchanged"]) == (6, 24, True)
    by_hand = winnow("feed", "change", "acme", "--every", "0", "--json").data
    assert (by_hand["schedule_frequency_hours"], by_hand["next_run_at"]) == (None, None)
    read = winnow("feed", "change", "acme", "--network", "awin", "--delimiter", "tab", "--max-rows", "7", "--json").data
    assert (read["network"], read["delimiter"], read["max_row_count"]) == ("AWIN", "\t", 7)
    for wrong in (("--every", "5"), ("--expiry", "0"), ("--column", "price")):
        assert winnow("feed", "change", "acme", *wrong).code != 0, wrong
    actions = {a for (a,) in fetch(database_url, "SELECT action FROM audit_log WHERE object_type = 'feed'")}
    assert {"FEED_UPDATED", "EXPIRY_HOURS_CHANGED"} <= actions


def test_whoever_waits_without_a_worker_is_told_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from winnow.cli import feed_watch

    answers = iter([{"status": "queued"}] * 3 + [{"status": "done", "result": {"success": True}}])

    async def task(*_: object) -> dict[str, object]:
        return next(answers)

    monkeypatch.setattr(feed_watch, "PATIENCE", -1.0)
    monkeypatch.setattr(feed_watch, "POLL_SECONDS", 0.0)
    monkeypatch.setattr(feed_watch, "_job", task)
    job = asyncio.run(feed_watch.wait_for_test(None, None))
    assert job["status"] == "done"
    assert capsys.readouterr().err.count("is a worker running") == 1


def test_f127_a_feed_is_cloned_and_deleted(winnow: Winnow, write: Write, database_url: str) -> None:
    feed = winnow(*ADD, "--network", "cj", "--currency", "EUR", "--column", "price=Net", "--json").data
    copy = winnow("feed", "clone", "acme", "acme two", "--json").data
    assert (copy["name"], copy["status"], copy["is_display_primary"]) == ("acme two", "DRAFT", False)
    same = ("network", "path", "transport", "default_currency", "column_overrides", "schedule_frequency_hours")
    assert {name: copy[name] for name in same} == {name: feed[name] for name in same}
    assert (winnow("feed", "delete", "acme", "--yes").code, winnow("feed", "delete", "acme", "--yes").code) == (0, 1)
    assert [one["name"] for one in winnow("feed", "list", "--json").data] == ["acme two"]
    audited = fetch(database_url, "SELECT action FROM audit_log WHERE action ~ 'CLONED|DELETED' ORDER BY id")
    assert audited == [("FEED_CLONED",), ("FEED_DELETED",)]


def test_an_empty_option_undoes_a_setting(winnow: Winnow, write: Write) -> None:
    template = "https://acme.example.com/p/{Handle}"
    made = winnow(*ADD, "--encoding", "cp1251", "--delimiter", ";", "--currency", "eur", "--column", "price=Net",
                  "--format", "json", "--url-template", template, "--mode", "incremental", "--json").data  # fmt: skip
    assert (made["format"], made["url_template"], made["update_mode"]) == ("JSON", template, "INCREMENTAL")
    winnow("feed", "change", "acme", "--max-rows", "7", "--port", "2222", "--username", "ada")
    options = (
        "--encoding",
        "--delimiter",
        "--currency",
        "--column",
        "--format",
        "--url-template",
        "--mode",
        "--username",
    )
    undo = [part for option in options for part in (option, "")]
    done = winnow("feed", "change", "acme", *undo, "--max-rows", "", "--port", "", "--json").data
    names = ("encoding", "delimiter", "url_template", "username", "max_row_count", "port")
    assert {done[name] for name in names} == {None}
    assert (done["default_currency"], done["format"], done["update_mode"]) == ("USD", "CSV", "FULL")
    assert done["column_overrides"] == {}
    assert winnow("feed", "change", "acme", "--path", "").code == 1


def test_p002_offers_of_a_feed_become_targets(winnow: Winnow, write: Write, worker: None, database_url: str) -> None:
    write(*(row(n) for n in range(1, 4)))
    winnow(*ADD)
    winnow("feed", "enable", "acme")
    winnow("feed", "run", "acme")
    made = winnow("feed", "targets", "acme", "--sku", "sku-2", "--sku", "sku-3", "--every", "4h", "--json").data
    linked = fetch(database_url, "SELECT t.id, o.id FROM scrape_targets AS t JOIN source_products AS o"
                   " ON o.id = t.source_product_id WHERE o.sku IN ('sku-2', 'sku-3') ORDER BY t.id")  # fmt: skip
    assert [(one["target_id"], one["offer_id"]) for one in made["linked"]] == linked
    assert len(linked) == 2
    again = winnow("feed", "targets", "acme", "--sku", "sku-2")
    assert f"target {linked[0][0]}: there already" in again.out
    assert winnow("feed", "targets", "acme").code == 1
    assert winnow("feed", "targets", "acme", "--sku", "nothing").code == 1
