"""Rows of the scraping service's list that are about its shape: what is asked, what is shown, what is shipped."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import hypothesis
import pytest
import yaml

from tests.service.world import DOMAIN, KEY, SCRAPE, World, asked
from winnow import settings as all_settings
from winnow.api.app import create_app
from winnow.api.failures import response_to
from winnow.api.models import scrape as asked_and_shown
from winnow.api.routes.scrape import _raise_for
from winnow.api.settings import ApiSettings
from winnow.errors import (
    CircuitOpen,
    Conflict,
    CredentialNotFound,
    InvalidInput,
    NoHealthyProxies,
    NotFound,
    QueueFull,
    TaskTimedOut,
    WinnowError,
)
from winnow.fetch.failure import FailureCode
from winnow.schedule.ledger import policies
from winnow.schedule.queue.task import Status

ROOT = Path(__file__).parents[2]
PARTS = (
    "settings", "api.routes", "actions.scraping", "fetch.browser.pool", "extract.waterfall", "fetch.proxies",
    "schedule.circuit", "publish.callbacks", "api.models.scrape", "api.transport", "api.app",
)  # fmt: skip
OUTPUT = {
    "linkedin_profile": "name headline current_company location summary profile_url",
    "company_website": "company_name description industry employee_count_range headquarters contact_email "
    "contact_phone website_url",
    "job_posting": "job_title company_name location salary_range description posting_url",
}
# S-089, S-090: what the list wants tried -> a word of the name of a test that does.
TRIED = {
    "a sample profile page": "s053", "an empty proxy pool": "s067", "a full queue": "s039", "a hundred and one": "s014",
    "credential retries": "s070", "webhook retries": "s074", "a browser crash": "s045", "SIGTERM": "s085",
    "a time-out": "s034", "endpoints": "s011", "a batch's life": "s015", "health": "s018", "credentials": "s068",
}  # fmt: skip


def test_s001_the_port_is_8001_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WINNOW_API_PORT", raising=False)
    assert ApiSettings(_env_file=None).api_port == 8001


def test_s018_s020_health_tells_of_the_queue(world: World) -> None:
    async def shown() -> dict[str, Any]:
        await world.submit()
        await world.submit_job(2)
        claimed = await world.claim(2)
        await world.finish([(claimed[0], True)])
        return dict((await world.call("GET", "/health", 200))["queue"])

    queue = world.run(shown())
    assert (queue["queue_depth"], queue["active_workers"]) == (1, 1)
    assert queue["avg_duration"] >= 0


def test_s010_the_parts_are_where_the_folders_say() -> None:
    assert all(import_module(f"winnow.{part}") for part in PARTS)


def test_s020_metrics_tell_of_pool_queue_proxies_limiter_and_circuits(world: World) -> None:
    shown = world.run(world.call("GET", "/metrics", 200))
    assert {
        "winnow_browsers", "winnow_browser_pages_total", "winnow_browsers_replaced_total", "scrape_queue_pending",
        "winnow_tasks_running", "winnow_workers_active", "winnow_proxies", "winnow_proxy_requests",
        "winnow_lanes_held", "winnow_circuits", "scrape_queue_depth", "scrape_active_workers",
        "scrape_avg_duration_ms",
    } <= set(shown)  # fmt: skip


def test_s024_s053_s054_s055_every_type_gives_the_fields_of_the_list(world: World) -> None:
    types = {shown["name"]: shown for shown in world.run(world.call("GET", f"{SCRAPE}/types", 200))}
    for name, fields in OUTPUT.items():
        assert set(fields.split()) <= set(types[name]["fields"])
        assert not types[name]["result_schema"].get("required")  # all may be null


def test_s056_a_location_is_city_region_country_and_the_text(world: World) -> None:
    types = {shown["name"]: shown for shown in world.run(world.call("GET", f"{SCRAPE}/types", 200))}
    for name in ("job_posting", "linkedin_profile"):
        made = types[name]["result_schema"]["$defs"]["NormalizedLocation"]
        assert {"city", "state_region", "country", "raw"} <= set(made["properties"])


def test_what_is_asked_and_answered_has_an_example_that_is_valid(world: World) -> None:
    models = world.app.openapi()["components"]["schemas"]
    shown = [name for name, made in vars(asked_and_shown).items() if _is_ours(made) and name != "TypeResponse"]
    assert {"ScrapeRequest", "BatchScrapeRequest", "ScrapeTask", "ScrapeJob", "TaskAccepted"} <= set(shown)
    for name in shown:
        (example,) = models[name]["examples"]
        made = getattr(asked_and_shown, name).model_validate(example)
        assert set(example) <= set(made.model_dump()), name


def _is_ours(made: object) -> bool:
    return isinstance(made, type) and made.__module__ == asked_and_shown.__name__


def test_s025_what_a_request_needs_and_may_have(world: World) -> None:
    models = world.app.openapi()["components"]["schemas"]
    assert set(models["ScrapeRequest"]["required"]) == {"target_type", "target_url", "workspace_id"}
    assert {"requested_fields", "callback_url"} <= set(models["ScrapeRequest"]["properties"])
    assert "callback_url" in models["BatchScrapeRequest"]["properties"]


def test_s026_s027_openapi_names_the_states(world: World) -> None:
    models = world.app.openapi()["components"]["schemas"]
    task, job = (set(models[name]["properties"]["status"]["enum"]) for name in ("ScrapeTask", "ScrapeJob"))
    assert task == {"queued", "running", "completed", "failed", "cancelled"}
    assert job == task | {"partially_completed"}


def test_s028_s029_what_a_task_and_a_job_show(world: World) -> None:
    async def shown() -> tuple[dict[str, Any], dict[str, Any]]:
        task, job = await world.submit(), await world.submit_job(2)
        return await world.call("GET", f"{SCRAPE}/{task}", 200), await world.call("GET", f"{SCRAPE}/jobs/{job}", 200)

    task, job = world.run(shown())
    assert UUID(task["id"])
    assert (task["job_id"], task["result"], task["error"], task["started_at"]) == (None, None, None, None)
    assert {"target_type", "target_url", "requested_fields", "workspace_id", "created_at", "completed_at"} <= set(task)
    assert (UUID(job["id"]).version, job["total_tasks"], job["completed_tasks"], job["failed_tasks"]) == (7, 2, 0, 0)
    assert {"status", "callback_url", "created_at", "updated_at"} <= set(job)


def test_s029_a_job_names_its_tasks_in_the_order_of_its_targets(world: World) -> None:
    """Whoever submitted a batch can ask why one of its targets failed."""

    async def shown() -> tuple[list[str], list[str], list[str | None]]:
        job = await world.submit_job(3)
        await world.finish([(task, task.url.endswith("/1")) for task in await world.claim(3)])
        ids = (await world.call("GET", f"{SCRAPE}/jobs/{job}", 200))["task_ids"]
        await world.rows(
            "WITH gone AS (DELETE FROM tasks WHERE url LIKE '%%/2' RETURNING *) "
            "INSERT INTO task_archive SELECT * FROM gone"
        )
        again = (await world.call("GET", f"{SCRAPE}/jobs/{job}", 200))["task_ids"]
        tasks = [await world.call("GET", f"{SCRAPE}/{task}", 200) for task in ids]
        assert [task["target_url"][-1] for task in tasks] == ["0", "1", "2"]
        return ids, again, [task["error"] for task in tasks]

    ids, again, errors = world.run(shown())
    assert ids == again, "also of those that are in the archive by now"
    assert [error is None for error in errors] == [False, True, False]


def test_s027_a_job_has_six_states(world: World) -> None:
    async def state(*ends: bool) -> str:
        job = await world.submit_job(2)
        await world.finish([(task, done) for task, done in zip(await world.claim(2), ends, strict=False)])
        return str((await world.call("GET", f"{SCRAPE}/jobs/{job}", 200))["status"])

    async def states() -> list[str]:
        found = [await state(True, True), await state(True, False), await state(False, False)]
        running = await world.submit_job(1)
        (task,) = await world.claim(1)
        found.append((await world.call("GET", f"{SCRAPE}/jobs/{running}", 200))["status"])
        await world.finish([(task, True)])
        waiting = await world.submit_job(1)
        found.append((await world.call("GET", f"{SCRAPE}/jobs/{waiting}", 200))["status"])
        await world.call("POST", f"{SCRAPE}/jobs/{waiting}/cancel", 200)
        found.append((await world.call("GET", f"{SCRAPE}/jobs/{waiting}", 200))["status"])
        return found

    assert world.run(states()) == ["completed", "partially_completed", "failed", "running", "queued", "cancelled"]


def test_s031_another_process_knows_the_task(world: World) -> None:
    async def asked_elsewhere() -> int:
        task = await world.submit()
        other = httpx.ASGITransport(create_app(world.database, world.settings))
        async with httpx.AsyncClient(transport=other, base_url="http://other.test") as client:
            return (await client.get(f"{SCRAPE}/{task}", headers={"X-Service-Key": KEY})).status_code

    assert world.run(asked_elsewhere()) == 200


def test_s036_without_a_token_a_task_waits_and_is_not_refused(world: World) -> None:
    async def claimed() -> tuple[int, list[str]]:
        await world.rows("UPDATE lanes SET tokens = 1, interval_seconds = 3600 WHERE lane = %s", DOMAIN)
        for n in range(3):
            await world.call("POST", SCRAPE, 202, json=asked(f"/{n}"))
        taken = await world.claim(3) + await world.claim(3)
        return len(taken), await world.rows("SELECT status FROM tasks ORDER BY status")

    assert world.run(claimed()) == (1, [Status.QUEUED, Status.QUEUED, Status.RUNNING])


def test_s057_s058_the_shipped_policies(tmp_path: Path) -> None:
    shipped = policies.load(None)
    linkedin, indeed = shipped.domains["linkedin.com"], shipped.domains["indeed.com"]
    assert (linkedin.tokens_per_interval, linkedin.interval_seconds) == (1, 15)
    assert (linkedin.min_delay_ms, linkedin.max_delay_ms, linkedin.respect_robots_txt) == (2_000, 5_000, True)
    assert linkedin.allowed_hours == policies.AllowedHours(6, 22)
    assert (indeed.tokens_per_interval, indeed.interval_seconds) == (2, 10)
    assert (indeed.min_delay_ms, indeed.max_delay_ms, indeed.respect_robots_txt) == (1_000, 3_000, True)
    assert shipped.for_domain("example.com") is None  # the platform's own limits hold (DESIGN §11.4)
    own = tmp_path / "policies.yaml"
    own.write_text("domains: {indeed.com: {tokens_per_interval: 1, interval_seconds: 60}}")
    assert policies.load(own).domains == shipped.domains | {
        "indeed.com": policies.Policy(tokens_per_interval=1, interval_seconds=60)
    }


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (WinnowError("?"), 500), (InvalidInput("?"), 422), (QueueFull("?", 5), 503), (NoHealthyProxies("?"), 503),
        (CredentialNotFound("?"), 502), (NotFound("?"), 404), (TaskTimedOut("?"), 504), (Conflict("?"), 409),
    ],
    ids=lambda given: type(given).__name__,
)  # fmt: skip
def test_s076_to_s083_what_each_error_becomes(error: WinnowError, status: int) -> None:
    assert response_to(error).status_code == status


def test_s079_s080_s081_s083_what_a_sync_scrape_raises_for_what_was_not_the_pages_fault() -> None:
    ended = {"id": uuid4(), "status": "failed", "outcome": "error", "reason": None, "error": "?"}
    for more, raised in (
        ({"outcome": "circuit_open"}, CircuitOpen),
        ({"reason": NoHealthyProxies.code}, NoHealthyProxies),
        ({"reason": CredentialNotFound.code}, CredentialNotFound),
        ({"outcome": "timeout", "reason": FailureCode.TASK_TIMEOUT.value}, TaskTimedOut),
        ({"status": "cancelled", "reason": FailureCode.NOT_AWAITED.value}, TaskTimedOut),
    ):
        with pytest.raises(raised):
            _raise_for(ended | more)
    assert FailureCode.POOL_EXHAUSTED.meaning.unsent  # no browser free: the task goes back and waits for one


def test_s086_the_image_has_two_stages_and_its_containers_have_limits() -> None:
    assert len(re.findall(r"^FROM ", (ROOT / "deploy/Dockerfile").read_text(), re.M)) == 2
    compose = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text())
    for name in ("worker", "api", "upkeep", "scheduler"):
        limits = compose["services"][name]["deploy"]["resources"]["limits"]
        assert float(limits["cpus"]) <= 2, name
        assert int(re.sub(r"g$", "000", limits["memory"]).removesuffix("m")) <= 4_000, name


def test_s087_a_property_is_tried_a_hundred_times() -> None:
    assert hypothesis.settings.get_profile("service").max_examples >= 100


def test_s089_s090_what_the_list_wants_tried_is() -> None:
    named = " ".join(
        name for file in (ROOT / "tests").rglob("test_*.py") for name in re.findall(r"def (test_\w+)", file.read_text())
    )
    assert [what for what, word in TRIED.items() if f"_{word}_" not in named] == []


def test_s091_the_lists_own_test_settings_are_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "BROWSER_POOL_SIZE": "2", "BROWSER_POOL_MAX": "5", "MAX_QUEUE_DEPTH": "10", "SERVICE_KEY": "test-key",
        "PROXY_ENDPOINTS": "http://p1.example.com:8080,http://p2.example.com:8080",
        "WEBHOOK_SECRET": "test-webhook-secret", "BACKEND_API_URL": "http://localhost:8000",
        "BACKEND_SERVICE_KEY": "test-backend-key",
    }  # fmt: skip
    for name, value in given.items():
        monkeypatch.setenv(f"SCRAPER_{name}", value)
    loaded = all_settings.load()
    assert (loaded.browser.browser_pool_size, loaded.schedule.queue_enrichment) == (2, 10)
    assert len(loaded.fetch.proxy_texts) == 2
