"""Many records on one page, each judged and stored on its own, in one commit (DESIGN §11.27)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.run.conftest import *  # noqa: F403 - a worker, a site and a database to run against
from tests.run.scripted_site import Site
from winnow.db.engine import Database
from winnow.errors import Conflict
from winnow.settings import Settings

pytestmark = pytest.mark.usefixtures("notice_kind", "notices_table")

TASK = "SELECT outcome, reason, accepted, held, rejected FROM tasks ORDER BY created_at DESC, id DESC LIMIT 1"
RUN = """
SELECT status, urls_attempted, urls_failed, offers_extracted, offers_valid, offers_quarantined, offers_dropped,
       records_same, pages_empty, failure_rate::float8, yield_rate::float8
FROM scrape_runs ORDER BY id DESC LIMIT 1
"""


def board(texts: list[str]) -> str:
    items = "".join(f'<li class="notice" id="n{n}">{text}</li>' for n, text in enumerate(texts))
    return f"<html><body><h1>Board</h1><ul>{items}</ul></body></html>"


def listing() -> list[str]:
    """300 notices, of which 3 are held, 2 rejected and 1 breaks its normaliser."""
    texts = [f"notice {n}" for n in range(300)]
    for n, text in {7: "why?", 80: "who?", 299: "when?", 9: "", 10: "", 150: "boom"}.items():
        texts[n] = text
    return texts


@pytest.fixture
def agenda(site: Site, watch: Any, rows: Any) -> Any:
    async def add(body: str) -> int:
        source: int = await watch([site.says("/board", body)], adapter="notice")
        await rows("UPDATE sources SET kind = 'notice'")
        await rows("UPDATE scrape_targets SET kind = 'notice'")
        return source

    return add


async def test_a_listing_is_stored_record_by_record_in_one_commit(agenda: Any, start: Any, work: Any, rows: Any):
    await start(await agenda(board(listing())))
    await work()
    assert await rows(TASK) == [("accepted", None, 294, 3, 3)]
    assert await rows("SELECT count(*)::int, count(DISTINCT xmin::text)::int FROM notices") == [(294, 1)]
    assert await rows("SELECT record_key, reason, kind FROM quarantine ORDER BY record_key") == [
        ("n299", "VALIDATION_FAILED", "notice"),
        ("n7", "VALIDATION_FAILED", "notice"),
        ("n80", "VALIDATION_FAILED", "notice"),
    ]
    refused = "SELECT reasons[1], count(*)::int FROM records WHERE verdict = 'reject' GROUP BY 1 ORDER BY 1"
    assert await rows(refused) == [("BROKEN_RECORD", 1), ("MISSING_REQUIRED_FIELD", 2)]
    assert await rows("SELECT count(*)::int FROM records") == [300]
    assert await rows("SELECT count(*)::int FROM drafts") == [300]
    assert await rows(RUN) == [("SUCCESS", 1, 0, 300, 294, 3, 3, 0, 0, 0.0, 1.0)]


async def test_e103_each_draft_is_stored_with_its_own_block_of_the_page(agenda: Any, start: Any, work: Any, rows: Any):
    await start(await agenda(board(["one", "two"])))
    await work()
    assert await rows("SELECT raw_html FROM drafts ORDER BY id") == [
        '<li class="notice" id="n0">one</li>',
        '<li class="notice" id="n1">two</li>',
    ]


async def test_a_record_the_database_refuses_costs_itself_alone(agenda: Any, start: Any, work: Any, rows: Any):
    texts = [f"notice {n}" for n in range(40)]
    texts[17] = "x" * 100  # longer than its column
    await start(await agenda(board(texts)))
    await work()
    assert await rows(TASK) == [("accepted", None, 39, 0, 1)]
    assert await rows("SELECT count(*)::int FROM notices") == [39]
    assert await rows("SELECT reasons[1], payload FROM records WHERE verdict = 'reject'") == [("UNSTORABLE", {})]
    letters = "SELECT error_type, stage, payload ->> 'record_key' FROM dead_letters"
    assert await rows(letters) == [("UNSTORABLE", "persist", "n17")]


async def test_r17_a_page_that_hangs_is_stopped_and_the_others_go_on(
    site: Site, watch: Any, start: Any, work: Any, rows: Any, settings: Settings
):
    texts = {"/a": ["hang"], "/b": ["one"], "/c": ["hang", "two"], "/d": ["three"]}
    source = await watch([site.says(path, board(each)) for path, each in texts.items()], adapter="notice")
    await rows("UPDATE sources SET kind = 'notice'")
    await rows("UPDATE scrape_targets SET kind = 'notice'")
    await start(source)
    await work(run=settings.run.model_copy(update={"parse_timeout_seconds": 3.0}))
    stopped = ("failed", "extract_failed", "PAGE_STRUCTURE_CHANGED", "the page took too long")
    read = ("done", "accepted", None, None)
    ended = "SELECT status, outcome, reason, last_error FROM tasks ORDER BY url"
    assert await rows(ended) == [stopped, read, stopped, read]


async def test_what_says_the_same_again_is_counted_and_not_written(
    agenda: Any, start: Any, work: Any, rows: Any, site: Site
):
    source = await agenda(board(["one", "two", "three?"]))
    await start(source)
    await work()
    site.says("/board", board(["one", "two, changed", "three?"]))
    await start(source)
    await work()
    assert await rows("SELECT record_key, count(*)::int FROM records GROUP BY 1 ORDER BY 1") == [
        ("n0", 1),
        ("n1", 2),
        ("n2", 1),
    ]
    assert await rows("SELECT count(*)::int FROM quarantine") == [1]
    assert await rows(RUN) == [("SUCCESS", 1, 0, 3, 2, 1, 0, 2, 0, 0.0, 1.0)]
    assert await rows("SELECT text FROM notices WHERE key = 'n1'") == ["two, changed"]


async def test_one_accepted_record_settles_only_its_own_hold(agenda: Any, start: Any, work: Any, rows: Any, site: Site):
    source = await agenda(board(["one?", "two?"]))
    await start(source)
    await work()
    site.says("/board", board(["one", "two?"]))
    await start(source)
    await work()
    assert await rows("SELECT record_key, resolution FROM quarantine ORDER BY record_key") == [
        ("n0", "superseded"),
        ("n1", None),
    ]


async def test_a_page_that_says_it_is_empty_ends_well_and_is_left_out_of_drift(
    agenda: Any, start: Any, work: Any, rows: Any
):
    await start(await agenda('<html><body><h1>Board</h1><p class="nothing">No notices today</p></body></html>'))
    await work()
    assert await rows("SELECT status, outcome, last_error FROM tasks") == [("done", "empty", "No notices today")]
    assert await rows(RUN) == [("SUCCESS", 1, 0, 0, 0, 0, 0, 0, 1, 0.0, 0.0)]
    assert await rows("SELECT consecutive_failures, status FROM scrape_targets") == [(0, "ACTIVE")]


async def test_an_unchanged_listing_carries_its_counts(agenda: Any, start: Any, work: Any, rows: Any, site: Site):
    source = await agenda(board(["one", "two"]))
    for _ in range(2):
        await start(source)
        await work()
    assert await rows("SELECT outcome FROM tasks ORDER BY created_at") == ["accepted", "unchanged"]
    assert await rows(RUN) == [("SUCCESS", 1, 0, 2, 2, 0, 0, 0, 0, 0.0, 1.0)]


async def test_a_page_with_something_held_is_read_again(agenda: Any, start: Any, work: Any, rows: Any):
    source = await agenda(board(["one", "two?"]))
    for _ in range(2):
        await start(source)
        await work()
    assert await rows("SELECT outcome FROM tasks ORDER BY created_at") == ["accepted", "accepted"]


async def test_the_same_key_twice_on_a_page_is_one_record(agenda: Any, start: Any, work: Any, rows: Any):
    await start(await agenda(board(["one"]) + '<li class="notice" id="n0">one</li>'))
    await work()
    assert await rows(TASK) == [("accepted", None, 1, 0, 0)]


async def test_more_records_than_a_page_may_have_are_told_as_cut(agenda: Any, start: Any, work: Any, rows: Any):
    await start(await agenda(board([f"notice {n}" for n in range(2_005)])))
    await work()
    assert await rows("SELECT accepted FROM tasks") == [2_000]
    assert await rows("SELECT records_cut FROM scrape_runs") == [5]
    assert await rows("SELECT records_cut FROM insights") == [5]


async def test_a_held_record_of_any_kind_can_be_accepted_and_rejected(
    agenda: Any, start: Any, work: Any, rows: Any, database: Database
):
    from winnow.actions import quarantine

    await start(await agenda(board(["one?", "two?", "three"])))
    await work()
    ids = await rows("SELECT id FROM quarantine ORDER BY record_key")
    async with database.transaction() as conn:
        await quarantine.accept(conn, "anna", ids[0])
        await quarantine.reject(conn, "anna", ids[1])
    assert await rows("SELECT key, text FROM notices ORDER BY key") == [("n0", "one?"), ("n2", "three")]
    assert await rows("SELECT resolution FROM quarantine ORDER BY record_key") == ["accept", "reject"]
    async with database.transaction() as conn:
        with pytest.raises(Conflict, match="already"):
            await quarantine.accept(conn, "anna", ids[0])
