"""Runs, tasks, dead letters, domains and adapters over the API (R-07, P-101, C-003 … C-009)."""

from __future__ import annotations

from uuid import UUID

import httpx

from tests.api.conftest import watch
from winnow.db.engine import Database
from winnow.schedule import scheduler
from winnow.schedule.queue import dead_letters, queue
from winnow.schedule.queue.task import new_id
from winnow.schedule.settings import ScheduleSettings

URL = "https://shop.example.com/p"


async def actions(database: Database) -> list[str]:
    async with database.connection() as conn:
        return [r[0] for r in await (await conn.execute("SELECT action FROM audit_log ORDER BY id")).fetchall()]


async def dispatched(database: Database) -> tuple[int, int]:
    """How many visits the scheduler queues when everything is due, and how many a worker gets to send."""
    async with database.transaction() as conn:
        await conn.execute("UPDATE scrape_targets SET next_crawl_at = now() - interval '1 hour'")
        queued = (await scheduler.tick(conn, ScheduleSettings())).accepted
    async with database.connection() as conn:
        return queued, len(await queue.claim(conn, "worker", 10, 60))


async def test_r07_a_second_run_is_409_with_the_first_ones_id(admin: httpx.AsyncClient, database: Database) -> None:
    source_id = (await watch(admin, f"{URL}/1"))["source_id"]
    await watch(admin, f"{URL}/2")
    started = await admin.post("/api/v1/runs", json={"source_id": source_id})
    assert started.status_code == 202
    run = started.json()["data"]
    assert (run["accepted"], run["rejected"]) == (2, 0)
    again = await admin.post("/api/v1/runs", json={"source_id": source_id})
    assert (again.status_code, again.json()["meta"]["existing"]) == (409, str(run["run_id"]))
    shown = (await admin.get(f"/api/v1/runs/{run['run_id']}")).json()["data"]
    assert (shown["status"], shown["urls_planned"], shown["trigger"]) == ("RUNNING", 2, "MANUAL")
    assert shown["requested_by"].startswith("key:")
    cancelled = (await admin.post(f"/api/v1/runs/{run['run_id']}/cancel")).json()["data"]
    assert cancelled["cancelled"] == 2
    assert (await admin.post(f"/api/v1/runs/{run['run_id']}/cancel")).status_code == 409
    assert (await admin.get("/api/v1/runs?status=RUNNING")).json()["data"] == []
    assert (await admin.post("/api/v1/runs/99/cancel")).status_code == 404
    assert (await admin.post("/api/v1/runs", json={"source_id": 99})).status_code == 404
    assert {"run.started", "run.cancelled"} <= set(await actions(database))


async def test_a_full_queue_is_429_with_a_time_to_come_back(admin: httpx.AsyncClient, database: Database) -> None:
    first = await watch(admin, f"{URL}/1")
    await watch(admin, "https://other.example.org/1")
    async with database.transaction() as conn:
        await conn.execute(
            "INSERT INTO tasks (id, producer, lane, url, adapter_id) SELECT gen_random_uuid(), 'prices', 'x.example', "
            "'https://x.example/' || n, 'generic' FROM generate_series(1, 1000) AS n"
        )
    answer = await admin.post("/api/v1/runs", json={"source_id": first["source_id"]})
    assert (answer.status_code, answer.json()["meta"]["code"]) == (429, "queue_full")
    assert int(answer.headers["retry-after"]) >= 1


async def test_a_run_of_a_paused_source_or_disabled_adapter_is_refused(admin: httpx.AsyncClient) -> None:
    source_id = (await watch(admin, f"{URL}/1"))["source_id"]
    await admin.post(f"/api/v1/sources/{source_id}/pause")
    assert (await admin.post("/api/v1/runs", json={"source_id": source_id})).status_code == 409
    await admin.post(f"/api/v1/sources/{source_id}/resume")
    await admin.post("/api/v1/adapters/generic/disable", json={"reason": "ToS_VIOLATION", "note": "asked to stop"})
    answer = await admin.post("/api/v1/runs", json={"source_id": source_id})
    assert answer.status_code == 409
    assert "adapter_disabled" in answer.json()["error"]


async def test_p101_adapters_are_disabled_and_enabled_with_reason_and_actor(
    admin: httpx.AsyncClient, database: Database
) -> None:
    off = (await admin.post("/api/v1/adapters/generic/disable", json={"reason": "MANUAL"})).json()["data"]
    assert (off["enabled"], off["disabled_reason"]) == (False, "MANUAL")
    assert off["disabled_by"].startswith("key:")
    shown = (await admin.get("/metrics")).json()["data"]["scrape_adapter_enabled"]
    assert {"labels": {"adapter_id": "generic"}, "value": 0.0} in shown
    on = (await admin.post("/api/v1/adapters/generic/enable", json={})).json()["data"]
    assert (on["enabled"], on["close_monitoring"], on["disabled_reason"]) == (True, True, None)
    assert (await admin.post("/api/v1/adapters/nope/enable", json={})).status_code == 404
    assert (await admin.post("/api/v1/adapters/generic/disable", json={"reason": "BORED"})).status_code == 422
    listed = [a["id"] for a in (await admin.get("/api/v1/adapters")).json()["data"]]
    assert {"generic", "sgammo"} <= set(listed)
    assert await actions(database) == ["key.created", "adapter.disabled", "adapter.enabled"]


