"""Feeds over the API."""

from __future__ import annotations

from typing import Any

import pytest

from winnow.db.engine import Database
from winnow.feeds.read.columns import NETWORKS

FEED = {"name": "shop", "url": "https://shop.example.com", "retailer": "Shop", "host": "sftp.example.com",
        "path": "/feeds/catalogue.csv.gz", "username": "ada", "password": "a secret", "expiry_hours": 24,
        "schedule_frequency_hours": 24}  # fmt: skip


async def test_f100_f127_a_feed_is_added_changed_and_never_shows_its_password(admin: Any, database: Database) -> None:
    made = await admin.post("/api/v1/feeds", json=FEED)
    assert made.status_code == 201, made.text
    feed = made.json()["data"]
    assert (feed["status"], feed["has_password"]) == ("DRAFT", True)
    assert feed["warning"]  # FN-07: it runs no oftener than its offers expire
    assert "secret" not in made.text
    url = f"/api/v1/feeds/{feed['id']}"
    changed = await admin.patch(url, json={"expiry_hours": 48, "password": "", "name": "Renamed"})
    assert (changed.json()["data"]["expiry_hours"], changed.json()["data"]["name"]) == (48, "Renamed")
    enabled = await admin.post(f"{url}/enable", json={})
    assert enabled.json()["data"]["status"] == "ENABLED"
    assert (await admin.post(f"{url}/run")).json()["data"]["message"] == "Run queued"
    assert (await admin.post(f"{url}/pause")).json()["data"]["status_text"] == "Paused by admin"
    assert (await admin.post(f"{url}/run")).status_code == 409
    async with database.connection() as conn:
        version = await (await conn.execute("SELECT secret_version FROM affiliate_feeds")).fetchone()
        told = await (await conn.execute("SELECT string_agg(audit_log::text, ' ') FROM audit_log")).fetchone()
    assert version == (2,)  # F-102: the empty one changed nothing
    assert told is not None
    assert "a secret" not in told[0]


@pytest.mark.parametrize("network", NETWORKS)
async def test_f021_f134_a_feed_of_every_network_is_added_and_moved(
    admin: Any, database: Database, network: str
) -> None:
    query = "SELECT f.network, s.affiliate_network FROM affiliate_feeds AS f JOIN sources AS s ON s.id = f.source_id"
    made = await admin.post("/api/v1/feeds", json=FEED | {"network": network})
    assert (made.status_code, made.json()["data"]["network"]) == (201, network)
    other = "GOOGLE" if network != "GOOGLE" else "IMPACT"
    async with database.connection() as conn:
        assert await (await conn.execute(query)).fetchall() == [(network, network)]
        moved = await admin.patch("/api/v1/feeds/1", json={"network": other})
        assert moved.status_code == 200, moved.text
        assert await (await conn.execute(query)).fetchall() == [(other, other)]


@pytest.mark.parametrize(
    "wrong", [{"expiry_hours": 169}, {"schedule_frequency_hours": 3}, {"transport": "FTP"}, {"path": ""}, {"port": 0}]
)
async def test_f035_f037_f093_wrong_feeds_are_refused(admin: Any, wrong: dict[str, Any]) -> None:
    assert (await admin.post("/api/v1/feeds", json=FEED | wrong)).status_code == 422


async def test_f090_approving_what_is_not_there_is_told(admin: Any) -> None:
    for path, body in (("approve", None), ("rollback", {"reason": "wrong"})):
        answer = await admin.post(f"/api/v1/feed-runs/77/{path}", json=body)
        assert (answer.status_code, answer.json()["meta"]["code"]) == (404, "RUN_NOT_FOUND")


async def test_f090_what_a_run_is_refused_for_is_a_code(admin: Any, database: Database) -> None:
    await admin.post("/api/v1/feeds", json=FEED)
    run = "INSERT INTO affiliate_feed_runs (feed_id, source_id, status, finished_at) SELECT id, source_id, %s, now()"
    async with database.connection() as conn:
        for status in ("FAILED", "SUCCEEDED"):
            await conn.execute(f"{run} FROM affiliate_feeds", (status,))
    for run_id, code in ((1, "RUN_NOT_SUCCEEDED"), (2, "NOT_BLOCKED")):
        answer = await admin.post(f"/api/v1/feed-runs/{run_id}/approve")
        assert (answer.status_code, answer.json()["meta"]["code"]) == (409, code)
    for reason in ("", "  ", None):
        answer = await admin.post("/api/v1/feed-runs/2/rollback", json={"reason": reason})
        assert answer.status_code == 422, reason


