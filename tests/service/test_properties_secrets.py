"""Properties 30, 38 and 39: credentials are asked for when they have to be, and nothing of them is written anywhere."""

from __future__ import annotations

import io
import json
from typing import Any
from uuid import uuid4

import hypothesis
import structlog
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from tests.service.world import DOMAIN, KEY, SCRAPE, World, asked, visit_of
from winnow.fetch.credentials import Credentials
from winnow.fetch.settings import CredentialSettings
from winnow.observe import logs, metrics
from winnow.observe.settings import ObserveSettings
from winnow.run.admission.proxy_choice import ProxyChoice
from winnow.run.commit import task_log
from winnow.run.commit.persist import end_of
from winnow.run.visit import Visit

PROFILE = hypothesis.settings.get_profile("service")


class Backend:
    """Gives a new credential each time it is asked."""

    def __init__(self) -> None:
        self.given: list[tuple[str, str]] = []

    async def start(self) -> str:
        app = web.Application()
        app.router.add_get("/api/v1/workspaces/{workspace}/credentials/{provider}", self._answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        self.given.append((request.match_info["workspace"], request.match_info["provider"]))
        return web.json_response({"data": {"token": f"secret-{len(self.given)}"}})


steps = st.lists(st.tuples(st.integers(0, 200), st.sampled_from("uv"), st.sampled_from("pq")), min_size=1, max_size=12)


# Feature: scraping-microservices, Property 30: Credential cache TTL behavior
@hypothesis.settings(PROFILE)
@given(ttl=st.integers(0, 400), steps=steps)
def test_s122_kept_within_the_ttl_and_asked_for_anew_after_it(
    world: World, ttl: int, steps: list[tuple[int, str, str]]
) -> None:
    now = 0.0

    async def ask() -> None:
        nonlocal now
        backend = Backend()
        url = await backend.start()
        settings = CredentialSettings(
            _env_file=None,
            backend_api_url=url,
            backend_service_key="k",
            credential_cache_ttl_seconds=ttl,
            credential_hosts="p=site.example; q=site.example",
        )
        client = Credentials(settings, clock=lambda: now)
        fetched: dict[tuple[str, str], tuple[float, str]] = {}
        try:
            for seconds, workspace, provider in steps:
                now += seconds
                before = len(backend.given)
                found = (await client.of(workspace, provider, "https://site.example/")).headers()["Authorization"]
                kept = fetched.get((workspace, provider))
                if kept is not None and now < kept[0] + ttl:
                    assert (len(backend.given), found) == (before, kept[1]), "asked again within the TTL"
                else:
                    assert backend.given[before:] == [(workspace, provider)]
                    fetched[workspace, provider] = (now, found)
        finally:
            await client.close()
            await backend.stop()

    world.run(ask())


class Logged:
    """What the platform's own logging writes while the block runs."""

    def __enter__(self) -> io.StringIO:
        self._before = structlog.get_config()
        out = io.StringIO()
        logs.configure(ObserveSettings(_env_file=None, log_level="DEBUG", log_format="json"), out)
        return out

    def __exit__(self, *_: object) -> None:
        structlog.configure(**self._before)


texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=30)


# Feature: scraping-microservices, Property 38: Structured log format
@hypothesis.settings(PROFILE)
@given(
    done=st.booleans(),
    reason=texts.filter(bool),
    through=st.booleans(),
    fields=st.dictionaries(texts, st.none() | texts, max_size=4),
)
def test_s130_every_line_is_json_and_tells_what_ended(
    world: World, done: bool, reason: str, through: bool, fields: dict[str, str | None]
) -> None:
    async def claimed() -> Visit:
        await world._reset()
        await world.submit()
        (task,) = await world.claim(1)
        visit = visit_of(task, done, dict(fields), reason)
        visit.exit = ProxyChoice(1, "http://proxy.test:8080", None, None) if through else None  # type: ignore[arg-type]
        task_log.settled(visit, end_of(visit, {}))
        return visit

    with Logged() as out:
        visit = world.run(claimed())
    lines = [json.loads(line) for line in out.getvalue().split("\n") if line]
    assert all({"request_id", "level", "timestamp"} <= set(line) for line in lines)
    (ended,) = [line for line in lines if line["event"].startswith("task_")]
    assert ended["request_id"] == (visit.task.payload or {})["request_id"]
    if done:
        assert (ended["event"], ended["target_domain"]) == ("task_completed", DOMAIN)
        assert ended["duration_ms"] >= 0
        assert len(ended["fields_extracted"]) == sum(value is not None for value in fields.values())
    else:
        assert (ended["event"], ended["level"]) == ("task_failed", "warning")
        assert ended["target_url"].startswith(f"https://www.{DOMAIN}")
        assert ended["proxy_used"] == ("http://proxy.test:8080" if through else None)
        assert ended["error_reason"]


tokens = st.text("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", min_size=12, max_size=24).map(lambda text: "S3cr3t" + text)


# Feature: scraping-microservices, Property 39: No credentials in logs or metrics
@hypothesis.settings(PROFILE)
@given(token=tokens, person=tokens, password=tokens)
def test_s131_nothing_secret_or_personal_is_in_logs_or_metrics(
    world: World, token: str, person: str, password: str
) -> None:
    page = {"name": f"{person} Miller", "contact_email": f"{person}@mail.test", "summary": f"{person} lives here"}

    async def work() -> str:
        await world._reset()
        target = f"https://www.{DOMAIN}/p?token={token}"
        await world.call("POST", SCRAPE, 202, json=asked() | {"target_url": target})
        await world.http.post(SCRAPE, json={"target_url": target}, headers={"X-Service-Key": KEY + token})
        for task in await world.claim(1):
            visit = visit_of(task, True, page)
            visit.exit = ProxyChoice(1, f"http://user:{password}@proxy.test:1", None, None)  # type: ignore[arg-type]
            task_log.settled(visit, end_of(visit, {}))
            await world.finish([(task, True)], page)
            failed = visit_of(task, False, {}, f"refused: Authorization: Bearer {token}")
            failed.exit = visit.exit
            task_log.settled(failed, end_of(failed, {}))
        answer = await world.http.get("/metrics", headers={"accept": "text/plain"})
        return str(answer.text) + metrics.as_text(metrics.families([])).decode()

    with Logged() as out:
        shown = world.run(work())
    assert "task_completed" in out.getvalue()
    assert "task_failed" in out.getvalue()
    for secret in (token, person, password, KEY):
        assert secret not in out.getvalue()
        assert secret not in shown


def test_the_backends_key_is_shown_to_nobody(world: World) -> None:
    given: Any = CredentialSettings(_env_file=None, backend_api_url="https://b.test", backend_service_key=str(uuid4()))
    assert given.backend_service_key.get_secret_value() not in repr(given)