async def test_c004_tasks_are_listed_counted_and_cancelled(admin: httpx.AsyncClient) -> None:
    source_id = (await watch(admin, f"{URL}/1"))["source_id"]
    await watch(admin, f"{URL}/2")
    await admin.post("/api/v1/runs", json={"source_id": source_id})
    summary = (await admin.get("/api/v1/tasks/summary")).json()["data"]
    assert summary["by_status"] == {"queued": 2}
    assert summary["by_domain"] == [{"domain": "example.com", "queued": 2, "running": 0}]
    first = (await admin.get("/api/v1/tasks?limit=1")).json()
    second = (await admin.get(f"/api/v1/tasks?limit=1&after={first['meta']['next']}")).json()
    ids = [first["data"][0]["id"], second["data"][0]["id"]]
    assert ids[0] > ids[1]
    assert second["meta"]["next"] is None
    cancelled = await admin.post(f"/api/v1/tasks/{ids[0]}/cancel")
    assert cancelled.json()["data"]["status"] == "cancelled"
    assert (await admin.post(f"/api/v1/tasks/{ids[0]}/cancel")).status_code == 409
    assert (await admin.post(f"/api/v1/tasks/{UUID(int=1)}/cancel")).status_code == 404
    assert (await admin.get(f"/api/v1/tasks/{UUID(int=1)}")).status_code == 404


async def test_c009_errors_of_a_task_are_shown_also_from_the_archive(
    admin: httpx.AsyncClient, database: Database
) -> None:
    task_id = new_id()
    async with database.transaction() as conn:
        await conn.execute(
            "INSERT INTO task_archive (id, producer, lane, url, status, last_error, finished_at) "
            "VALUES (%s, 'prices', 'example.com', %s, 'failed', 'timeout', now())",
            (task_id, URL),
        )
        await conn.execute(
            "INSERT INTO error_logs (task_id, stage, error_class, error_type, error_message) "
            "VALUES (%s, 'fetch', 'network', 'timeout', 'no answer')",
            (task_id,),
        )
    shown = (await admin.get(f"/api/v1/tasks/{task_id}")).json()["data"]
    assert (shown["last_error"], shown["errors"][0]["error_type"]) == ("timeout", "timeout")
    assert len((await admin.get("/api/v1/tasks?archived=true")).json()["data"]) == 1


async def test_c005_c054_a_batch_of_crawl_jobs_is_taken_whole_or_refused(admin: httpx.AsyncClient) -> None:
    jobs = [
        {"url": f"{URL}/1", "priority": 1},
        {"url": f"{URL}/2", "priority": 10, "scheduled_at": "2099-01-01T00:00:00Z", "crawl_frequency_seconds": 3600},
        {"url": f"{URL}/3"},
    ]
    accepted = await admin.post("/api/v1/crawl-jobs", json={"jobs": jobs})
    assert accepted.status_code == 202
    ids = [job["id"] for job in accepted.json()["data"]]
    batch = accepted.json()["data"][0]["batch_id"]
    assert {job["batch_id"] for job in accepted.json()["data"]} == {batch}
    shown = (await admin.get(f"/api/v1/crawl-batches/{batch}")).json()["data"]
    assert (shown["urls"], shown["counts"], shown["state"]) == (3, {"pending": 3}, "running")
    listed = (await admin.get("/api/v1/crawl-jobs?status=pending")).json()["data"]
    assert [(j["priority"], j["status"]) for j in listed] == [(1, "pending"), (10, "pending"), (5, "pending")]
    assert listed[1]["scheduled_at"].startswith("2099")
    again = (await admin.post("/api/v1/crawl-jobs", json={"jobs": jobs[:1]})).json()["data"]
    assert (again[0]["id"], again[0]["created"]) == (ids[0], False)
    refused = await admin.post("/api/v1/crawl-jobs", json={"jobs": [{"url": f"{URL}/9"}, {"url": "http://10.1.1.1/"}]})
    assert refused.status_code == 422
    assert refused.json()["meta"]["details"][0]["field"] == "body.jobs.1.url"
    assert len((await admin.get("/api/v1/crawl-jobs")).json()["data"]) == 3
    for job in ({"url": URL, "priority": 0}, {"url": URL, "priority": 11}, {"url": URL, "crawl_frequency_seconds": 1}):
        assert (await admin.post("/api/v1/crawl-jobs", json={"jobs": [job]})).status_code == 422


