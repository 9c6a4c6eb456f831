"""History goes when it is old enough; what a person has yet to decide about, and what is under way, stays."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from winnow.db.engine import Database
from winnow.run.retention import Retention
from winnow.settings import Settings

Rows = Callable[..., Awaitable[list[Any]]]

HISTORY = """
INSERT INTO retailers (name) VALUES ('shop');
INSERT INTO sources (name, url, domain, retailer_id) SELECT 'a', 'https://a.test/', 'a.test', id FROM retailers;
INSERT INTO scrape_runs (adapter_id, source_id, status, started_at, created_at, requested_by)
SELECT 'generic', s.id, v.status, now() - v.days * interval '1 day', now(), v.name
FROM sources AS s, (VALUES ('SUCCESS', 1000, 'old'), ('RUNNING', 1000, 'under way'), ('SUCCESS', 1, 'new'),
                           ('FAILED', 1000, 'corrected')) AS v (status, days, name);
INSERT INTO price_corrections (scrape_run_id, action, reason, created_by)
SELECT id, 'IGNORE', 'x', 'ada' FROM scrape_runs WHERE requested_by = 'corrected';
INSERT INTO dead_letters (task_id, stage, error_type, payload, status, resolved_at)
SELECT gen_random_uuid(), 'fetch', v.name, '{}', v.status, v.resolved
FROM (VALUES ('old', 'discarded', now() - interval '1000 days'), ('new', 'resolved', now()),
             ('open', 'pending', NULL)) AS v (name, status, resolved);
INSERT INTO jobs (id, status, total_tasks, workspace_id, created_at, finished_at)
SELECT gen_random_uuid(), 'completed', 1, v.name, now() - v.days * interval '1 day', v.finished
FROM (VALUES ('old', 1000, now() - interval '999 days'), ('new', 1, now()), ('open', 1000, NULL))
     AS v (name, days, finished);
INSERT INTO alerts (severity, code, dedupe_key, title, opened_at, resolved_at, resolved_by, silenced_until)
SELECT 'P2', v.name, v.name, v.name, now() - interval '1000 days', v.resolved, v.who, v.silenced
FROM (VALUES ('old', now() - interval '999 days', 'ada', NULL), ('new', now(), 'ada', NULL), ('open', NULL, NULL, NULL),
             ('silenced', now() - interval '999 days', 'ada', now() + interval '1 day'))
     AS v (name, resolved, who, silenced);
INSERT INTO deliveries (message_id, receiver, key, url, topic, payload, status, created_at, delivered_at)
SELECT gen_random_uuid(), 'r', v.name, 'https://r.test/', 'x.y', '{}', v.status, now() - v.days * interval '1 day',
       CASE v.status WHEN 'delivered' THEN now() END
FROM (VALUES ('old', 'dead', 1000), ('old', 'delivered', 40), ('new', 'dead', 40), ('new', 'delivered', 1),
             ('open', 'pending', 1000)) AS v (name, status, days);
INSERT INTO drafts (task_id, kind, strategy, error_message, created_at)
SELECT gen_random_uuid(), 'offer', 'json_ld', v.name, now() - v.days * interval '1 day'
FROM (VALUES ('old', 1000), ('new', 1)) AS v (name, days);
INSERT INTO error_logs (task_id, stage, error_class, error_type, occurred_at)
SELECT gen_random_uuid(), 'fetch', 'network', v.name, now() - v.days * interval '1 day'
FROM (VALUES ('old', 1000), ('new', 1)) AS v (name, days);
INSERT INTO insights (kind, failure_reason, created_at)
SELECT 'offer', v.name, now() - v.days * interval '1 day' FROM (VALUES ('old', 1000), ('new', 1)) AS v (name, days);
INSERT INTO replays (adapter_id, status, created_at, finished_at)
SELECT v.name, v.status, now() - interval '1000 days', v.finished
FROM (VALUES ('old', 'done', now() - interval '999 days'), ('new', 'done', now()), ('open', 'running', NULL))
     AS v (name, status, finished);
"""
LEFT = {
    "SELECT requested_by FROM scrape_runs ORDER BY 1": ["corrected", "new", "under way"],
    "SELECT error_type FROM dead_letters ORDER BY 1": ["new", "open"],
    "SELECT workspace_id FROM jobs ORDER BY 1": ["new", "open"],
    "SELECT code FROM alerts ORDER BY 1": ["new", "open", "silenced"],
    "SELECT key || ' ' || status FROM deliveries ORDER BY 1": ["new dead", "new delivered", "open pending"],
    "SELECT error_message FROM drafts": ["new"],
    "SELECT error_type FROM error_logs": ["new"],
    "SELECT failure_reason FROM insights": ["new"],
    "SELECT adapter_id FROM replays ORDER BY 1": ["new", "open"],
}


async def test_old_history_is_forgotten_and_the_rest_stays(
    database: Database, settings: Settings, rows: Rows, logged: list[Any]
) -> None:
    for statement in HISTORY.split(";\n"):
        if statement.strip():
            await rows(statement)
    forgetter = Retention(database, settings)
    gone = await forgetter.forget()
    for query, left in LEFT.items():
        assert await rows(query) == left, query
    assert gone == {"runs": 1, "jobs": 1, "dead_letters": 1, "failed_attempts": 1, "drafts": 1, "insights": 1,
                    "replays": 1, "alerts": 1, "delivered": 1, "dead_deliveries": 1}  # fmt: skip
    assert [entry for entry in logged if entry["event"] == "history_forgotten"]
    assert await forgetter.forget() == {}


async def test_a_task_is_remembered_as_long_as_its_page(database: Database, settings: Settings, rows: Rows) -> None:
    kept = settings.fetch.keep_pages_days
    for days in (kept - 1, kept + 1):
        await rows(
            "INSERT INTO task_archive (id, producer, lane, url, status, finished_at) "
            "VALUES (gen_random_uuid(), 'prices', 'a.test', 'https://a.test/', 'done', now() - %s * interval '1 day')",
            days,
        )
    settings.schedule.keep_tasks_days = 0.5
    assert await Retention(database, settings).forget() == {"tasks": 1}
