"""Targets and sources over the API (P-057 … P-060, P-100)."""

from __future__ import annotations

import httpx

from tests.api.conftest import watch
from winnow.db.engine import Database

URL = "https://shop.example.com/p"


async def test_a_target_is_added_read_changed_and_removed(admin: httpx.AsyncClient) -> None:
    made = (await admin.post("/api/v1/sources", json={"name": "Shop", "url": URL, "retailer": "Shop Inc"})).json()[
        "data"
    ]
    assert (made["visibility_status"], made["retailer_name"], made["targets_by_status"]) == (
        "INELIGIBLE",
        "Shop Inc",
        {},
    )
    body = {"source_id": made["id"], "url": f"{URL}/1?utm_source=x", "schedule": "0 */4 * * *", "priority": 3}
    added = await admin.post("/api/v1/targets", json=body)
    assert added.status_code == 201
    target_id = added.json()["data"]["id"]
    shown = (await admin.get(f"/api/v1/targets/{target_id}")).json()["data"]
    assert (shown["canonical_url"], shown["status"], shown["retailer_id"]) == (
        f"{URL}/1",
        "ACTIVE",
        made["retailer_id"],
    )
    changed = await admin.patch(f"/api/v1/targets/{target_id}", json={"priority": 9, "every_seconds": 3600})
    assert (changed.json()["data"]["priority"], changed.json()["data"]["schedule"]) == (9, None)
    assert (await admin.delete(f"/api/v1/targets/{target_id}")).json()["data"]["ids"] == [target_id]
    assert (await admin.get(f"/api/v1/targets/{target_id}")).status_code == 404


async def test_a_duplicate_is_409_with_the_existing_id(admin: httpx.AsyncClient) -> None:
    watched = await watch(admin, f"{URL}/1")
    answer = await admin.post("/api/v1/targets", json={"source_id": watched["source_id"], "url": f"{URL}/1/#a"})
    assert answer.status_code == 409
    assert answer.json()["meta"]["existing"] == str(watched["id"])
    assert (await watch(admin, f"{URL}/1"))["created"] is False
    twice = {"name": "example.com", "url": URL}
    assert (await admin.post("/api/v1/sources", json=twice)).json()["meta"]["existing"] == str(watched["source_id"])


async def test_bad_input_is_told_and_stores_nothing(admin: httpx.AsyncClient, database: Database) -> None:
    source_id = (await watch(admin, f"{URL}/1"))["source_id"]
    cases = [
        ({"source_id": source_id, "url": "no url"}, 422, "url_refused"),
        ({"source_id": source_id, "url": "http://10.0.0.1/"}, 422, "url_refused"),
        ({"source_id": source_id, "url": f"{URL}/2", "schedule": "0 0 31 2 *"}, 422, "invalid"),
        ({"source_id": source_id, "url": f"{URL}/2", "adapter_id": "nope"}, 422, "invalid"),
        ({"source_id": source_id, "url": f"{URL}/2", "every_seconds": 5}, 422, "invalid"),
        ({"source_id": source_id, "url": f"{URL}/2", "every_seconds": 60, "by_hand": True}, 422, "invalid"),
        ({"source_id": 99, "url": f"{URL}/2"}, 404, "not_found"),
    ]
    for body, status, code in cases:
        answer = await admin.post("/api/v1/targets", json=body)
        assert (answer.status_code, answer.json()["meta"]["code"]) == (status, code), body
    async with database.connection() as conn:
        row = await (await conn.execute("SELECT count(*) FROM scrape_targets")).fetchone()
    assert row == (1,)


async def test_pause_resume_requeue_and_remove_take_many_or_none(admin: httpx.AsyncClient, database: Database) -> None:
    ids = [(await watch(admin, f"{URL}/{n}"))["id"] for n in range(3)]
    assert (await admin.post("/api/v1/targets/pause", json={"ids": [*ids, 999]})).status_code == 404
    assert (await admin.post("/api/v1/targets/pause", json={"ids": ids})).json()["data"]["ids"] == ids
    assert (await admin.get("/api/v1/targets?status=PAUSED")).json()["data"][0]["id"] == ids[0]
    assert (await admin.post("/api/v1/targets/resume", json={"ids": ids[:1]})).json()["data"]["ids"] == ids[:1]
    async with database.connection() as conn:
        await conn.execute("UPDATE scrape_targets SET status = 'STALE' WHERE id = %s", (ids[1],))
    assert (await admin.post("/api/v1/targets/requeue", json={"ids": ids})).json()["data"]["ids"] == [ids[1]]
    assert (await admin.post("/api/v1/targets/remove", json={"ids": ids})).json()["data"]["ids"] == ids
    for ids_given in ([], ["x"], [0], [1] * 1_001):
        assert (await admin.post("/api/v1/targets/pause", json={"ids": ids_given})).status_code == 422


async def test_lists_are_paged_by_cursor(admin: httpx.AsyncClient) -> None:
    ids = [(await watch(admin, f"{URL}/{n}"))["id"] for n in range(5)]
    found, after, pages = [], "", 0
    while True:
        answer = (await admin.get(f"/api/v1/targets?limit=2{after}")).json()
        found += [t["id"] for t in answer["data"]]
        pages += 1
        if answer["meta"]["next"] is None:
            break
        after = f"&after={answer['meta']['next']}"
    assert (found, pages) == (ids, 3)


