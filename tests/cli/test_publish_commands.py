"""`winnow webhooks …` and `winnow deliveries …`."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from tests.cli.conftest import Winnow, fetch
from tests.waiting import LIMIT
from winnow import webhooks


def test_a_receiver_is_added_listed_disabled_and_removed(winnow: Winnow, database_url: str) -> None:
    added = winnow("webhooks", "add", "https://a.example/hook", "--topic", "price.*", "--json")
    assert added.code == 0
    assert added.data["secret"].startswith("whsec_")
    (listed,) = winnow("webhooks", "list", "--json").data
    assert (listed["topics"], listed["enabled"]) == (["price.*"], True)
    assert added.data["secret"] not in winnow("webhooks", "list").out
    assert winnow("webhooks", "disable", str(listed["id"])).code == 0
    assert winnow("webhooks", "list", "--json").data[0]["enabled"] is False
    assert winnow("webhooks", "remove", str(listed["id"])).code == 0
    assert winnow("webhooks", "list", "--json").data == []
    actions = [row[0] for row in fetch(database_url, "SELECT action FROM audit_log ORDER BY id")]
    assert actions == ["webhook.added", "webhook.updated", "webhook.removed"]


def test_an_address_inside_is_refused(winnow: Winnow) -> None:
    done = winnow("webhooks", "add", "http://192.168.1.1/hook")
    assert done.code == 1
    assert "not a public one" in done.err


def test_dead_deliveries_are_listed_and_sent_again(winnow: Winnow, database_url: str) -> None:
    assert winnow("deliveries", "redeliver", "--all-dead").out.strip() == "there are no dead deliveries"
    fetch(
        database_url,
        "INSERT INTO deliveries (message_id, receiver, key, url, topic, payload, status) "
        "VALUES (gen_random_uuid(), 'host:a', '1', 'https://a.example/', 'job.completed', '{}', 'dead') RETURNING id",
    )
    (dead,) = winnow("deliveries", "list", "--status", "dead", "--json").data
    assert winnow("deliveries", "redeliver", str(dead["id"])).out.strip() == "1 of 1 deliveries are sent again"
    assert winnow("deliveries", "redeliver").code == 1


def test_alerts_are_listed_acknowledged_and_resolved(winnow: Winnow, database_url: str) -> None:
    assert "no open alerts" in winnow("alerts", "list").out
    fetch(
        database_url,
        "INSERT INTO alerts (severity, code, dedupe_key, title) VALUES ('P1', 'x', 'x', 'look here') RETURNING id",
    )
    (open_,) = winnow("alerts", "list", "--json").data
    assert winnow("alerts", "ack", str(open_["id"])).code == 0
    assert winnow("alerts", "list", "--json").data[0]["acknowledged_by"].startswith("cli")
    assert winnow("alerts", "resolve", str(open_["id"])).code == 0
    assert winnow("alerts", "list", "--json").data == []
    assert len(winnow("alerts", "list", "--all", "--json").data) == 1
    assert winnow("alerts", "ack", str(open_["id"])).code == 1


def test_the_secret_of_callbacks_stays_the_same(winnow: Winnow) -> None:
    first = winnow("webhooks", "secret").out.strip()
    assert len(first) >= 32
    assert winnow("webhooks", "secret").out.strip() == first


def test_listen_shows_what_arrives_and_whether_it_is_genuine(tmp_path: Path) -> None:
    secret = "a secret that both sides know"
    command = [sys.executable, "-m", "winnow", "webhooks", "listen", "--port", "0", "--secret", secret, "--count", "3"]
    with subprocess.Popen(
        [*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=os.environ
    ) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        url = process.stderr.readline().split()[-1]
        body = b'{"topic":"price.changed"}'
        signed = webhooks.headers(secret, "msg_1", int(time.time()), body)
        assert [_post(url, body, signed), _post(url, body, signed), _post(url, b"{}", signed)] == [200, 200, 401]
        shown: list[dict[str, Any]] = [json.loads(line) for line in process.stdout]
    assert [(s["genuine"], s.get("repeat")) for s in shown] == [(True, False), (True, True), (False, None)]
    assert shown[0]["body"] == {"topic": "price.changed"}


def test_listen_says_in_one_line_that_its_port_is_taken(winnow: Winnow) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        told = winnow("webhooks", "listen", "--secret", "s", "--port", str(taken.getsockname()[1]))
    assert told.code == 1
    assert told.err.startswith("winnow: cannot listen on 127.0.0.1:")
    assert "--port" in told.err


def _post(url: str, body: bytes, headers: dict[str, str]) -> int:
    request = urllib.request.Request(url, data=body, headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=LIMIT) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def test_a_page_is_watched_for_a_price_and_told_to_a_webhook(winnow: Winnow, database_url: str) -> None:
    made = winnow("watch", "https://shop.example/p/1", "--below", "20", "--drop", "10%", "--back-in-stock",
                  "--webhook", "https://me.example/hook", "--json")  # fmt: skip
    assert made.code == 0, made.err
    assert len(made.data["watches"]) == 3
    assert made.data["secret"].startswith("whsec_")
    listed = winnow("watches", "list", "--json").data
    assert [(w["condition"], w["threshold"], w["drop_percent"]) for w in listed] == [
        ("price_below", "20", None), ("price_drop", None, 10.0), ("back_in_stock", None, None),
    ]  # fmt: skip
    again = winnow("watch", "https://shop.example/p/1", "--below", "20.00", "--webhook", "https://me.example/hook")
    assert again.code == 1
    assert "already" in again.err
    assert fetch(database_url, "SELECT topics FROM webhook_endpoints") == [([],)]
    assert winnow("webhooks", "remove", str(listed[0]["endpoint_id"])).code == 1, "watches report to it"
    assert winnow("watches", "remove", *(str(w["id"]) for w in listed)).code == 0
    assert winnow("webhooks", "remove", str(listed[0]["endpoint_id"])).code == 0


def test_a_watch_that_cannot_be_is_refused_whole(winnow: Winnow, database_url: str) -> None:
    url = "https://shop.example/p/1"
    for wrong in (["--below", "1,299"], ["--drop", "0"], ["--below", "5", "--slack"], ["--webhook", "https://a.example/"],
                  ["--below", "5", "--webhook", "http://127.0.0.1/x"]):  # fmt: skip
        assert winnow("watch", url, *wrong).code == 1, wrong
    assert fetch(database_url, "SELECT count(*) FROM scrape_targets") == [(0,)]
