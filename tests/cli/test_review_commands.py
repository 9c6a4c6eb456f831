"""`winnow quarantine`, `winnow alerts`, `winnow replay` and `winnow shadow`, as a person uses them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Winnow, fetch

OFFER = """{"url": "https://shop.example.com/p/%(n)s", "canonical_url": "https://shop.example.com/p/%(n)s",
"observed_at": "2026-03-01T10:00:00Z", "adapter_id": "generic", "adapter_version": "1.0.0", "title": "Shoe %(n)s",
"identity": {"type": "SKU", "value": "A%(n)s"}, "price": {"minor": %(minor)s, "currency": "USD"},
"availability": "IN_STOCK"}"""
FILE = """
id = "shop"
version = "%s"
domain = "shop.example"
[fields]
title = "h1"
price = ".price"
availability = ".stock"
"""


@pytest.fixture
def held(winnow: Winnow, database_url: str) -> list[int]:
    """Two held offers: one with a price, one with zero."""
    ids = []
    for n, minor in ((1, 1999), (2, 0)):
        target = winnow("watch", f"https://shop.example.com/p/{n}", "--json").data
        reason = "IMPLAUSIBLE_PRICE" if minor else "ZERO_PRICE_EXTRACTED"
        ((entry,),) = fetch(
            database_url,
            "INSERT INTO quarantine (task_id, target_id, source_id, reason, payload) "
            "VALUES (gen_random_uuid(), %s, %s, %s, %s::jsonb) RETURNING id",
            target["id"], target["source_id"], reason, OFFER % {"n": n, "minor": minor},
        )  # fmt: skip
        ids.append(entry)
    return ids


def test_p067_held_prices_are_listed_shown_accepted_and_rejected(
    winnow: Winnow, held: list[int], database_url: str
) -> None:
    listed = winnow("quarantine", "list", "--json")
    assert [(e["id"], e["price_minor"]) for e in listed.data] == [(held[1], 0), (held[0], 1999)]
    assert "19.99 USD" in winnow("quarantine", "list").out
    shown = winnow("quarantine", "show", str(held[0]))
    assert "Shoe 1" in shown.out

    assert winnow("quarantine", "accept", str(held[0]), "--note", "a sale").code == 0
    again = winnow("quarantine", "accept", str(held[0]))
    assert (again.code, "accepted already" in again.err) == (1, True)
    assert winnow("quarantine", "accept", str(held[1])).code == 1
    assert winnow("quarantine", "accept", str(held[1]), "--price", "1.234").code == 1
    assert winnow("quarantine", "note", str(held[1]), "asked the shop").code == 0
    assert winnow("quarantine", "accept", str(held[1]), "--price", "12.50").code == 0
    assert fetch(database_url, "SELECT amount_minor FROM prices ORDER BY id") == [(1999,), (1250,)]
    assert winnow("quarantine", "list").out.strip() == "no held records"
    assert len(winnow("quarantine", "list", "--status", "all", "--json").data) == 2


def test_many_are_rejected_at_once_and_wrong_usage_is_said(winnow: Winnow, held: list[int]) -> None:
    assert winnow("quarantine", "reject").code == 1
    assert winnow("quarantine", "reject", "1", "--all").code == 1
    assert winnow("quarantine", "accept", "--all", "--price", "3").code == 1
    assert winnow("quarantine", "list", "--status", "maybe").code == 1
    assert winnow("quarantine", "show", "999").code == 1
    done = winnow("quarantine", "reject", "--all", "--reason", "ZERO_PRICE_EXTRACTED")
    assert (done.code, "1 of 1 entries rejected" in done.out) == (0, True)
    assert [e["id"] for e in winnow("quarantine", "list", "--json").data] == [held[0]]


def test_p099_alerts_are_listed_and_closed(winnow: Winnow, database_url: str) -> None:
    assert winnow("alerts", "list").out.strip() == "no open alerts"
    fetch(
        database_url,
        "INSERT INTO alerts (severity, code, dedupe_key, title) "
        "VALUES ('P1', 'adapter_disabled', 'k', 'x was disabled')",
    )
    ((found,),) = [winnow("alerts", "list", "--json").data]
    assert (found["severity"], found["title"]) == ("P1", "x was disabled")
    assert winnow("alerts", "acknowledge", str(found["id"])).code == 0
    assert winnow("alerts", "resolve", str(found["id"])).code == 0
    assert winnow("alerts", "list", "--json").data == []
    assert len(winnow("alerts", "list", "--all", "--json").data) == 1


def test_c069_replay_without_pages_and_a_shadow(
    winnow: Winnow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine/shop").mkdir(parents=True)
    for name, version in (("live", "1.0.0"), ("next", "1.1.0")):
        (tmp_path / f"mine/shop/{name}.toml").write_text(FILE % version)
    monkeypatch.setenv("WINNOW_ADAPTERS_DIR", str(tmp_path / "mine"))
    done = winnow("replay", "--adapter", "shop", "--version", "new", "--json")
    assert (done.code, done.data["pages"], done.data["version"]) == (1, 0, "1.1.0"), "nothing read is no success"
    assert winnow("replay", "--adapter", str(tmp_path / "mine/shop/next.toml"), "--json").data["version"] == "1.1.0"
    unknown = winnow("replay", "--adapter", "shop", "--version", "9.0.0")
    assert (unknown.code, "known: 1.0.0, 1.1.0" in unknown.err) == (1, True)
    assert winnow("replay", "--adapter", "shop", "--source", "nowhere").code == 1

    assert winnow("shadow", "start", "shop").code == 0
    assert winnow("shadow", "start", "shop").code == 1
    (running, *_) = winnow("shadow", "list", "--json").data
    assert (running["mode"], running["status"]) == ("shadow", "running")
    assert winnow("shadow", "show", str(running["id"]), "--json").data["fields"] == []
    assert winnow("shadow", "stop", "shop").code == 0
    assert winnow("shadow", "stop", "shop").code == 1


def test_p087_a_shared_adapter_is_enabled_for_one_source(winnow: Winnow, database_url: str) -> None:
    fetch(
        database_url,
        "INSERT INTO scrape_adapter_status (adapter_id, enabled, disabled_at, disabled_reason, disabled_by) "
        "VALUES ('generic@7', false, now(), 'DRIFT_DETECTED', 'drift')",
    )
    known = {a["id"]: a["enabled"] for a in winnow("adapters", "list", "--json").data}
    assert (known["generic"], known["generic@7"]) == (True, False)
    assert winnow("adapters", "enable", "generic@7", "--reason", "mended").code == 0
    assert fetch(database_url, "SELECT enabled, close_monitoring FROM scrape_adapter_status") == [(True, True)]
    assert fetch(database_url, "SELECT reason FROM audit_log WHERE action = 'adapter.enabled'") == [("mended",)]


def test_p103_terms_are_approved_and_withdrawn(winnow: Winnow, database_url: str) -> None:
    said = winnow("watch", "https://www.sgammo.com/product/1/")
    assert "winnow sources approve" in said.out
    assert winnow("runs", "start", "1").code == 1
    assert winnow("sources", "approve", "1", "--by", "ann").code == 0
    assert fetch(database_url, "SELECT tos_approved_by, tos_reviewed_at IS NOT NULL FROM sources") == [("ann", True)]
    assert winnow("runs", "start", "1").code == 0
    assert winnow("sources", "approve", "1", "--withdraw").code == 0
    assert fetch(database_url, "SELECT tos_approved_by FROM sources") == [(None,)]


def test_e033_the_ways_of_a_source_are_named_and_shown(winnow: Winnow) -> None:
    assert winnow("sources", "add", "Shop", "https://shop.example/").code == 0
    assert "every configured way" in winnow("sources", "tiers", "Shop").out
    assert "static, scrapingbee" in winnow("sources", "tiers", "Shop", "scrapingbee", "static").out
    assert winnow("sources", "tiers", "Shop", "curl").code != 0
    assert "every configured way" in winnow("sources", "tiers", "Shop", "--all").out