async def test_f019_every_error_of_a_run_is_reached_a_page_at_a_time(admin: Any, database: Database) -> None:
    await admin.post("/api/v1/feeds", json=FEED)
    async with database.connection() as conn:
        await conn.execute(
            "INSERT INTO affiliate_feed_runs (feed_id, source_id) SELECT id, source_id FROM affiliate_feeds"
        )
        await conn.execute(
            "INSERT INTO affiliate_feed_run_errors (run_id, code, message, row_number)"
            " SELECT 1, 'PARSE_ERROR', 'broken', n FROM generate_series(1, 7) AS n"
        )
    found: list[int] = []
    following = "0"
    while following is not None:
        page = (await admin.get(f"/api/v1/feed-runs/1/errors?limit=3&after={following}")).json()
        found += [error["row_number"] for error in page["data"]]
        following = page["meta"]["next"]
    assert found == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"host": "sftp://f.example.com"}, "host"), ({"path": "/a\r\nDELE b"}, "path"),
        ({"encoding": "base64"}, "encoding"), ({"host_key_fingerprint": "none"}, "host_key_fingerprint"),
        ({"max_row_count": 0}, "max_row_count"), ({"port": 70_000}, "port"), ({"path": None}, "path"),
        ({"transport": "HTTPS", "path": "http://f.example.com/a"}, "path"), ({"transport": "FILE"}, "path"),
        ({"schedule_cron": "0 6 * * *"}, "schedule_cron"), ({"column_overrides": {"colour": "C"}}, "column_overrides"),
        ({"expiry_hours": None}, "expiry_hours"), ({"surprise": 1}, "surprise"),
    ],
)  # fmt: skip
async def test_f035_what_a_feed_cannot_become_names_its_field(admin: Any, wrong: dict[str, Any], field: str) -> None:
    before = (await admin.post("/api/v1/feeds", json=FEED)).json()["data"]
    answer = await admin.patch("/api/v1/feeds/1", json=wrong)
    assert answer.status_code == 422, answer.text
    [told] = answer.json()["meta"]["details"]
    assert told["field"] == f"body.{field}" or (told["field"], field in told["message"]) == ("body", True), answer.text
    assert (await admin.get("/api/v1/feeds/1")).json()["data"] == before


async def test_f105_f106_what_an_operator_sees_of_feeds_and_runs(admin: Any, database: Database) -> None:
    feed = (await admin.post("/api/v1/feeds", json=FEED)).json()["data"]["id"]
    async with database.connection() as conn:
        for n, (trigger, status) in enumerate((t, s) for t in ("SCHEDULED", "MANUAL") for s in ("SUCCEEDED", "FAILED")):
            await conn.execute(
                "INSERT INTO affiliate_feed_runs (feed_id, source_id, trigger, status, started_at, finished_at)"
                " SELECT id, source_id, %s, %s, now() + make_interval(secs => %s), now() FROM affiliate_feeds",
                (trigger, status, n),
            )
    [listed] = (await admin.get("/api/v1/feeds")).json()["data"]
    shown = ("name", "network", "status", "last_run_status", "schedule_frequency_hours")
    assert [listed[name] for name in shown] == ["shop", "IMPACT", "DRAFT", "FAILED", 24]
    assert "last_run_at" in listed
    runs = f"/api/v1/feeds/{feed}/runs"
    page = (await admin.get(f"{runs}?limit=3")).json()
    rest = (await admin.get(f"{runs}?limit=3&after={page['meta']['next']}")).json()
    assert (len(page["data"]), len(rest["data"]), rest["meta"]["next"]) == (3, 1, None)
    manual = (await admin.get(f"{runs}?trigger=MANUAL&status=SUCCEEDED")).json()["data"]
    assert [(run["trigger"], run["status"]) for run in manual] == [("MANUAL", "SUCCEEDED")]
    assert (await admin.get(f"{runs}?status=LOST")).status_code == 422
    changed = await admin.patch(
        f"/api/v1/feeds/{feed}", json={"encoding": "cp1251", "column_overrides": {"price": "Net"}}
    )
    assert changed.json()["data"]["column_overrides"] == {"price": "Net"}
    assert (await admin.patch(f"/api/v1/feeds/{feed}", json={"encoding": "klingon"})).status_code == 422


async def test_f127_a_feed_is_cloned_and_deleted_with_its_runs(admin: Any, database: Database) -> None:
    await admin.post("/api/v1/feeds", json=FEED | {"network": "AWIN", "url_template": "https://shop.example.com/{id}"})
    async with database.connection() as conn:
        await conn.execute(
            "INSERT INTO affiliate_feed_runs (feed_id, source_id) SELECT id, source_id FROM affiliate_feeds"
        )
    copy = await admin.post("/api/v1/feeds/1/clone", json={"name": "shop two"})
    assert copy.status_code == 201, copy.text
    found = copy.json()["data"]
    assert (found["name"], found["network"], found["url_template"]) == (
        "shop two",
        "AWIN",
        "https://shop.example.com/{id}",
    )
    assert (found["status"], found["has_password"]) == ("DRAFT", True)
    assert (await admin.delete("/api/v1/feeds/1")).status_code == 200
    assert (await admin.get("/api/v1/feeds/1")).status_code == 404
    assert (await admin.delete("/api/v1/feeds/1")).status_code == 404
    async with database.connection() as conn:
        assert await (await conn.execute("SELECT count(*) FROM affiliate_feed_runs")).fetchone() == (0,)
        actions = await (await conn.execute("SELECT action FROM audit_log ORDER BY id")).fetchall()
    assert {("FEED_CLONED",), ("FEED_DELETED",)} <= set(actions)


@pytest.mark.parametrize("wrong", ["https://{host}/a", "https://shop.example.com/a", "ftp://a.example.com/{id}"])
async def test_a_template_that_gives_no_address_names_its_field(admin: Any, wrong: str) -> None:
    answer = await admin.post("/api/v1/feeds", json=FEED | {"url_template": wrong})
    assert (answer.status_code, "url_template" in answer.text) == (422, True)
