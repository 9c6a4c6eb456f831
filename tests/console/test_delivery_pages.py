"""Receivers, deliveries and jobs of the scraping service: looked at and changed, by those who may."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.console.conftest import Opened, Served, becomes, check_accessible, demoted, no_sideways_scroll, shot

ENDPOINT = (
    "INSERT INTO webhook_endpoints (name, url, topics, severities) VALUES (%s, %s, '{alert.*}', '{P1,P2}') RETURNING id"
)
DELIVERY = """
INSERT INTO deliveries (message_id, endpoint_id, receiver, key, url, topic, payload, status, attempts, last_error)
VALUES (gen_random_uuid(), %s, 'endpoint:1', 'alert:x', 'https://hooks.example.com/x', 'alert.opened',
        '{"data": {"title": "<img src=x>"}}', 'dead', 4, 'HTTP 500: no') RETURNING id
"""
JOB = "0190f5a0-0000-7000-8000-00000000000"
HOOK = "https://hooks.example.com/services/T0/B0/verysecret"


@pytest.fixture(autouse=True)
def clean(served: Served) -> None:
    for table in ("deliveries", "webhook_endpoints", "tasks", "task_archive", "lanes", "enrichment_results", "jobs"):
        served.sql(f"DELETE FROM {table}")


def receiver(served: Served, name: str = "ops") -> int:
    return int(served.sql(ENDPOINT, name, "https://hooks.example.com/x")[0][0])


async def test_without_receivers_the_page_says_what_to_do(open_as: Opened):
    page = await open_as("admin", "/webhooks")
    await expect(page.get_by_role("heading", name="No receivers yet")).to_be_visible()
    await page.get_by_role("main").get_by_role("link", name="Add a receiver").last.click()
    await expect(page.get_by_role("heading", name="New receiver")).to_be_visible()
    await check_accessible(page)
    await shot(page, "receiver-new")


async def test_r23_a_webhook_is_added_and_its_secret_shown_once(open_as: Opened, served: Served):
    page = await open_as("admin", "/webhooks/new")
    await page.get_by_label("Name", exact=True).fill("backend")
    await page.get_by_label("Address").fill("https://hooks.example.com/winnow")
    await page.get_by_label("Topics").fill("price.*, alert.*")
    await page.get_by_role("checkbox", name="P3").uncheck()
    await page.get_by_role("button", name="Add", exact=True).click()
    await expect(page.get_by_text("whsec_")).to_be_visible()
    await page.get_by_role("link", name="The receiver").click()
    await expect(page.get_by_role("heading", name="backend")).to_be_visible()
    assert "whsec_" not in await page.content()
    await check_accessible(page)
    await shot(page, "receiver")
    assert served.sql("SELECT topics, severities FROM webhook_endpoints") == [(["alert.*", "price.*"], ["P1", "P2"])]
    assert [entry[0] for entry in served.audited("webhook.added")] == ["user:admin"]


async def test_r26_the_address_of_a_slack_channel_never_comes_back(open_as: Opened, served: Served):
    page = await open_as("admin", "/webhooks/new")
    await page.get_by_label("Name", exact=True).fill("slack ops")
    await page.get_by_role("combobox", name="Channel").select_option("slack")
    await page.get_by_label("Address").fill(HOOK)
    await page.get_by_role("button", name="Add", exact=True).click()
    await expect(page.get_by_text("slack ops is added.").first).to_be_visible()
    [(one,)] = served.sql("SELECT id FROM webhook_endpoints")
    for path in (f"/webhooks/{one}", "/webhooks"):
        page = await open_as("admin", path)
        await expect(page.get_by_text("slack ops").first).to_be_visible()
        assert "verysecret" not in await page.content()


async def test_a_receiver_is_changed_disabled_enabled_and_removed(open_as: Opened, served: Served):
    one = receiver(served)
    page = await open_as("admin", f"/webhooks/{one}")
    await page.get_by_label("Topics").fill("run.completed")
    await page.get_by_label("Only these sources").fill("99")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("There is no source 99.")).to_be_visible()
    await page.get_by_label("Only these sources").fill("")
    await page.get_by_role("button", name="Save").click()
    await becomes(served, "SELECT topics FROM webhook_endpoints", [(["run.completed"],)])
    page = await open_as("admin", f"/webhooks/{one}")
    await expect(page.get_by_label("Topics")).to_have_value("run.completed")
    await page.get_by_role("button", name="Disable").click()
    await page.get_by_role("dialog").get_by_role("button", name="Disable").click()
    await page.get_by_role("button", name="Enable").click()
    await expect(page.get_by_role("button", name="Disable")).to_be_visible()
    assert served.sql("SELECT topics, enabled FROM webhook_endpoints") == [(["run.completed"], True)]
    await page.get_by_role("button", name="Remove").click()
    await expect(page.get_by_role("dialog")).to_contain_text("cannot be undone")
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(page.get_by_role("heading", name="No receivers yet")).to_be_visible()
    assert len(served.audited("webhook.updated")) == 3
    assert len(served.audited("webhook.removed")) == 1


async def test_receivers_are_for_admins_to_change(open_as: Opened, served: Served):
    one = receiver(served)
    page = await open_as("operator", f"/webhooks/{one}")
    await expect(page.get_by_role("button", name="Remove")).to_be_disabled()
    await expect(page.get_by_role("button", name="Save")).to_have_count(0)
    page = await open_as("admin", f"/webhooks/{one}")
    with demoted(served, "admin", "operator"):
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_text("This needs the role admin")).to_be_visible()
    assert served.sql("SELECT topics FROM webhook_endpoints") == [(["alert.*"],)]


async def test_a_new_receiver_needs_an_admin(open_as: Opened, watched: object):
    watched.forgiven.append("403")  # type: ignore[attr-defined]
    page = await open_as("operator", "/webhooks/new")
    await expect(page.get_by_text("This page needs the role admin")).to_be_visible()


async def test_dead_deliveries_are_sent_again(open_as: Opened, served: Served):
    one = receiver(served)
    first, second = (int(served.sql(DELIVERY, one)[0][0]) for _ in range(2))
    page = await open_as("operator", "/deliveries?status=dead")
    await expect(page.locator("tbody tr")).to_have_count(2)
    await check_accessible(page)
    await shot(page, "deliveries")
    await page.get_by_role("button", name=f"Redeliver delivery {first}").click()
    await expect(page.locator("tbody tr")).to_have_count(1)
    await page.get_by_role("checkbox", name="Select all rows shown").check()
    await page.get_by_role("button", name="Redeliver selected").click()
    await expect(page.get_by_role("heading", name="No deliveries")).to_be_visible()
    served.sql("UPDATE deliveries SET status = 'dead'")
    await page.get_by_role("button", name="Redeliver all dead").click()
    await page.get_by_role("dialog").get_by_role("button", name="Redeliver").click()
    await becomes(served, "SELECT DISTINCT status FROM deliveries", [("pending",)])
    assert served.sql("SELECT id, status, attempts FROM deliveries ORDER BY id") == [
        (first, "pending", 0),
        (second, "pending", 0),
    ]
    assert {entry[0] for entry in served.audited("delivery.redelivered")} == {"user:operator"}


async def test_one_delivery_shows_what_it_said_as_text(open_as: Opened, served: Served):
    one = int(served.sql(DELIVERY, receiver(served))[0][0])
    page = await open_as("operator", f"/deliveries/{one}")
    await expect(page.get_by_text("<img src=x>")).to_be_visible()
    await check_accessible(page)
    await shot(page, "delivery")
    await page.get_by_role("button", name="Redeliver").click()
    await page.get_by_role("dialog").get_by_role("button", name="Redeliver").click()
    await expect(page.get_by_text("Waiting")).to_be_visible()
    page = await open_as("viewer", "/deliveries", narrow=True)
    await expect(page.get_by_role("button", name="Redeliver all dead")).to_be_disabled()
    await no_sideways_scroll(page)
    await check_accessible(page)
    await shot(page, "deliveries-390")


def job(served: Served, tasks: int = 3) -> str:
    served.sql(
        "INSERT INTO jobs (id, total_tasks, completed_tasks, workspace_id) VALUES (%s, %s, 1, 'acme')",
        JOB + "1",
        tasks + 1,
    )
    columns = "id, producer, kind, lane, url, job_id, adapter_id"
    served.sql(
        f"INSERT INTO tasks ({columns}) SELECT gen_random_uuid(), 'enrichment', 'company', 'shop.example.com', "
        "'https://shop.example.com/about/' || n, %s, 'company_website' FROM generate_series(1, %s) AS n",
        JOB + "1", tasks,
    )  # fmt: skip
    served.sql(
        "INSERT INTO lanes (lane, queued) VALUES ('shop.example.com', %s)",
        tasks,
    )
    served.sql(
        f"INSERT INTO task_archive ({columns}, status, outcome, finished_at) VALUES (%s, 'enrichment', 'company', "
        "'shop.example.com', 'https://shop.example.com/imprint', %s, 'company_website', 'done', 'accepted', now())",
        JOB + "9", JOB + "1",
    )  # fmt: skip
    served.sql(
        "INSERT INTO enrichment_results "
        "(task_id, job_id, kind, target_type, version, target_url, url_hash, data, verdict) "
        "VALUES (%s, %s, 'company', 'company_website', '1.0.0', 'https://shop.example.com/imprint', repeat('0', 64), "
        "'{\"name\": \"Acme <b>\"}', 'accept')",
        JOB + "9", JOB + "1",
    )  # fmt: skip
    return JOB + "1"


async def test_s041_a_job_is_looked_at_and_cancelled(open_as: Opened, served: Served):
    one = job(served)
    page = await open_as("operator", "/jobs")
    await expect(page.get_by_role("row", name="acme")).to_be_visible()
    await check_accessible(page)
    await shot(page, "jobs")
    await page.get_by_role("link", name=one[:8]).click()
    await expect(page.locator("tbody tr")).to_have_count(4)
    await check_accessible(page)
    await shot(page, "job")
    await page.get_by_role("button", name="Cancel the job").click()
    await expect(page.get_by_role("dialog")).to_contain_text("Its queued tasks will not run")
    await page.get_by_role("dialog").get_by_role("button", name="Cancel the job").click()
    await expect(page.get_by_role("button", name="Cancel the job")).to_have_count(0)
    assert served.sql("SELECT status, cancelled_tasks FROM jobs") == [("cancelled", 3)]
    assert [entry[0] for entry in served.audited("job.cancelled")] == ["user:operator"]


async def test_what_was_read_from_a_page_of_a_job_is_shown_as_text(open_as: Opened, served: Served):
    one = job(served)
    page = await open_as("viewer", f"/jobs/{one}", narrow=True)
    await expect(page.get_by_role("button", name="Cancel the job")).to_be_disabled()
    await no_sideways_scroll(page)
    await check_accessible(page)
    await shot(page, "job-390")
    await page.get_by_role("link", name="imprint").click()
    await expect(page.get_by_text("Acme <b>")).to_be_visible()
    page = await open_as("operator", f"/jobs/{one}")
    with demoted(served, "operator", "viewer"):
        await page.get_by_role("button", name="Cancel the job").click()
        await page.get_by_role("dialog").get_by_role("button", name="Cancel the job").click()
        await expect(page.get_by_text("This needs the role operator")).to_be_visible()
    assert served.sql("SELECT status FROM jobs") == [("queued",)]


async def test_without_jobs_the_page_says_how_one_is_asked_for(open_as: Opened):
    page = await open_as("viewer", "/jobs")
    await expect(page.get_by_text("POST /api/v1/scrape/batch")).to_be_visible()
