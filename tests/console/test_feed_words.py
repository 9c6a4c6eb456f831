"""What the pages of feeds say, in the words that were asked for (F-069, F-102, F-104 … F-106). No browser is needed."""

from __future__ import annotations

import html
from collections.abc import AsyncIterator, Awaitable, Callable

import httpx
import pytest

from tests.console.conftest import Served, session_of
from tests.waiting import LIMIT

Page = Callable[[str], Awaitable[str]]
SHOP = """
WITH r AS (INSERT INTO retailers (name) VALUES ('Words') RETURNING id),
     s AS (INSERT INTO sources (name, url, domain, retailer_id, source_kind)
           SELECT 'Words', 'https://words.example.com', 'words.example.com', id, 'AFFILIATE_FEED' FROM r RETURNING id)
INSERT INTO affiliate_feeds (source_id, host, path, secret_ciphertext, secret_key_id)
SELECT id, 'sftp.example.com', '/a.csv', '\\x00', 'k' FROM s RETURNING id
"""

RUN = """
INSERT INTO affiliate_feed_runs (
    feed_id, source_id, status, finished_at, expiry_blocked, expiry_blocked_reason, skipped_reason)
SELECT id, source_id, 'SUCCEEDED', now(), %s::text IS NOT NULL, %s::text, %s::text FROM affiliate_feeds WHERE id = %s
"""


@pytest.fixture
async def page(served: Served, people: None) -> AsyncIterator[Page]:
    cookies = {"winnow_session": await session_of(served, "admin")}
    async with httpx.AsyncClient(base_url=served.url, cookies=cookies, timeout=LIMIT) as client:

        async def shown(path: str) -> str:
            answer = await client.get(f"{served.url}{path}")
            assert answer.status_code == 200, answer.text[:500]
            return html.unescape(answer.text)

        yield shown


@pytest.fixture
def feed(served: Served) -> int:
    known = served.sql("SELECT id FROM affiliate_feeds")
    return int((known or served.sql(SHOP))[0][0])


def become(served: Served, **values: str | int | bool | None) -> None:
    for name, value in values.items():
        served.sql(f"UPDATE affiliate_feeds SET {name} = %s RETURNING 1", value)


async def test_f105_the_list_is_called_affiliate_feeds_and_says_when_they_run(
    page: Page, served: Served, feed: int
) -> None:
    become(served, status="ENABLED", schedule_frequency_hours=6)
    listed = await page("/feeds")
    for text in ("Feeds", "Schedule", "every 6 hours", "IMPACT", "Last run"):
        assert text in listed, text
    become(served, schedule_frequency_hours=None, schedule_cron="30 6 * * *")
    assert "cron 30 6 * * * (UTC)" in await page("/feeds")
    become(served, schedule_cron=None)


async def test_f069_a_run_that_was_asked_for_has_a_badge(page: Page, served: Served, feed: int) -> None:
    become(served, status="ENABLED", manual_run_pending=False)
    assert "Run queued" not in await page("/feeds")
    become(served, manual_run_pending=True)
    assert "Run queued" in await page("/feeds")
    assert "Run queued" in await page(f"/feeds/{feed}")
    become(served, manual_run_pending=False)


@pytest.mark.parametrize(
    ("status", "reason", "text", "button"),
    [
        ("DRAFT", None, "test it, then enable it", "Enable"),
        ("PAUSED", None, "Paused by admin", "Resume"),
        ("PAUSED", "ids go back and forth", "Paused automatically: ids go back and forth", "Resume"),
        ("DISABLED", None, "Disabled due to repeated failures", "Re-enable"),
    ],
)
async def test_f104_who_stopped_it_and_what_starts_it(
    page: Page, served: Served, feed: int, status: str, reason: str | None, text: str, button: str
) -> None:
    become(served, status=status, status_reason=reason)
    shown = await page(f"/feeds/{feed}")
    assert text in shown
    assert f'"{button}"' in shown
    become(served, status="ENABLED", status_reason=None)


async def test_f102_f093_the_form_says_what_a_blank_password_does(page: Page, feed: int) -> None:
    form = await page(f"/feeds/{feed}/edit")
    for text in ("Leave blank to keep existing password", "••••••••", "I understand FTP is insecure"):
        assert text in form, text


async def test_f106_a_run_that_waits_offers_approval(page: Page, served: Served, feed: int) -> None:
    [(run,)] = served.sql(
        "INSERT INTO affiliate_feed_runs (feed_id, source_id, status, finished_at, expiry_blocked,"
        " expiry_blocked_reason) SELECT id, source_id, 'SUCCEEDED', now(), true, 'SPIKE_THRESHOLD_EXCEEDED'"
        " FROM affiliate_feeds RETURNING id"
    )
    become(served, current_seen_run_id=run)
    assert "Approve Activation" in await page(f"/feed-runs/{run}")


async def test_f089_only_a_run_that_waits_can_be_approved(page: Page, served: Served, feed: int) -> None:
    """The last run found the file unchanged: the held one waits all the same, until another is loaded."""
    served.sql("DELETE FROM affiliate_feed_runs RETURNING 1")
    held, unchanged = [
        int(served.sql(f"{RUN} RETURNING id", reason, reason, skipped, feed)[0][0])
        for reason, skipped in (("PRICE_JUMP", None), (None, "UNCHANGED_HASH"))
    ]
    assert f"Open run {held}" in await page(f"/feeds/{feed}")
    shown = await page(f"/feed-runs/{held}")
    assert "Waiting for your approval" in shown
    assert "Approve Activation" in shown

    served.sql("UPDATE affiliate_feed_runs SET replaced_by_run_id = %s WHERE id = %s RETURNING 1", unchanged, held)
    assert "waits for your approval" not in await page(f"/feeds/{feed}")
    shown = await page(f"/feed-runs/{held}")
    assert "Approve Activation" not in shown
    assert "Replaced" in shown
    assert f"run {held}, which waited for approval" in await page(f"/feed-runs/{unchanged}")
    served.sql("DELETE FROM affiliate_feed_runs RETURNING 1")