async def test_filters_match_literally(admin: httpx.AsyncClient) -> None:
    await watch(admin, f"{URL}/100%25_x")
    await watch(admin, f"{URL}/1000yx")
    assert len((await admin.get("/api/v1/targets", params={"q": "%25_"})).json()["data"]) == 1
    assert (await admin.get("/api/v1/targets", params={"q": "_x"})).json()["data"][0]["url"].endswith("_x")
    assert (await admin.get("/api/v1/targets", params={"domain": "example.org"})).json()["data"] == []


async def test_a_csv_goes_in_over_the_api(admin: httpx.AsyncClient) -> None:
    body = f"url;priority\n{URL}/1;2\nwrong;1\n{URL}/1;3\n"
    report = (await admin.post("/api/v1/targets/import", content=body)).json()["data"]
    assert (report["added"], report["repeated"], report["wrong"]) == (1, 1, 1)
    assert report["wrong_rows"][0]["line"] == 3
    assert (await admin.post("/api/v1/targets/import", content=b"\x00\x01")).status_code == 422
    assert (await admin.post("/api/v1/targets/import", content=b"")).status_code == 422
    assert (await admin.post("/api/v1/targets/import?source_id=99", content=body)).status_code == 404


async def test_a_source_is_changed_paused_and_made_eligible(admin: httpx.AsyncClient, database: Database) -> None:
    source_id = (await watch(admin, f"{URL}/1"))["source_id"]
    changes = {
        "priority": 5,
        "scrape_config": {"rateLimit": {"requestsPerSecond": 0.1}, "customHeaders": {"X-Key": "c4n4ry"}},
        "tos_reviewed_at": "2024-05-01T00:00:00Z",
        "tos_approved_by": "legal",
    }
    shown = await admin.patch(f"/api/v1/sources/{source_id}", json=changes)
    assert shown.json()["data"]["scrape_config"]["customHeaders"] == {"X-Key": "***"}
    assert "c4n4ry" not in shown.text
    lane = (await admin.get("/api/v1/domains/example.com")).json()["data"]
    assert (lane["tokens"], lane["interval_seconds"], lane["limits_from"]["rate"]) == (1, 10.0, "source")
    trusted = await admin.patch(f"/api/v1/sources/{source_id}/trust", json={"visibility_status": "ELIGIBLE"})
    assert trusted.json()["data"]["visibility_status"] == "ELIGIBLE"
    assert (await admin.post(f"/api/v1/sources/{source_id}/pause")).json()["data"]["paused"] is True
    assert (await admin.post(f"/api/v1/sources/{source_id}/resume")).json()["data"]["paused"] is False
    for body in ({"kind": "event"}, {"scrape_config": {"customHeaders": {"Host": "x"}}}, {"schedule": "* * *"}):
        assert (await admin.patch(f"/api/v1/sources/{source_id}", json=body)).status_code == 422
    assert (await admin.patch("/api/v1/sources/99", json={"priority": 1})).status_code == 404
    async with database.connection() as conn:
        rows = await (await conn.execute("SELECT action, request_id FROM audit_log ORDER BY id")).fetchall()
    assert [r[0] for r in rows][-4:] == ["source.updated", "source.trust_changed", "source.paused", "source.resumed"]
    assert all(r[1] for r in rows[-4:])


async def test_e033_the_ways_of_a_source_are_set_checked_and_shown(admin: httpx.AsyncClient) -> None:
    made = (await admin.post("/api/v1/sources", json={"name": "Shop", "url": "https://shop.example/"})).json()["data"]
    assert made["tier_config"] == {}
    where = f"/api/v1/sources/{made['id']}"
    changed = await admin.patch(where, json={"tier_config": {"tiers": ["dynamic", "static"]}})
    assert changed.json()["data"]["tier_config"] == {"tiers": ["static", "dynamic"]}
    for wrong in ({"tiers": ["curl"]}, {"tiers": []}, {"ways": ["static"]}):
        assert (await admin.patch(where, json={"tier_config": wrong})).status_code == 422
    assert (await admin.patch(where, json={"tier_config": {}})).json()["data"]["tier_config"] == {}


async def test_the_variant_that_a_target_reads_is_chosen(admin: httpx.AsyncClient, database: Database) -> None:
    made = await admin.post("/api/v1/targets/watch", json={"url": "https://shop.example/shirt"})
    path = f"/api/v1/targets/{made.json()['data']['id']}/choice"
    chosen = await admin.put(path, json={"size": " XL ", "selector": ".price"})
    assert chosen.json()["data"]["choice"] == {"size": "XL", "selector": ".price"}
    for wrong in ({"selector": "p["}, {"sku": "x" * 300}, {"weight": "1"}):
        assert (await admin.put(path, json=wrong)).status_code == 422, wrong
    assert (await admin.put("/api/v1/targets/999/choice", json={})).status_code == 404
    assert (await admin.put(path, json={})).json()["data"]["choice"] is None