async def letters(database: Database, n: int) -> list[int]:
    payload = {
        "producer": "prices", "kind": "offer", "url": f"{URL}/1?token=c4n4ry", "origin": "https://shop.example.com:443",
        "lane": "example.com", "source_id": None, "target_id": None, "job_id": None, "adapter_id": "generic",
        "trigger": "SCHEDULED", "payload": {"password": "c4n4ry"},
    }  # fmt: skip
    async with database.transaction() as conn:
        await dead_letters.write(
            conn,
            [
                dead_letters.Letter(
                    task_id=new_id(),
                    stage="fetch",
                    error_type="timeout" if i % 2 else "dns",
                    error_message="m",
                    error_stack="Traceback: https://u:c4n4ry@x.example/",
                    payload=payload,
                )
                for i in range(n)
            ],
        )
        rows = await (await conn.execute("SELECT id FROM dead_letters ORDER BY id")).fetchall()
    return [r[0] for r in rows]


async def test_dead_letters_are_listed_retried_and_discarded_in_bulk(
    admin: httpx.AsyncClient, database: Database
) -> None:
    ids = await letters(database, 6)
    listed = (await admin.get("/api/v1/dead-letters?error_type=timeout&status=pending")).json()["data"]
    assert len(listed) == 3
    one = await admin.get(f"/api/v1/dead-letters/{ids[0]}")
    assert one.json()["data"]["payload"]["payload"] == {"password": "***"}
    assert "c4n4ry@x" not in one.json()["data"]["error_stack"]
    retried = (await admin.post("/api/v1/dead-letters/retry", json={"ids": ids[:2]})).json()["data"]
    assert retried == {"changed": 2, "left": 0}
    body = {"all_pending": True, "error_type": "dns", "note": "gone"}
    assert (await admin.post("/api/v1/dead-letters/discard", json=body)).json()["data"]["changed"] == 2
    assert (await admin.post("/api/v1/dead-letters/retry", json={"all_pending": True})).json()["data"]["changed"] == 2
    for wrong in ({}, {"ids": [1], "all_pending": True}, {"ids": []}):
        assert (await admin.post("/api/v1/dead-letters/retry", json=wrong)).status_code == 422
    assert (await admin.get("/api/v1/dead-letters/999")).status_code == 404
    assert "dead_letters.discarded" in await actions(database)


async def test_domain_limits_take_effect_and_raising_is_audited_as_such(
    admin: httpx.AsyncClient, database: Database
) -> None:
    slower = await admin.patch(
        "/api/v1/domains/www.bol.com", json={"tokens_per_interval": 1, "interval_seconds": 10, "crawl_delay_seconds": 5}
    )
    shown = slower.json()["data"]
    assert (shown["domain"], shown["interval_seconds"], shown["limits_from"]["rate"]) == ("bol.com", 10.0, "domain")
    faster = {"tokens_per_interval": 5, "interval_seconds": 1, "crawl_delay_seconds": 0, "reason": "agreed with them"}
    await admin.patch("/api/v1/domains/bol.com", json=faster)
    assert (await actions(database))[-2:] == ["domain.limits_changed", "domain.limits_raised"]
    async with database.connection() as conn:
        row = await (
            await conn.execute("SELECT reason, before, after FROM audit_log ORDER BY id DESC LIMIT 1")
        ).fetchone()
    assert row is not None
    assert (row[0], row[1]["tokens_per_interval"], row[2]["tokens_per_interval"]) == ("agreed with them", 1, 5)
    back = await admin.patch("/api/v1/domains/bol.com", json={"tokens_per_interval": None, "interval_seconds": None})
    assert back.json()["data"]["limits_from"]["rate"] == "platform"
    wrongs: list[dict[str, object]] = [
        {"tokens_per_interval": 5, "interval_seconds": None},
        {"hours_start": 5},
        {"interval_seconds": 0},
        {"min_delay_ms": 5, "max_delay_ms": 1},
        {"is_active": False},
        {"respect_robots_txt": None},
    ]
    for wrong in wrongs:
        assert (await admin.patch("/api/v1/domains/bol.com", json=wrong)).status_code == 422, wrong


async def test_c023_a_paused_domain_is_neither_scheduled_nor_dispatched(
    admin: httpx.AsyncClient, database: Database
) -> None:
    source_id = (await watch(admin, f"{URL}/1"))["source_id"]
    assert (await admin.post("/api/v1/runs", json={"source_id": source_id})).status_code == 202  # one visit is queued
    await watch(admin, f"{URL}/2")  # and one will be due
    shown = (await admin.post("/api/v1/domains/example.com/pause")).json()["data"]
    assert (shown["paused"], shown["is_active"]) == (True, False)
    assert await dispatched(database) == (0, 0)
    shown = (await admin.post("/api/v1/domains/example.com/resume")).json()["data"]
    assert (shown["paused"], shown["is_active"]) == (False, True)
    assert await dispatched(database) == (1, 1)
    assert (await actions(database))[-2:] == ["domain.paused", "domain.resumed"]
    assert (await admin.get("/api/v1/domains/never-seen.example.net")).status_code == 404
    assert [d["domain"] for d in (await admin.get("/api/v1/domains")).json()["data"]] == ["example.com"]
